// Python's own arithmetic on numbers, texts, tuples and types that are known while reading.
#include <cmath>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

constexpr int kHugeBits = 100;
constexpr Integer kHuge = Integer{1} << kHugeBits;
constexpr std::size_t kTextLimit = 65'536;

Integer floor_divide(Integer a, Integer b) {
  const Integer quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Integer bounded(Integer value) {
  if (value > kHuge || value < -kHuge)
    throw Error("a constant is larger than 2^100", "use smaller constants");
  return value;
}

Integer power(Integer base, Integer exponent) {
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  Integer result = 1;
  for (Integer i = 0; i < exponent; ++i) {  // ends early: |base| >= 2
    if (std::fabs(static_cast<double>(result) * static_cast<double>(base)) > 1e30)
      bounded(kHuge + 1);
    result *= base;
  }
  return result;
}

/// `by` > 0: to the left.
Integer shifted(Integer a, Integer by) {
  if (by >= kHugeBits && a != 0) bounded(kHuge + 1);
  if (by <= -kHugeBits || a == 0) return a < 0 ? -1 : 0;
  if (by < 0) return a >> static_cast<int>(-by);
  const Integer most = kHuge >> static_cast<int>(by);
  if (a > most || a < -most) bounded(kHuge + 1);
  return a * (Integer{1} << static_cast<int>(by));
}

std::optional<Term> integers(const std::string& op, Integer a, Integer b) {
  const bool divides = op == "FloorDiv" || op == "Mod" || op == "Div";
  if ((divides && b == 0) || (op == "Pow" && a == 0 && b < 0))
    throw Error("division by zero", "check the sizes the job gives");
  if (op == "Add") return integer_term(bounded(a + b));
  if (op == "Sub") return integer_term(bounded(a - b));
  if (op == "Mult") {
    constexpr double kMostOfProduct = 1e30;  // far inside of what Integer holds
    if (std::fabs(static_cast<double>(a) * static_cast<double>(b)) > kMostOfProduct)
      bounded(kHuge + 1);
    return integer_term(a * b);
  }
  if (op == "Div") return Term{static_cast<double>(a) / static_cast<double>(b)};
  if (op == "FloorDiv") return integer_term(floor_divide(a, b));
  if (op == "Mod") return integer_term(a - floor_divide(a, b) * b);
  if (op == "Pow" && b < 0) return Term{std::pow(static_cast<double>(a), static_cast<double>(b))};
  if (op == "Pow") return integer_term(power(a, b));
  const bool shifts = op == "LShift" || op == "RShift";
  if (shifts && b < 0) throw Error("a shift by a negative number", "shift the other way");
  if (shifts) return integer_term(shifted(a, op == "LShift" ? b : -b));
  if (op == "BitAnd") return integer_term(a & b);
  if (op == "BitOr") return integer_term(a | b);
  if (op == "BitXor") return integer_term(a ^ b);
  return std::nullopt;
}

std::optional<Term> reals(const std::string& op, double a, double b) {
  if (op == "Add") return Term{a + b};
  if (op == "Sub") return Term{a - b};
  if (op == "Mult") return Term{a * b};
  if ((op == "Div" || op == "FloorDiv" || op == "Mod") && b == 0)
    throw Error("division by zero", "check the sizes the job gives");
  if (op == "Div") return Term{a / b};
  if (op == "FloorDiv") return Term{std::floor(a / b)};
  if (op == "Mod") return Term{a - std::floor(a / b) * b};
  if (op == "Pow") return Term{std::pow(a, b)};
  return std::nullopt;
}

Term repeated(const TupleTerm& tuple, Integer times) {
  std::vector<Term> items;
  if (times > 0 && !tuple.items.empty()) {
    if (times > static_cast<Integer>(kTupleLimit / tuple.items.size()))
      throw Error("a tuple of more than 65,536 items", "repeat it less often");
    for (Integer i = 0; i < times; ++i)
      items.insert(items.end(), tuple.items.begin(), tuple.items.end());
  }
  return tuple_term(std::move(items));
}

bool same(const Term& a, const Term& b) {
  if (const auto answer = python_compare("Eq", a, b)) return *answer;
  return false;
}

template <class T>
std::optional<bool> ordered(const std::string& op, const T& a, const T& b) {
  if (op == "Eq") return a == b;
  if (op == "NotEq") return a != b;
  if (op == "Lt") return a < b;
  if (op == "LtE") return a <= b;
  if (op == "Gt") return a > b;
  if (op == "GtE") return a >= b;
  return std::nullopt;
}

/// Something of a module that is not at hand: nobody knows what it is.
bool is_unknown(const Term& term) {
  const auto* external = term.as<ExternalTerm>();
  return external != nullptr && !external->is_known();
}

std::optional<bool> contains(const Term& needle, const Term& hay) {
  if (const auto* tuple = hay.tuple()) {
    for (const Term& item : tuple->items)
      if (same(needle, item)) return true;
    return false;
  }
  if (hay.text() != nullptr && needle.text() != nullptr)
    return hay.text()->find(*needle.text()) != std::string::npos;
  if (const auto* dict = hay.dict(); dict != nullptr && needle.text() != nullptr) {
    for (const auto& [key, value] : dict->items)
      if (key == *needle.text()) return true;
    return false;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Term> python_binary(const std::string& op, const Term& a, const Term& b) {
  const auto integer_a = a.integer();
  const auto integer_b = b.integer();
  if (integer_a && integer_b) {
    const bool flags = a.as<bool>() != nullptr && b.as<bool>() != nullptr;
    const auto result = integers(op, *integer_a, *integer_b);
    if (result && flags && op.rfind("Bit", 0) == 0) return Term{*result->integer() != 0};
    return result;
  }
  if (a.real() && b.real()) return reals(op, *a.real(), *b.real());
  if (a.text() != nullptr && b.text() != nullptr && op == "Add") {
    if (a.text()->size() + b.text()->size() > kTextLimit)
      throw Error("a text of more than 64 KiB", "use shorter texts");
    return text_term(*a.text() + *b.text());
  }
  if (a.tuple() != nullptr && b.tuple() != nullptr && op == "Add") {
    std::vector<Term> items = a.tuple()->items;
    items.insert(items.end(), b.tuple()->items.begin(), b.tuple()->items.end());
    return tuple_term(std::move(items));
  }
  if (op == "Mult" && a.tuple() != nullptr && integer_b) return repeated(*a.tuple(), *integer_b);
  if (op == "Mult" && b.tuple() != nullptr && integer_a) return repeated(*b.tuple(), *integer_a);
  return std::nullopt;
}

std::optional<bool> python_compare(const std::string& op, const Term& a, const Term& b) {
  if (op == "Is" || op == "IsNot") {
    if (is_unknown(a) || is_unknown(b)) return std::nullopt;
    const auto equal = a.is_none() || b.is_none() ? std::optional(a.is_none() && b.is_none())
                                                  : python_compare("Eq", a, b);
    if (!equal) return std::nullopt;
    return (op == "Is") == *equal;
  }
  if (op == "In" || op == "NotIn") {
    const auto inside = contains(a, b);
    if (!inside) return std::nullopt;
    return (op == "In") == *inside;
  }
  if (a.integer() && b.integer()) return ordered(op, *a.integer(), *b.integer());
  if (a.real() && b.real()) return ordered(op, *a.real(), *b.real());
  if (a.text() != nullptr && b.text() != nullptr) return ordered(op, *a.text(), *b.text());
  if (is_unknown(a) || is_unknown(b)) return std::nullopt;
  const bool equality = op == "Eq" || op == "NotEq";
  if (!equality || a.is_runtime() || b.is_runtime()) {
    // A block is never None.
    if (equality && (a.is_none() || b.is_none())) return op == "NotEq";
    return std::nullopt;
  }
  bool equal = false;
  if (a.as<TypeTerm>() != nullptr && b.as<TypeTerm>() != nullptr) {
    equal = a.as<TypeTerm>()->type == b.as<TypeTerm>()->type;
  } else if (a.tuple() != nullptr && b.tuple() != nullptr) {
    const auto& items_a = a.tuple()->items;
    const auto& items_b = b.tuple()->items;
    equal = items_a.size() == items_b.size();
    for (std::size_t i = 0; equal && i < items_a.size(); ++i) equal = same(items_a[i], items_b[i]);
  } else if (const auto* type = a.as<TypeTerm>(); type != nullptr && b.text() != nullptr) {
    equal = type->type.text() == *b.text();
  } else if (a.as<ExternalTerm>() != nullptr && b.as<ExternalTerm>() != nullptr) {
    equal = a.as<ExternalTerm>()->path == b.as<ExternalTerm>()->path;
  } else if (a.as<FunctionTerm>() != nullptr && b.as<FunctionTerm>() != nullptr) {
    equal = a.as<FunctionTerm>()->definition == b.as<FunctionTerm>()->definition;
  } else {
    equal = a.is_none() && b.is_none();
  }
  return (op == "Eq") == equal;
}

}  // namespace heddle::kernel::triton
