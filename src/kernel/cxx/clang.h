// Runs Clang, bounded in time and memory, and turns what it refuses into Errors with places.
//
//   const ClangPlace place = make_place(folder, "/home/me/kernels");
//   run_clang({"-S", "-o", "-", folder + "/kernel.cpp"}, &place)   -> what it printed
//   run_linker({"-shared", "-o", folder + "/kernel.so", folder + "/kernel.o"}, place)
//
// Rules
//   1. Clang is clang-19, or what the environment variable HEDDLE_CLANG names.
//   2. An error in the kernel's text, which is called kMainFile in what Clang sees, has the place
//   in
//      the user's file.
//   3. At a place Clang sees the files below the kernel's folder, the place's own, and those of the
//      system's headers and compilers; others are not there for it (a virtual file system), and
//      where the system has Landlock it cannot open them by links either. Its temporary files go to
//      the place's folder, and are bounded. The linker is held to the same.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/error.h"

namespace heddle {
class TemporaryFolder;
}

namespace heddle::kernel::cxx {

inline constexpr const char* kMainFile = "heddle_kernel_source";
inline constexpr std::size_t kMostFileBytes = std::size_t{512} << 20;  ///< that Clang may write

/// Rule 1.
std::string clang_name();

struct ClangOutput {
  bool good = false;
  std::string output;
  std::string errors;
};

/// Where Clang works for a kernel.
struct ClangPlace {
  std::string folder;   ///< of its own: what it writes
  std::string headers;  ///< the path of the next one; empty: none are needed
  std::shared_ptr<const TemporaryFolder> headers_folder = {};  ///< the device headers
  std::string sources;                                         ///< the kernel's folder, absolute
  std::vector<std::string> readable;                           ///< folders, with both of them
  std::vector<std::string> include;                            ///< folders for -I, behind `sources`
  /// Files that Clang reads in place of others: the others' paths, theirs.
  std::vector<std::pair<std::string, std::string>> replaced;
};

/// What Clang calls the folder of the device headers.
inline constexpr const char* kDeviceFolder = "/heddle-place/include";

/// What Clang calls the file header_path() of any place, so that what it makes of it holds at others.
inline constexpr const char* kHeaderName = "/heddle-place/before.hpp";
std::string header_path(const ClangPlace& place);

/// Puts into `folder` what Clang needs there.
ClangPlace make_place(const std::string& folder, const std::string& sources,
                      std::vector<std::string> include = {});

/// Lets Clang read some files in place of others.
void replace_files(ClangPlace& place, std::vector<std::pair<std::string, std::string>> replaced);

/// The folders in which Clang looks for the system's headers.
const std::vector<std::string>& system_header_folders();

/// Writes a file that Clang is to read.
void write_input(const std::string& path, std::string_view text);

/// What is kept of a long output, as it comes.
class OutputFilter {
 public:
  virtual ~OutputFilter() = default;
  virtual void take(std::string_view piece) = 0;
  virtual std::string kept() = 0;
};

struct ClangRun {
  bool keeps_refusals = false;         ///< that Clang refuses the text may be remembered as well
  std::function<void()> prepare = {};  ///< where Clang does run (clang_cache.h): what it needs
  OutputFilter* filter = nullptr;      ///< the run's output is what it keeps
};

/// Throws Error if there is no Clang, or if it takes too long, too much memory or too much disk.
ClangOutput run_clang(const std::vector<std::string>& arguments, const ClangPlace* place = nullptr,
                      const ClangRun& how = {});

/// The system's linker, without the driver in front of it; not good where there is none.
ClangOutput run_linker(const std::vector<std::string>& arguments, const ClangPlace& place);

/// The kernel's variables take more than kMostFileBytes.
Error too_large_error();

/// A file that the kernel includes, and may not.
Error outside_error(const std::string& header);

/// Whether an included file, as it is written in the source, lies where Clang may not read.
bool is_outside(const ClangPlace& place, const std::string& header);

/// "file:12:3: error: text" taken apart; a note is like an error.
struct ClangMessage {
  std::string file;
  Position position;
  std::string text;
  bool is_error = false;
};
std::vector<ClangMessage> clang_messages(const std::string& errors);

/// A message as an error of the kernel's file; `errors` is all that Clang says.
Error message_error(const ClangMessage& message, const std::string& errors,
                    const std::string& source_path);

/// The first error of Clang's messages, as one of the kernel's file.
Error clang_error(const std::string& errors, const std::string& source_path);

/// The header that Clang did not find, "cublas_v2.h", or nothing.
std::string missing_header(const std::string& errors);

}  // namespace heddle::kernel::cxx
