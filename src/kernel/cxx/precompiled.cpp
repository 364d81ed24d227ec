#include "kernel/cxx/precompiled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = 8;
constexpr std::size_t kMostHeaderBytes = std::size_t{16} << 20;  ///< of one

/// Of the header, everywhere: Clang compares it with that of the header that it has compiled.
const fs::file_time_type kHeaderTime = std::chrono::file_clock::from_sys(
    std::chrono::sys_seconds(std::chrono::seconds(1'000'000'000)));

struct KeptHeader {
  std::string key;
  std::string bytes;
};

/// `# 1 "/tmp/heddle-run-4711-a8Xk2Q/expand.cpp"` without the folder, which is another one each time.
std::string without_folder(std::string_view text, const std::string& folder) {
  const std::string before = '"' + folder + '/';
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string_view line = text.substr(at, end - at);
    if (const std::size_t name = line.find(before);
        line.substr(0, 2) == "# " && name != std::string_view::npos) {
      out += line.substr(0, name + 1);
      line.remove_prefix(name + before.size());
    }
    out += line;
    at = end;
  }
  return out;
}

/// Everything that Clang's output depends on.
std::string header_key(const std::string& text, const std::vector<std::string>& language) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  return fmt::format("{}\n{}\n{}\n{}", variable("HEDDLE_CLANG"), variable("PATH"),
                     fmt::join(language, "\n"), text);
}

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void precompile(const std::vector<std::string>& language, const ClangPlace& place,
                const std::string& source_path) {
  std::vector<std::string> arguments = language;
  arguments.insert(arguments.end(),
                   {"-x", "c++-header", "-o", precompiled_path(place), kHeaderName});
  const ClangOutput output = run_clang(arguments, &place);
  if (!output.good) throw clang_error(output.errors, source_path);
}

}  // namespace

std::string precompiled_path(const ClangPlace& place) {
  return place.folder + "/before.pch";
}

std::string put_header(std::string_view text, const ClangPlace& place) {
  std::string common = without_folder(text, place.folder);
  write_input(header_path(place), common);
  std::error_code failed;
  fs::last_write_time(header_path(place), kHeaderTime, failed);
  if (failed)
    throw Error(fmt::format("'{}' cannot be written", header_path(place)),
                "is there room in the folder for temporary files (TMPDIR)?", ExitCode::missing);
  return common;
}

void put_precompiled(const std::string& header, const std::vector<std::string>& language,
                     const ClangPlace& place, const std::string& source_path) {
  static std::mutex mutex;
  static std::deque<KeptHeader> kept;
  std::string key = header_key(header, language);
  {
    const std::lock_guard lock(mutex);
    const auto known = std::find_if(kept.begin(), kept.end(),
                                    [&](const KeptHeader& one) { return one.key == key; });
    if (known != kept.end()) return write_input(precompiled_path(place), known->bytes);
  }
  precompile(language, place, source_path);
  std::string bytes = file_bytes(precompiled_path(place));
  if (bytes.size() > kMostHeaderBytes) return;
  const std::lock_guard lock(mutex);
  kept.push_back({std::move(key), std::move(bytes)});
  if (kept.size() > kMostHeaders) kept.pop_front();
}

}  // namespace heddle::kernel::cxx
