#include "order/bindings.h"

#include <fmt/format.h>

#include "order/parse_triton.h"
#include "support/text.h"

namespace heddle::order {
namespace {

bool is_plain_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

}  // namespace

Bindings::Bindings(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    for (const std::string_view part : split_outside_brackets(text, ',')) {
      if (!part.empty()) add(part);
    }
  }
}

void Bindings::add(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string name(trim(text.substr(0, equals)));
  if (equals == std::string_view::npos || !is_plain_name(name)) {
    throw Error(fmt::format("--let cannot read '{}'", text), "write --let M=8192,BLOCK_SIZE_M=32");
  }
  if (has(name)) throw Error(fmt::format("--let binds '{}' twice", name), "keep one of them");
  try {
    entries_.push_back({name, parse_triton_expression(text.substr(equals + 1))});
  } catch (const Error& error) {
    throw error.in(fmt::format("--let {}", name));
  }
}

bool Bindings::has(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return true;
  }
  return false;
}

ExpressionPtr Bindings::expression(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return entry.expression;
  }
  return nullptr;
}

std::set<std::string> Bindings::names() const {
  std::set<std::string> result;
  for (const Entry& entry : entries_) result.insert(entry.name);
  return result;
}

std::set<std::string> Bindings::wide_names() const {
  std::set<std::string> result;
  for (const Entry& entry : entries_) {
    const Expression& value = *entry.expression;
    if (value.kind == Expression::Kind::number && value.value > INT32_MAX)
      result.insert(entry.name);
  }
  return result;
}

std::vector<std::int64_t> Bindings::values(const std::vector<std::string>& names,
                                           const Space& space) const {
  std::vector<std::string> unbound;
  for (const std::string& name : names) {
    if (!has(name)) unbound.push_back(name);
  }
  if (!unbound.empty()) {
    throw Error(fmt::format("the order uses {} without a value", fmt::join(unbound, ", ")),
                fmt::format("bind {}: --let {}=...", unbound.size() == 1 ? "it" : "them",
                            fmt::join(unbound, "=...,")));
  }
  std::vector<std::int64_t> result;
  Evaluation evaluation{space};
  for (const std::string& name : names) result.push_back(compute_name(name, evaluation));
  return result;
}

std::int64_t Bindings::evaluate(const ExpressionPtr& expression, const Space& space) const {
  Evaluation evaluation{space};
  return compute(*expression, evaluation);
}

std::int64_t Bindings::compute_name(const std::string& name, Evaluation& evaluation) const {
  const auto known = evaluation.known.find(name);
  if (known != evaluation.known.end()) return known->second;
  if (evaluation.depth > 64)
    throw Error(fmt::format("the value of '{}' needs itself", name), "break the circle");
  for (const Entry& entry : entries_) {
    if (entry.name != name) continue;
    try {
      ++evaluation.depth;
      const std::int64_t value = compute(*entry.expression, evaluation);
      --evaluation.depth;
      return evaluation.known[name] = value;
    } catch (const Error& error) {
      throw error.source().empty() ? error.in(fmt::format("--let {}", name)) : error;
    }
  }
  if (name.size() == 2 && name[1] >= '0' && name[1] <= '2') {
    const int axis = name[1] - '0';
    if (name[0] == 'g') return evaluation.space.launch.extent(axis);
    if (name[0] == 't') return evaluation.space.tile_grid().extent(axis);
  }
  throw Error(fmt::format("'{}' has no value", name),
              "use numbers, g0 g1 g2, t0 t1 t2 or other bound names");
}

std::int64_t Bindings::compute(const Expression& expression, Evaluation& evaluation) const {
  using Kind = Expression::Kind;
  const auto argument = [&](std::size_t i) {
    return compute(*expression.arguments[i], evaluation);
  };
  const auto checked = [&](const Outcome& outcome) {
    if (outcome.fault != Fault::none) {
      throw Error(std::string(fault_text(outcome.fault, Type::constexpr_int)), "check the values");
    }
    return outcome.value;
  };
  const auto operate = [&](Operation operation, std::int64_t a, std::int64_t b) {
    return checked(apply(operation, Type::constexpr_int, Rounding::floor, a, b));
  };
  switch (expression.kind) {
    case Kind::number:
      return expression.value;
    case Kind::name:
      return compute_name(expression.text, evaluation);
    case Kind::unary:
      return operate(expression.operation, argument(0), 0);
    case Kind::binary:
      return operate(expression.operation, argument(0), argument(1));
    case Kind::logical_and:
      return argument(0) != 0 && argument(1) != 0 ? 1 : 0;
    case Kind::logical_or:
      return argument(0) != 0 || argument(1) != 0 ? 1 : 0;
    case Kind::conditional:
      return argument(0) != 0 ? argument(1) : argument(2);
    case Kind::call: {
      const std::string& name = expression.text;
      const std::size_t count = expression.arguments.size();
      if (name == "min" && count == 2) return std::min(argument(0), argument(1));
      if (name == "max" && count == 2) return std::max(argument(0), argument(1));
      if (name == "abs" && count == 1) return operate(Operation::absolute, argument(0), 0);
      if ((name == "cdiv" || name == "tl.cdiv" || name == "triton.cdiv") && count == 2) {
        const std::int64_t divisor = argument(1);
        const std::int64_t raised =
            operate(Operation::subtract, operate(Operation::add, argument(0), divisor), 1);
        return operate(Operation::divide, raised, divisor);
      }
      throw Error(fmt::format("'{}' is not known here", name), "use + - * // % min max abs cdiv");
    }
    case Kind::cast:
    case Kind::tuple:
      break;
  }
  throw Error("this expression has no value here", "use + - * // % min max abs cdiv");
}

}  // namespace heddle::order
