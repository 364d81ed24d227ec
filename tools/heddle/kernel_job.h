// A kernel's file in place of a job: the job is inferred, shown, kept.
//
//   heddle simulate matmul.py --gpu mi300x
//   heddle: no job is given: one was inferred for matmul_kernel from its launch at matmul.py:203
//     grid = [cdiv(M, BLOCK_M)]  (matmul.py:203)
//     ...
//
// Rules
//   1. What was assumed goes to stderr, a line for each value, with where it came from.
//   2. What cannot be inferred is one Error that names it; with --set the user's values are tried
//      instead.
//   3. A path that no language claims is a job's, as before.
#pragma once

#include <string>
#include <vector>

#include "flags.h"
#include "infer/infer.h"

namespace heddle::tool {

struct KernelJob {
  std::string function;  ///< --kernel

  void add(Verb verb);
  /// Lets `path` stand for the job of the kernel in it; does nothing where it is a job. `gpu` may be
  /// empty.
  void infer(const std::string& path, const std::vector<std::string>& overrides,
             const std::string& gpu);
  /// Writes the job that was inferred to DIR/job.toml; does nothing where there is none.
  void keep(const std::string& folder) const;

 private:
  std::string path_;  ///< of the kernel whose job was inferred
};

/// Rule 2, without a word: lets `path` stand for the job of its kernel. Throws Error where none can be
/// inferred whole.
infer::InferredJob keep_inferred_job(const std::string& path, const std::string& function,
                                     const std::vector<std::string>& overrides,
                                     const std::string& gpu);

/// A kernel's path as a job in `job_file` writes it; empty: a job without a file, beside the kernel.
std::string kernel_path_in_job(const std::string& kernel, const std::string& job_file);

}  // namespace heddle::tool
