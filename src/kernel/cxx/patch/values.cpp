#include "kernel/cxx/patch/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "kernel/block_cases.h"
#include "kernel/index_values.h"
#include "support/grid.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::int64_t kMostBlockSteps = 1'000'000;
constexpr int kDeepestCall = 1000;

[[noreturn]] void fail(const std::string& what) {
  throw Error(what, "");
}

/// A value that is not defined.
struct Undefined {
  IndexFault fault;
};

std::int64_t wrapped(std::uint64_t value, IntegerType type) {
  if (type.bits == 64) return static_cast<std::int64_t>(value);
  if (type.bits == 1) return value != 0 ? 1 : 0;
  const std::uint64_t low = value & ((std::uint64_t{1} << type.bits) - 1);
  const bool is_negative = type.is_signed && ((low >> (type.bits - 1)) & 1U) != 0;
  return static_cast<std::int64_t>(is_negative ? low - (std::uint64_t{1} << type.bits) : low);
}

/// What is out of a signed type's range has no value. Unsigned products and shifts that lose bits
/// choose as a mask does, in launches that nobody tries: they have none either.
std::int64_t in_range(std::int64_t value, bool is_over, IntegerType type) {
  if (is_over || wrapped(static_cast<std::uint64_t>(value), type) != value)
    throw Undefined{IndexFault::overflow};
  return value;
}

bool is_less(std::int64_t a, std::int64_t b, IntegerType type) {
  return type.is_signed || type.bits < 64
             ? a < b
             : static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
}

std::int64_t divided(IndexOp op, std::int64_t a, std::int64_t b, IntegerType type) {
  if (b == 0) throw Undefined{IndexFault::division_by_zero};
  const bool is_quotient = op == IndexOp::divide;
  if (!type.is_signed) {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    return static_cast<std::int64_t>(is_quotient ? x / y : x % y);
  }
  if (b == -1) {
    const std::int64_t negative = in_range(
        static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a)), a == INT64_MIN, type);
    return is_quotient ? negative : 0;
  }
  return is_quotient ? a / b : a % b;
}

std::int64_t shifted(IndexOp op, std::int64_t a, std::int64_t b, IntegerType type) {
  if (b < 0 || b >= type.bits) throw Undefined{IndexFault::overflow};
  if (op == IndexOp::shift_left) {
    const std::int64_t result = wrapped(static_cast<std::uint64_t>(a) << b, type);
    if (shifted(IndexOp::shift_right, result, b, type) != a) throw Undefined{IndexFault::overflow};
    return result;
  }
  return type.is_signed ? a >> b : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) >> b);
}

std::int64_t summed(IndexOp op, std::int64_t a, std::int64_t b, IntegerType type) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  std::uint64_t product = 0;
  if (!type.is_signed && op == IndexOp::multiply &&
      (__builtin_mul_overflow(x, y, &product) ||
       static_cast<std::uint64_t>(wrapped(product, type)) != product))
    throw Undefined{IndexFault::overflow};
  if (!type.is_signed)
    return wrapped(op == IndexOp::add ? x + y : op == IndexOp::subtract ? x - y : x * y, type);
  std::int64_t result = 0;
  const bool is_over = op == IndexOp::add        ? __builtin_add_overflow(a, b, &result)
                       : op == IndexOp::subtract ? __builtin_sub_overflow(a, b, &result)
                                                 : __builtin_mul_overflow(a, b, &result);
  return in_range(result, is_over, type);
}

/// `inner` is the type of the operands, where a comparison has another one.
std::int64_t computed(IndexOp op, std::int64_t a, std::int64_t b, IntegerType type,
                      IntegerType inner) {
  switch (op) {
    case IndexOp::add:
    case IndexOp::subtract:
    case IndexOp::multiply:
      return summed(op, a, b, type);
    case IndexOp::divide:
    case IndexOp::remainder:
      return divided(op, a, b, type);
    case IndexOp::shift_left:
    case IndexOp::shift_right:
      return shifted(op, a, b, type);
    case IndexOp::bit_and:
      return a & b;
    case IndexOp::bit_or:
      return a | b;
    case IndexOp::bit_xor:
      return a ^ b;
    case IndexOp::less:
      return is_less(a, b, inner) ? 1 : 0;
    case IndexOp::less_equal:
      return is_less(b, a, inner) ? 0 : 1;
    case IndexOp::greater:
      return is_less(b, a, inner) ? 1 : 0;
    case IndexOp::greater_equal:
      return is_less(a, b, inner) ? 0 : 1;
    case IndexOp::equal:
      return a == b ? 1 : 0;
    case IndexOp::not_equal:
      return a != b ? 1 : 0;
    case IndexOp::minimum:
      return is_less(b, a, inner) ? b : a;
    case IndexOp::maximum:
      return is_less(a, b, inner) ? b : a;
    default:
      fail("the index code has an operation that heddle does not know");
  }
}

