// A Triton kernel, read for one launch.
//
//   TritonSource source("gemm.py");
//   picked_config(source, "gemm", job.config)      -> BLOCK_M = 128, num_warps = 8
//   (@triton.autotune) heuristics(source, "gemm", arguments)          -> EVEN_K = True
//   (@triton.heuristics) compile(source, launch)                        -> KernelProgram
//
// Rules
//   1. The program is for this launch: scalars and constexprs of it are constants in it.
//   2. Every parameter has an argument, a default, or is an Error that names it.
//   3. What is not supported is an Error with file, line, column and the construct.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/job.h"
#include "config/launch.h"
#include "kernel/program.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

/// The values of the triton.Config the job chooses; empty if the kernel has none, or if its
/// configs cannot be known here and the job chooses none.
std::vector<config::NamedValue> picked_config(TritonSource& source, const std::string& function,
                                              const config::ConfigChoice& choice);

/// The configs to choose from; empty: none, or they cannot be known here.
std::vector<std::vector<config::NamedValue>> listed_configs(TritonSource& source,
                                                            const std::string& function);

/// What @triton.heuristics computes from the arguments.
std::vector<config::NamedValue> heuristics(TritonSource& source, const std::string& function,
                                           const config::Arguments& arguments);

/// Names that the kernel's decorators give values to, each with the number of configs it is in
/// (0: heuristics). Nothing of what cannot be known here.
std::vector<std::pair<std::string, int>> tuned_names(TritonSource& source, const Node& function);

/// The extents of a grid as host code writes it: a tuple, a number, or a function of META. `steps`
/// are the host's assignments before the launch, in order: those that cannot be known here are left
/// out, and `names` stand for them. Throws Error where the grid cannot be known.
std::vector<std::int64_t> host_grid(TritonSource& source, const Node& grid,
                                    const std::vector<const Node*>& steps,
                                    const std::vector<config::NamedValue>& names,
                                    const std::vector<config::Tensor>& tensors);

KernelProgram compile(TritonSource& source, const config::Launch& launch);

}  // namespace heddle::kernel::triton
