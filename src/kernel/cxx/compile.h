// Compiles a HIP or CUDA C++ kernel for this machine, so that its blocks can be run and watched,
// and for a GPU, to learn what its compiler makes of it. Clang 19 does both; no SDK is needed.
//
//   CxxSource source("yax.hip");
//   KernelProgram program = compile(source, launch);
//   program.facts("gfx90a")->registers                        // 18
//
// Rules
//   1. The kernel's parameters take the launch's arguments by name; constexprs that are no
//      parameters are macros of that name.
//   2. What Clang refuses is an Error with its place, its words and what to try; a missing clang-19
//      is ExitCode::missing.
//   3. Every load, store and atomic of the optimised code is a site, with its place in the file.
//   4. Nothing of the kernel runs here.
#pragma once

#include "config/launch.h"
#include "kernel/cxx/source.h"
#include "kernel/program.h"

namespace heddle::kernel::cxx {

KernelProgram compile(const CxxSource& source, const config::Launch& launch);
/// Has syntax trees and nothing to run. `like` is the same file, compiled: its texts are taken.
KernelProgram uncompiled(const CxxSource& source, const config::Launch& launch,
                         const KernelProgram* like = nullptr);

/// Compiles one file for many launches: those that differ in nothing but numbers share one library.
class Compiler {
 public:
  /// The source must outlive this.
  explicit Compiler(const CxxSource& source) : source_(source) {}

  KernelProgram compile(const config::Launch& launch);
  /// The kernel of the last launch; null before the first.
  const KernelProgram* last() const { return key_.empty() ? nullptr : &program_; }
  /// The last launch's library fits.
  bool is_compiled(const config::Launch& launch) const;

 private:
  const CxxSource& source_;
  std::string key_;  ///< of the last launch
  KernelProgram program_;
};

}  // namespace heddle::kernel::cxx
