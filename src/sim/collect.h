// Turns what a machine counted into a SimResult, scaled where it was sampled.
#pragma once

#include "config/gpu.h"
#include "results/simulation.h"
#include "sim/machine.h"

namespace heddle::sim {

/// `scale`: the whole launch over what was replayed of it, sampled sets apart.
SimResult collect(const Machine& machine, const config::Gpu& gpu, double scale);

}  // namespace heddle::sim
