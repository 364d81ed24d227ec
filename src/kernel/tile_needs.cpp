#include <algorithm>
#include <map>
#include <set>

#include "kernel/tile_program.h"

namespace heddle::kernel {
namespace {

constexpr std::int64_t kAddressRegisters = 32;
constexpr std::int64_t kMostRegisters = 256;

std::int64_t ceiling(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

bool has_dot(const Block& block) {
  return std::any_of(block.code.begin(), block.code.end(),
                     [](const Instruction& i) { return i.op == Opcode::dot; });
}

/// The shared memory that the operands of matrix products take. Blocks that are loaded several
/// rounds ahead are all there at a time; others only while their product is made.
class SharedMemory {
 public:
  SharedMemory(const TileProgram& code, int depth) : code_(code), depth_(depth) {}

  std::int64_t bytes() {
    std::int64_t most = 0;
    for (const Block& block : code_.blocks) {
      if (!has_dot(block)) continue;
      std::set<ValueId> all;
      loads_.clear();
      for (const Instruction& instruction : block.code) {
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
  std::set<ValueId> origins(const Instruction& instruction) const {
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

  const Type& type_of(ValueId value) const { return code_.values[static_cast<std::size_t>(value)]; }

  const TileProgram& code_;
  int depth_;
  std::map<ValueId, std::set<ValueId>> loads_;  ///< of this block, behind each value
};

Needs estimate(const TileProgram& code, std::int64_t threads, int depth) {
  std::int64_t accumulators = 0;
  std::int64_t largest = 0;
  Needs needs;
  needs.shared_bytes = SharedMemory(code, depth).bytes();
  for (const Block& block : code.blocks) {
    for (const Instruction& instruction : block.code) {
      if (instruction.results.empty()) continue;
      const Type& type = code.values[static_cast<std::size_t>(instruction.results[0])];
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

}  // namespace

/// What the job says, else an estimate.
Needs TileProgram::needs(const KernelProgram&, const config::Launch& launch,
                         const config::Gpu& gpu) const {
  const std::int64_t threads =
      std::int64_t{launch.waves(gpu.compute.wave_lanes)} * gpu.compute.wave_lanes;
  const Needs guess = estimate(*this, threads, std::clamp(launch.stages - 1, 1, 8));
  Needs needs;
  needs.registers = launch.registers ? *launch.registers : guess.registers;
  needs.shared_bytes = launch.shared_bytes ? *launch.shared_bytes
                                           : std::min(guess.shared_bytes, gpu.compute.shared_bytes);
  needs.estimated = needs.shared_estimated = !launch.registers || !launch.shared_bytes;
  return needs;
}

int TileProgram::load_depth(const config::Launch& launch, const config::Gpu& gpu) const {
  const bool pipelined =
      std::any_of(blocks.begin(), blocks.end(), [](const Block& block) { return has_dot(block); });
  if (!pipelined) return 1;
  const int ahead = gpu.vendor == config::Vendor::amd ? launch.stages : launch.stages - 1;
  return std::clamp(ahead, 1, 8);
}

}  // namespace heddle::kernel
