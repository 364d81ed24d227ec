// Random expressions, interpreted and computed the slow, obvious way, must agree element by
// element: values, masks, addresses and overflow faults.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "trace/building.h"

namespace heddle::trace {
namespace {

using namespace testing;

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kColumns = 7;

/// A block [kRows, kColumns] whatever its shape: what each element stands for.
using Grid2 = std::array<std::array<Wide, kColumns>, kRows>;

Wide lowest(DType type) {
  return config::is_signed(type) ? -(Wide{1} << (config::bit_width(type) - 1)) : Wide{0};
}
Wide wrap(Wide value, DType type) {
  const Wide count = Wide{1} << config::bit_width(type);
  Wide result = (value - lowest(type)) % count;
  if (result < 0) result += count;
  return result + lowest(type);
}

/// The true result; division by zero gives 0.
Wide apply(Opcode op, Wide a, Wide b, DType type) {
  const Wide bits = config::bit_width(type);
  switch (op) {
    case Opcode::add:
      return a + b;
    case Opcode::subtract:
      return a - b;
    case Opcode::multiply:
      // Of two uint64 the low 128 bits, of which the low 64 count.
      return static_cast<Wide>(static_cast<WideUnsigned>(a) * static_cast<WideUnsigned>(b));
    case Opcode::divide:
      return b == 0 ? 0 : a / b;
    case Opcode::remainder:
      return b == 0 ? 0 : a % b;
    case Opcode::minimum:
      return std::min(a, b);
    case Opcode::maximum:
      return std::max(a, b);
    case Opcode::bit_and:
      return a & b;
    case Opcode::bit_or:
      return a | b;
    case Opcode::bit_xor:
      return a ^ b;
    case Opcode::shift_left:
      return b < 0 || b >= bits ? 0 : a * (Wide{1} << static_cast<int>(b));
    case Opcode::shift_right:
      if (b < 0 || b >= bits) return a < 0 ? -1 : 0;
      return a >> static_cast<int>(b);
    case Opcode::negate:
      return -a;
    case Opcode::bit_not:
      return ~a;
    case Opcode::absolute:
      return a < 0 ? -a : a;
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
    case Opcode::greater_equal:
      return a >= b;
    default:
      return 0;
  }
}

bool reports_overflow(Opcode op) {
  switch (op) {
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::shift_left:
    case Opcode::negate:
    case Opcode::absolute:
      return true;
    default:
      return false;
  }
}

/// Builds a random program and, beside it, what every value must be.
class Expressions {
 public:
  explicit Expressions(std::uint64_t seed) : random_(seed), kernel_({4}) {
    add_leaves();
    for (int count = 0; count < 14; ++count) add_operation();
  }

  void check() {
    Probe probe(kernel_);
    std::vector<ValueId> looked;
    for (const auto& [value, expected] : expected_) {
      const Type type = kernel_.type_of(value);
      looked.push_back(value);
      if (config::bit_width(type.element) < 64) {
        probe.look(value);
      } else {  // two halves
        probe.look(kernel_.cast(value, DType::int32));
        const ValueId half = kernel_.constant(32, type.element);
        probe.look(kernel_.cast(kernel_.binary(Opcode::shift_right, value, half), DType::int32));
      }
    }
    std::vector<Fault> faults;
    const auto looks = probe.run({kTile, 0, 0}, &faults);
    std::size_t at = 0;
    for (const ValueId value : looked) {
      const Type& type = kernel_.type_of(value);
      const bool wide = config::bit_width(type.element) == 64;
      for (std::int64_t i = 0; i < type.elements(); ++i) {
        const auto element = static_cast<std::size_t>(i);
        const Wide wanted = element_of(value, i);
        if (wide) {
          ASSERT_EQ(looks[at][element], static_cast<std::int64_t>(wrap(wanted, DType::int32)))
              << describe(value, i);
          ASSERT_EQ(looks[at + 1][element],
                    static_cast<std::int64_t>(wrap(wanted >> 32, DType::int32)))
              << describe(value, i);
        } else {
          ASSERT_EQ(looks[at][element], static_cast<std::int64_t>(wanted)) << describe(value, i);
        }
      }
      at += wide ? 2 : 1;
    }
    check_faults(faults);
  }

