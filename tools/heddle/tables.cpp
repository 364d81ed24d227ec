#include "tables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "notes.h"
#include "support/error.h"

namespace heddle::tool {

calibrate::GpuSubstitute gpu_substitute(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {{}, text};
  if (equals == 0 || equals + 1 == text.size())
    throw Error(fmt::format("--gpu {} names no GPU", text), "write --gpu mi300x=my.toml");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void check_writable(const std::string& file) {
  if (file.empty()) return;
  std::error_code status;
  if (std::filesystem::is_directory(file, status))
    throw Error(fmt::format("cannot write '{}': it is a directory", file), "name a file in it");
  const bool exists = std::filesystem::exists(file, status);
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty()) folder = ".";
  const std::string probed = exists ? file : folder.string();
  if (access(probed.c_str(), W_OK) != 0)
    throw Error(fmt::format("cannot write '{}'", file),
                "check that the directory exists, and its permissions");
}

void say_written(const std::string& file) {
  if (!file.empty()) print_note(fmt::format("written to {}\n", file));
}

}  // namespace heddle::tool
