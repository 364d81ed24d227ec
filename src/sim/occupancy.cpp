#include "sim/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"

namespace heddle::sim {
namespace {

using kernel::Opcode;

constexpr std::int64_t kAddressRegisters = 32;
constexpr std::int64_t kMostRegisters = 256;

std::int64_t ceiling(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

bool has_dot(const kernel::Block& block) {
  return std::any_of(block.code.begin(), block.code.end(),
                     [](const kernel::Instruction& i) { return i.op == Opcode::dot; });
}

struct Needs {
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 0;
};

Needs estimate(const kernel::KernelProgram& program, std::int64_t threads, int depth) {
  std::int64_t accumulators = 0;
  std::int64_t largest = 0;
  Needs needs;
  for (const kernel::Block& block : program.blocks) {
    const bool feeds_dot = has_dot(block);
    for (const kernel::Instruction& instruction : block.code) {
      if (instruction.results.empty()) continue;
      const kernel::Type& type = program.values[static_cast<std::size_t>(instruction.results[0])];
      if (type.shape.empty() || type.pointer) continue;
      const std::int64_t bytes = type.elements() * config::byte_width(type.element);
      const std::int64_t words = ceiling(bytes, 4 * threads);
      if (instruction.op == Opcode::dot)
        accumulators += words;
      else if (instruction.op == Opcode::load && feeds_dot && type.shape.size() >= 2)
        needs.shared_bytes += bytes * depth;
      else if (config::is_float(type.element))
        largest = std::max(largest, words);
    }
  }
  // What stands beside an accumulator is mostly the accumulator again, under another name.
  const std::int64_t others = accumulators > 0 ? std::min(largest, std::int64_t{32}) : 2 * largest;
  needs.registers = std::min(kMostRegisters, kAddressRegisters + accumulators + others);
  return needs;
}

}  // namespace

int load_depth(const kernel::KernelProgram& program, const config::Launch& launch) {
  const bool pipelined = std::any_of(program.blocks.begin(), program.blocks.end(),
                                     [](const auto& b) { return has_dot(b); });
  return pipelined ? std::clamp(launch.stages - 1, 1, 8) : 1;
}

Occupancy find_occupancy(const kernel::KernelProgram& program, const config::Launch& launch,
                         const config::Gpu& gpu) {
  const std::int64_t threads = std::int64_t{launch.warps} * gpu.compute.wave_lanes;
  const Needs guess = estimate(program, threads, load_depth(program, launch));
  Occupancy occupancy;
  occupancy.estimated = !launch.registers || !launch.shared_bytes;
  const std::int64_t granule = gpu.compute.register_granule;
  const std::int64_t registers =
      ceiling(launch.registers ? *launch.registers : guess.registers, granule) * granule;
  occupancy.registers = static_cast<int>(registers);
  occupancy.shared_bytes = launch.shared_bytes
                               ? *launch.shared_bytes
                               : std::min(guess.shared_bytes, gpu.compute.shared_bytes);
  if (launch.warps > gpu.compute.waves)
    throw Error(fmt::format("a block of {} waves does not fit a compute unit of {}, which holds {}",
                            launch.warps, gpu.name, gpu.compute.waves),
                "set fewer warps");
  if (occupancy.shared_bytes > gpu.compute.shared_bytes)
    throw Error(fmt::format("a block needs {} B of shared memory and a compute unit of {} has {} B",
                            occupancy.shared_bytes, gpu.name, gpu.compute.shared_bytes),
                "set a smaller shared_bytes, or use another GPU");
  const auto limit = [&](std::int64_t blocks, const char* what) {
    if (occupancy.limited_by.empty() || blocks < occupancy.blocks) {
      occupancy.blocks = static_cast<int>(blocks);
      occupancy.limited_by = what;
    }
  };
  limit(gpu.compute.waves / launch.warps, "waves");
  limit(gpu.compute.blocks, "blocks");
  limit(gpu.compute.registers / std::max<std::int64_t>(1, registers * threads), "registers");
  if (occupancy.shared_bytes > 0)
    limit(gpu.compute.shared_bytes / occupancy.shared_bytes, "shared memory");
  occupancy.blocks = std::max(1, occupancy.blocks);
  return occupancy;
}

}  // namespace heddle::sim
