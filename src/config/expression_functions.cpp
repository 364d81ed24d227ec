#include "config/expression_functions.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "config/arithmetic.h"
#include "config/python_number.h"
#include "support/error.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::config {
namespace {

using CallArguments = std::vector<Value>;

Value extreme(const CallArguments& arguments, std::string_view before) {
  const auto* list = arguments.size() == 1 ? std::get_if<ValueList>(&arguments[0].data) : nullptr;
  const std::vector<Value>& items = list != nullptr ? *list : arguments;
  if (items.empty()) throw Error("min and max need a value", "give at least one");
  Value best = items[0];
  for (const Value& item : items) {
    number_of(item, "an argument of min or max");
    if (compare_values(before, item, best)) best = item;
  }
  return best;
}

Value minimum(const CallArguments& arguments, Names&) {
  return extreme(arguments, "<");
}

Value maximum(const CallArguments& arguments, Names&) {
  return extreme(arguments, ">");
}

Value absolute(const CallArguments& arguments, Names&) {
  const bool negative = number_of(arguments[0], "the argument of abs") < 0;
  return unary_operation(negative ? "-" : "+", arguments[0]);
}

/// Triton's own: (a + b - 1) // b.
Value ceiling_divide(const CallArguments& arguments, Names&) {
  const std::int64_t left = integer_of(arguments[0], "the first argument of cdiv");
  const std::int64_t right = integer_of(arguments[1], "the second argument of cdiv");
  std::int64_t raised = 0;
  if (right == 0) throw Error("cdiv divides by zero", "check the divisor");
  if (__builtin_add_overflow(left, right, &raised) || __builtin_sub_overflow(raised, 1, &raised)) {
    throw Error(fmt::format("cdiv({}, {}) does not fit into 64 bits", left, right),
                "use smaller numbers");
  }
  return binary_operation("//", Value{raised}, Value{right});
}

Value next_power_of_2(const CallArguments& arguments, Names&) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 62;
  const std::int64_t number = integer_of(arguments[0], "the argument of next_power_of_2");
  if (number > kLargest) {
    throw Error(fmt::format("next_power_of_2({}) does not fit into 64 bits", number),
                "use a smaller number");
  }
  if (number < 1) return Value{std::int64_t{0}};  // as Triton has it
  std::int64_t power = 1;
  while (power < number) power *= 2;
  return Value{power};
}

/// A number made whole: int(), floor() and ceil().
Value whole(const Value& value, Toward toward, std::string_view what) {
  if (const auto* real = std::get_if<double>(&value.data))
    return Value{static_cast<std::int64_t>(python_integer(*real, toward, kInt64))};
  return Value{integer_of(value, std::string(what))};
}

Value to_integer(const CallArguments& arguments, Names&) {
  return whole(arguments[0], Toward::zero, "the argument of int");
}

Value to_float(const CallArguments& arguments, Names&) {
  const auto* text = std::get_if<std::string>(&arguments[0].data);
  if (text == nullptr) return Value{number_of(arguments[0], "the argument of float")};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string lowered = lower_case(trim(*text));
  if (lowered == "inf" || lowered == "+inf") return Value{kInfinity};
  if (lowered == "-inf") return Value{-kInfinity};
  if (lowered == "nan") return Value{std::numeric_limits<double>::quiet_NaN()};
  throw Error(fmt::format("float('{}') is not supported", *text),
              "write the number itself, or float('inf')");
}

Value length(const CallArguments& arguments, Names& names) {
  if (const auto* list = std::get_if<ValueList>(&arguments[0].data)) {
    return Value{static_cast<std::int64_t>(list->size())};
  }
  if (const auto* text = std::get_if<std::string>(&arguments[0].data)) {
    return Value{static_cast<std::int64_t>(text->size())};
  }
  if (const auto* tensor = std::get_if<TensorReference>(&arguments[0].data)) {
    const std::vector<std::int64_t> shape = names.shape(*tensor);
    if (!shape.empty()) return Value{shape[0]};
  }
  throw Error(fmt::format("{} has no len", kind_text(arguments[0])), "take the len of a list");
}

Value square_root(const CallArguments& arguments, Names&) {
  const double number = number_of(arguments[0], "the argument of sqrt");
  if (number < 0) throw Error("sqrt of a negative number", "check its argument");
  return Value{std::sqrt(number)};
}

Value floor_of(const CallArguments& arguments, Names&) {
  return whole(arguments[0], Toward::below, "the argument of floor");
}

Value ceil_of(const CallArguments& arguments, Names&) {
  return whole(arguments[0], Toward::above, "the argument of ceil");
}

Value csr_nnz(const CallArguments& arguments, Names& names) {
  const std::int64_t rows = integer_of(arguments[0], "the rows of csr_nnz");
  const std::int64_t columns = integer_of(arguments[1], "the columns of csr_nnz");
  const double density = number_of(arguments[2], "the density of csr_nnz");
  const std::int64_t seed =
      arguments.size() > 3 ? integer_of(arguments[3], "the seed of csr_nnz") : 0;
  return Value{names.csr_nonzeros(rows, columns, density, static_cast<std::uint64_t>(seed))};
}

struct Function {
  std::string_view name;
  std::size_t fewest;
  std::size_t most;
  Value (*call)(const CallArguments&, Names&);
  std::string_view usage;
};

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

constexpr Function kFunctions[] = {
    {"min", 1, kAny, minimum, "min(a, b)"},
    {"max", 1, kAny, maximum, "max(a, b)"},
    {"abs", 1, 1, absolute, "abs(a)"},
    {"cdiv", 2, 2, ceiling_divide, "cdiv(a, b)"},
    {"next_power_of_2", 1, 1, next_power_of_2, "next_power_of_2(n)"},
    {"int", 1, 1, to_integer, "int(a)"},
    {"float", 1, 1, to_float, "float(a)"},
    {"len", 1, 1, length, "len(list)"},
    {"sqrt", 1, 1, square_root, "sqrt(a)"},
    {"floor", 1, 1, floor_of, "floor(a)"},
    {"ceil", 1, 1, ceil_of, "ceil(a)"},
    {"csr_nnz", 3, 4, csr_nnz, "csr_nnz(rows, columns, density, seed)"},
};

}  // namespace

Value call_function(const std::string& name, const std::vector<Value>& arguments, Names& names) {
  std::vector<std::string> known;
  for (const Function& function : kFunctions) {
    known.emplace_back(function.name);
    if (function.name != name) continue;
    if (arguments.size() < function.fewest || arguments.size() > function.most) {
      throw Error(fmt::format("{} does not take {}", name,
                              count_of(static_cast<std::int64_t>(arguments.size()), "argument")),
                  fmt::format("write {}", function.usage));
    }
    return function.call(arguments, names);
  }
  throw Error(fmt::format("there is no function '{}'", name),
              fmt::format("{}the functions are: {}", did_you_mean(name, known), word_list(known)));
}

}  // namespace heddle::config
