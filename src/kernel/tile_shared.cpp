#include "kernel/tile_shared.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::kernel {
namespace {

constexpr std::int64_t kLeastRows = 64;      ///< of a product that reads shared memory
constexpr std::int64_t kLeastWaves = 4;      ///< that work on one together
constexpr std::int64_t kLeastCopyBytes = 4;  ///< of an asynchronous copy of one lane

std::int64_t bytes_of(const Type& type) {
  return type.elements() * config::byte_width(type.element);
}

bool contains_dot(const std::vector<Placed>& order) {
  return std::any_of(order.begin(), order.end(),
                     [](const Placed& placed) { return placed.instruction->op == Opcode::dot; });
}

bool has_dot(const Block& block) {
  return std::any_of(block.code.begin(), block.code.end(),
                     [](const Instruction& i) { return i.op == Opcode::dot; });
}

/// NVIDIA: the buffers of loads that products read.
class OperandBuffers {
 public:
  OperandBuffers(const TileProgram& code, const std::vector<Placed>& order,
                 const std::vector<AccessLayout>& accesses, const ThreadShape& threads, int stages,
                 const config::Gpu& gpu)
      : code_(code), threads_(threads), stages_(stages), gpu_(gpu), links_(links_of(code, order)) {
    for (const Placed& placed : order) {
      loop_[placed.instruction] = placed.loop;
      if (placed.instruction->op == Opcode::dot) dots_.push_back(placed);
    }
    find_levels(order);
    for (const AccessLayout& access : accesses) accesses_[access.instruction] = &access;
    for (const Placed& dot : dots_)
      for (std::size_t k = 0; k < 2; ++k)
        if (const Instruction* load = links_.load_behind(dot.instruction->operands[k]))
          operands_.insert(load);
  }

  std::int64_t bytes() {
    for (const Placed& dot : dots_) {
      const bool runs_alone = reads_shared_memory(code_, *dot.instruction, threads_, gpu_);
      if (dot.loop != nullptr) add_pipelined(dot, runs_alone);
      for (std::size_t k = 0; k < 2; ++k) add_operand(*dot.instruction, k, runs_alone);
    }
    std::int64_t total = computed_ + once_;
    for (const auto& [load, bytes] : buffers_) total += bytes;
    return total;
  }

 private:
  const Type& type_of(ValueId value) const { return code_.values[static_cast<std::size_t>(value)]; }

  /// Loads of the loop that a value depends on.
  void collect_loads(ValueId value, const Instruction* loop, std::set<ValueId>& seen,
                     std::vector<const Instruction*>& loads) const {
    std::vector<ValueId> open = {value};
    while (!open.empty()) {
      const ValueId next = open.back();
      open.pop_back();
      if (next < 0 || !seen.insert(next).second) continue;
      for (const Instruction* writer : links_.writers[static_cast<std::size_t>(next)]) {
        if (loop_.at(writer) != loop || writer->op == Opcode::for_range) continue;
        if (writer->op == Opcode::load) loads.push_back(writer);
        const std::size_t operands =
            writer->op == Opcode::dot ? 2 : writer->operands.size();  // not the accumulator
        open.insert(open.end(), writer->operands.begin(),
                    writer->operands.begin() + static_cast<std::ptrdiff_t>(operands));
      }
    }
  }

  /// How many loads of a loop stand one behind the other before each of them, in one pass: what a
  /// round hands to the next counts as none.
  void find_levels(const std::vector<Placed>& order) {
    std::map<const Instruction*, std::map<ValueId, int>> depths;  // per loop and value
    for (const Placed& placed : order) {
      const Instruction& one = *placed.instruction;
      if (placed.loop == nullptr || one.op == Opcode::for_range) continue;
      std::map<ValueId, int>& depth = depths[placed.loop];
      const auto depth_of = [&](ValueId value) {
        const auto found = depth.find(value);
        return found != depth.end() ? found->second : 0;
      };
      int most = 0;
      if (one.op == Opcode::load) {
        levels_[&one] = depth_of(one.operands[0]);
        most = levels_[&one] + 1;
      } else {
        const std::size_t operands = one.op == Opcode::dot ? 2 : one.operands.size();
        for (std::size_t k = 0; k < operands; ++k) most = std::max(most, depth_of(one.operands[k]));
      }
      if (most == 0) continue;
      for (const ValueId result : one.results) depth[result] = std::max(depth[result], most);
    }
  }

