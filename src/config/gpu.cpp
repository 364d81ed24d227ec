#include "config/gpu.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "config/gpu_file.h"
#include "config/gpu_files.h"
#include "config/toml_document.h"
#include "support/error.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::config {
namespace {

constexpr std::string_view kEnding = ".toml";
constexpr const char* kVariable = "HEDDLE_GPUS";
constexpr const char* kDocument = "docs/add-a-gpu.md";

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(kEnding);
}

/// "mi300x:cpx" -> "mi300x", "cpx". Only a colon after the last '/' counts, and none before .toml.
struct Request {
  std::string what;
  std::string mode;
};

Request split_request(const std::string& text) {
  if (text.ends_with(kEnding)) return {text, {}};
  const std::size_t colon = text.rfind(':');
  const std::size_t slash = text.rfind('/');
  if (colon == std::string::npos || (slash != std::string::npos && slash > colon))
    return {text, {}};
  if (colon + 1 == text.size())
    throw Error(fmt::format("'{}' ends with a colon, but names no mode", text),
                "write mi300x:CPX, or leave the colon out");
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<Gpu> modes_in_path(const std::string& path) {
  const std::string name = std::filesystem::path(path).stem().string();
  return gpus_of_file(name, path, read_toml(path, kDocument));
}

std::vector<Gpu> modes_of_name(const std::string& name) {
  const std::string wanted = lower_case(name);
  for (const GpuFile& file : gpu_files()) {
    if (file.name != wanted) continue;
    const std::string shown = fmt::format("gpus/{}{}", file.name, kEnding);
    return gpus_of_file(wanted, shown, parse_toml(file.text, shown, kDocument));
  }
  const char* folder = std::getenv(kVariable);
  if (folder != nullptr && *folder != '\0' && !name.empty()) {
    const std::filesystem::path path =
        std::filesystem::path(folder) / (name + std::string(kEnding));
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return modes_in_path(path.string());
  }
  const std::vector<std::string> known = known_gpus();
  throw Error(fmt::format("no GPU is called '{}'", name.substr(0, 80)),
              fmt::format("{}use one of: {}; or a path to a file of yours (docs/add-a-gpu.md)",
                          did_you_mean(name, known), word_list(known)));
}

}  // namespace

Target target_of(const Gpu& gpu) {
  return {gpu.vendor, gpu.target, gpu.compute.wave_lanes,
          gpu.compute.dies * gpu.compute.compute_units};
}

bool is_gpu_path(const std::string& name_or_path) {
  return is_path(split_request(name_or_path).what);
}

Gpu read_gpu(const std::string& name_or_path) {
  const Request request = split_request(name_or_path);
  std::vector<Gpu> modes =
      is_path(request.what) ? modes_in_path(request.what) : modes_of_name(request.what);
  if (request.mode.empty()) return std::move(modes.front());
  for (Gpu& gpu : modes) {
    if (!gpu.mode.empty() && lower_case(gpu.mode) == lower_case(request.mode))
      return std::move(gpu);
  }
  const std::vector<std::string>& known = modes.front().modes;
  if (known.empty())
    throw Error(fmt::format("{} has no modes, so none is called '{}'", request.what, request.mode),
                fmt::format("write {}", request.what));
  throw Error(
      fmt::format("{} has no mode '{}'", request.what, request.mode),
      fmt::format("{}its modes are: {}", did_you_mean(request.mode, known), word_list(known)));
}

std::vector<std::string> known_gpus() {
  std::vector<std::string> names;
  for (const GpuFile& file : gpu_files()) names.emplace_back(file.name);
  return names;
}

std::string replacement_text(Replacement replacement) {
  if (replacement == Replacement::lru) return "lru";
  if (replacement == Replacement::tree_plru) return "tree_plru";
  return replacement == Replacement::random ? "random" : "sampled_lru";
}

std::string replication_text(Replication replication) {
  if (replication == Replication::none) return "none";
  if (replication == Replication::opportunistic) return "opportunistic";
  return replication == Replication::full ? "full" : "probation";
}

}  // namespace heddle::config
