// The project around a kernel's file: how far it reaches, and where its headers may lie.
//
//   /home/me/llama/ggml/src/ggml-cuda/norm.cu
//     root      /home/me/llama                  the repository
//     folders   .../ggml-cuda, .../ggml-cuda/include, .../ggml/src, .../ggml/include, ...
//
// Rules
//   1. The root is the nearest folder above the file with a .git. Without one it is the highest
//      folder that holds a build file, a licence or a README, at most kMostLevels up, with no more
//      than one folder without such a file in between. Else it is the file's own folder.
//   2. Folders are, in this order: those that an entry of compile_commands.json names for the file,
//      the parents up to the root with their include, inc, src and common folders, and those that
//      -I in Makefiles and include_directories in CMakeLists.txt name. All lie below the root.
//   3. A header that none of them has is looked for below the root, and taken if there is one file
//      of that name, or if all that there are hold the same.
//   4. Nothing is run; what is read is bounded. Links that lead out of the root are not followed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::kernel::cxx {

inline constexpr int kMostLevels = 12;

/// Whether a path is that of a folder or of something in it, by its text.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);
/// Whether a path is that of a plain file which lies below a folder, links followed.
bool is_file_below(const std::string& path, const std::string& folder);

class Project {
 public:
  /// Of a kernel's file.
  explicit Project(const std::string& path);

  const std::string& root() const { return root_; }
  /// Of compile_commands.json: folders, macros ("N=4").
  const std::vector<std::string>& given_folders() const { return given_folders_; }
  const std::vector<std::string>& given_defines() const { return given_defines_; }
  /// The file that `#include "name"` means, if none of the compiler's folders has it.
  std::optional<std::string> find(const std::string& name);

 private:
  void read_commands(const std::string& folder);
  void read_arguments(const std::vector<std::string>& arguments, const std::string& folder);
  void add_named_folders(const std::string& folder);
  void add_folder(const std::string& folder);
  std::optional<std::string> find_anywhere(const std::string& name);

  std::string file_;
  std::string root_;
  std::vector<std::string> folders_;
  std::vector<std::string> given_folders_;
  std::vector<std::string> given_defines_;
  bool is_listed_ = false;
  std::multimap<std::string, std::string> files_;  ///< below the root: name, path
};

}  // namespace heddle::kernel::cxx
