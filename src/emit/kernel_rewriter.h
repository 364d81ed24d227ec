// A kernel's file, into which an order can be put.
//
//   auto kernel = open_kernel("gemm.hip", "gemm<16>", {"TILE"});
//   kernel->axes()                                             2
//   kernel->rewrite(proven, AssumedIndependent{}, {})          the new text
//
// Rules
//   1. The file's ending says the language (kernel/source.h); what differs is IndexUses' business.
//   2. What cannot be rewritten is an Error with its place, when the file is opened or rewritten.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emit/rewrite.h"
#include "kernel/program.h"
#include "kernel/source.h"

namespace heddle::emit {

class KernelRewriter {
 public:
  KernelRewriter(std::unique_ptr<kernel::Source> source, const std::string& function,
                 const std::vector<std::string>& constants)
      : source_(std::move(source)), uses_(source_->index_uses(function, constants)) {}

  const std::string& path() const { return source_->path(); }
  const std::string& text() const { return source_->text(); }
  /// Of the function.
  Position position() const { return uses_->position; }
  /// The last axis whose index the kernel takes, plus one.
  int axes() const { return uses_->axes; }
  /// Names of the kernel that are known when it is compiled.
  const std::set<std::string>& constants() const { return uses_->constants; }

  /// Throws Error where an order of this shape is not one of the kernel's grids.
  void check_axes(const order::Shape& shape) const { emit::check_axes(*uses_, shape); }
  /// Throws Error if the kernel, as read for a launch, takes an index that was not found.
  void check_program(const kernel::KernelProgram& program) const { uses_->check_program(program); }
  /// Throws Error where code that is not at hand could take an index.
  void refuse_unseen() const { uses_->refuse_unseen(); }
  /// The whole new text.
  std::string rewrite(const proof::ProvenOrder& proven, const Independence& independence,
                      const std::vector<std::string>& assumptions) const {
    return rewrite_kernel(text(), *uses_, proven, independence, assumptions);
  }

 private:
  std::unique_ptr<kernel::Source> source_;
  std::unique_ptr<kernel::IndexUses> uses_;
};

/// `function` may be empty where the file has one kernel; `constants` are names that a launch gives
/// the kernel's compiler.
std::unique_ptr<KernelRewriter> open_kernel(const std::string& path, const std::string& function,
                                            const std::vector<std::string>& constants);

}  // namespace heddle::emit
