// Does any tile read or write what another tile writes?
//
//   IndependenceReport report;
//   const auto independent = find_independence(program, launch, {}, report);
//   if (!independent) report.conflicts / report.reason say why
//
//   in_place.py: REFUTED, read-after-write: tile (1, 0) reads byte 4096 of x_ptr (line 13), which
//   tile (0, 0) writes (line 17)
//
// Rules
//   1. Every tile of the grid is traced, and every byte written, or read from a tensor that is
//      written, is looked at. What is found holds for this launch: its sizes and its data.
//   2. Only this file makes an IndependentTiles.
//   3. Two tiles conflict where one writes a byte and the other reads or writes it. Atomics of one
//      function whose results nobody uses (add, minimum, ...) do not conflict with one another:
//      they commute, up to the rounding of floating additions. Others do.
//   4. Tensors that lie on the same memory are one.
//   5. Work and memory are bounded; beyond the bound the verdict is UNKNOWN.
//   6. Accesses outside their tensors, and anything that a C++ kernel does unseen
//      (NativeKernel::unseen), make the verdict UNKNOWN where it would be PROVED. Of large Triton
//      launches, loads that reach no write are looked at in a part of the tiles; a note says so.
//
// Does not model: that a conflict may be harmless (both write the same value).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/launch.h"
#include "kernel/program.h"
#include "results/trace.h"
#include "trace/tracer.h"

namespace heddle::trace {

struct IndependenceOptions {
  TraceOptions trace;
  std::int64_t most_work = 2'000'000'000;  ///< pieces of memory; an instruction counts as 16
  std::int64_t owner_bytes = std::int64_t{160} << 20;  ///< memory for who wrote what
};

/// That the tiles of one launch are independent of one another.
class IndependentTiles {
 public:
  const Grid& grid() const { return grid_; }
  /// The launch's sizes and data: "M = 8192, N = 8192; indices: csr_columns, seed 7".
  const std::string& traced_on() const { return traced_on_; }
  /// Some tiles add floating numbers to the same bytes: another order rounds differently.
  bool rounding_may_differ() const { return rounding_may_differ_; }

 private:
  friend std::optional<IndependentTiles> find_independence(const kernel::KernelProgram&,
                                                           const config::Launch&,
                                                           const IndependenceOptions&,
                                                           IndependenceReport&);
  IndependentTiles(Grid grid, std::string traced_on, bool rounding_may_differ)
      : grid_(std::move(grid)),
        traced_on_(std::move(traced_on)),
        rounding_may_differ_(rounding_may_differ) {}

  Grid grid_;
  std::string traced_on_;
  bool rounding_may_differ_ = false;
};

/// Nothing unless the report's verdict is PROVED. `program` is whole, not yet reduced.
std::optional<IndependentTiles> find_independence(const kernel::KernelProgram& program,
                                                  const config::Launch& launch,
                                                  const IndependenceOptions& options,
                                                  IndependenceReport& report);

/// The sizes and data of a launch, in one line.
std::string launch_text(const config::Launch& launch);

}  // namespace heddle::trace