  void add_pipelined(const Placed& dot, bool runs_alone) {
    std::set<ValueId> seen;
    std::vector<const Instruction*> loads;
    for (std::size_t k = 0; k < 2; ++k)
      collect_loads(dot.instruction->operands[k], dot.loop, seen, loads);
    int deepest = 0;
    for (const Instruction* load : loads) deepest = std::max(deepest, levels_[load]);
    for (const Instruction* load : loads) {
      const auto access = accesses_.find(load);
      if (access == accesses_.end()) continue;  // a scalar
      const bool is_operand = operands_.contains(load);
      const Type& type = *access->second->type;
      int buffers = is_operand ? 1 : 0;
      if (stages_ > 1 &&
          access->second->masked * config::byte_width(type.element) >= kLeastCopyBytes) {
        const int between = (stages_ - 2 + deepest) / (deepest + 1);
        buffers =
            std::max(1, stages_ - 1 - levels_[load] * between + (is_operand && runs_alone ? 1 : 0));
      }
      std::int64_t& bytes = buffers_[load];
      bytes = std::max(bytes, buffers * bytes_of(type));
    }
  }

  void add_operand(const Instruction& dot, std::size_t k, bool runs_alone) {
    const std::int64_t bytes = bytes_of(type_of(dot.operands[k]));
    if (const Instruction* load = links_.load_behind(dot.operands[k]))
      buffers_.emplace(load, bytes);
    else if (!runs_alone)
      once_ = std::max(once_, bytes);
    else if (k == 1)
      computed_ += bytes;
  }

  const TileProgram& code_;
  ThreadShape threads_;
  int stages_;
  const config::Gpu& gpu_;
  Links links_;
  std::vector<Placed> dots_;
  std::map<const Instruction*, const Instruction*> loop_;
  std::map<const Instruction*, const AccessLayout*> accesses_;
  std::set<const Instruction*> operands_;  ///< loads that products read as they are
  std::map<const Instruction*, int> levels_;
  std::map<const Instruction*, std::int64_t> buffers_;
  std::int64_t computed_ = 0;  ///< second operands
  std::int64_t once_ = 0;      ///< the largest operand that goes through shared memory
};
/// AMD: the shared memory that the operands of matrix products take. Blocks that are loaded several
/// rounds ahead are all there at a time; others only while their product is made.
class AmdOperands {
 public:
  AmdOperands(const TileProgram& code, int depth) : code_(code), depth_(depth) {}

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

}  // namespace

bool reads_shared_memory(const TileProgram& code, const Instruction& dot,
                         const ThreadShape& threads, const config::Gpu& gpu) {
  if (gpu.vendor != config::Vendor::nvidia || gpu.target == "sm_80") return false;
  const auto& shape = code.values[static_cast<std::size_t>(dot.results[0])].shape;
  return shape.size() >= 2 && shape[shape.size() - 2] >= kLeastRows &&
         threads.waves % kLeastWaves == 0;
}

std::int64_t estimated_shared_bytes(const TileProgram& code, const std::vector<Placed>& order,
                                    const std::vector<AccessLayout>& accesses,
                                    const ThreadShape& threads, int stages,
                                    const config::Gpu& gpu) {
  if (gpu.vendor == config::Vendor::amd)
    return AmdOperands(code, std::clamp(stages - 1, 1, 8)).bytes();
  if (contains_dot(order))
    return OperandBuffers(code, order, accesses, threads, stages, gpu).bytes();
  return exchanged_bytes(code, order, accesses, threads);
}

}  // namespace heddle::kernel
