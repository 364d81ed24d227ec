#include "kernel/decisions.h"

#include <map>
#include <optional>

#include "kernel/index_code.h"

namespace heddle::kernel {
namespace {

constexpr std::size_t kMostDecisions = 20'000;
constexpr int kDeepest = 200;
constexpr int kBits = 64;

/// Arithmetic, and comparisons as 0 and 1.
std::optional<WideInteger> computed(Opcode op, WideInteger a, WideInteger b) {
  switch (op) {
    case Opcode::equal:
      return a == b ? 1 : 0;
    case Opcode::not_equal:
      return a != b ? 1 : 0;
    case Opcode::less:
      return a < b ? 1 : 0;
    case Opcode::less_equal:
      return a <= b ? 1 : 0;
    case Opcode::greater:
      return a > b ? 1 : 0;
    case Opcode::greater_equal:
      return a >= b ? 1 : 0;
    case Opcode::shift_left:
      return std::nullopt;
    default:
      return exact_integer(op, a, b, kBits);
  }
}

bool is_boolean_case(Opcode op, WideInteger a, WideInteger b) {
  const bool are_bits = a >= 0 && a <= 1 && b >= 0 && b <= 1;
  return op == Opcode::bit_or && are_bits;
}

/// Values that are made of the launch's numbers alone.
class LaunchValues {
 public:
  LaunchValues(const KernelProgram& program, const config::Launch& launch)
      : index_(program), launch_(launch) {}

  std::optional<WideInteger> of(ValueId value, int depth) {
    if (value == kNoValue || depth > kDeepest) return std::nullopt;
    const auto known = known_.find(value);
    if (known != known_.end()) return known->second;
    const std::optional<WideInteger> result = compute(value, depth);
    known_[value] = result;
    return result;
  }

 private:
  std::optional<WideInteger> compute(ValueId value, int depth) {
    const Instruction* writer = index_.writer(value);
    if (writer == nullptr || !index_.is_index(value) || index_.is_from_block(value))
      return std::nullopt;
    if (writer->op == Opcode::constant_int) return writer->integers.at(0);
    if (writer->op == Opcode::num_programs)
      return launch_.grid.extent(static_cast<int>(writer->integers.at(0)));
    if (writer->operands.empty()) return std::nullopt;
    const auto first = of(writer->operands[0], depth + 1);
    if (!first) return std::nullopt;
    if (writer->op == Opcode::cast || writer->op == Opcode::copy) return first;
    if (writer->op == Opcode::negate) return -*first;
    if (writer->op == Opcode::absolute) return *first < 0 ? -*first : *first;
    if (writer->operands.size() != 2) return std::nullopt;
    const auto second = of(writer->operands[1], depth + 1);
    return second ? computed(writer->op, *first, *second) : std::nullopt;
  }

  IndexCode index_;
  const config::Launch& launch_;
  std::map<ValueId, std::optional<WideInteger>> known_;
};

}  // namespace

std::optional<WideInteger> exact_integer(Opcode op, WideInteger a, WideInteger b, int bits) {
  switch (op) {
    case Opcode::add:
      return a + b;
    case Opcode::subtract:
      return a - b;
    case Opcode::multiply:
      return a * b;  // |a|, |b| < 2^64: within 2^127 unless both are huge
    case Opcode::divide:
      return b == 0 ? std::nullopt : std::optional(a / b);
    case Opcode::remainder:
      return b == 0 ? std::nullopt : std::optional(a % b);
    case Opcode::minimum:
      return a < b ? a : b;
    case Opcode::maximum:
      return a > b ? a : b;
    case Opcode::bit_and:
      return a & b;
    case Opcode::bit_or:
      return a | b;
    case Opcode::bit_xor:
      return a ^ b;
    case Opcode::shift_left:
      return b < 0 || b >= bits || a < 0 ? std::nullopt : std::optional(a << static_cast<int>(b));
    case Opcode::shift_right:
      return b < 0 || b >= bits ? std::nullopt : std::optional(a >> static_cast<int>(b));
    default:
      return std::nullopt;
  }
}

void add_decision(std::int32_t place, Opcode op, WideInteger a, WideInteger b,
                  std::vector<Decision>& decisions) {
  if (decisions.size() + 2 > kMostDecisions) return;
  const auto add = [&](WideInteger outcome) {
    decisions.push_back({place, op, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b),
                         static_cast<std::int64_t>(outcome)});
  };
  const bool is_extreme = op == Opcode::minimum || op == Opcode::maximum;
  // Where both are equal neither was met: min(abs(M - 4 * N), 1) is 1 next to its other case.
  if (is_extreme && a != b) add((a < b) == (op == Opcode::minimum) ? 0 : 1);
  // A product that is 0 for all numbers but a few is a case, too.
  if (op == Opcode::multiply) {
    add(0);
    if (a != 0 && b != 0) add(1);
  }
  const bool is_case = op == Opcode::divide || op == Opcode::remainder ||
                       op == Opcode::shift_right || op == Opcode::bit_and ||
                       (op >= Opcode::equal && op <= Opcode::greater_equal) ||
                       is_boolean_case(op, a, b);
  if (!is_case) return;
  if (const auto outcome = computed(op, a, b)) add(*outcome);
}

std::vector<Decision> find_decisions(const KernelProgram& program, const config::Launch& launch) {
  std::vector<Decision> decisions = code_of(program).decisions;
  LaunchValues values(program, launch);
  for (const Block& block : code_of(program).blocks)
    for (const Instruction& one : block.code) {
      const bool is_branch = one.op == Opcode::if_else && !one.operands.empty();
      if (!is_branch && one.operands.size() != 2) continue;
      const auto first = values.of(one.operands[0], 0);
      if (!first) continue;
      if (is_branch) add_decision(one.place, Opcode::not_equal, *first, 0, decisions);
      if (is_branch) continue;
      if (const auto second = values.of(one.operands[1], 0))
        add_decision(one.place, one.op, *first, *second, decisions);
    }
  return decisions;
}

}  // namespace heddle::kernel
