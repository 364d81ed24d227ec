#include "kernel/cxx/stand_in.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernel/cxx/token.h"
#include "support/lists.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kMostParameters = 32;

bool is_template(const std::vector<Token>& tokens, const ReachUnit& unit) {
  for (std::size_t i = unit.all.begin; i <= unit.all.end && !is_symbol(tokens[i], "("); ++i)
    if (tokens[i].text == "template" || tokens[i].kind == TokenKind::directive) return true;
  return false;
}

bool holds(const std::vector<Token>& tokens, const std::vector<std::size_t>& part,
           std::string_view text) {
  return std::any_of(part.begin(), part.end(),
                     [&](std::size_t i) { return tokens[i].text == text; });
}

std::string deleted(const std::string& name, std::size_t parameters) {
  if (parameters == 0) return fmt::format("void {}() = delete;", name);
  std::vector<std::string> types;
  std::vector<std::string> values;
  for (std::size_t k = 0; k < parameters; ++k) {
    types.push_back(fmt::format("class Heddle{}", k));
    values.push_back(fmt::format("Heddle{}&&", k));
  }
  return fmt::format("template <{}> void {}({}) = delete;", fmt::join(types, ", "), name,
                     fmt::join(values, ", "));
}

}  // namespace

std::optional<std::string> stand_in(const Reach& reach, std::size_t unit) {
  const ReachUnit& one = reach.units()[unit];
  const std::vector<Token>& tokens = reach.tokens(one);
  if (!one.item || !one.item->is_function || !one.item->name || !one.item->parameters) return {};
  const OutlineItem& item = *one.item;
  const std::string& name = one.names.front();
  const bool is_operator = name.starts_with("operator");
  const bool is_sign = is_operator && item.name->begin + 1 <= item.name->end &&
                       tokens[item.name->begin + 1].kind == TokenKind::symbol;
  if (is_operator ? !is_sign : item.name->begin != item.name->end) return {};
  if (item.name->begin > 0 && is_symbol(tokens[item.name->begin - 1], "::")) return {};
  for (const ReachUnit& other : reach.units())
    if (is_one_of(name, other.names) && is_template(reach.tokens(other), other)) return {};
  std::size_t most = 0;
  std::size_t least = 0;
  const TokenRange inside = {item.parameters->begin + 1, item.parameters->end - 1};
  if (inside.begin <= inside.end)
    for (const auto& part : split_at_commas(tokens, reach.outline(one.file), inside)) {
      if (holds(tokens, part, "...")) return {};
      if (part.size() == 1 && tokens[part.front()].text == "void") continue;
      ++most;
      if (!holds(tokens, part, "=")) least = most;
    }
  if (most > kMostParameters) return {};
  std::string text;
  for (std::size_t count = least; count <= most; ++count) text += ' ' + deleted(name, count);
  return text;
}

}  // namespace heddle::kernel::cxx
