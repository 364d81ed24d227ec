// A job that heddle made up from a kernel's file, value by value, each with where it came from.
//
//   JobDraft draft = source->draft("matmul_kernel", target);   // kernel/source.h
//   job_text(draft)                                            // a job file, with remarks
//
//   [scalars]
//   M = 4096  # guess: by its name
//   stride_am = "a_ptr.stride(0)"  # matmul.py:203
//
// Rules
//   1. The text is a job that read_job accepts. A value that is written as a text is an expression.
//   2. A remark says where a value was read ("matmul.py:203"), or begins with "guess" and says why.
//   3. `repairs` are what was changed after the kernel was tried, in order (infer/repair.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::config {

/// A value of a job: an expression, or a number as it stands.
struct DraftValue {
  std::string text;                       ///< "4096", "a_ptr.stride(0)", "True", "'relu'"
  std::string remark;                     ///< where it came from
  std::vector<std::string> options = {};  ///< of a guess: what else it may be

  bool is_guess() const { return remark.rfind("guess", 0) == 0; }
};

struct DraftTensor {
  std::string name;
  DraftValue dtype;
  std::vector<std::string> shape;  ///< expressions
  std::vector<std::string> strides;
  std::string shape_remark;
  std::optional<DraftValue> contents;
  std::vector<std::string> block;
  bool is_parameter = true;
  bool holds_bounds = false;  ///< the kernel reads it at i and at i + 1: where pieces begin and end
  bool places_writes = false;  ///< its values say where is written
  /// Tensors whose addresses its values reach, and along which axis; below 0: from the end.
  std::vector<std::pair<std::string, int>> points_into = {};
};

using DraftValues = std::vector<std::pair<std::string, DraftValue>>;

struct JobDraft {
  std::string kernel_path;  ///< as the job is to write it
  std::string function;
  std::string function_remark;  ///< why it is this kernel of several; empty: it was named
  std::string launch;  ///< where the kernel is launched, "matmul.py:203"; empty: nowhere known
  int launch_line = 0;
  bool launched_here = false;  ///< in the kernel's own file
  std::vector<std::string> grid;
  std::string grid_remark;
  std::optional<DraftValue> config;
  DraftValues sizes;
  std::vector<DraftTensor> tensors;
  DraftValues scalars;
  DraftValues constexprs;
  DraftValues launch_values;                             ///< warps, stages
  std::vector<std::pair<std::string, std::string>> set;  ///< names that decorators set, and which
  std::vector<std::pair<std::string, bool>> choices;  ///< conditions of host code that were guessed
  std::vector<std::string> repairs;

  DraftTensor* tensor(const std::string& name);
  DraftValue* scalar(const std::string& name);
  DraftValue* constexpr_value(const std::string& name);
  /// Takes a parameter out of wherever it stands.
  void remove(const std::string& name);
};

/// As TOML writes it: numbers and flags as they are, everything else as a text.
std::string toml_value(const std::string& expression);
/// A text of TOML: every character that needs it is escaped.
std::string toml_quoted(std::string_view text);
/// Kept to one line, so that it can stand in a comment.
std::string one_line(std::string_view text);

std::string job_text(const JobDraft& draft);

/// What was assumed, a line each: "M = 4096  (guess: by its name)".
std::vector<std::string> assumptions(const JobDraft& draft);

}  // namespace heddle::config
