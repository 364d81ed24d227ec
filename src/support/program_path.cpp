#include "support/program_path.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/text.h"

namespace heddle {

std::vector<std::string> programs_in_path(const std::string& name) {
  std::vector<std::string> found;
  const char* const path = std::getenv("PATH");
  if (path == nullptr || name.empty()) return found;
  for (const std::string_view folder : split(path, ':')) {
    std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    std::error_code error;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, error))
      found.push_back(std::move(file));
  }
  return found;
}

bool is_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 2> begin{};
  return file.read(begin.data(), begin.size()) && begin[0] == '#' && begin[1] == '!';
}

}  // namespace heddle
