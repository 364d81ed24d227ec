#include "kernel/arithmetic.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "support/error.h"

namespace heddle::kernel {
namespace {

/// The first of these rates that the GPU has: what it lacks is done by the next wider unit.
double first_rate(std::initializer_list<double> rates) {
  for (const double rate : rates)
    if (rate > 0) return rate;
  throw Error("the GPU has no unit for the kernel's arithmetic",
              "give vector_fp32 in its file under [arithmetic]");
}

std::optional<ArithmeticKind> kind_of(const Instruction& instruction, bool is_float) {
  switch (instruction.op) {
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::minimum:
    case Opcode::maximum:
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::shift_left:
    case Opcode::shift_right:
    case Opcode::equal:
    case Opcode::not_equal:
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::greater:
    case Opcode::greater_equal:
    case Opcode::negate:
    case Opcode::bit_not:
    case Opcode::absolute:
    case Opcode::select:
    case Opcode::reduce:
    case Opcode::scan:
    case Opcode::histogram:
    case Opcode::unknown:
      return ArithmeticKind::add;
    case Opcode::multiply:
    case Opcode::multiply_high:
    case Opcode::random:
      return ArithmeticKind::multiply;
    case Opcode::fused_multiply_add:
      return ArithmeticKind::fused;
    case Opcode::divide:
    case Opcode::remainder:
      return is_float ? ArithmeticKind::transcendental : ArithmeticKind::multiply;
    case Opcode::math:
      return ArithmeticKind::transcendental;
    case Opcode::dot:
      return ArithmeticKind::dot;
    default:
      return std::nullopt;
  }
}

const Type& type_of(const KernelProgram& program, ValueId value) {
  return code_of(program).values[static_cast<std::size_t>(value)];
}

/// How often each value is read, and by whom if only once.
struct Uses {
  std::vector<int> count;
  explicit Uses(const KernelProgram& program) : count(code_of(program).values.size(), 0) {
    for (const Block& block : code_of(program).blocks)
      for (const Instruction& instruction : block.code)
        for (const ValueId operand : instruction.operands)
          if (operand >= 0) ++count[static_cast<std::size_t>(operand)];
  }
};

}  // namespace

std::optional<ArithmeticCount> count_of(const KernelProgram& program,
                                        const Instruction& instruction) {
  if (instruction.results.empty()) return std::nullopt;
  const Type& result = type_of(program, instruction.results[0]);
  // Comparisons and reductions are counted where their operands are.
  const bool across = instruction.op == Opcode::reduce || instruction.op == Opcode::scan;
  const bool has_operand = !instruction.operands.empty() && instruction.operands[0] >= 0;
  const Type& operand = has_operand ? type_of(program, instruction.operands[0]) : result;
  const bool compares = instruction.op >= Opcode::equal && instruction.op <= Opcode::greater_equal;
  const DType element =
      across || compares || instruction.op == Opcode::dot ? operand.element : result.element;
  const auto kind = kind_of(instruction, config::is_float(element));
  if (!kind || result.pointer) return std::nullopt;
  std::int64_t count = across ? operand.elements() : result.elements();
  if (instruction.op == Opcode::dot) count *= operand.shape.empty() ? 1 : operand.shape.back();
  return ArithmeticCount{*kind, element, count};
}

void add_count(std::vector<ArithmeticCount>& counts, const ArithmeticCount& more) {
  if (more.count == 0) return;
  const auto before = [](const ArithmeticCount& a, const ArithmeticCount& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.type < b.type;
  };
  const auto at = std::lower_bound(counts.begin(), counts.end(), more, before);
  if (at != counts.end() && at->kind == more.kind && at->type == more.type)
    at->count += more.count;
  else
    counts.insert(at, more);
}

void count_arithmetic(KernelProgram& program) {
  const Uses uses(program);
  std::vector<BlockId> multiplied(code_of(program).values.size(),
                                  kNoBlock);  // where a float product is
  for (std::size_t b = 0; b < code_of(program).blocks.size(); ++b) {
    Block& block = code_of(program).blocks[b];
    block.counts.clear();
    for (const Instruction& instruction : block.code) {
      auto count = count_of(program, instruction);
      if (!count) continue;
      const bool is_float = config::is_float(count->type);
      if (instruction.op == Opcode::multiply && is_float)
        multiplied[static_cast<std::size_t>(instruction.results[0])] = static_cast<BlockId>(b);
      if ((instruction.op == Opcode::add || instruction.op == Opcode::subtract) && is_float) {
        for (const ValueId operand : instruction.operands) {
          const auto at = static_cast<std::size_t>(operand);
          if (multiplied[at] != static_cast<BlockId>(b) || uses.count[at] != 1 ||
              code_of(program).values[at].elements() != count->count)
            continue;
          add_count(block.counts, {ArithmeticKind::multiply, count->type, -count->count});
          count->kind = ArithmeticKind::fused;
          break;
        }
      }
      add_count(block.counts, *count);
    }
    std::erase_if(block.counts, [](const ArithmeticCount& count) { return count.count == 0; });
  }
}

double rate_of(ArithmeticKind kind, config::DType type, const config::GpuArithmetic& rates) {
  const int bytes = config::byte_width(type);
  const double wide = rates.vector_fp64 * rates.vector_share;
  const double single = rates.vector_fp32 * rates.vector_share;
  const double half = rates.vector_fp16 * rates.vector_share;
  if (kind == ArithmeticKind::transcendental) return first_rate({rates.transcendental, single / 8});
  if (kind != ArithmeticKind::dot && !config::is_float(type)) {
    const double integer = first_rate({rates.integer, single / 2});
    if (kind == ArithmeticKind::add) return integer;
    return first_rate({rates.integer_multiply, integer / 4});
  }
  const double vector = bytes >= 8   ? first_rate({wide, single / 2})
                        : bytes == 4 ? first_rate({single, wide})
                                     : first_rate({half, single, wide});
  if (kind != ArithmeticKind::dot) return vector / 2;
  const double share = rates.matrix_share;
  const double fp64 = rates.matrix_fp64 * share;
  const double fp32 = rates.matrix_fp32 * share;
  const double fp16 = rates.matrix_fp16 * share;
  const double fp8 = rates.matrix_fp8 * share;
  return (bytes >= 8   ? first_rate({fp64, vector})
          : bytes == 4 ? first_rate({fp32, fp64, vector})
          : bytes == 2 ? first_rate({fp16, fp32, vector})
                       : first_rate({fp8, fp16, fp32, vector})) /
         2;
}

}  // namespace heddle::kernel
