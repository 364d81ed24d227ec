// A proven order put into the kernel of a job, and compared with the original.
//
//   const PatchedKernel patched = patch_kernel(loaded, proven, independent, compile_kernel);
//   patched.after        the whole new file
//   patched.agreement    "64 of 65,536 blocks traced before and after: the same accesses"
//
// Rules
//   1. Blocks of both kernels are traced; a new kernel that does other work is an Error, and so is
//      a kernel that cannot be rewritten.
#pragma once

#include <functional>
#include <string>

#include "emit/tile_rewrite.h"
#include "kernel/source.h"
#include "proof/proven_order.h"
#include "trace/independence.h"

namespace heddle::emit {

struct PatchedKernel {
  std::string before, after;  ///< texts of the whole file
  std::string agreement;
};

/// A kernel's file as if it held this text, compiled for a launch.
using CompileText = std::function<kernel::KernelProgram(
    const std::string& path, const std::string& text, const config::Launch& launch)>;

PatchedKernel patch_kernel(const kernel::LoadedKernel& loaded, const proof::ProvenOrder& proven,
                           const trace::IndependentTiles& independent, const CompileText& compile);

/// An order of the kernel's own tiles. Blocks are compared with those of a launch with one tile
/// each, on this launch and on others.
PatchedKernel patch_tiles(const TileSubject& subject, const proof::ProvenOrder& proven,
                          const Independence& independence,
                          const std::vector<std::string>& assumptions, const CompileText& compile);

}  // namespace heddle::emit
