#include "measure/bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/agent_files.h"
#include "config/contents.h"
#include "kernel/source.h"
#include "measure/launch_text.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::measure {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kBundle = "bundle.txt";
constexpr const char* kRecord = "heddle.json";
constexpr std::size_t kMostRecord = std::size_t{16} << 20;
constexpr std::size_t kMostSource = std::size_t{16} << 20;
constexpr std::size_t kMostSources = std::size_t{256} << 20;  ///< of all candidates
constexpr std::size_t kMostNames = 1000;                      ///< candidates, launches, seeds
constexpr int kVersion = 1;

kernel::RuntimeForm form_of(const Bundle& bundle) {
  return kernel::language_of(bundle.kernel_path)
      .runtime_form(bundle.is_amd ? config::Vendor::amd : config::Vendor::nvidia);
}

const std::string& function_of(const Bundle& bundle) {
  return bundle.launches.front().program->full_name;
}

std::string file_of(const Bundle& bundle, std::size_t candidate) {
  return fmt::format("kernels/{}{}", candidate, form_of(bundle).ending);
}

/// The whole file, where the kernel's is a part of it.
std::string whole_file_of(const Bundle& bundle, std::size_t candidate) {
  const kernel::RuntimeForm form = form_of(bundle);
  return fmt::format("{}/{}{}", form.is_whole ? "kernels" : "sources", candidate, form.ending);
}

/// Fits on the rest of a line.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return line;
}

bool is_bundle(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / kBundle, error)) return false;
  std::string word;
  std::ifstream(folder / kBundle) >> word;
  return word == "heddle-bundle";
}

/// A folder that may be written to: rule 3.
void make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (!fs::is_directory(folder, error))
      throw Error(fmt::format("'{}' is not a folder", folder.string()),
                  "name another one with -o DIR");
    if (!fs::is_empty(folder, error) && !is_bundle(folder))
      throw Error(fmt::format("the folder '{}' holds something else", folder.string()),
                  "name an empty one, or one that does not exist, with -o DIR");
    for (const char* part : {"kernels", "sources", "data", "agent", "results"})
      fs::remove_all(folder / part, error);
  }
  fs::create_directories(folder / "kernels", error);
  if (!fs::is_directory(folder / "kernels", error))
    throw Error(fmt::format("the folder '{}' cannot be made", folder.string()),
                "name another one with -o DIR");
}

void write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  write_text(path.string(), text);
}

void write_data(const BundleLaunch& launch, std::size_t index, const fs::path& folder) {
  const config::Tensor& tensor = launch.launch.tensors[index];
  const std::string path = data_path(launch, tensor);
  if (path.empty()) return;
  if (tensor.bytes > kMostData)
    throw Error(fmt::format("the contents of '{}' are {} bytes, and a bundle carries {} at most",
                            tensor.name, with_separators(tensor.bytes), with_separators(kMostData)),
                "make it smaller with --set");
  std::string text(static_cast<std::size_t>(tensor.bytes), '\0');
  config::write_contents(launch.launch, tensor, text);
  write_file(folder / path, text);
}

json number_json(const std::optional<double>& number) {
  return number ? json(*number) : json(nullptr);
}

json prediction_json(const std::optional<PredictedFigures>& predicted) {
  if (!predicted) return nullptr;
  return {{"speedup", predicted->speedup},
          {"time_us", number_json(predicted->time_us)},
          {"l2_hit_pct", number_json(predicted->l2_hit_pct)},
          {"dram_read_bytes", number_json(predicted->dram_read_bytes)}};
}

json record_json(const Bundle& bundle) {
  json candidates = json::array();
  for (std::size_t i = 0; i < bundle.candidates.size(); ++i) {
    const BundleCandidate& one = bundle.candidates[i];
    candidates.push_back({{"title", one.title},
                          {"formula", one.formula},
                          {"proof", one.proof},
                          {"source", whole_file_of(bundle, i)},
                          {"predicted", prediction_json(one.predicted)}});
    if (!one.family.empty()) candidates.back()["family"] = one.family;
  }
  std::vector<std::string> launches, seeds;
  for (const BundleLaunch& launch : bundle.launches) launches.push_back(launch.name);
  for (const std::int64_t seed : bundle.seeds) seeds.push_back(std::to_string(seed));
  return {{"version", kVersion},
          {"mode", bundle.lean ? "lean" : "full"},
          {"launches", launches},
          {"seeds", seeds},
          {"job", bundle.job},
          {"set", bundle.overrides},
          {"gpu", bundle.gpu},
          {"kernel", bundle.kernel_path},
          {"function", function_of(bundle)},
          {"candidates", candidates}};
}

std::optional<double> number_of(const json& value) {
  return value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
}

std::optional<PredictedFigures> prediction_of(const json& value) {
  if (value.is_null()) return std::nullopt;
  return PredictedFigures{value.at("speedup").get<double>(), number_of(value.at("time_us")),
                          number_of(value.at("l2_hit_pct")),
                          number_of(value.at("dram_read_bytes"))};
}