 private:
  static constexpr std::int64_t kTile = 3;

  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  }

  std::string describe(ValueId value, std::int64_t element) const {
    return "element " + std::to_string(element) + " of %" + std::to_string(value) + ":\n" +
           kernel::program_text(kernel_.program);
  }

  Wide element_of(ValueId value, std::int64_t index) const {
    const Shape& shape = kernel_.type_of(value).shape;
    if (shape.empty()) return expected_.at(value)[0][0];
    return expected_.at(value)[static_cast<std::size_t>(index / shape[1])]
                              [static_cast<std::size_t>(index % shape[1])];
  }

  template <class Function>
  void expect(ValueId value, Function function) {
    Grid2& grid = expected_[value];
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kColumns; ++j)
        grid[i][j] = function(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
    }
  }

  /// Numbers near the places where things happen.
  std::int64_t number(DType type) {
    const std::vector<std::int64_t> common = {0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 31, 100};
    if (below(4) != 0) {
      const std::int64_t result = pick(common);
      return config::is_signed(type) && below(3) == 0 ? -result : result;
    }
    const Wide edge = below(2) == 0 ? lowest(type) : -lowest(type) - 1;
    return static_cast<std::int64_t>(wrap(edge + below(5) - 2, type));
  }

  void add_leaves() {
    for (const DType type :
         {DType::int32, DType::int64, DType::uint8, DType::uint32, DType::uint64, DType::int8}) {
      add_constant(type);
      add_constant(type);
      add_range(type, 0, kRows);
      add_range(type, 1, kColumns);
      add_table(type);
    }
    const ValueId tile = kernel_.program_id(0);
    expect(tile, [](auto, auto) { return kTile; });
  }

  void add_constant(DType type) {
    const std::int64_t given = number(type);
    const ValueId value = kernel_.constant(given, type);
    expect(value, [&](auto, auto) { return wrap(given, type); });
  }

  void add_range(DType type, int axis, std::int64_t extent) {
    const std::int64_t first = config::is_signed(type) && below(2) == 0 ? -below(10) : below(100);
    const ValueId range = kernel_.arange(first, first + extent, type);
    const ValueId value = kernel_.expand(range, axis == 0 ? 1 : 0);
    expect(value, [&](std::int64_t i, std::int64_t j) { return first + (axis == 0 ? i : j); });
  }

