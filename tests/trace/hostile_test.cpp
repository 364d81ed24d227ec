// Random instructions on random types: whatever is accepted must run to an end or to an Error,
// within limits. Meant for the sanitizers.
#include <gtest/gtest.h>

#include <random>

#include "support/error.h"
#include "trace/building.h"

namespace heddle::trace {
namespace {

using namespace testing;

class Hostile {
 public:
  explicit Hostile(std::uint64_t seed) : random_(seed) {
    config::Contents zeros;
    zeros.kind = config::Contents::Kind::zeros;
    config::Contents some;
    some.kind = config::Contents::Kind::uniform;
    some.lo = -3;
    some.hi = 9;
    kernel_.tensor("a", DType::int32, {16}, some);
    kernel_.tensor("b", DType::float16, {64});
    kernel_.tensor("c", DType::uint64, {4}, zeros);
    kernel_.program_id(0);
    kernel_.arange(0, 4);
    kernel_.constant(-1, DType::int64);
    kernel_.constant_real(0.5);
    for (int count = 0; count < 30; ++count) try_instruction();
  }

  /// Whether it ran to its end.
  bool run_it() {
    TraceOptions options = small_limits();
    options.strict = random_() % 4 == 0;
    try {
      run(kernel_, {1, 2, 3}, options);
      return true;
    } catch (const Error& error) {
      EXPECT_FALSE(error.full_text().empty());
      return false;
    }
  }
  std::size_t instructions() const { return accepted_; }

 private:
  static TraceOptions small_limits() {
    TraceOptions options;
    options.limits.steps = 5000;
    options.limits.block_elements = 4096;
    options.limits.content_bytes = 1 << 16;
    return options;
  }

  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }
  ValueId any_value() {
    return static_cast<ValueId>(
        below(static_cast<std::int64_t>(kernel::code_of(kernel_.program).values.size())));
  }
  std::int64_t any_integer() {
    static const std::vector<std::int64_t> edges = {
        INT64_MIN, INT64_MIN + 1, INT64_MAX, -2147483648LL, 2147483647LL, -1, 100};
    return below(8) == 0 ? edges[static_cast<std::size_t>(below(7))] : below(5);
  }

  Type any_type(const std::vector<ValueId>& operands) {
    Type type = operands.empty() ? block(DType::int32) : kernel_.type_of(operands[0]);
    if (below(3) == 0) type.element = static_cast<DType>(below(15));
    if (below(8) == 0) type.pointer = !type.pointer;
    switch (below(7)) {
      case 0:
        type.shape.push_back(1 + below(3));
        break;
      case 1:
        if (!type.shape.empty()) type.shape.pop_back();
        break;
      case 2:
        type.shape.insert(type.shape.begin(), 1 + below(2));
        break;
      case 3:
        for (std::int64_t& extent : type.shape) extent = below(2) == 0 ? 1 : 4;
        break;
      case 4:
        type.shape = Shape(static_cast<std::size_t>(below(11)), 2);
        break;
      default:
        for (const ValueId operand : operands) {
          const Shape& other = kernel_.type_of(operand).shape;
          if (other.size() == type.shape.size() || type.shape.empty() || other.empty())
            type.shape = Building::broadcast(type.shape, other);
        }
        break;
    }
    return type;
  }

  void try_instruction() {
    const Building before = kernel_;
    const auto op = static_cast<Opcode>(below(static_cast<std::int64_t>(Opcode::leave) + 1));
    std::vector<ValueId> operands;
    const std::int64_t count = below(6);
    for (std::int64_t i = 0; i < count; ++i)
      operands.push_back(below(12) == 0 ? kNoValue : any_value());
    std::vector<ValueId> present;
    for (const ValueId operand : operands) {
      if (operand != kNoValue) present.push_back(operand);
    }
    std::vector<ValueId> results;
    const std::int64_t result_count = below(8) == 0 ? below(5) : 1;
    for (std::int64_t i = 0; i < result_count; ++i)
      results.push_back(below(6) == 0 ? any_value() : kernel_.value(any_type(present)));
    std::vector<std::int64_t> integers;
    for (int i = 0; i < 3; ++i) integers.push_back(any_integer());
    const bool is_memory = op == Opcode::load || op == Opcode::store || op == Opcode::atomic;
    if (is_memory && !present.empty()) {
      integers[0] = kernel_.site(kernel::MemoryKind::read, present[0]);
      if (op == Opcode::store || below(3) == 0) results.clear();
    }
    kernel::BlockId body = kNoBlock;
    kernel::BlockId other = kNoBlock;
    if (op >= Opcode::for_range && op != Opcode::leave && depth_ < 3) {
      ++depth_;
      body = kernel_.inside([&] { try_instruction(); });
      if (below(2) == 0) other = kernel_.inside([&] { try_instruction(); });
      --depth_;
    }
    auto& instruction = kernel_.append(op, results, operands, integers);
    instruction.body = body;
    instruction.other = other;
    try {
      Tracer(kernel_.program, kernel_.launch, small_limits());
      ++accepted_;
    } catch (const Error&) {
      if (depth_ == 0) kernel_ = before;  // inner ones go with the instruction around them
    }
  }

  std::mt19937_64 random_;
  Building kernel_{{4, 4, 4}};
  int depth_ = 0;
  std::size_t accepted_ = 0;
};

TEST(Hostile, RandomProgramsEnd) {
  std::size_t instructions = 0;
  std::size_t ended = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Hostile hostile(seed);
    instructions += hostile.instructions();
    if (hostile.run_it()) ++ended;
  }
  EXPECT_GT(instructions, 1000U);  // else nothing was tried
  EXPECT_GT(ended, 50U);
}

}  // namespace
}  // namespace heddle::trace
