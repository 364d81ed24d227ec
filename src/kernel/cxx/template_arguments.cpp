#include "kernel/cxx/template_arguments.h"

#include <algorithm>

#include "kernel/cxx/host_values.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/value_type.h"
#include "support/lists.h"

namespace heddle::kernel::cxx {
namespace {

constexpr int kDeepestTemplateCall = 5;
constexpr std::size_t kMostArgumentTokens = 200;

std::string text_of_range(const std::vector<Token>& tokens, TokenRange range) {
  std::string text;
  for (std::size_t i = range.begin; i <= range.end; ++i)
    text += (text.empty() ? "" : " ") + std::string(tokens[i].text);
  return text;
}

}  // namespace

std::size_t past_angles(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size() && i < open + kMostArgumentTokens; ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "<") ++depth;
    if (text == ">" || text == ">>") depth -= static_cast<int>(text.size());
    if (text == ";" || text == "{") break;
    if (depth <= 0) return i + 1;
  }
  return open;
}

TemplateArguments::TemplateArguments(const CxxSource& file)
    : file_(file), outline_(outline_of(file.tokens(), file.path())) {}

std::vector<TemplateArguments::Parameter> TemplateArguments::parameters_of(
    const OutlineItem& item) const {
  std::vector<Parameter> all;
  const auto& tokens = file_.tokens();
  const auto range = item.template_parameters;
  if (!range || range->begin + 1 >= range->end) return all;
  for (const auto& part : split_at_commas(tokens, outline_, {range->begin + 1, range->end - 1})) {
    Parameter parameter;
    const auto equals = std::find_if(part.begin(), part.end(),
                                     [&](std::size_t i) { return tokens[i].text == "="; });
    for (auto at = part.begin(); at != part.end(); ++at) {
      const bool is_pointer = at + 2 < part.end() && tokens[*at].text == "(" &&
                              tokens[*(at + 1)].text == "*" && is_name(tokens[*(at + 2)]);
      if (is_pointer) parameter.name = tokens[*(at + 2)].text;
      if (is_pointer || at == equals) break;
      if (is_name(tokens[*at])) parameter.name = tokens[*at].text;
    }
    if (equals != part.end() && equals + 1 != part.end())
      parameter.standard = text_of_range(tokens, {*(equals + 1), part.back()});
    all.push_back(std::move(parameter));
  }
  return all;
}

std::vector<std::string> TemplateArguments::defaults(const CxxFunction& function) const {
  std::vector<std::string> all;
  for (const OutlineItem& item : outline_.items)
    if (item.is_function && item.all.begin == function.begin)
      for (const Parameter& parameter : parameters_of(item)) all.push_back(parameter.standard);
  return all;
}

/// Declared outside functions, or a constant by its spelling.
bool TemplateArguments::is_global(std::string_view name) const {
  if (value_type(std::string(name)).element || name == "true" || name == "false") return true;
  const bool is_constant =
      std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (is_constant && name.size() > 3) return true;
  const auto& tokens = file_.tokens();
  for (const OutlineItem& item : outline_.items)
    if (item.is_function && !item.is_member && item.name && tokens[item.name->end].text == name)
      return true;
  for (const OutlineOther& other : outline_.others)
    for (std::size_t i = other.all.begin; i <= other.all.end && i < other.all.begin + 8; ++i)
      if (tokens[i].text == name) return true;
  return false;
}

/// What calls give a template parameter of a function.
std::string TemplateArguments::given(const OutlineItem& item, std::size_t index, int depth) const {
  const auto& tokens = file_.tokens();
  if (!item.name) return {};
  const std::string_view name = tokens[item.name->end].text;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_inside = item.all.begin <= i && i <= item.all.end;
    if (tokens[i].text != name || is_inside || !is_symbol(tokens[i + 1], "<")) continue;
    const std::size_t end = past_angles(tokens, i + 1);
    if (end < i + 4) continue;
    const auto parts = parts_of(tokens, {i + 2, end - 2});
    if (index >= parts.size()) continue;
    if (std::string found = text(parts[index], depth + 1); !found.empty()) return found;
  }
  return {};
}

std::string TemplateArguments::text(TokenRange range, int depth) const {
  const auto& tokens = file_.tokens();
  if (depth > kDeepestTemplateCall || range.end < range.begin || range.end >= tokens.size())
    return {};
  for (const OutlineItem& item : outline_.items) {
    const bool is_around = item.is_function && item.body && item.body->begin <= range.begin &&
                           range.end <= item.body->end;
    if (!is_around) continue;
    const std::vector<Parameter> parameters = parameters_of(item);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const bool is_named =
          std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(range.begin),
                      tokens.begin() + static_cast<std::ptrdiff_t>(range.end) + 1,
                      [&](const Token& one) { return one.text == parameters[k].name; });
      if (!is_named) continue;
      if (range.begin != range.end) return {};
      const std::string found = given(item, k, depth);
      return found.empty() ? parameters[k].standard : found;
    }
  }
  HostValues values(file_, {});
  const auto number = values.value(range, range.begin);
  if (number && values.sizes().empty())
    return std::to_string(static_cast<std::int64_t>(number->number));
  const bool is_one = range.begin == range.end;
  if (is_one && is_name(tokens[range.begin]) && is_global(tokens[range.begin].text))
    return std::string(tokens[range.begin].text);
  const bool is_known =
      !is_one && std::all_of(tokens.begin() + static_cast<std::ptrdiff_t>(range.begin),
                             tokens.begin() + static_cast<std::ptrdiff_t>(range.end) + 1,
                             [&](const Token& one) {
                               return !is_name(one) || one.text == "std" ||
                                      one.text == "unsigned" || is_global(one.text);
                             });
  return is_known ? text_of_range(tokens, range) : std::string();
}

}  // namespace heddle::kernel::cxx