  /// Numbers from memory, along either axis or both.
  void add_table(DType type) {
    const Shape shape = pick<Shape>({{kRows, 1}, {1, kColumns}, {kRows, kColumns}});
    config::Contents contents;
    contents.kind = config::Contents::Kind::values;
    std::vector<Wide> numbers;
    for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) {
      // Contents are given as double, which holds every int64 only up to 2^53.
      Wide given = number(type);
      if (config::bit_width(type) == 64) given = given >> 11 << 11;
      numbers.push_back(wrap(given, type));
      contents.values.push_back(static_cast<double>(static_cast<std::int64_t>(given)));
    }
    const std::string name = "t" + std::to_string(kernel_.launch.tensors.size());
    const ValueId tensor = kernel_.tensor(name, type, shape, contents);
    const ValueId row = kernel_.multiply(kernel_.expand(kernel_.arange(0, shape[0]), 1),
                                         kernel_.constant(shape[1]));
    const ValueId offsets = kernel_.add(row, kernel_.expand(kernel_.arange(0, shape[1]), 0));
    const ValueId value = kernel_.load_value(kernel_.add_pointer(tensor, offsets));
    expect(value, [&](std::int64_t i, std::int64_t j) {
      return numbers[static_cast<std::size_t>(i % shape[0] * shape[1] + j % shape[1])];
    });
  }

  ValueId any(DType type) {
    std::vector<ValueId> fitting;
    for (const auto& [value, grid] : expected_) {
      if (kernel_.type_of(value).element == type) fitting.push_back(value);
    }
    return fitting.empty() ? kNoValue : pick(fitting);
  }

  void add_operation() {
    static const std::vector<DType> types = {DType::int32, DType::int32,  DType::int64,
                                             DType::uint8, DType::uint32, DType::uint64,
                                             DType::int8,  DType::boolean};
    const DType type = pick(types);
    if (type == DType::boolean) return add_boolean();
    switch (below(8)) {
      case 0:
        return add_cast(type);
      case 1:
      case 2:
        return add_comparison(type);
      case 3:
        return add_select(type);
      default:
        return add_arithmetic(type);
    }
  }

  void add_arithmetic(DType type) {
    static const std::vector<Opcode> operations = {
        Opcode::add,     Opcode::add,         Opcode::subtract, Opcode::multiply,
        Opcode::divide,  Opcode::remainder,   Opcode::minimum,  Opcode::maximum,
        Opcode::bit_and, Opcode::bit_or,      Opcode::bit_xor,  Opcode::shift_left,
        Opcode::negate,  Opcode::shift_right, Opcode::bit_not,  Opcode::absolute};
    const Opcode op = pick(operations);
    const bool single = op == Opcode::negate || op == Opcode::bit_not || op == Opcode::absolute;
    const ValueId a = any(type);
    const ValueId b = any(type);
    const ValueId value = single ? kernel_.unary(op, a) : kernel_.binary(op, a, b);
    const auto place = static_cast<std::int32_t>(kernel_.program.places.size()) - 1;
    const Grid2 x = expected_.at(a);
    const Grid2 y = expected_.at(b);
    expect(value, [&](std::int64_t i, std::int64_t j) {
      const auto row = static_cast<std::size_t>(i);
      const auto column = static_cast<std::size_t>(j);
      const Wide result = apply(op, x[row][column], y[row][column], type);
      if (reports_overflow(op) && config::is_signed(type) && wrap(result, type) != result)
        overflowing_.insert(place);
      if ((op == Opcode::divide || op == Opcode::remainder) && y[row][column] == 0)
        dividing_.insert(place);
      return wrap(result, type);
    });
  }

  void add_comparison(DType type) {
    static const std::vector<Opcode> comparisons = {Opcode::equal,   Opcode::not_equal,
                                                    Opcode::less,    Opcode::less_equal,
                                                    Opcode::greater, Opcode::greater_equal};
    add_binary(pick(comparisons), any(type), any(type), type);
  }

  void add_boolean() {
    static const std::vector<Opcode> operations = {
        Opcode::bit_and, Opcode::bit_and, Opcode::bit_or,  Opcode::bit_xor, Opcode::equal,
        Opcode::less,    Opcode::maximum, Opcode::minimum, Opcode::bit_not};
    const ValueId a = any(DType::boolean);
    const ValueId b = any(DType::boolean);
    if (a == kNoValue) return add_comparison(DType::int32);
    const Opcode op = pick(operations);
    if (op != Opcode::bit_not) return add_binary(op, a, b, DType::boolean);
    const Grid2 x = expected_.at(a);
    expect(kernel_.unary(op, a), [&](std::int64_t i, std::int64_t j) {
      return 1 - x[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    });
  }

  void add_binary(Opcode op, ValueId a, ValueId b, DType type) {
    const Grid2 x = expected_.at(a);
    const Grid2 y = expected_.at(b);
    expect(kernel_.binary(op, a, b), [&](std::int64_t i, std::int64_t j) {
      const auto row = static_cast<std::size_t>(i);
      const auto column = static_cast<std::size_t>(j);
      return apply(op, x[row][column], y[row][column], type);
    });
  }

  void add_cast(DType to) {
    static const std::vector<DType> types = {DType::int32,  DType::int64,  DType::uint8,
                                             DType::uint32, DType::uint64, DType::int8};
    const ValueId a = any(below(4) == 0 ? DType::boolean : pick(types));
    if (a == kNoValue) return;
    const Grid2 x = expected_.at(a);
    expect(kernel_.cast(a, to), [&](std::int64_t i, std::int64_t j) {
      return wrap(x[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], to);
    });
  }

  void add_select(DType type) {
    const ValueId condition = any(DType::boolean);
    if (condition == kNoValue) return add_comparison(type);
    const ValueId a = any(type);
    const ValueId b = any(type);
    Type result = kernel_.type_of(a);
    result.shape =
        Building::broadcast(Building::broadcast(kernel_.type_of(condition).shape, result.shape),
                            kernel_.type_of(b).shape);
    const Grid2 c = expected_.at(condition);
    const Grid2 x = expected_.at(a);
    const Grid2 y = expected_.at(b);
    expect(kernel_.operate(Opcode::select, result, {condition, a, b}),
           [&](std::int64_t i, std::int64_t j) {
             const auto row = static_cast<std::size_t>(i);
             const auto column = static_cast<std::size_t>(j);
             return c[row][column] != 0 ? x[row][column] : y[row][column];
           });
  }

  void check_faults(const std::vector<Fault>& faults) const {
    std::set<std::int32_t> overflowing;
    std::set<std::int32_t> dividing;
    for (const Fault& fault : faults) {
      if (fault.kind == Fault::Kind::overflow) overflowing.insert(fault.place);
      if (fault.kind == Fault::Kind::division_by_zero) dividing.insert(fault.place);
      EXPECT_NE(fault.kind, Fault::Kind::out_of_bounds);
      EXPECT_NE(fault.kind, Fault::Kind::uninitialized);
    }
    EXPECT_EQ(overflowing, overflowing_) << kernel::program_text(kernel_.program);
    EXPECT_EQ(dividing, dividing_) << kernel::program_text(kernel_.program);
  }

  std::mt19937_64 random_;
  Building kernel_;
  std::map<ValueId, Grid2> expected_;
  std::set<std::int32_t> overflowing_;  ///< places
  std::set<std::int32_t> dividing_;
};

