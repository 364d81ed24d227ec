#include "sweep/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "support/error.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

bool is_before(const StoredLine& one, const StoredLine& other) {
  return std::tie(one.key, one.failed, one.row) < std::tie(other.key, other.failed, other.row);
}

}  // namespace

std::string lines_folder(const std::string& folder) {
  return folder + "/lines";
}

void make_store(const std::string& folder) {
  for (const std::string& path : {lines_folder(folder), folder + "/workers"}) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error || !fs::is_directory(path))
      throw Error(fmt::format("the folder '{}' cannot be made: {}", path, error.message()),
                  "name another folder with -o", ExitCode::missing);
  }
}

StoredRows::StoredRows(const std::string& folder, const std::vector<std::string>& known) {
  add_folder(folder);
  for (const std::string& other : known) {
    if (fs::is_directory(other))
      add_folder(other);
    else
      add_file(other);
  }
  line_count_ = lines_.size();
  std::ranges::sort(lines_, is_before);
  const auto repeated = std::ranges::unique(lines_, {}, &StoredLine::key);
  lines_.erase(repeated.begin(), repeated.end());
  for (const StoredLine& line : lines_) total_ms_ += static_cast<double>(line.took_ms);
}

void StoredRows::add_folder(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(lines_folder(folder), error))
    if (entry.path().extension() == ".lines") paths.push_back(entry.path().string());
  for (const std::string& path : paths) add_file(path);
}

void StoredRows::add_file(const std::string& path) {
  files_.emplace_back(path);
  each_line(files_.back().text(), [&](const StoredLine& line) { lines_.push_back(line); });
}

std::optional<StoredLine> StoredRows::find(const Key& key) const {
  const auto at = std::ranges::lower_bound(lines_, key, {}, &StoredLine::key);
  if (at == lines_.end() || at->key != key) return std::nullopt;
  return *at;
}

std::optional<double> StoredRows::mean_ms() const {
  if (lines_.empty()) return std::nullopt;
  return total_ms_ / static_cast<double>(lines_.size());
}

}  // namespace heddle::sweep
