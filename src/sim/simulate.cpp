#include "sim/simulate.h"

#include "sim/simulator.h"

namespace heddle::sim {

SimResult simulate(const kernel::KernelProgram& program, const config::Launch& launch,
                   const config::Gpu& gpu, const order::Map& map, const SimOptions& options) {
  Simulator simulator(program, launch, gpu);
  return simulator.run(map, options);
}

}  // namespace heddle::sim
