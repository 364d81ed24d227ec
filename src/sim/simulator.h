// A kernel on a simulated GPU, ready to be replayed under one order after the other.
//
//   Simulator simulator(program, launch, gpu);
//   for (const order::Map& map : candidates) simulator.run(map, {.fidelity = Fidelity::sampled});
//
// Rules
//   1. Tiles are traced once, whatever the number of replays.
//   2. A replay does not depend on the replays before it, or at the same time: several threads may
//      run one each.
#pragma once

#include <memory>
#include <optional>

#include "sim/sample.h"
#include "sim/simulate.h"
#include "sim/sketch.h"

namespace heddle::sim {

class Simulator {
 public:
  /// `program` is whole. Launch and GPU must outlive this.
  Simulator(const kernel::KernelProgram& program, const config::Launch& launch,
            const config::Gpu& gpu);
  ~Simulator();

  SimResult run(const order::Map& map, const SimOptions& options);

  /// All tiles in outline (sketch.h); nothing where there are too many of them.
  std::optional<Sketch> sketch(int threads);

  const Occupancy& occupancy() const;
  /// The requests of all tiles to the first cache, from some of them.
  std::int64_t requests_estimated() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle::sim
