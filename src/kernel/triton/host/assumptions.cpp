// Conditions that are taken for true or false, since the launch lies behind them.
#include <algorithm>

#include "kernel/triton/host/interpreter.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr std::int64_t kMostDivisor = 1 << 16;
constexpr const char* kDivided = "by what it is divided by, or divides";
constexpr const char* kCompared = "by what it is compared with";

/// The comparison that holds where another does not; empty: none that says something.
std::string opposite(const std::string& op) {
  static const std::map<std::string, std::string> kOpposites = {
      {"Eq", "NotEq"}, {"NotEq", "Eq"}, {"Is", "IsNot"}, {"IsNot", "Is"}, {"In", "NotIn"},
      {"NotIn", "In"}, {"Lt", "GtE"},   {"GtE", "Lt"},   {"Gt", "LtE"},   {"LtE", "Gt"}};
  const auto found = kOpposites.find(op);
  return found == kOpposites.end() ? std::string() : found->second;
}

/// What an assumption about an operand is kept under: the unknown, or the name that it has here.
Value key_of(const Node& node, const Value& value) {
  if (value.is_unknown()) return value;
  return Value{Unknown{node.is("Name") ? node.text : std::string()}};
}

}  // namespace

void Interpreter::assume(const Node& test, bool truth) {
  if (test.is("UnaryOp") && test.text == "Not") return assume(test.at("operand"), !truth);
  if (test.is("BoolOp")) {
    // All of `a and b` are true; of `a or b` only where nothing else is possible.
    if ((test.text == "And") == truth)
      for (const Node& one : test.list("values")) assume(one, truth);
    return;
  }
  if (test.is("Compare")) return assume_comparison(test, truth);
  const Value value = evaluate(test);
  if (!test.is("Name") && !test.is("Attribute")) return;
  if (value.is_unknown()) learn(value, [&](Fact& fact) { fact.flag = truth; });
  if (const auto* flag = value.as<bool>(); flag != nullptr && test.is("Name") && *flag != truth) {
    learn(Value{Unknown{test.text}}, [&](Fact& fact) { fact.flag = truth; });
    scope_->names[test.text] = Value{truth};
  }
}

void Interpreter::assume_comparison(const Node& test, bool truth) {
  const Node& left = test.at("left");
  const auto& rights = test.list("comparators");
  if (rights.size() != 1) return;
  const Value a = evaluate(left);
  const Value b = evaluate(rights.front());
  const std::string op = truth ? test.text : opposite(test.text);
  if (b.is_none() && assume_none(left, a, op)) return;
  if (op == "In") return assume_member(left, a, b);
  const bool are_numbers =
      a.tensor() == nullptr && b.tensor() == nullptr && a.number() && b.number();
  if (are_numbers && (op == "Lt" || op == "LtE"))
    return assume_at_most(*a.number(), *b.number(), op == "Lt");
  if (are_numbers && (op == "Gt" || op == "GtE"))
    return assume_at_most(*b.number(), *a.number(), op == "Gt");
  if (op != "Eq" || assume_shape(a, b, rights.front())) return;
  if (const auto* text = b.as<std::string>(); text != nullptr && compare("Eq", a, b) != true) {
    learn(key_of(left, a), [&](Fact& fact) { fact.text = *text; });
    if (left.is("Name")) scope_->names[left.text] = b;
    return;
  }
  if (are_numbers) assume_equal(*a.number(), *b.number());
}

/// k.shape == q.shape, k.shape == (batch, heads, length, dim). False: it is neither.
bool Interpreter::assume_shape(const Value& a, const Value& b, const Node& right) {
  constexpr std::size_t kMostAxes = 8;
  if (a.list() == nullptr || b.list() == nullptr) return false;
  const bool is_left = a.list()->shape_of != nullptr;
  const TensorPointer open = is_left ? a.list()->shape_of : b.list()->shape_of;
  const Values& items = is_left ? b.list()->items : a.list()->items;
  if (items.size() > kMostAxes || (is_left && b.list()->shape_of != nullptr)) return true;
  if (open == nullptr) {
    const Values& others = b.list()->items;
    for (std::size_t i = 0; i < items.size() && items.size() == others.size(); ++i)
      if (items[i].number() && others[i].number())
        assume_equal(*items[i].number(), *others[i].number());
    return true;
  }
  const auto& written = right.list("elts");
  const bool is_written = is_left && written.size() == items.size();
  if (is_written) {
    learn_axes(open, written);
    name_plain_axes(*open, written);
  } else {
    learn_extents(*open, items);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_plain = is_written && !written[i].is("Name");
    const Number own = axis(open, static_cast<int>(i));
    // (B, H, 1): not all that is called as this axis was guessed to be is 1.
    if (items[i].number() && !(is_plain && own.text != axis_name(open->key, static_cast<int>(i))))
      assume_equal(own, *items[i].number());
  }
  return true;
}