std::int64_t argument_of(const config::Launch& launch, const std::string& name, IntegerType type) {
  const config::Argument* const argument = launch.find(name);
  if (argument == nullptr) fail(fmt::format("the job has no value for '{}'", name));
  if (const auto* const number = std::get_if<std::int64_t>(&argument->value.data))
    return wrapped(static_cast<std::uint64_t>(*number), type);
  if (const auto* const truth = std::get_if<bool>(&argument->value.data)) return *truth ? 1 : 0;
  fail(fmt::format("'{}' is not an integer in the job", name));
}

CaseKind kind_of(IndexOp op) {
  switch (op) {
    case IndexOp::minimum:
      return CaseKind::lesser;
    case IndexOp::maximum:
      return CaseKind::greater;
    case IndexOp::multiply:
      return CaseKind::product;
    case IndexOp::divide:
      return CaseKind::quotient;
    case IndexOp::remainder:
      return CaseKind::remainder;
    case IndexOp::bit_and:
      return CaseKind::mask;
    case IndexOp::bit_or:
    case IndexOp::bit_xor:
      return CaseKind::toggle;
    case IndexOp::shift_right:
      return CaseKind::shift_right;
    default:
      return op >= IndexOp::less && op <= IndexOp::not_equal ? CaseKind::comparison
                                                             : CaseKind::none;
  }
}

/// Cases that the blocks of a launch come to.
class Decisions {
 public:
  explicit Decisions(const Grid& grid) : grid_(grid) {}

  void note(int step, IndexOp op, std::int64_t a, std::int64_t b, std::int64_t result) {
    Case& one = cases_[step];
    const std::pair<std::int64_t, std::int64_t> both(a, b);
    one.is_alike = one.is_alike && (one.outcomes.empty() || one.both == both);
    one.both = both;
    one.is_comparison = op >= IndexOp::less && op <= IndexOp::not_equal;
    one.by_block.note(kind_of(op), a, b, result);
    if (op == IndexOp::minimum || op == IndexOp::maximum) {
      if (a != b) one.outcomes.insert(result == a ? 0 : 1);
    } else if (op == IndexOp::multiply) {
      one.outcomes.insert(0);  // a product that is 0 for all numbers but a few is a case, too
      if (result != 0) one.outcomes.insert(1);
    } else if (op != IndexOp::add && op != IndexOp::subtract && op != IndexOp::shift_left &&
               op != IndexOp::bit_or && op != IndexOp::bit_xor) {
      one.outcomes.insert(result);
    }
  }

  std::vector<IndexDecision> alike(const std::vector<IndexStep>& steps) const {
    std::vector<IndexDecision> result;
    for (const auto& [step, one] : cases_) {
      const auto of = static_cast<std::size_t>(step < 0 ? -1 - step : step);
      std::set<std::int64_t> outcomes = one.outcomes;
      if (!one.is_alike) {
        outcomes.clear();
        for (const std::int64_t outcome : {0, 1})
          if ((one.by_block.outcomes(grid_) >> outcome & 1) != 0) outcomes.insert(outcome);
      }
      for (const std::int64_t outcome : outcomes)
        result.push_back(
            {steps[of].line, 0, step, one.both.first, one.both.second, outcome, one.is_comparison});
    }
    return result;
  }

 private:
  struct Case {
    std::pair<std::int64_t, std::int64_t> both;
    std::set<std::int64_t> outcomes;
    BlockCase by_block;
    bool is_alike = true;
    bool is_comparison = false;
  };
  const Grid& grid_;
  std::map<int, Case> cases_;  ///< by step
};

