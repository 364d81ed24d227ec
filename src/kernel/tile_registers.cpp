#include "kernel/tile_registers.h"

#include <algorithm>
#include <map>
#include <optional>

namespace heddle::kernel {
namespace {

/// Registers for what is alive at a time and for everything else, in hundredths; fitted.
struct RegisterFit {
  std::int64_t least;
  std::int64_t in_loops;  ///< for each register of what is alive there
  std::int64_t outside;   ///< the same outside loops
  std::int64_t row;       ///< for each row of a block that is loaded or stored
};
constexpr RegisterFit kAsynchronousProducts = {1800, 125, 125, 125};
constexpr RegisterFit kOtherKernels = {2400, 90, 50, 25};
constexpr std::int64_t kRandomWords = 3;  ///< of Philox's state, beside the result
constexpr std::size_t kMostSources = 64;  ///< values that one operation is traced back to

std::int64_t ceiling(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

class Liveness {
 public:
  Liveness(const TileProgram& code, const std::vector<Placed>& order,
           const std::vector<AccessLayout>& accesses, const ThreadShape& threads,
           const SharedOperands& shared_operands)
      : code_(code),
        order_(order),
        accesses_(accesses),
        threads_(threads),
        links_(links_of(code, order)),
        data_(code.values.size()),
        slice_(code.values.size()),
        size_(code.values.size()),
        last_(code.values.size(), -1),
        sources_(code.values.size()),
        live_(code.values.size()) {
    find_data();
    find_slices();
    find_sums();
    find_plain();
    find_sizes(shared_operands);
    find_sources();
  }

  /// Registers that are alive at a time, at most.
  struct Most {
    std::int64_t in_loops = 0;
    std::int64_t outside = 0;
  };

  Most most() {
    if (!code_.blocks.empty()) walk(0, true);
    return most_;
  }

 private:
  static std::size_t at(ValueId value) { return static_cast<std::size_t>(value); }
  const Type& type_of(ValueId value) const { return code_.values[at(value)]; }

  /// Values that are not simply computed again: they come from blocks in memory, products, random
  /// numbers, and divisions of blocks.
  void find_data() {
    for (int round = 0; round < 2; ++round) {  // the second for what loops carry
      for (const auto& [instruction, loop] : order_) {
        bool is_data = std::any_of(instruction->operands.begin(), instruction->operands.end(),
                                   [&](ValueId v) { return v >= 0 && data_[at(v)]; });
        for (const ValueId result : instruction->results) {
          if (result < 0) continue;
          const Type& type = type_of(result);
          switch (instruction->op) {
            case Opcode::dot:
            case Opcode::random:
              is_data = true;
              break;
            case Opcode::load:
            case Opcode::atomic:
              is_data |= !type.shape.empty();
              break;
            case Opcode::divide:
            case Opcode::remainder:
              is_data |= !type.shape.empty() && !type.pointer;
              break;
            default:
              break;
          }
          if (is_data) data_[at(result)] = true;
        }
      }
    }
  }

  /// Lists that become rows or columns of a block are spread as that is: along which axis.
  void find_slices() {
    for (auto placed = order_.rbegin(); placed != order_.rend(); ++placed) {
      const Instruction& instruction = *placed->instruction;
      std::optional<std::size_t> axis;
      if (instruction.op == Opcode::expand_dims)
        axis = instruction.integers[0] == 0 ? 1 : 0;
      else if (is_elementwise(instruction.op) || instruction.op == Opcode::broadcast)
        for (const ValueId result : instruction.results)
          if (result >= 0 && slice_[at(result)]) axis = slice_[at(result)];
      if (!axis) continue;
      for (const ValueId operand : instruction.operands)
        if (operand >= 0 && type_of(operand).shape.size() == 1 && !slice_[at(operand)])
          slice_[at(operand)] = axis;
    }
  }

  /// Sums of the rows or columns of a block are spread as those are, and what they are added to.
  /// Not sums of products, which lie as products do.
  void find_sums() {
    const auto is_product = [](const Placed& placed) {
      return placed.instruction->op == Opcode::dot;
    };
    if (std::any_of(order_.begin(), order_.end(), is_product)) return;
    for (int round = 0; round < 2; ++round) {  // the second for what loops carry
      for (const auto& [instruction, loop] : order_) {
        std::optional<std::size_t> axis;
        if (instruction->op == Opcode::reduce &&
            type_of(instruction->operands[0]).shape.size() == 2)
          axis = instruction->integers[1] == 0 ? 1 : 0;
        else if (is_elementwise(instruction->op))
          for (const ValueId operand : instruction->operands)
            if (operand >= 0 && slice_[at(operand)]) axis = slice_[at(operand)];
        if (!axis) continue;
        for (const ValueId result : instruction->results)
          if (result >= 0 && type_of(result).shape.size() == 1 && !slice_[at(result)])
            slice_[at(result)] = axis;
      }
    }
  }

  /// Layouts of blocks that are computed, where nothing in memory has their shape.
  void find_plain() {
    for (const auto& [instruction, loop] : order_) {
      for (const ValueId result : instruction->results) {
        if (result < 0 || type_of(result).shape.size() != 2) continue;
        const std::vector<std::int64_t>& shape = type_of(result).shape;
        if (std::min(shape[0], shape[1]) > 1) plain_.emplace(shape, plain_layout(shape, threads_));
      }
    }
  }

  std::int64_t elements_of_thread(ValueId value) const {
    const std::vector<std::int64_t>& shape = type_of(value).shape;
    if (shape.empty()) return 1;
    std::optional<std::size_t> axis = slice_[at(value)];
    std::int64_t extent = shape[0];
    if (shape.size() > 1) {
      const auto is_long = [](std::int64_t e) { return e > 1; };
      const auto first = std::find_if(shape.begin(), shape.end(), is_long);
      if (first != shape.end() && std::none_of(first + 1, shape.end(), is_long)) {
        axis = static_cast<std::size_t>(first - shape.begin());
        extent = *first;
      }
    }
    std::int64_t most = 0;
    const std::size_t rank = std::max<std::size_t>(shape.size(), 2);
    if (axis)
      for (const AccessLayout& access : accesses_)
        if (access.type->shape.size() == rank && *axis < access.layout.lanes.size() &&
            access.type->shape[*axis] == extent)
          most = std::max(most, access.layout.share(*axis, extent));
    if (axis && rank == 2 && most == 0)
      for (const auto& [block, layout] : plain_)
        if (block[*axis] == extent) most = std::max(most, layout.share(*axis, extent));
    return most > 0 ? most
                    : std::max<std::int64_t>(1, type_of(value).elements() / threads_.count());
  }

  std::int64_t registers_of(ValueId value) const {
    const Type& type = type_of(value);
    if (type.shape.empty() || type.pointer || type.element == DType::boolean) return 0;
    if (!data_[at(value)]) {
      if (!config::is_float(type.element)) return 0;
      const auto& writers = links_.writers[at(value)];
      if (std::all_of(writers.begin(), writers.end(),
                      [](const Instruction* i) { return i->op == Opcode::broadcast; }))
        return 0;
    }
    return ceiling(elements_of_thread(value) * config::byte_width(type.element), 4);
  }

  /// What an operation makes smaller is made smaller at once: from the end, so that it is known
  /// what becomes of a value.
  void find_sizes(const SharedOperands& shared_operands) {
    std::vector<bool> shared(code_.values.size());
    for (auto placed = order_.rbegin(); placed != order_.rend(); ++placed) {
      const Instruction& instruction = *placed->instruction;
      for (const ValueId result : instruction.results) {
        if (result < 0) continue;
        shared[at(result)] = is_shared_operand(instruction, result, shared, shared_operands);
        size_[at(result)] =
            shared[at(result)] || is_added_in_place(instruction, result) ? 0 : registers_of(result);
      }
    }
    for (auto placed = order_.rbegin(); placed != order_.rend(); ++placed)
      for (const ValueId result : placed->instruction->results)
        if (result >= 0) shrink(result);
  }

  void shrink(ValueId value) {
    const Instruction* reader = links_.reader(value);
    if (reader == nullptr || !is_elementwise(reader->op) || reader->op == Opcode::copy) return;
    const ValueId result = reader->results[0];
    if (size_[at(result)] == 0 || size_[at(result)] >= size_[at(value)]) return;
    for (const ValueId operand : reader->operands)
      if (operand >= 0 && operand != value && size_[at(operand)] > 0) return;
    size_[at(value)] = size_[at(result)];
  }

  bool is_added_in_place(const Instruction& instruction, ValueId result) const {
    const Instruction* reader = links_.reader(result);
    return instruction.op == Opcode::dot && reader != nullptr && reader->op == Opcode::add;
  }

  /// A load that is read by nothing but products that take it from shared memory.
  bool is_shared_operand(const Instruction& instruction, ValueId result,
                         const std::vector<bool>& shared,
                         const SharedOperands& shared_operands) const {
    const Opcode op = instruction.op;
    if (op != Opcode::load && op != Opcode::permute && op != Opcode::reshape) return false;
    const auto& readers = links_.readers[at(result)];
    return !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](const Instruction* reader) {
             if (reader->op == Opcode::dot)
               return (reader->operands[0] == result || reader->operands[1] == result) &&
                      shared_operands(*reader);
             return (reader->op == Opcode::permute || reader->op == Opcode::reshape) &&
                    shared[at(reader->results[0])];
           });
  }

