// A folder for the files of one test, which goes away with it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/temporary_folder.h"

namespace heddle {

/// Its name is new: a number of this process may be that of one that was killed before.
class TestFolder {
 public:
  std::string path() const { return made_.path(); }
  std::string file(const std::string& name) const { return path() + "/" + name; }
  /// The file's path.
  std::string write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path target = file(name);
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target, std::ios::binary | std::ios::trunc) << bytes;
    return target.string();
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(file(name)); }
  /// How many files and folders there are, hidden ones included.
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path()), {}));
  }

 private:
  TemporaryFolder made_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace heddle
