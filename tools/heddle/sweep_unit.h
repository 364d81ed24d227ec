// One unit of a sweep, done in this process: what a verb finds, as a row.
//
// Rules
//   1. Paths are those of the sweep's root, or of the base revision's files: the current folder is
//      changed to it. So rows hold no path of the machine.
//   2. One thread: a sweep has its workers.
//   3. What a verb throws passes through; the worker makes a failed row of it.
#pragma once

#include "sweep/plan.h"

namespace heddle::tool {

/// Of heddle and its model: a part of every key.
std::string sweep_version();

/// --gpu in place of the spec's GPUs. Files are relative to where heddle runs; a spec's to its folder.
void use_gpus(sweep::Spec& spec, const std::vector<std::string>& gpus);

SweepRow run_unit(const sweep::Plan& plan, const sweep::Unit& unit);

}  // namespace heddle::tool
