// A job file to start from, made of a kernel's signature: `heddle new-job kernel.py`, or
// kernel.hip.
//
//   job_skeleton({"gemm.py", "gemm_kernel", {{"a_ptr"}, {"M"}, {"stride_am"}, {"BLOCK", true}}})
//
// Rules
//   1. The text is a job that read_job accepts; sizes, shapes and values are guesses, and each says
//      so in a comment.
//   2. What a parameter is, is guessed from its name unless the caller says it.
//   3. Constexprs that the kernel's autotune configs or heuristics set are left to them, and
//      parameters with a default to it: they stand there as comments.
//   4. Where types are known, so is what each parameter is; one whose type a job cannot give stands
//      there as a comment.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::config {

enum class ParameterGuess { pointer, scalar, stride };

struct SkeletonParameter {
  std::string name;
  bool is_constexpr = false;
  std::string default_text = {};             ///< as the kernel writes it; empty: none
  std::string annotation = {};               ///< as the kernel writes it; empty: none
  std::optional<ParameterGuess> guess = {};  ///< of what is not a constexpr; nothing: by the name
  std::string dtype = {};     ///< "fp32": of a tensor's elements, or of a number, where known
  std::string remark = {};    ///< a comment beside the dtype
  bool is_strange = false;    ///< of a type that a job cannot give
  std::string value = {};     ///< of a scalar, as the job is to write it
  std::string shape = {};     ///< of a tensor, the same: "n", "M, K"
  std::string contents = {};  ///< the same
  std::vector<SkeletonParameter> members = {};  ///< of a struct
};

struct SkeletonInput {
  std::string kernel_path;  ///< as the job is to write it: relative to the job's file
  std::string function;
  std::vector<SkeletonParameter> parameters;
  int configs = 0;                    ///< of @triton.autotune
  std::vector<std::string> set = {};  ///< names that its configs or @triton.heuristics set
  std::vector<std::string> template_parameters = {};  ///< "int TILE", "typename T"
  bool has_threads = false;                           ///< a launch gives a block threads, not warps
  bool constexprs_are_macros = false;                 ///< that its compiler is given
  std::vector<std::pair<std::string, std::int64_t>> sizes = {};  ///< that the values below name
  std::vector<std::string> template_arguments = {};  ///< as the host code has them; "": a guess
  std::string grid = {};                             ///< "cdiv(n, 256)", as in the brackets
  std::string threads = {};                          ///< "256", "16, 16"
  std::string shared_bytes = {};
  std::string launched_at = {};  ///< where the host code says so: "main.cu, line 40"
  std::string signature = {};    ///< behind the template arguments: "(float*, int)", "::kernel"
};

/// By the name: x_ptr, X, Out, ... are pointers, stride_am and x_row_stride strides. `all` are the
/// kernel's parameters: K is a pointer beside Q, a size beside M.
ParameterGuess guess_parameter(const SkeletonParameter& parameter,
                               const std::vector<SkeletonParameter>& all);

std::string job_skeleton(const SkeletonInput& input);

}  // namespace heddle::config
