// Python's own arithmetic on numbers, texts, tuples and types that are known while reading.
#include <algorithm>
#include <compare>
#include <map>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::size_t kTextLimit = 65'536;

/// Python's sign of an operator of its syntax tree; empty for those that numbers do not have.
std::string_view sign_of(const std::string& op) {
  static const std::map<std::string, std::string_view> kSigns = {
      {"Add", "+"},       {"Sub", "-"},    {"Mult", "*"},  {"Div", "/"},
      {"FloorDiv", "//"}, {"Mod", "%"},    {"Pow", "**"},  {"LShift", "<<"},
      {"RShift", ">>"},   {"BitAnd", "&"}, {"BitOr", "|"}, {"BitXor", "^"}};
  const auto sign = kSigns.find(op);
  return sign == kSigns.end() ? std::string_view() : sign->second;
}

std::optional<bool> holds(const std::string& op, std::partial_ordering order) {
  if (op == "Eq") return order == 0;
  if (op == "NotEq") return order != 0;
  if (op == "Lt") return order < 0;
  if (op == "LtE") return order <= 0;
  if (op == "Gt") return order > 0;
  if (op == "GtE") return order >= 0;
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

std::optional<config::Number> known_number(const Term& term) {
  if (const auto integer = term.integer()) return config::Number{*integer};
  if (const auto* real = term.as<double>()) return config::Number{*real};
  return std::nullopt;
}

namespace {

/// The entries of both; those of the second count.
Term merged(const DictTerm& first, const DictTerm& second) {
  NamedTerms items = first.items;
  for (const auto& [name, term] : second.items) {
    const auto known = std::ranges::find(items, name, [](const auto& item) { return item.first; });
    if (known == items.end())
      items.emplace_back(name, term);
    else
      known->second = term;
  }
  return dict_term(std::move(items));
}

}  // namespace

std::optional<Term> python_binary(const std::string& op, const Term& a, const Term& b) {
  const auto number_a = known_number(a);
  const auto number_b = known_number(b);
  if (number_a && number_b) {
    const bool flags = a.as<bool>() != nullptr && b.as<bool>() != nullptr;
    const auto result =
        config::python_operation(sign_of(op), *number_a, *number_b, config::k100Bits);
    if (!result) return std::nullopt;
    if (const auto* real = std::get_if<double>(&*result)) return Term{*real};
    const Integer integer = std::get<Integer>(*result);
    return flags && op.rfind("Bit", 0) == 0 ? Term{integer != 0} : integer_term(integer);
  }
  const auto integer_a = a.integer();
  const auto integer_b = b.integer();
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
  if (op == "BitOr" && a.dict() != nullptr && b.dict() != nullptr)
    return merged(*a.dict(), *b.dict());
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
  const auto number_a = known_number(a);
  const auto number_b = known_number(b);
  if (number_a && number_b) return holds(op, config::python_order(*number_a, *number_b));
  if (a.text() != nullptr && b.text() != nullptr) return holds(op, *a.text() <=> *b.text());
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