/// A file that the record names, and that lies in the folder, links followed.
std::string text_of_source(const fs::path& folder, const std::string& path) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path file = fs::canonical(folder / path, error);
  const fs::path inside = error ? fs::path() : file.lexically_relative(root);
  if (inside.empty() || *inside.begin() == ".." || !fs::is_regular_file(file, error))
    throw Error(fmt::format("'{}' is not a file of the bundle", path), "write the bundle anew");
  return read_text(file.string(), kMostSource);
}

}  // namespace

std::string bundle_text(const Bundle& bundle) {
  std::string text = fmt::format("heddle-bundle {}\n", kVersion);
  text += fmt::format("job {}\n", on_one_line(bundle.job));
  if (!bundle.gpu.empty()) text += fmt::format("gpu {}\n", on_one_line(bundle.gpu));
  text += fmt::format("language {}\nfunction {}\n", form_of(bundle).language, function_of(bundle));
  for (const std::string& define : bundle.launches.front().program->defines)
    text += fmt::format("define {}\n", define);
  text += fmt::format("seeds {}\nlimit_s {}\nrounds {}\nbudget_s {}\n",
                      fmt::join(bundle.seeds, " "), bundle.limit_s, bundle.rounds, bundle.budget_s);
  if (bundle.lean) text += "mode lean\n";
  for (std::size_t i = 0; i < bundle.candidates.size(); ++i)
    text += fmt::format("candidate {} {} {}\n", i, file_of(bundle, i),
                        on_one_line(bundle.candidates[i].title));
  for (const BundleLaunch& launch : bundle.launches) text += launch_text(launch);
  return text;
}

void write_bundle(const Bundle& bundle, const std::string& folder) {
  const std::string text = bundle_text(bundle);  // what cannot be said leaves no folder behind
  const fs::path base(folder);
  make_folder(base);
  const kernel::Language& language = kernel::language_of(bundle.kernel_path);
  for (std::size_t i = 0; i < bundle.candidates.size(); ++i) {
    const std::string& source = bundle.candidates[i].text;
    const std::string file = file_of(bundle, i);
    const std::string whole = whole_file_of(bundle, i);
    if (whole != file) write_file(base / whole, source);
    write_file(base / file, language.runtime_text({bundle.kernel_path, source, file,
                                                   bundle.launches.front().launch}));
  }
  for (const BundleLaunch& launch : bundle.launches)
    for (std::size_t i = 0; i < launch.launch.tensors.size(); ++i) write_data(launch, i, base);
  if (bundle.has_agent) write_agent(folder);
  write_file(base / kRecord, record_json(bundle).dump(1) + "\n");
  write_file(base / kBundle, text);
}

void write_agent(const std::string& folder) {
  const fs::path base(folder);
  for (const agent::AgentFile& file : agent::agent_files()) {
    const bool is_script = file.path == "run.sh";
    write_file(is_script ? base / file.path : base / "agent" / file.path, file.text);
  }
}

BundleRecord read_record(const std::string& folder) {
  const fs::path base(folder);
  const std::string path = (base / kRecord).string();
  std::error_code error;
  if (!fs::is_directory(base, error))
    throw Error(fmt::format("there is no folder '{}'", folder),
                "name one that heddle bundle wrote");
  if (!is_bundle(base) || !fs::is_regular_file(base / kRecord, error))
    throw Error(fmt::format("'{}' is not a bundle", folder),
                "name a folder that heddle bundle wrote");
  BundleRecord record;
  std::size_t bytes = 0;
  try {
    const json value = json::parse(read_text(path, kMostRecord));
    if (value.at("version").get<int>() != kVersion)
      throw Error("a bundle of another version", "write it anew with this heddle").in(path);
    record.job = value.at("job").get<std::string>();
    record.overrides = value.at("set").get<std::vector<std::string>>();
    record.gpu = value.at("gpu").get<std::string>();
    record.kernel_path = value.at("kernel").get<std::string>();
    record.function = value.at("function").get<std::string>();
    record.launches = value.at("launches").get<std::vector<std::string>>();
    record.lean = value.value("mode", "full") == "lean";
    record.seeds = value.at("seeds").get<std::vector<std::string>>();
    for (const json& one : value.at("candidates")) {
      BundleCandidate candidate;
      candidate.title = one.at("title").get<std::string>();
      candidate.formula = one.at("formula").get<std::string>();
      candidate.proof = one.at("proof").get<std::string>();
      candidate.predicted = prediction_of(one.at("predicted"));
      candidate.family = one.value("family", "");
      candidate.text = text_of_source(base, one.at("source").get<std::string>());
      bytes += candidate.text.size();
      record.candidates.push_back(std::move(candidate));
      if (bytes > kMostSources || record.candidates.size() > kMostNames)
        throw Error("more candidates than a bundle holds", "write the bundle anew").in(path);
    }
    if (record.launches.size() > kMostNames || record.seeds.size() > kMostNames)
      throw Error("more launches or seeds than a bundle holds", "write the bundle anew").in(path);
  } catch (const json::exception& problem) {
    throw Error(fmt::format("the file is damaged: {}", problem.what()), "write the bundle anew")
        .in(path);
  }
  if (record.candidates.empty())
    throw Error("a bundle without an original", "write the bundle anew").in(path);
  return record;
}

}  // namespace heddle::measure