  /// The values that are alive in place of each value: itself, or what it is computed from element
  /// by element where it is read.
  void find_sources() {
    std::map<const Instruction*, int> place;
    int number = 0;
    for (const auto& [instruction, loop] : order_) {
      place[instruction] = number++;
      for (const ValueId operand : instruction->operands)
        if (operand >= 0) last_[at(operand)] = place[instruction];
    }
    for (const auto& [instruction, loop] : order_) {
      for (const ValueId result : instruction->results) {
        if (result < 0) continue;
        sources_[at(result)] = {result};
        if (!may_be_put_off(*instruction, result)) continue;
        std::vector<ValueId> from;
        for (const ValueId operand : instruction->operands)
          if (operand >= 0)
            from.insert(from.end(), sources_[at(operand)].begin(), sources_[at(operand)].end());
        std::sort(from.begin(), from.end());
        from.erase(std::unique(from.begin(), from.end()), from.end());
        if (from.size() > kMostSources) continue;
        if (pays_to_put_off(*instruction, result, from, place[instruction]))
          sources_[at(result)] = std::move(from);
      }
    }
  }

  bool is_wider(const Instruction& instruction, ValueId result) const {
    return instruction.op == Opcode::cast && instruction.operands[0] >= 0 &&
           config::byte_width(type_of(result).element) >
               config::byte_width(type_of(instruction.operands[0]).element);
  }

