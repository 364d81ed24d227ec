#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "notes.h"
#include "report/json_values.h"
#include "support/file.h"

namespace heddle::tool {

void OutputArguments::add(Verb verb, bool has_page) {
  verb.add_flag("--json", json, "print JSON instead of text");
  verb.add_option("--color", color, "always, never or auto").one_of({"always", "never", "auto"});
  verb.add_option("-o,--output", file,
                  has_page ? "write to a file; .json selects JSON, .html a page with charts"
                           : "write to a file; .json selects JSON")
      .type_name("FILE");
}

bool OutputArguments::wants_json() const {
  return json || (file.size() > 5 && file.compare(file.size() - 5, 5, ".json") == 0);
}

report::Style OutputArguments::style() const {
  if (!file.empty()) report::set_text_columns(report::kFileColumns);
  return report::choose_style(color, file.empty() && isatty(STDOUT_FILENO) != 0);
}

void OutputArguments::print(const std::string& text) const {
  if (!file.empty()) return write_text(file, text);
  if (Capture::results() != nullptr) {
    *Capture::results() += text;
    return;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw output_error();
}

Error output_error() {
  return Error("standard output cannot be written", "is there room where it goes to?",
               ExitCode::missing);
}

std::string json_text(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string error_json(const Error& error) {
  constexpr int kErrorVersion = 1;
  const auto known = [](int number) {
    return number > 0 ? nlohmann::json(number) : nlohmann::json();
  };
  return json_text({{"version", kErrorVersion},
                    {"error",
                     {{"message", error.message()},
                      {"hint", report::text_or_null(error.hint())},
                      {"file", report::text_or_null(error.source())},
                      {"line", known(error.position().line)},
                      {"column", known(error.position().column)},
                      {"exit_code", static_cast<int>(error.code())}}}});
}

ExitCode exit_code(Verdict verdict) {
  if (verdict == Verdict::proved) return ExitCode::good;
  return verdict == Verdict::refuted ? ExitCode::refuted : ExitCode::inconclusive;
}

}  // namespace heddle::tool
