// The project around a kernel's file: how far it reaches, and where its headers may lie.
//
//   /home/me/llama/ggml/src/ggml-cuda/norm.cu
//     root             /home/me/llama                            the repository
//     find("ggml.h")   /home/me/llama/ggml/include/ggml.h        the only file of that name
//
// Rules
//   1. The root is the nearest folder above the file with a .git. Without one it is the highest
//      folder that holds a build file, a licence or a README, at most kMostLevels up, with no more
//      than one folder without such a file in between. Else it is the file's own folder. Folders
//      that hold many people's or projects' files (/, /tmp, a home, what a home lies in) are not roots.
//   2. command() is what compile_commands.json of the file's folder, of one above it, or of their
//      build folders says about the file; of its folders those below the root.
//   3. A header that the compiler's own folders do not have is a guess: one of a folder that -I in a
//      Makefile or include_directories in a CMakeLists.txt names, or else any file below the root
//      with that name. Of several files that differ, one that lies in a folder above the including
//      file is taken, if it is the only one: that folder is what projects name most. Else none is
//      found, and unclear() says which there are.
//   4. A header is a plain file that ends as C++ files do, below the root with links followed, and in
//      no hidden folder.
//   5. Nothing is run; what is read is bounded. Where the root holds more than kMostEntries files,
//      nothing is guessed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/cxx/compile_commands.h"

namespace heddle::kernel::cxx {

inline constexpr int kMostLevels = 12;
inline constexpr std::size_t kMostEntries = 60'000;

/// Whether a path is that of a folder or of something in it, by its text.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);
/// Whether a path is that of a plain file which lies below a folder, links followed.
bool is_file_below(const std::string& path, const std::string& folder);
/// Rule 4, of a path below the root.
bool is_header_below(const std::string& path, const std::string& root);
/// Rule 1: /, /tmp, homes, /proc, ...
bool is_shared_folder(const std::filesystem::path& folder);

class Project {
 public:
  /// Of a kernel's file.
  explicit Project(const std::string& path);

  const std::string& root() const { return root_; }
  const CompileCommand& command() const { return command_; }
  /// The file that `#include "name"` in a file of the folder means, if none of the compiler's folders
  /// has it.
  std::optional<std::string> find(const std::string& name, const std::string& from);
  /// Why names that find() was asked for mean no file: "'a.h' could be one/a.h or two/a.h".
  const std::map<std::string, std::string>& unclear() const { return unclear_; }

 private:
  void read_commands(const std::string& folder);
  void add_named_folders(const std::string& folder);
  void add_folder(const std::string& folder);
  std::vector<std::string> in_folders(const std::string& name) const;
  std::vector<std::string> anywhere(const std::string& name);
  void list_files();

  std::string file_;
  std::string root_;
  std::vector<std::string> folders_;  ///< that build files name
  std::map<std::string, std::string> unclear_;
  CompileCommand command_;
  bool is_listed_ = false;
  std::multimap<std::string, std::string> files_;  ///< below the root: name, path
};

}  // namespace heddle::kernel::cxx