  bool may_be_put_off(const Instruction& instruction, ValueId result) const {
    if (links_.writer(result) == nullptr) return false;
    const Opcode op = instruction.op;
    if (op == Opcode::expand_dims || op == Opcode::broadcast || is_wider(instruction, result))
      return true;
    const bool is_simple = (is_elementwise(op) && op != Opcode::copy) || op == Opcode::permute;
    const Instruction* reader = links_.reader(result);
    if (!is_simple || reader == nullptr) return false;
    return is_elementwise(reader->op) || reader->op == Opcode::store ||
           reader->op == Opcode::expand_dims || reader->op == Opcode::broadcast ||
           reader->op == Opcode::reduce;
  }

  bool pays_to_put_off(const Instruction& instruction, ValueId result,
                       const std::vector<ValueId>& from, int place) const {
    if (instruction.op == Opcode::expand_dims || instruction.op == Opcode::broadcast ||
        size_[at(result)] == 0 ||
        (is_wider(instruction, result) && links_.readers[at(result)].size() > 1))
      return true;
    std::int64_t kept = 0;  // that would not be needed any more
    for (const ValueId source : from)
      if (last_[at(source)] <= place || links_.writers[at(source)].size() > 1)
        kept += size_[at(source)];
    return kept <= size_[at(result)];
  }

  void count(std::int64_t beside) {
    std::int64_t& most = depth_ > 0 ? most_.in_loops : most_.outside;
    most = std::max(most, total_ + beside);
  }