class Evaluation {
 public:
  /// `noted` may be null.
  Evaluation(const CxxIndex& index, const config::Launch& launch, Decisions* noted)
      : index_(index), launch_(launch), steps_(index.steps()), noted_(noted) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      grid_[axis] = launch.grid.extent(static_cast<int>(axis));
  }

  /// A 0, then the values; nothing of a block that a guard lets return.
  std::vector<std::int64_t> run(const std::array<std::int64_t, 3>& block,
                                const std::vector<PlacedValue>& values) {
    block_ = block;
    Slots slots(index_.slots());
    slots_ = &slots;
    std::vector<std::int64_t> result(values.size() + 1);
    for (std::size_t s = 0; s < index_.statements().size(); ++s) {
      const int step = index_.statements()[s].step;
      if (step >= 0 && execute(step) == Flow::result) return {};
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].statement == s) result[i + 1] = value(values[i].step);
    }
    return result;
  }
  std::int64_t steps() const { return block_steps_; }

 private:
  /// Variables of a function; references are variables of its caller.
  struct Slots {
    explicit Slots(int count) : own(static_cast<std::size_t>(count)) {
      for (auto& one : own) at.push_back(&one);
    }
    std::optional<std::int64_t>& operator[](std::int64_t slot) {
      return *at[static_cast<std::size_t>(slot)];
    }
    std::vector<std::optional<std::int64_t>> own;
    std::vector<std::optional<std::int64_t>*> at;
  };
  enum class Flow { go_on, leave, next, result };

  const IndexStep& step(int number) const { return steps_[static_cast<std::size_t>(number)]; }

  void count() {
    if (++block_steps_ > kMostBlockSteps) fail("the index code of a block takes too many steps");
  }

  std::int64_t value(int number) {
    count();
    const IndexStep& one = step(number);
    const auto part = [&](std::size_t i) { return value(one.parts[i]); };
    switch (one.op) {
      case IndexOp::constant:
        return wrapped(static_cast<std::uint64_t>(one.value), one.type);
      case IndexOp::variable: {
        const auto& slot = (*slots_)[one.value];
        if (!slot) throw Undefined{IndexFault::uninitialized};
        return *slot;
      }
      case IndexOp::parameter:
        return argument_of(launch_, index_.parameters()[static_cast<std::size_t>(one.value)],
                           one.type);
      case IndexOp::block:
        return block_[static_cast<std::size_t>(one.value)];
      case IndexOp::grid:
        return grid_[static_cast<std::size_t>(one.value)];
      case IndexOp::threads:
        return launch_.threads[static_cast<std::size_t>(one.value)];
      case IndexOp::cast:
        return wrapped(static_cast<std::uint64_t>(part(0)), one.type);
      case IndexOp::negate:
        return summed(IndexOp::subtract, 0, part(0), one.type);
      case IndexOp::complement:
        return wrapped(~static_cast<std::uint64_t>(part(0)), one.type);
      case IndexOp::logical_not:
        return part(0) == 0 ? 1 : 0;
      case IndexOp::logical_and:
      case IndexOp::logical_or: {
        const std::int64_t left = part(0);
        const bool is_settled = (left != 0) == (one.op == IndexOp::logical_or);
        const std::int64_t right = is_settled ? 0 : part(1);
        const std::int64_t result = left != 0 ? (is_settled ? 1 : right != 0) : right != 0;
        if (noted_ != nullptr) noted_->note(number, one.op, left, right, result);
        return result;
      }
      case IndexOp::select:
        return condition(one.parts[0]) ? part(1) : part(2);
      case IndexOp::call:
        return call(one);
      default: {
        const std::int64_t left = part(0);
        const std::int64_t right = part(1);
        const std::int64_t result =
            computed(one.op, left, right, one.type, step(one.parts[0]).type);
        if (noted_ != nullptr) noted_->note(number, one.op, left, right, result);
        return result;
      }
    }
  }

  /// A number of several bits may be a case, too.
  bool condition(int number) {
    const std::int64_t result = value(number);
    if (noted_ != nullptr && step(number).type.bits > 1)
      noted_->note(-1 - number, IndexOp::not_equal, result, 0, result != 0 ? 1 : 0);
    return result != 0;
  }

  std::int64_t call(const IndexStep& one) {
    const IndexFunction& function = index_.functions()[static_cast<std::size_t>(one.value)];
    Slots own(function.slots);
    for (std::size_t i = 0; i < one.parts.size(); ++i) {
      if (function.is_reference[i])
        own.at[i] = slots_->at[static_cast<std::size_t>(step(one.parts[i]).value)];
      else
        own.own[i] = value(one.parts[i]);
    }
    if (++depth_ > kDeepestCall) fail("the index code calls too deeply");
    Slots* const outer = std::exchange(slots_, &own);
    const Flow flow = execute(function.body);
    slots_ = outer;
    --depth_;
    if (function.is_void) return 0;
    if (flow != Flow::result) throw Undefined{IndexFault::uninitialized};
    return wrapped(static_cast<std::uint64_t>(results_.at(static_cast<std::size_t>(one.field))),
                   one.type);
  }

  Flow execute(int number) {
    count();
    const IndexStep& one = step(number);
    switch (one.op) {
      case IndexOp::assign: {
        const std::int64_t assigned = value(one.parts[0]);
        (*slots_)[one.value] = assigned;
        return Flow::go_on;
      }
      case IndexOp::undefine:
        (*slots_)[one.value].reset();
        return Flow::go_on;
      case IndexOp::sequence:
        for (const int part : one.parts)
          if (const Flow flow = execute(part); flow != Flow::go_on) return flow;
        return Flow::go_on;
      case IndexOp::branch:
        if (condition(one.parts[0])) return execute(one.parts[1]);
        return one.parts.size() > 2 ? execute(one.parts[2]) : Flow::go_on;
      case IndexOp::loop:
      case IndexOp::do_loop:
        return repeat(one);
      case IndexOp::choose:
        return choose(one);
      case IndexOp::call:
        call(one);
        return Flow::go_on;
      case IndexOp::result:
        return give_back(one);
      case IndexOp::idle:
        return Flow::result;
      case IndexOp::leave:
        return Flow::leave;
      default:
        return Flow::next;
    }
  }

  Flow give_back(const IndexStep& one) {
    std::vector<std::int64_t> results;
    for (const int part : one.parts) results.push_back(value(part));
    results_ = std::move(results);
    return Flow::result;
  }

  /// From the case that is met, or else from the default, to a break or the end.
  Flow choose(const IndexStep& one) {
    std::optional<std::int64_t> place;
    for (std::size_t i = 0; i < static_cast<std::size_t>(one.value) && !place; ++i)
      if (one.parts[2 * i] >= 0 && value(one.parts[2 * i]) != 0)
        place = step(one.parts[2 * i + 1]).value;
    for (std::size_t i = 0; i < static_cast<std::size_t>(one.value) && !place; ++i)
      if (one.parts[2 * i] < 0) place = step(one.parts[2 * i + 1]).value;
    if (!place) return Flow::go_on;
    for (auto i = static_cast<std::size_t>(2 * one.value + *place); i < one.parts.size(); ++i) {
      const Flow flow = execute(one.parts[i]);
      if (flow == Flow::leave) return Flow::go_on;
      if (flow != Flow::go_on) return flow;
    }
    return Flow::go_on;
  }

  Flow repeat(const IndexStep& one) {
    for (bool is_first = one.op == IndexOp::do_loop;; is_first = false) {
      count();
      if (!is_first && one.parts[0] >= 0 && value(one.parts[0]) == 0) return Flow::go_on;
      const Flow flow = execute(one.parts[2]);
      if (flow == Flow::leave) return Flow::go_on;
      if (flow == Flow::result) return flow;
      if (one.parts[1] >= 0) execute(one.parts[1]);
    }
  }

  const CxxIndex& index_;
  const config::Launch& launch_;
  const std::vector<IndexStep>& steps_;
  Decisions* noted_;
  std::array<std::int64_t, 3> grid_{};
  std::array<std::int64_t, 3> block_{};
  Slots* slots_ = nullptr;
  std::vector<std::int64_t> results_;  ///< of the last call
  std::int64_t block_steps_ = 0;
  int depth_ = 0;
};