/// x is None, x is not None. False: it is neither.
bool Interpreter::assume_none(const Node& left, const Value& a, const std::string& op) {
  const Value key = key_of(left, a);
  if (op == "IsNot" && (a.is_unknown() || a.is_none())) {
    learn(key, [](Fact& fact) { fact.is_tensor = true; });
    if (left.is("Name")) scope_->names[left.text] = resolve(key);
    return true;
  }
  if (op != "Is") return false;
  learn(key, [](Fact& fact) { fact.is_none = true; });
  if (left.is("Name")) scope_->names[left.text] = Value{Missing{}};
  return true;
}

/// x in (16, 32, 64): the one in the middle, unless it is one of them.
void Interpreter::assume_member(const Node& left, const Value& a, const Value& b) {
  if (b.list() == nullptr || b.list()->items.empty() || compare("In", a, b) == true) return;
  const Value& chosen = b.list()->items[(b.list()->items.size() - 1) / 2];
  if (chosen.as<std::string>() != nullptr && (a.is_unknown() || left.is("Name")))
    learn(key_of(left, a), [&](Fact& fact) { fact.text = *chosen.as<std::string>(); });
  if (a.number() && chosen.number() && !a.number()->text.empty())
    knowledge_.set_size(a.number()->text, chosen.number()->whole, kCompared);
}

/// A number that is a rank: x.ndim == 3.
bool Interpreter::assume_rank(const Number& rank, const Number& wanted) {
  if (!rank.text.starts_with("\x02")) return false;
  learn(Value{Unknown{rank.text.substr(1)}}, [&](Fact& fact) {
    fact.rank = static_cast<int>(std::clamp<std::int64_t>(wanted.whole, 0, 8));
    fact.exact_rank = true;
  });
  return true;
}

/// heads // kv_heads is not 0: where a size is a guess, it is one that divides.
void Interpreter::assume_quotient(const Number& x, const Number& y) {
  constexpr std::int64_t kParts = 4;
  if (x.is_real || y.is_real || x.whole < 1 || y.whole <= x.whole) return;
  if (used_sizes_.count(y.text) != 0)
    knowledge_.set_size(y.text, std::max<std::int64_t>(1, x.whole / kParts), kDivided);
  else if (used_sizes_.count(x.text) != 0 && y.whole < kMostDivisor)
    knowledge_.set_size(x.text, y.whole * kParts, kDivided);
}

/// rotary_dim <= head_dim: where a size is a guess, it is as large or as small as it must be.
void Interpreter::assume_at_most(const Number& low, const Number& high, bool is_strict) {
  constexpr std::int64_t kMostRaised = 1 << 20;
  if (low.is_real || high.is_real || low.whole < 1 || high.whole < 1) return;
  if (is_strict ? low.whole < high.whole : low.whole <= high.whole) return;
  if (used_sizes_.count(high.text) != 0 && low.whole <= kMostRaised)
    knowledge_.set_size(high.text, is_strict ? 2 * low.whole : low.whole, kCompared);
  else if (used_sizes_.count(low.text) != 0)
    knowledge_.set_size(
        low.text, is_strict ? std::max<std::int64_t>(1, high.whole / 2) : high.whole, kCompared);
}

/// Two sizes are one, or a size has this value.
void Interpreter::assume_equal(const Number& x, const Number& y) {
  if (assume_rank(x, y) || assume_rank(y, x) || x.value() == y.value()) return;
  const bool first = used_sizes_.count(x.text) != 0;
  const bool second = used_sizes_.count(y.text) != 0;
  if (first && second) {
    if (knowledge_.same.try_emplace(y.text, x.text).second) ++knowledge_.changes;
  } else if (first || second) {
    knowledge_.set_size(first ? x.text : y.text, first ? y.whole : x.whole, kCompared);
  }
}

}  // namespace heddle::kernel::triton::host
