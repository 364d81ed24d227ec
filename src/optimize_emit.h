// The last step of optimize: a proven order as code, and in the kernel.
#pragma once

#include <string>
#include <vector>

#include "pipeline.h"
#include "proof/proven_order.h"
#include "trace/independence.h"

namespace heddle {

/// The last axis whose program id the kernel takes, plus one; 1 if that cannot be said.
int axes_used(const std::string& path, const std::string& function);

/// Fills in the code of an order, in four languages, and what was proved.
void write_order(const proof::ProvenOrder& proven, const std::vector<std::string>& argument,
                 BestOrder& best);

/// The kernel's file with the order in it, after blocks of both were compared. Throws Error where
/// that cannot be done.
std::string rewritten_kernel(const LoadedKernel& loaded, const proof::ProvenOrder& proven,
                             const trace::IndependentTiles& independent);

/// Puts the order into the kernel, traces blocks of both and fills in the patch. What cannot be
/// rewritten is a note.
void patch_kernel(const LoadedKernel& loaded, const proof::ProvenOrder& proven,
                  const trace::IndependentTiles& independent, OptimizationReport& report);

}  // namespace heddle
