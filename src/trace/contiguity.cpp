#include "trace/contiguity.h"

#include <algorithm>

#include "kernel/axis_facts.h"
#include "kernel/tile_layout.h"

namespace heddle::trace {
namespace {

using kernel::Instruction;
using kernel::ValueId;

/// For each site, what `of` takes from the facts of the value that `which` picks; else no bound.
template <class Which, class Of>
std::vector<ContiguityBound> bounds_of(const kernel::KernelProgram& program,
                                       const config::Launch& launch, Which which, Of of) {
  ContiguityBound none;
  none.fill(kNoBound);
  std::vector<ContiguityBound> bounds(program.sites.size(), none);
  const kernel::TileProgram& code = kernel::code_of(program);
  const std::vector<kernel::Placed> order = kernel::in_order(code);
  const std::vector<kernel::AxisFacts> facts = kernel::axis_facts(program, launch, order);
  for (const kernel::Placed& placed : order) {
    const Instruction& access = *placed.instruction;
    if (!kernel::is_memory(access.op)) continue;
    const ValueId value = which(access);
    if (value < 0) continue;
    const auto& shape = code.values[static_cast<std::size_t>(value)].shape;
    for (std::size_t axis = 0; axis < std::min<std::size_t>(shape.size(), kMaxAxes); ++axis)
      if (shape[axis] > 1)
        bounds[static_cast<std::size_t>(access.integers[0])][axis] =
            of(facts[static_cast<std::size_t>(value)][axis]);
  }
  return bounds;
}

}  // namespace

std::vector<ContiguityBound> mask_bounds(const kernel::KernelProgram& program,
                                         const config::Launch& launch) {
  return bounds_of(program, launch, kernel::mask_of,
                   [](const kernel::AxisFact& fact) { return fact.constant; });
}

std::vector<ContiguityBound> contiguity_bounds(const kernel::KernelProgram& program,
                                               const config::Launch& launch) {
  return bounds_of(
      program, launch, [](const Instruction& access) { return access.operands[0]; },
      [](const kernel::AxisFact& fact) { return fact.contiguous; });
}

}  // namespace heddle::trace
