// The checks of lower.h that need no types: counts and indices.
#include <fmt/format.h>

#include <algorithm>

#include "trace/interpreter/lower.h"

namespace heddle::trace::interpreter {
namespace {

using kernel::Instruction;
using kernel::KernelProgram;

/// How many of each an instruction has.
struct Counts {
  std::size_t operands_min;
  std::size_t operands_max;
  std::size_t results_max;
  std::size_t integers_min;
};

constexpr std::size_t kMany = 64;

/// Memory and control flow.
Counts counts_of_effect(Opcode op) {
  switch (op) {
    case Opcode::load:
      return {1, 3, 1, 1};
    case Opcode::store:
      return {1, 3, 0, 1};
    case Opcode::atomic:
      return {1, 4, 1, 2};
    case Opcode::block_pointer:
    case Opcode::bounds_mask:
      return {0, kMany, 1, 0};
    case Opcode::for_range:
      return {3, 3, 1, 0};
    case Opcode::while_loop:
    case Opcode::if_else:
      return {1, 1, 0, 0};
    case Opcode::scope:
      return {0, 0, 0, 0};
    case Opcode::leave:
      return {0, 0, 0, 1};
    default:
      return {2, 2, 1, 0};  // element-wise operations of two operands, join
  }
}

Counts counts_of(Opcode op) {
  switch (op) {
    case Opcode::constant_float:
      return {0, 0, 1, 0};
    case Opcode::constant_int:
    case Opcode::parameter:
    case Opcode::program_id:
    case Opcode::num_programs:
      return {0, 0, 1, 1};
    case Opcode::arange:
      return {0, 0, 1, 2};
    case Opcode::copy:
    case Opcode::negate:
    case Opcode::bit_not:
    case Opcode::absolute:
    case Opcode::cast:
    case Opcode::bitcast:
    case Opcode::broadcast:
    case Opcode::permute:
    case Opcode::reshape:
      return {1, 1, 1, 0};
    case Opcode::expand_dims:
    case Opcode::flip:
      return {1, 1, 1, 1};
    case Opcode::math:
      return {1, 2, 1, 1};
    case Opcode::fused_multiply_add:
    case Opcode::select:
      return {3, 3, 1, 0};
    case Opcode::split:
      return {1, 1, 2, 0};
    case Opcode::concatenate:
    case Opcode::gather:
      return {2, 2, 1, 1};
    case Opcode::reduce:
    case Opcode::scan:
    case Opcode::sort:
      return {1, 1, 1, 2};
    case Opcode::histogram:
      return {1, 2, 1, 0};
    case Opcode::dot:
      return {2, 3, 1, 0};
    case Opcode::random:
      return {2, 2, 4, 1};
    case Opcode::unknown:
      return {0, kMany, kMany, 0};
    default:
      return counts_of_effect(op);
  }
}

class Check {
 public:
  explicit Check(const KernelProgram& program)
      : program_(program), owners_(kernel::code_of(program).blocks.size(), 0) {}

  void run() {
    require(!kernel::code_of(program_).blocks.empty(), "it has no blocks");
    for (const kernel::Site& site : program_.sites)
      require(exists(site.place, program_.places.size()), "a site has no place");
    for (const kernel::Block& block : kernel::code_of(program_).blocks) {
      for (const Instruction& instruction : block.code) check(instruction);
    }
    require(owners_[0] == 0, "the entry block is owned by an instruction");
    check_depth();
  }

 private:
  static bool exists(std::int64_t index, std::size_t size) {
    return index >= 0 && static_cast<std::size_t>(index) < size;
  }

  void require(bool holds, const char* what) const {
    if (holds) return;
    const Error error(fmt::format("the program cannot be run: {}", what));
    if (current_ == nullptr) throw error.at(program_.source_path, {});
    throw error.at(program_.source_path,
                   program_.places[static_cast<std::size_t>(current_->place)].position);
  }

  void check(const Instruction& instruction) {
    current_ = nullptr;
    require(exists(instruction.place, program_.places.size()), "an instruction has no place");
    current_ = &instruction;
    const Counts counts = counts_of(instruction.op);
    require(instruction.operands.size() >= counts.operands_min, "an operand is missing");
    require(instruction.operands.size() <= counts.operands_max, "there are too many operands");
    require(instruction.results.size() <= counts.results_max, "there are too many results");
    require(instruction.integers.size() >= counts.integers_min, "an integer is missing");
    for (const kernel::ValueId value : instruction.results)
      require(value == kernel::kNoValue || exists(value, kernel::code_of(program_).values.size()),
              "no such result");
    for (const kernel::ValueId value : instruction.operands)
      require(value == kernel::kNoValue || exists(value, kernel::code_of(program_).values.size()),
              "no such operand");
    check_integers(instruction);
    own(instruction.body);
    own(instruction.other);
    check_blocks(instruction);
    current_ = nullptr;
  }

  void check_integers(const Instruction& instruction) const {
    const std::vector<std::int64_t>& integers = instruction.integers;
    switch (instruction.op) {
      case Opcode::parameter:
        return require(exists(integers[0], program_.parameters.size()), "no such parameter");
      case Opcode::program_id:
      case Opcode::num_programs:
        return require(exists(integers[0], 3), "a grid has three axes");
      case Opcode::load:
      case Opcode::store:
      case Opcode::atomic:
        return require(exists(integers[0], program_.sites.size()), "no such site");
      default:
        return;
    }
  }

  void check_blocks(const Instruction& instruction) const {
    const bool has_body = instruction.body != kernel::kNoBlock;
    const bool has_other = instruction.other != kernel::kNoBlock;
    switch (instruction.op) {
      case Opcode::for_range:
      case Opcode::scope:
        return require(has_body && !has_other, "a loop or scope without its body");
      case Opcode::while_loop:
        return require(has_body && has_other, "a loop without body or condition");
      case Opcode::if_else:
        return require(has_body || has_other, "a branch without a block");
      default:
        return require(!has_body && !has_other, "an instruction that owns blocks");
    }
  }

  void own(kernel::BlockId block) {
    if (block == kernel::kNoBlock) return;
    require(exists(block, kernel::code_of(program_).blocks.size()), "no such block");
    require(++owners_[static_cast<std::size_t>(block)] == 1, "a block has two owners");
  }

  /// Every block has at most one owner and the entry none, so what the entry reaches is a tree.
  void check_depth() const {
    std::vector<std::pair<std::size_t, int>> open{{0, 1}};
    while (!open.empty()) {
      const auto [block, depth] = open.back();
      open.pop_back();
      if (depth > kDepthLimit) {
        throw Error(fmt::format("blocks are nested more than {} deep", kDepthLimit),
                    "use fewer nested loops, branches and calls")
            .at(program_.source_path, {});
      }
      for (const Instruction& instruction : kernel::code_of(program_).blocks[block].code) {
        for (const kernel::BlockId inner : {instruction.body, instruction.other}) {
          if (inner != kernel::kNoBlock)
            open.emplace_back(static_cast<std::size_t>(inner), depth + 1);
        }
      }
    }
  }

  const KernelProgram& program_;
  const Instruction* current_ = nullptr;
  std::vector<int> owners_;
};

}  // namespace

void check_program(const kernel::KernelProgram& program) {
  Check(program).run();
}

}  // namespace heddle::trace::interpreter
