// Small facts of a job that the search needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "config/launch.h"
#include "results/optimization.h"
#include "support/grid.h"

namespace heddle {

/// The axes that have more than one block or that the kernel asks for, and those before them.
Grid trimmed(const Grid& grid, int used);

/// Integers of the launch that may be the extents of what a kernel splits its ids into.
std::vector<std::int64_t> split_extents(const config::Launch& launch, const Grid& grid, int dies);

/// `name` is what the user called the GPU.
GpuFacts facts_of(const config::Gpu& gpu, const std::string& name);

/// Operators and calls of a text: how much an order computes.
int operations_of(const std::string& code);

}  // namespace heddle
