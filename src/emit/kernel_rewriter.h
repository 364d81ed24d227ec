// A kernel's file, of either language, into which an order can be put.
//
//   auto kernel = open_kernel("gemm.hip", "gemm<16>", {"TILE"});
//   kernel->axes()                                             2
//   kernel->rewrite(proven, AssumedIndependent{}, {})          the new text
//
// Rules
//   1. The file's ending decides: C++ as kernel::cxx::is_cxx_path has it, else Triton.
//   2. What cannot be rewritten is an Error with its place, when the file is opened or rewritten.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emit/rewrite.h"
#include "kernel/program.h"

namespace heddle::emit {

class KernelRewriter {
 public:
  virtual ~KernelRewriter() = default;

  virtual const std::string& path() const = 0;
  virtual const std::string& text() const = 0;
  /// Of the function.
  virtual Position position() const = 0;
  /// The last axis whose index the kernel takes, plus one.
  virtual int axes() const = 0;
  /// Names of the kernel that are known when it is compiled.
  virtual std::set<std::string> constants() const = 0;

  /// Throws Error where an order of this shape is not one of the kernel's grids.
  virtual void check_axes(const order::Shape& shape) const = 0;
  /// Throws Error if the kernel, as read for a launch, takes an index that was not found.
  virtual void check_program(const kernel::KernelProgram& program) const = 0;
  /// Throws Error where code that is not at hand could take an index.
  virtual void refuse_unseen() const = 0;
  /// The whole new text.
  virtual std::string rewrite(const proof::ProvenOrder& proven, const Independence& independence,
                              const std::vector<std::string>& assumptions) const = 0;
};

/// `function` may be empty where the file has one kernel; `macros` are given to a C++ compiler.
std::unique_ptr<KernelRewriter> open_kernel(const std::string& path, const std::string& function,
                                            const std::vector<std::string>& macros);

}  // namespace heddle::emit