class ValueBody final : public IndexBody {
 public:
  ValueBody(std::shared_ptr<const CxxTree> tree, std::shared_ptr<const CxxIndex> index,
            std::vector<PlacedValue> values)
      : tree_(std::move(tree)), index_(std::move(index)), values_(std::move(values)) {}

  IndexValues values(const config::Launch& launch,
                     const std::array<std::int64_t, 3>& block) const override {
    Evaluation evaluation(*index_, launch, nullptr);
    IndexValues result;
    try {
      result.values = evaluation.run(block, values_);
    } catch (const Undefined& undefined) {
      result.fault = undefined.fault;
    }
    result.steps = evaluation.steps();
    return result;
  }

  std::vector<IndexDecision> decisions(const config::Launch& launch) const override {
    Decisions noted(launch.grid);
    for_some_blocks(launch.grid, [&](std::int64_t id) {
      Evaluation evaluation(*index_, launch, &noted);
      try {
        evaluation.run(block_of(launch.grid, LaunchId{id}), values_);
      } catch (const Undefined&) {
        // Then the values say so.
      } catch (const Error&) {
        // They, too.
      }
    });
    return noted.alike(index_->steps());
  }

 private:
  std::shared_ptr<const CxxTree> tree_;  ///< of the index
  std::shared_ptr<const CxxIndex> index_;
  std::vector<PlacedValue> values_;
};

}  // namespace

KernelProgram index_program(std::shared_ptr<const CxxTree> tree,
                            std::shared_ptr<const CxxIndex> index,
                            std::vector<PlacedValue> values) {
  KernelProgram program;
  program.places.emplace_back();
  Site shown;
  shown.kind = MemoryKind::write;
  program.sites.push_back(shown);
  Body::set(program,
            std::make_shared<ValueBody>(std::move(tree), std::move(index), std::move(values)));
  return program;
}

}  // namespace heddle::kernel::cxx
