// How many blocks a compute unit holds at a time.
//
//   256 threads of 64 registers on an MI300X: 131,072 / (256 x 64) = 8 blocks
//
// Rules
//   1. The least of what waves, registers, shared memory and the limit on blocks allow.
//   2. Registers and shared memory are the job's where it gives them. Else they are estimated from
//      the program (kernel/tile_registers.h, kernel/tile_shared.h).
//   3. Of a C++ kernel they are what the GPU's compiler makes (kernel/target_facts.h); the job's
//      shared memory comes on top. On NVIDIA GPUs, and where the compiler does not say, it is an
//      estimate.
//   4. An estimate that does not fit is kept as it is, with `does_not_fit`; one block runs at a time.
//      What the job or the compiler says must fit.
//
// Does not model: what a compiler really needs, and spills, which only a flag tells of. A job can
// say (`registers`, `shared_bytes`).
#pragma once

#include "config/gpu.h"
#include "config/launch.h"
#include "kernel/program.h"
#include "results/simulation.h"

namespace heddle::sim {

/// `program` is whole. Throws Error if a block does not fit at all.
Occupancy find_occupancy(const kernel::KernelProgram& program, const config::Launch& launch,
                         const config::Gpu& gpu);

}  // namespace heddle::sim
