// The jobs, kernels and tables that paths of a spec stand for.
//
//   "gemm.toml"            that job                      "kernels/"      all jobs and kernels below it
//   "kernels/*.toml"       a glob: * stays in a folder   "**/gemm_*.py"  in any folder
//   "validation/h200.csv"  a table, for validate
//
// Rules
//   1. A folder, or a glob, yields .toml files with `kernel` and `grid`, and files with Triton, HIP or
//      CUDA kernels that none of its jobs is about. Of a Triton file, each kernel that the file
//      launches is one; where it launches none, the file is.
//   2. Hidden folders, build folders of CMake and links to folders are left out, and what `except`
//      matches. A file that is named is taken as it is.
//   3. Below a folder may lie other versions of a kernel that has a job (candidates, patched files: all
//      their kernels have names of that file's), and Triton files of helpers, which store nothing.
//      Where `versions` is asked for, they are listed there and left out.
//   4. Sorted by path, each once. A path that is not there, or a glob without a match, is an Error.
#pragma once

#include <string>
#include <vector>

namespace heddle::sweep {

struct KernelFile {
  enum class Kind { job, kernel, table };
  Kind kind = Kind::job;
  std::string path;      ///< from the root
  std::string function;  ///< of a kernel's file; may be empty
  auto operator<=>(const KernelFile&) const = default;
};

/// `except`: globs.
std::vector<KernelFile> find_kernels(const std::string& root, const std::vector<std::string>& paths,
                                     const std::vector<std::string>& except,
                                     std::vector<std::string>* versions = nullptr);

/// The file of a job's kernel, or the kernel's file itself; of a job that cannot be read, the job.
std::string source_of(const std::string& root, const KernelFile& file);

/// Whether a path matches a glob; "**/" is any number of folders.
bool matches_glob(const std::string& glob, const std::string& path);

}  // namespace heddle::sweep
