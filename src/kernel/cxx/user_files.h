// The files of a project that a kernel's file includes, as the kernel needs them: without host code,
// without what the kernel does not reach, and without what Clang refuses and the kernel can spare.
//
//   UserFiles files(source, kernel, place, project, words);
//   files.is_plain()                      // Clang finds every header by itself
//   files.write(native);                  // what Clang sees from now on
//   files.drop(output.errors)             // after Clang's errors: less
//   files.check(native, output.output)    // what went cannot matter
//
// Rules
//   1. An include is looked for beside its file, in the folders of the job and of
//      compile_commands.json, beside the kernel, among heddle's and the system's headers, and then in
//      the project (project.h). One that is nowhere is left out, and named in the errors that follow
//      from it; so is a condition that it could have turned (conditions.h).
//   2. A function that Clang refuses becomes a declaration, and a class an incomplete type. So
//      overloads and specialisations are chosen as before, and a kernel that needs one of them does
//      not compile: the Error is that of the declaration itself.
//   3. A declaration that Clang refuses by its head goes. A deleted function takes the place of a
//      plain function, better than whatever needs a conversion. Of all else the names may not stand
//      in what is left: if they do, the kernel is refused.
//   4. A static_assert that fails in these files is the kernel's Error.
//   5. Clang reads copies of the files: of the project nothing else exists for it. A file that cannot
//      be taken apart is copied as it is, and all its words count as the kernel's. Number and size
//      of files are bounded.
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
  /// of the kernel's file (text_before). All but `words` must outlive this.
  UserFiles(const CxxSource& source, const CxxFunction& kernel, const ClangPlace& place,
            Project& project, std::vector<std::string> words, const CxxSource* before = nullptr);

  /// Whether Clang finds every header by itself, and no condition asks for one.
  bool is_plain() const { return is_plain_; }
  /// Headers, and the files at the place that stand for them.
  std::vector<std::pair<std::string, std::string>> replaced(const ClangPlace& place) const;
  /// The kernel's text, and its headers at the place.
  void write(NativeCode& native) const;
  /// Leaves out what Clang refuses; false if nothing more can go, since it is the kernel.
  bool drop(const std::string& errors);
  /// Throws Error where something that was left out could change what `ir`, LLVM's text, is.
  void check(const NativeCode& native, const std::string& ir);
  bool is_missing_headers() const { return !missing_.empty(); }
  /// Why what was compiled may mean something else than the user's kernel; empty: it does not.
  std::string doubt(const NativeCode& native) const;
  /// Whether the file or a header that it includes, under no condition, includes HIP's.
  bool is_hip() const;
  /// Throws Error where it depends on an unknown macro whether a function is the device's.
  void check_source() const;
  /// The kernel's Error, with what was left out.
  Error error(const std::string& errors) const;

 private:
  struct Dropped {
    std::size_t unit = 0;
    std::vector<std::string> names;
    Error error;
  };
  struct RawFile {
    std::string path;
    std::string text;
  };
  struct Found;

  void gather(const ClangPlace& place, Project& project, const CxxSource* before);
  void take_includes(std::size_t file, const ClangPlace& place, Project& project);
  void read_header(const std::string& path);
  Found resolve(const std::string& name, bool is_quoted, const std::string& from,
                const ClangPlace& place, Project& project) const;
  /// The macro that stands where a missing header is included.
  static std::string missing_mark(std::size_t header);
  std::vector<std::string> texts() const;
  bool drop_at(const ClangMessage& message, const Error& error);
  std::size_t file_at(const ClangMessage& message) const;
  std::size_t unit_at(std::size_t file, std::size_t token) const;
  bool cut(std::size_t file, std::size_t unit, std::size_t token);
  void cut_whole(std::size_t file, std::size_t unit);
  void check_names();
  std::vector<std::string> absent(const NativeCode& native) const;
  bool drops_using() const;
  void check_conditions(const NativeCode& native) const;
  std::optional<Error> needed_in(const std::string& ir) const;
  Error explained(const Error& found) const;

  const CxxSource& source_;
  const CxxFunction& kernel_;
  std::vector<std::string> words_;
  std::vector<std::unique_ptr<CxxSource>> headers_;
  std::vector<RawFile> raw_;
  std::vector<const CxxSource*> files_;  ///< with the kernel's, which is the first
  std::map<std::string, std::size_t> by_path_;
  std::vector<std::vector<std::pair<std::size_t, std::string>>> includes_;  ///< per file
  std::vector<std::pair<std::size_t, std::string>>
      plainly_;  ///< a file, one that it includes always
  std::vector<std::string> missing_;
  std::map<std::string, std::string> unclear_;  ///< those of them that several files have
  std::size_t forced_ = 0;  ///< of them, those that compile_commands.json includes
  std::size_t bytes_ = 0;
  bool is_plain_ = true;
  std::unique_ptr<Reach> reach_;
  std::vector<TextCuts> cuts_;
  std::vector<std::size_t> known_bodies_;  ///< per file, of its cuts: before the last errors
  LeftOut left_out_;
  std::set<std::size_t> unnamed_;  ///< units whose names may not stand in what is left
  std::vector<Dropped> dropped_;
};

/// A file beside the kernel's, or in the folder above, that includes it, up to that include; null if
/// there is none, or several that differ.
std::unique_ptr<CxxSource> text_before(const CxxSource& source, const Project& project);

/// The includes of a file that mean files beside it, by token: with whole paths.
std::vector<std::pair<std::size_t, std::string>> includes_beside(const CxxSource& source,
                                                                 const std::string& folder);

}  // namespace heddle::kernel::cxx
