// heddle doctor: which heddle this is, and what the programs that it can use would add.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "chat/http.h"
#include "history_path.h"
#include "kernel/cxx/clang.h"
#include "output.h"
#include "report/json_values.h"
#include "report/style.h"
#include "support/program_path.h"
#include "support/version.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr int kDoctorVersion = 1;

constexpr const char* kDoctorExamples = R"text(
Examples:
  heddle doctor
  heddle doctor --json
A missing program is not an error here: a verb that needs it says so and exits with 4.)text";

/// A program, library or folder that heddle can use.
struct Part {
  std::string name;
  std::string found;    ///< its path, "yes" of a library; empty: missing
  std::string adds;     ///< what it is for
  std::string package;  ///< of Debian and Ubuntu; may be empty
};

std::string first_in_path(const std::string& name) {
  const std::vector<std::string> found = programs_in_path(name);
  return found.empty() ? "" : found[0];
}

std::string named_clang() {
  const std::string name = kernel::cxx::clang_name();
  if (name.find('/') == std::string::npos) return first_in_path(name);
  return access(name.c_str(), X_OK) == 0 ? name : "";
}

/// PATH of a file beside the program, or in the share folder that belongs to its bin; empty if it is
/// not there.
std::string near_program(const fs::path& relative) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path path = (program.parent_path() / relative).lexically_normal();
  return !error && fs::exists(path, error) ? path.string() : "";
}

std::string examples() {
  const std::string installed = near_program("../share/heddle/examples");
  return installed.empty() ? near_program("../examples") : installed;
}

std::string history_file() {
  try {
    return history_path({});
  } catch (const Error&) {
    return "";
  }
}

std::vector<Part> parts() {
  return {
      {"python3", first_in_path("python3"), "reads Triton kernels", "python3"},
      {"clang-19", named_clang(), "compiles HIP and CUDA C++ kernels", "clang-19"},
      {"gnuplot", first_in_path("gnuplot"), "draws rooflines as SVG and PDF", "gnuplot-nox"},
      {"libcurl", chat::can_post() ? "yes" : "", "asks language models (optimize --model)",
       "libcurl4"},
      {"heddle-agent", near_program("heddle-agent"),
       "measures kernels on this machine's GPU (optimize --measure)", ""},
      {"examples", examples(), "jobs and kernels to try heddle on", ""},
      {"history", history_file(), "keeps what searches tried; the first search creates it", ""},
  };
}

/// Paths stay whole, however narrow the terminal is.
std::string doctor_text(const std::vector<Part>& parts, const report::Style& style) {
  std::string text = style.bold("heddle " + version_text()) + "\n";
  for (const Part& part : parts) {
    const bool can_install = part.found.empty() && !part.package.empty();
    text += report::labelled(
        part.name, fmt::format("{}: {}{}", part.found.empty() ? "missing" : part.found, part.adds,
                               can_install ? "; apt install " + part.package : ""));
  }
  return text;
}

nlohmann::json doctor_json(const std::vector<Part>& parts) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Part& part : parts) {
    nlohmann::json row = {{"name", part.name}, {"found", !part.found.empty()}, {"adds", part.adds}};
    row["path"] = report::text_or_null(part.found == "yes" ? "" : part.found);
    row["package"] = report::text_or_null(part.package);
    rows.push_back(std::move(row));
  }
  return {
      {"version", kDoctorVersion}, {"heddle", version()}, {"commit", commit()}, {"parts", rows}};
}

}  // namespace

void add_doctor(Program& program, Outcome& outcome) {
  Verb verb =
      program.add_verb("doctor", "show what is installed, and what missing programs would add");
  const auto output = std::make_shared<OutputArguments>();
  output->add(verb);
  verb.footer(kDoctorExamples);
  verb.callback([output, &outcome] {
    const std::vector<Part> found = parts();
    output->print(output->wants_json() ? json_text(doctor_json(found))
                                       : doctor_text(found, output->style()));
    outcome.code = ExitCode::good;
  });
}

}  // namespace heddle::tool