  void set_live(ValueId value, bool live) {
    if (value < 0 || live_[at(value)] == live) return;
    live_[at(value)] = live;
    total_ += live ? size_[at(value)] : -size_[at(value)];
  }

  /// Backwards through a block; live_ is what is read after it.
  void walk(BlockId id, bool counts) {
    if (id < 0) return;
    const std::vector<Instruction>& block = code_.blocks[at(id)].code;
    for (auto instruction = block.rbegin(); instruction != block.rend(); ++instruction) {
      if (instruction->op == Opcode::for_range || instruction->op == Opcode::while_loop)
        walk_loop(*instruction, counts);
      else if (is_control(instruction->op))
        walk_branches(*instruction, counts);
      step(*instruction, counts);
    }
  }

  void walk_loop(const Instruction& loop, bool counts) {
    const std::vector<bool> after = live_;
    walk(loop.body, false);
    walk(loop.op == Opcode::while_loop ? loop.other : kNoBlock, false);
    add_live(after);
    if (!counts) return;
    const std::vector<bool> around = live_;
    ++depth_;
    walk(loop.body, true);
    walk(loop.op == Opcode::while_loop ? loop.other : kNoBlock, true);
    --depth_;
    add_live(around);
  }

  void walk_branches(const Instruction& branch, bool counts) {
    const std::vector<bool> after = live_;
    walk(branch.body, counts);
    const std::vector<bool> first = live_;
    for (std::size_t v = 0; v < live_.size(); ++v) set_live(static_cast<ValueId>(v), after[v]);
    walk(branch.other, counts);
    add_live(first);
  }

  void add_live(const std::vector<bool>& more) {
    for (std::size_t v = 0; v < more.size(); ++v)
      if (more[v]) set_live(static_cast<ValueId>(v), true);
  }

  void step(const Instruction& instruction, bool counts) {
    const auto& results = instruction.results;
    if (!results.empty() && results[0] >= 0 &&
        (sources_[at(results[0])].size() != 1 || sources_[at(results[0])][0] != results[0]))
      return;  // done where it is read
    for (const ValueId result : results) set_live(result, true);
    if (counts) count(0);
    for (const ValueId result : results) set_live(result, false);
    for (const ValueId operand : instruction.operands)
      if (operand >= 0)
        for (const ValueId source : sources_[at(operand)]) set_live(source, true);
    if (!counts) return;
    count(instruction.op == Opcode::random ? kRandomWords * elements_of_thread(results[0]) : 0);
  }

  const TileProgram& code_;
  const std::vector<Placed>& order_;
  const std::vector<AccessLayout>& accesses_;
  ThreadShape threads_;
  Links links_;
  std::vector<bool> data_;
  std::vector<std::optional<std::size_t>> slice_;
  std::map<std::vector<std::int64_t>, TileLayout> plain_;
  std::vector<std::int64_t> size_;  ///< in registers
  std::vector<int> last_;           ///< the place of the last instruction that reads it
  std::vector<std::vector<ValueId>> sources_;
  std::vector<bool> live_;
  std::int64_t total_ = 0;
  int depth_ = 0;  ///< of loops
  Most most_;
};

}  // namespace

std::int64_t estimated_registers(const TileProgram& code, const std::vector<Placed>& order,
                                 const std::vector<AccessLayout>& accesses,
                                 const ThreadShape& threads,
                                 const SharedOperands& shared_operands) {
  const Liveness::Most alive = Liveness(code, order, accesses, threads, shared_operands).most();
  std::int64_t rows = 0;
  for (const AccessLayout& access : accesses) rows = std::max(rows, access.rows());
  const bool is_asynchronous = std::any_of(order.begin(), order.end(), [&](const Placed& placed) {
    return placed.instruction->op == Opcode::dot && shared_operands(*placed.instruction);
  });
  const RegisterFit& fit = is_asynchronous ? kAsynchronousProducts : kOtherKernels;
  const std::int64_t hundredths =
      fit.least + std::max(fit.in_loops * alive.in_loops, fit.outside * alive.outside) +
      fit.row * rows;
  return (hundredths + 50) / 100;
}

}  // namespace heddle::kernel
