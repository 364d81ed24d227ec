// What a GPU's compiler makes of a C++ kernel, as the simulator asks for it.
//
// Rules
//   1. An AMD GPU is asked for its own target. NVIDIA's are asked for sm_80 or sm_90: their shared
//      memory is known then, but registers and code are those of gfx90a (kernel/cxx/target.h), and
//      no load is a scalar one.
//   2. Facts that could not be found have a reason; what stands for them is up to the user.
#pragma once

#include <memory>
#include <string>

#include "config/gpu.h"
#include "kernel/native.h"
#include "kernel/program.h"

namespace heddle::sim {

/// The target whose compiler is asked for a GPU: "gfx942".
std::string compiler_target(const config::Gpu& gpu);

/// Null for a program that is no C++ kernel.
std::shared_ptr<const kernel::TargetFacts> native_facts(const kernel::KernelProgram& program,
                                                        const config::Gpu& gpu);

}  // namespace heddle::sim