TEST(Separable, RandomExpressionsAreThoseOfADenseTwin) {
  constexpr std::uint64_t kPrograms = 1500;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    Expressions(seed).check();
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
}

/// Masks and pointers of random windows: the pattern says which elements, and where.
TEST(Separable, RandomMaskedAccessesAreThoseOfADenseTwin) {
  std::mt19937_64 random(7);
  const auto below = [&](std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random);
  };
  static const std::vector<Opcode> comparisons = {Opcode::equal,   Opcode::not_equal,
                                                  Opcode::less,    Opcode::less_equal,
                                                  Opcode::greater, Opcode::greater_equal};
  static const std::vector<Opcode> joins = {Opcode::bit_and, Opcode::bit_and, Opcode::bit_or,
                                            Opcode::bit_xor};
  for (int repeat = 0; repeat < 2000; ++repeat) {
    Building kernel;
    const std::int64_t bytes = kRows * kColumns * 4;
    const ValueId a = kernel.tensor("a", DType::int8, {bytes});
    const ValueId i = kernel.expand(kernel.arange(0, kRows), 1);
    const ValueId j = kernel.expand(kernel.arange(0, kColumns), 0);
    const std::int64_t steps[2] = {below(15) - 3, below(7) - 3};
    const std::int64_t first = below(40);
    ValueId mask = kNoValue;
    std::vector<std::uint8_t> active(kRows * kColumns, 1);
    for (int count = 0; count < 3; ++count) {
      const bool by_row = below(2) == 0;
      const Opcode op = comparisons[static_cast<std::size_t>(below(6))];
      const std::int64_t factor = below(5) - 2;
      const std::int64_t bound = below(16) - 4;
      const ValueId scaled = kernel.multiply(by_row ? i : j, kernel.constant(factor));
      const ValueId next = kernel.binary(op, scaled, kernel.constant(bound));
      const Opcode join = joins[static_cast<std::size_t>(below(4))];
      for (std::int64_t e = 0; e < kRows * kColumns; ++e) {
        const std::int64_t index = by_row ? e / kColumns : e % kColumns;
        const bool holds = apply(op, index * factor, bound, DType::int32) != 0;
        std::uint8_t& flag = active[static_cast<std::size_t>(e)];
        flag = mask == kNoValue ? holds : apply(join, flag, holds, DType::boolean) != 0;
      }
      mask = mask == kNoValue ? next : kernel.binary(join, mask, next);
    }
    const ValueId offsets = kernel.add(
        kernel.add(kernel.multiply(i, kernel.constant(steps[0])), kernel.constant(first)),
        kernel.multiply(j, kernel.constant(steps[1])));
    kernel.load(kernel.add_pointer(a, offsets), mask);
    const auto access = run(kernel)[0];
    const auto start = static_cast<std::int64_t>(kernel.address("a"));
    ASSERT_EQ(access.addresses.size(), active.size());
    for (std::int64_t e = 0; e < kRows * kColumns; ++e) {
      const std::int64_t offset = first + e / kColumns * steps[0] + e % kColumns * steps[1];
      const bool wanted = active[static_cast<std::size_t>(e)] != 0 && offset >= 0 && offset < bytes;
      const auto& found = access.addresses[static_cast<std::size_t>(e)];
      ASSERT_EQ(found.has_value(), wanted) << "repeat " << repeat << " element " << e;
      if (!wanted) continue;
      ASSERT_EQ(*found, start + offset) << "repeat " << repeat << " element " << e;
    }
  }
}

