#include "trace/index_cases.h"

#include <map>

#include "kernel/block_cases.h"
#include "kernel/decisions.h"
#include "trace/arithmetic_sink.h"
#include "trace/tracer.h"

namespace heddle::trace {
namespace {

using kernel::CaseKind;
using kernel::Opcode;

constexpr std::int64_t kMostSteps = 1'000'000;  ///< of a block
constexpr int kFirstNumber = 1000;  ///< apart from those of kernel/decisions.h at the same place
constexpr int kBits = 64;

CaseKind kind_of(Opcode op) {
  switch (op) {
    case Opcode::minimum:
      return CaseKind::lesser;
    case Opcode::maximum:
      return CaseKind::greater;
    case Opcode::multiply:
      return CaseKind::product;
    case Opcode::divide:
      return CaseKind::quotient;
    case Opcode::remainder:
      return CaseKind::remainder;
    case Opcode::bit_and:
      return CaseKind::mask;
    case Opcode::bit_or:
    case Opcode::bit_xor:
      return CaseKind::toggle;
    case Opcode::shift_right:
      return CaseKind::shift_right;
    default:
      return op >= Opcode::equal && op <= Opcode::greater_equal ? CaseKind::comparison
                                                                : CaseKind::none;
  }
}

bool holds(Opcode op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Opcode::equal:
      return a == b;
    case Opcode::not_equal:
      return a != b;
    case Opcode::less:
      return a < b;
    case Opcode::less_equal:
      return a <= b;
    case Opcode::greater:
      return a > b;
    default:
      return a >= b;
  }
}

class CaseSink final : public ArithmeticSink {
 public:
  CaseSink(const kernel::KernelProgram& program, const Grid& grid)
      : program_(program), grid_(grid) {}

  void operation(std::int32_t place, Opcode op, std::int64_t a, std::int64_t b) override {
    const CaseKind kind = kind_of(op);
    if (kind == CaseKind::none) return;
    std::int64_t result = 0;
    if (kind == CaseKind::comparison) {
      result = holds(op, a, b) ? 1 : 0;
    } else if (const auto exact = kernel::exact_integer(op, a, b, kBits)) {
      result = static_cast<std::int64_t>(*exact);
    } else {
      return;
    }
    cases_[{place, op}].note(kind, a, b, result);
  }

  void truths(std::int32_t place, Opcode op, bool a, bool b) override {
    const bool result = op == Opcode::bit_and ? a && b : a || b;
    cases_[{place, op}].note(CaseKind::truth, a ? 1 : 0, b ? 1 : 0, result ? 1 : 0);
  }

  void choice(std::int32_t place, bool is_first, std::int64_t a, std::int64_t b) override {
    cases_[{place, Opcode::select}].note(CaseKind::choice, a, b, is_first ? 1 : 0);
  }

  std::vector<kernel::IndexDecision> decisions() const {
    std::vector<kernel::IndexDecision> result;
    for (const auto& [key, one] : cases_) {
      const kernel::Place& place = program_.places.at(static_cast<std::size_t>(key.first));
      const Position& at = place.position;
      const bool is_truth = key.second == Opcode::bit_and || key.second == Opcode::bit_or;
      for (const std::int64_t outcome : {0, 1})
        if ((one.outcomes(grid_) >> outcome & 1) != 0)
          result.push_back({at.line, at.column,
                            kernel::case_number(place, kFirstNumber + static_cast<int>(key.second)),
                            one.a(), one.b(), outcome, is_truth && one.is_of_truths()});
    }
    return result;
  }

 private:
  const kernel::KernelProgram& program_;
  const Grid& grid_;
  std::map<std::pair<std::int32_t, Opcode>, kernel::BlockCase> cases_;
};

/// Shown values are of no interest here.
struct NoSink final : AccessSink {
  void access(const AccessPattern&) override {}
};

}  // namespace

std::vector<kernel::IndexDecision> index_cases(const kernel::KernelProgram& program,
                                               const config::Launch& launch) {
  if (kernel::index_values_of(program) != nullptr) return {};
  CaseSink cases(program, launch.grid);
  TraceOptions options;
  options.limits.steps = kMostSteps;
  options.arithmetic = &cases;
  Tracer tracer(program, launch, options);
  NoSink nothing;
  kernel::for_some_blocks(launch.grid, [&](std::int64_t id) {
    try {
      tracer.run(block_of(launch.grid, LaunchId{id}), nothing);
    } catch (const Error&) {
      // Then its values are not known either.
    }
  });
  return cases.decisions();
}

}  // namespace heddle::trace
