// Whether a rewritten kernel does in every block the work of the tile that the order gives it.
//
//   compare_blocks(original, changed, launch, xcd(8), {})
//     block 9 of `changed` makes the accesses that tile 1 of `original` makes, ...: no difference
//
// Rules
//   1. Both programs are traced: same memory instructions, same order, same active addresses.
//   2. All blocks are compared where they are few; else a fixed sample, both ends included, that is
//      spread over the launch, until the work for it is spent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"
#include "kernel/source.h"
#include "proof/proven_order.h"
#include "support/grid.h"
#include "trace/tracer.h"

namespace heddle::emit {

struct AgreementOptions {
  trace::TraceOptions trace;
  std::int64_t most_blocks = 64;
  std::int64_t most_steps = 20'000'000;  ///< of the tracer; no new block is begun beyond
};

/// A block that does other work than its tile.
struct Disagreement {
  LaunchId block;
  std::vector<std::int64_t> tile;
};

struct Agreement {
  std::int64_t blocks = 0;  ///< that were compared
  std::optional<Disagreement> first;
};

/// Whether block b of `changed` makes the accesses that these blocks of `original` make, one after
/// the other: of a persistent kernel the blocks of a launch with one tile each. Throws Error where a
/// tile cannot be traced.
Agreement compare_turns(const kernel::LoadedKernel& original, const kernel::LoadedKernel& changed,
                        const std::vector<std::vector<std::int64_t>>& turns,
                        const AgreementOptions& options);

/// Throws Error where a tile cannot be traced.
Agreement compare_blocks(const kernel::KernelProgram& original,
                         const kernel::KernelProgram& changed, const config::Launch& launch,
                         const proof::ProvenOrder& proven, const AgreementOptions& options);

}  // namespace heddle::emit
