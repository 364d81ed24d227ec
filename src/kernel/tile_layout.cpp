#include "kernel/tile_layout.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace heddle::kernel {
namespace {

constexpr std::int64_t kVectorBytes = 16;  ///< the widest access of one lane

std::int64_t power_up_to(std::int64_t value) {
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, value))));
}

AccessLayout access_of(const TileProgram& code, const Instruction& instruction,
                       const std::vector<AxisFacts>& facts, const ThreadShape& threads) {
  AccessLayout access;
  access.instruction = &instruction;
  access.type = &code.values[static_cast<std::size_t>(instruction.operands[0])];
  const AxisFacts& known = facts[static_cast<std::size_t>(instruction.operands[0])];
  std::vector<std::size_t>& order = access.layout.order;
  order.resize(std::min(access.type->shape.size(), kFactAxes));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return known[a].contiguous > known[b].contiguous;
  });
  const std::size_t first = order[0];
  const std::int64_t bytes = config::byte_width(access.type->element);
  access.vector =
      std::min({std::max<std::int64_t>(1, known[first].divisor / bytes), known[first].contiguous,
                std::max<std::int64_t>(1, kVectorBytes / bytes),
                power_up_to(access.elements() / threads.count())});
  access.masked = access.vector;
  const ValueId mask = mask_of(instruction);
  if (mask >= 0) {
    const Type& type = code.values[static_cast<std::size_t>(mask)];
    if (first < type.shape.size() && type.shape[first] > 1)
      access.masked =
          std::min(access.vector, facts[static_cast<std::size_t>(mask)][first].constant);
  }
  return access;
}

}  // namespace

ValueId mask_of(const Instruction& access) {
  const std::size_t place = access.op == Opcode::load ? 1 : 2;
  return place < access.operands.size() ? access.operands[place] : kNoValue;
}

std::int64_t TileLayout::share(std::size_t axis, std::int64_t extent) const {
  return std::clamp<std::int64_t>(
      (extent + lanes[axis] * waves[axis] - 1) / (lanes[axis] * waves[axis]), 1, extent);
}

std::int64_t AccessLayout::rows() const {
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis < layout.order.size(); ++axis)
    if (axis != layout.order[0]) rows *= layout.share(axis, type->shape[axis]);
  return rows;
}

TileLayout tile_layout(const std::vector<std::int64_t>& shape, std::vector<std::size_t> order,
                       std::int64_t vector, const ThreadShape& threads) {
  TileLayout layout;
  layout.held.assign(order.size(), 1);
  layout.lanes.assign(order.size(), 1);
  layout.waves.assign(order.size(), 1);
  layout.held[order[0]] = vector;
  std::int64_t lanes = threads.lanes;
  std::int64_t waves = threads.waves;
  for (std::size_t position = 0; position + 1 < order.size(); ++position) {
    const std::size_t axis = order[position];
    const std::int64_t taken =
        power_up_to(std::min(lanes * waves, shape[axis] / layout.held[axis]));
    layout.lanes[axis] = std::min(taken, lanes);
    layout.waves[axis] = std::clamp<std::int64_t>(taken / layout.lanes[axis], 1, waves);
    lanes /= layout.lanes[axis];
    waves /= layout.waves[axis];
  }
  layout.lanes[order.back()] = lanes;
  layout.waves[order.back()] = waves;
  layout.order = std::move(order);
  return layout;
}

TileLayout plain_layout(const std::vector<std::int64_t>& shape, const ThreadShape& threads) {
  std::vector<std::size_t> order(std::min(shape.size(), kFactAxes));
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return tile_layout(shape, std::move(order), 1, threads);
}

std::vector<AccessLayout> access_layouts(const TileProgram& code, const std::vector<Placed>& order,
                                         const std::vector<AxisFacts>& facts,
                                         const ThreadShape& threads) {
  std::vector<AccessLayout> accesses;
  for (const auto& [instruction, loop] : order) {
    if (!is_memory(instruction->op)) continue;
    if (code.values[static_cast<std::size_t>(instruction->operands[0])].shape.empty()) continue;
    accesses.push_back(access_of(code, *instruction, facts, threads));
  }
  std::map<std::pair<std::vector<std::int64_t>, std::vector<std::size_t>>, std::int64_t> widest;
  for (const AccessLayout& access : accesses) {
    std::int64_t& vector = widest[{access.type->shape, access.layout.order}];
    vector = std::max(vector, access.vector);
  }
  for (AccessLayout& access : accesses) {
    const std::int64_t held = access.instruction->op == Opcode::load
                                  ? widest[{access.type->shape, access.layout.order}]
                                  : access.vector;
    access.layout = tile_layout(access.type->shape, std::move(access.layout.order), held, threads);
  }
  return accesses;
}

std::vector<LaneVector> lane_vectors(const KernelProgram& program, const config::Launch& launch,
                                     const ThreadShape& threads) {
  std::vector<LaneVector> vectors(program.sites.size());
  const TileProgram& code = code_of(program);
  const std::vector<Placed> order = in_order(code);
  if (order.size() > kMostInstructions) return vectors;
  for (const AccessLayout& access :
       access_layouts(code, order, axis_facts(program, launch, order), threads))
    vectors[static_cast<std::size_t>(access.instruction->integers[0])] = {access.vector,
                                                                          access.masked};
  return vectors;
}

}  // namespace heddle::kernel