/// Index arithmetic that ranges show to be linear stays linear: no dense pattern.
TEST(Separable, LinearCodeStaysLinear) {
  Building kernel;
  const ValueId a = kernel.tensor("a", DType::int8, {1 << 20});
  const ValueId i = kernel.add(kernel.expand(kernel.arange(0, 64), 1), kernel.constant(128));
  const ValueId j = kernel.expand(kernel.arange(0, 32), 0);
  const auto number = [&](std::int64_t value) { return kernel.constant(value); };
  const std::vector<ValueId> offsets = {
      kernel.add(kernel.binary(Opcode::remainder, i, number(4096)), j),
      kernel.add(kernel.binary(Opcode::divide, kernel.multiply(i, number(8)), number(4)), j),
      kernel.add(kernel.binary(Opcode::divide, i, number(4096)), j),
      kernel.binary(Opcode::minimum, kernel.add(kernel.multiply(i, number(64)), j), number(99999)),
      kernel.binary(Opcode::maximum, kernel.add(kernel.multiply(i, number(64)), j), number(-1)),
      kernel.add(kernel.binary(Opcode::shift_left, i, number(3)), j),
      kernel.add(kernel.binary(Opcode::bit_and, i, number(255)), j),
      kernel.binary(Opcode::remainder, kernel.add(kernel.multiply(i, number(64)), j),
                    number(65536)),
      kernel.add(kernel.binary(Opcode::remainder, i, number(7)), j),  // a table, not dense
  };
  for (const ValueId offset : offsets) {
    const ValueId mask = kernel.binary(Opcode::bit_and, kernel.binary(Opcode::less, i, number(150)),
                                       kernel.binary(Opcode::greater_equal, j, number(3)));
    kernel.load(kernel.add_pointer(a, offset), mask);
  }
  const auto accesses = run(kernel);
  ASSERT_EQ(accesses.size(), offsets.size());
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    EXPECT_FALSE(accesses[k].dense) << k;
    EXPECT_EQ(accesses[k].active().size(), 22U * 29U) << k;
  }
}

}  // namespace
}  // namespace heddle::trace
