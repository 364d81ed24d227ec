// The files that decide what a job does: itself, its kernel, what that imports or includes, its data.
//
//   Closures closures("repo");
//   closures.files("kernels/gemm.toml")        gemm.toml gemm.py helpers.py indices.npy
//   closures.fingerprint("kernels/gemm.toml")  changes when any of them does
//
// Rules
//   1. Sources are scanned as text, not parsed: a word that looks like an import or an #include counts
//      wherever it stands. Files that are not read after all cost a unit that is done again, no more.
//   2. Imports are looked for as kernel/triton/closure.h says; #include and #embed beside the
//      including file and in the folders that the job names. What is installed does not count.
//   3. Of a job, every text that names a file relative to its folder counts, whole or in quotes.
//   4. A file that cannot be read counts with that fact. Files beyond the first kMostClosure do not
//      count.
//
// Does not see: imports that are made at run time (importlib, exec).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::sweep {

inline constexpr std::size_t kMostClosure = 4096;

class Closures {
 public:
  /// Paths are relative to the root.
  explicit Closures(std::string root) : root_(std::move(root)) {}

  /// Sorted, from the root, the job itself included.
  const std::vector<std::string>& files(const std::string& path);
  /// Of names and contents of all of them.
  const std::string& fingerprint(const std::string& path);

 private:
  struct Closure {
    std::vector<std::string> files;
    std::string fingerprint;
  };
  const Closure& closure(const std::string& path);
  const std::string& text_hash(const std::string& path);

  std::string root_;
  std::map<std::string, Closure> known_;
  std::map<std::string, std::string> hashes_;  ///< of files
};

}  // namespace heddle::sweep
