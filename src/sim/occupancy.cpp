#include "sim/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/native_facts.h"
#include "support/error.h"

namespace heddle::sim {
namespace {

using kernel::Opcode;
using kernel::ValueId;

constexpr std::int64_t kAddressRegisters = 32;
constexpr std::int64_t kMostRegisters = 256;
constexpr std::int64_t kUnknownRegisters = 64;  ///< of a C++ kernel that could not be compiled

std::int64_t ceiling(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

bool has_dot(const kernel::Block& block) {
  return std::any_of(block.code.begin(), block.code.end(),
                     [](const kernel::Instruction& i) { return i.op == Opcode::dot; });
}

/// The shared memory that the operands of matrix products take. Blocks that are loaded several
/// rounds ahead are all there at a time; others only while their product is made.
class SharedMemory {
 public:
  SharedMemory(const kernel::KernelProgram& program, int depth)
      : program_(program), depth_(depth) {}

  std::int64_t bytes() {
    std::int64_t most = 0;
    for (const kernel::Block& block : program_.blocks) {
      if (!has_dot(block)) continue;
      std::set<ValueId> all;
      loads_.clear();
      for (const kernel::Instruction& instruction : block.code) {
        if (instruction.results.empty()) continue;
        const std::set<ValueId> from = origins(instruction);
        if (instruction.op == Opcode::dot) {
          all.insert(from.begin(), from.end());
          if (depth_ == 1) most = std::max(most, bytes_of(from));
        } else if (!from.empty()) {
          loads_[instruction.results[0]] = from;
        }
      }
      if (depth_ > 1) most = std::max(most, bytes_of(all) * depth_);
    }
    return most;
  }

 private:
  /// The loads of this block that an instruction's operands come from; of a load, itself.
  std::set<ValueId> origins(const kernel::Instruction& instruction) const {
    const ValueId result = instruction.results[0];
    if (instruction.op == Opcode::load)
      return type_of(result).shape.size() >= 2 ? std::set<ValueId>{result} : std::set<ValueId>{};
    std::set<ValueId> from;
    const std::size_t operands =
        instruction.op == Opcode::dot ? 2 : instruction.operands.size();  // not the accumulator
    for (std::size_t k = 0; k < operands; ++k) {
      const auto more = loads_.find(instruction.operands[k]);
      if (more != loads_.end()) from.insert(more->second.begin(), more->second.end());
    }
    return from;
  }

  std::int64_t bytes_of(const std::set<ValueId>& loads) const {
    std::int64_t total = 0;
    for (const ValueId load : loads)
      total += type_of(load).elements() * config::byte_width(type_of(load).element);
    return total;
  }

  const kernel::Type& type_of(ValueId value) const {
    return program_.values[static_cast<std::size_t>(value)];
  }

  const kernel::KernelProgram& program_;
  int depth_;
  std::map<ValueId, std::set<ValueId>> loads_;  ///< of this block, behind each value
};

struct Needs {
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 0;
  bool estimated = false;
};

Needs estimate(const kernel::KernelProgram& program, std::int64_t threads, int depth) {
  std::int64_t accumulators = 0;
  std::int64_t largest = 0;
  Needs needs;
  needs.shared_bytes = SharedMemory(program, depth).bytes();
  for (const kernel::Block& block : program.blocks) {
    for (const kernel::Instruction& instruction : block.code) {
      if (instruction.results.empty()) continue;
      const kernel::Type& type = program.values[static_cast<std::size_t>(instruction.results[0])];
      if (type.shape.empty() || type.pointer) continue;
      const std::int64_t bytes = type.elements() * config::byte_width(type.element);
      const std::int64_t words = ceiling(bytes, 4 * threads);
      if (instruction.op == Opcode::dot)
        accumulators += words;
      else if (config::is_float(type.element))
        largest = std::max(largest, words);
    }
  }
  // What stands beside an accumulator is mostly the accumulator again, under another name.
  const std::int64_t others = accumulators > 0 ? std::min(largest, std::int64_t{32}) : 2 * largest;
  needs.registers = std::min(kMostRegisters, kAddressRegisters + accumulators + others);
  return needs;
}

/// Of a C++ kernel: what its compiler says, and what the launch adds.
Needs native_needs(const kernel::KernelProgram& program, const config::Launch& launch,
                   const config::Gpu& gpu) {
  const auto facts = native_facts(program, gpu);
  const bool known = facts->reason.empty();
  Needs needs;
  needs.registers = launch.registers ? *launch.registers
                    : known          ? facts->registers
                                     : kUnknownRegisters;
  needs.shared_bytes = (known ? facts->shared_bytes : 0) + launch.shared_bytes.value_or(0);
  const bool own = gpu.vendor == config::Vendor::amd;  // and not those of another chip
  if (!own && !launch.registers) needs.registers = std::min(needs.registers, kMostRegisters);
  needs.estimated = !known || (!own && !launch.registers);
  return needs;
}

/// Of a Triton kernel: what the job says, else an estimate.
Needs triton_needs(const kernel::KernelProgram& program, const config::Launch& launch,
                   const config::Gpu& gpu, std::int64_t threads) {
  const Needs guess = estimate(program, threads, std::clamp(launch.stages - 1, 1, 8));
  Needs needs;
  needs.registers = launch.registers ? *launch.registers : guess.registers;
  needs.shared_bytes = launch.shared_bytes ? *launch.shared_bytes
                                           : std::min(guess.shared_bytes, gpu.compute.shared_bytes);
  needs.estimated = !launch.registers || !launch.shared_bytes;
  return needs;
}

}  // namespace

int load_depth(const kernel::KernelProgram& program, const config::Launch& launch,
               const config::Gpu& gpu) {
  const bool pipelined = std::any_of(program.blocks.begin(), program.blocks.end(),
                                     [](const auto& b) { return has_dot(b); });
  if (!pipelined) return 1;
  const int ahead = gpu.vendor == config::Vendor::amd ? launch.stages : launch.stages - 1;
  return std::clamp(ahead, 1, 8);
}

Occupancy find_occupancy(const kernel::KernelProgram& program, const config::Launch& launch,
                         const config::Gpu& gpu) {
  const int waves = launch.waves(gpu.compute.wave_lanes);
  const std::int64_t threads = std::int64_t{waves} * gpu.compute.wave_lanes;
  const Needs needs = program.native ? native_needs(program, launch, gpu)
                                     : triton_needs(program, launch, gpu, threads);
  Occupancy occupancy;
  occupancy.estimated = needs.estimated;
  const std::int64_t granule = gpu.compute.register_granule;
  const std::int64_t registers = ceiling(needs.registers, granule) * granule;
  occupancy.registers = static_cast<int>(registers);
  occupancy.shared_bytes = needs.shared_bytes;
  if (waves > gpu.compute.waves)
    throw Error(fmt::format("a block of {} waves does not fit a compute unit of {}, which holds {}",
                            waves, gpu.name, gpu.compute.waves),
                program.native ? "set fewer threads" : "set fewer warps");
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
  limit(gpu.compute.waves / waves, "waves");
  limit(gpu.compute.blocks, "blocks");
  limit(gpu.compute.registers / std::max<std::int64_t>(1, registers * threads), "registers");
  if (occupancy.shared_bytes > 0)
    limit(gpu.compute.shared_bytes / occupancy.shared_bytes, "shared memory");
  occupancy.blocks = std::max(1, occupancy.blocks);
  return occupancy;
}

}  // namespace heddle::sim
