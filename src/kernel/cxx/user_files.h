// The files of a project that a kernel's file includes, as the kernel needs them: without host code,
// without what the kernel does not reach, and without what Clang refuses and the kernel can spare.
//
//   UserFiles files(source, kernel, native, words);
//   files.write(native);                  // what Clang sees from now on
//   files.drop(output.errors)             // after Clang's errors: less
//
// Rules
//   1. An include is looked for beside its file, beside the kernel, in the folders of the job, among
//      heddle's and the system's headers, and then in the project (project.h). One that is nowhere
//      is left out, and named in the errors that follow from it.
//   2. A function that Clang refuses becomes a declaration, a class an incomplete type, and anything
//      else goes. So overloads and specialisations are chosen as before, and a kernel that needs one
//      of them does not compile: the Error is that of the declaration itself.
//   3. A file that cannot be read as C++ text stays as it is. Number and size of files are bounded.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/cxx/clang.h"
#include "kernel/cxx/project.h"
#include "kernel/cxx/reach.h"
#include "kernel/native.h"

namespace heddle::kernel::cxx {

class UserFiles {
 public:
  /// `words` are more that the launch names: template arguments, macros. `before` is read in front
  /// of the kernel's file (text_before). All must outlive this.
  UserFiles(const CxxSource& source, const CxxFunction& kernel, const ClangPlace& place,
            Project& project, const std::vector<std::string>& words,
            const CxxSource* before = nullptr);

  /// Headers, and the files at the place that stand for them.
  std::vector<std::pair<std::string, std::string>> replaced(const ClangPlace& place) const;
  /// The kernel's text, and its headers at the place.
  void write(NativeCode& native) const;
  /// Leaves out what Clang refuses; false if nothing more can go, since it is the kernel.
  bool drop(const std::string& errors);
  /// The Error of a declaration that was left out and that the code calls; `ir` is LLVM's text.
  std::optional<Error> needed_in(const std::string& ir) const;
  bool is_missing_headers() const { return !missing_.empty(); }
  /// The kernel's Error, with what was left out.
  Error error(const std::string& errors) const;

 private:
  struct Dropped {
    std::vector<std::string> names;
    Error error;
  };
  void gather(const CxxSource& file, const CxxSource* before, const ClangPlace& place,
              Project& project);
  std::optional<std::string> resolve(const std::string& name, bool is_quoted,
                                     const std::string& from, const ClangPlace& place,
                                     Project& project);
  bool drop_at(const ClangMessage& message, const Error& error);
  std::size_t unit_at(std::size_t file, std::size_t token) const;
  bool cut(std::size_t file, std::size_t unit, std::size_t token);
  Error explained(const Error& found) const;

  const CxxSource& source_;
  std::vector<std::unique_ptr<CxxSource>> headers_;
  std::vector<const CxxSource*> files_;  ///< with the kernel's, which is the first
  std::map<std::string, std::size_t> by_path_;
  std::vector<std::vector<std::pair<std::size_t, std::string>>> includes_;  ///< per file
  std::vector<std::string> missing_;
  std::unique_ptr<Reach> reach_;
  std::vector<TextCuts> cuts_;
  std::vector<Dropped> dropped_;
  std::size_t kernel_begin_ = 0;
  std::size_t kernel_end_ = 0;
};

/// A file beside the kernel's, or in the folder above, that includes it, up to that include; null if
/// there is none, or several that differ.
std::unique_ptr<CxxSource> text_before(const CxxSource& source, const Project& project);

}  // namespace heddle::kernel::cxx
