#include "config/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/text.h"

namespace heddle::config {
namespace {

template <class List>
auto* find_named(List& list, const std::string& name) {
  const auto found = std::ranges::find_if(list, [&](const auto& one) { return one.first == name; });
  return found == list.end() ? nullptr : &found->second;
}

bool is_plain_number(const std::string& text) {
  if (text.empty()) return false;
  const bool is_whole = parse_integer(text).has_value();
  if (is_whole) return true;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  static_cast<void>(value);
  return end == text.c_str() + text.size() &&
         text.find_first_of("0123456789") != std::string::npos &&
         text.find_first_of(".e") != std::string::npos && text.back() != '.' &&
         text.front() != '.' && text.find_first_of("xXpPnN") == std::string::npos;
}

std::string toml_list(const std::vector<std::string>& expressions) {
  std::vector<std::string> parts;
  for (const std::string& one : expressions) parts.push_back(toml_value(one));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string remarked(const std::string& line, const std::string& remark) {
  return remark.empty() ? line + "\n" : fmt::format("{}  # {}\n", line, one_line(remark));
}

std::string section(const char* title, const DraftValues& values) {
  std::string text = fmt::format("\n[{}]\n", title);
  for (const auto& [name, value] : values)
    text += remarked(fmt::format("{} = {}", name, toml_value(value.text)), value.remark);
  return text;
}

std::string tensor_text(const DraftTensor& tensor) {
  std::string text = fmt::format("\n[tensors.{}]\n", tensor.name);
  text += remarked(fmt::format("dtype = {}", toml_quoted(tensor.dtype.text)), tensor.dtype.remark);
  text += remarked(fmt::format("shape = {}", toml_list(tensor.shape)), tensor.shape_remark);
  if (!tensor.strides.empty()) text += fmt::format("strides = {}\n", toml_list(tensor.strides));
  if (!tensor.block.empty()) text += fmt::format("block = {}\n", toml_list(tensor.block));
  if (tensor.contents)
    text += remarked(fmt::format("contents = {}", toml_quoted(tensor.contents->text)),
                     tensor.contents->remark);
  if (!tensor.is_parameter) text += "parameter = false\n";
  return text;
}

/// "conditions assumed true: matmul.py:31, matmul.py:40"
std::vector<std::string> choice_lines(const JobDraft& draft) {
  std::vector<std::string> lines;
  for (const bool truth : {true, false}) {
    std::vector<std::string> places;
    for (const auto& [place, taken] : draft.choices)
      if (taken == truth) places.push_back(place);
    if (!places.empty())
      lines.push_back(fmt::format("conditions assumed {}: {}", truth ? "true" : "false",
                                  fmt::join(places, ", ")));
  }
  return lines;
}

}  // namespace

DraftTensor* JobDraft::tensor(const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &DraftTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

DraftValue* JobDraft::scalar(const std::string& name) {
  return find_named(scalars, name);
}

DraftValue* JobDraft::constexpr_value(const std::string& name) {
  return find_named(constexprs, name);
}

void JobDraft::remove(const std::string& name) {
  std::erase_if(tensors, [&](const DraftTensor& one) { return one.name == name; });
  std::erase_if(scalars, [&](const auto& one) { return one.first == name; });
  std::erase_if(constexprs, [&](const auto& one) { return one.first == name; });
}

std::string toml_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text) result += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  return result;
}

std::string toml_value(const std::string& expression) {
  if (expression == "True") return "true";
  if (expression == "False") return "false";
  if (is_plain_number(expression)) return expression;
  return toml_quoted(expression);
}

std::string job_text(const JobDraft& draft) {
  std::string text =
      fmt::format("# A job for {}, inferred from {}.\n", one_line(draft.function),
                  draft.launch.empty() ? "the kernel alone: no launch of it was found"
                                       : "its launch at " + one_line(draft.launch));
  text +=
      "# Every value says where it came from; check those marked 'guess'. Strings are "
      "expressions.\n";
  for (const std::string& choice : choice_lines(draft))
    text += fmt::format("# {}\n", one_line(choice));
  for (const std::string& repair : draft.repairs)
    text += fmt::format("# repaired: {}\n", one_line(repair));
  text += fmt::format("\nkernel = {}\n", toml_quoted(draft.kernel_path));
  text +=
      remarked(fmt::format("function = {}", toml_quoted(draft.function)), draft.function_remark);
  text += remarked(fmt::format("grid = {}", toml_list(draft.grid)), draft.grid_remark);
  if (draft.config) text += remarked("config = " + draft.config->text, draft.config->remark);
  if (!draft.sizes.empty()) text += section("sizes", draft.sizes);
  for (const DraftTensor& tensor : draft.tensors) text += tensor_text(tensor);
  text += section("scalars", draft.scalars);
  text += section("constexprs", draft.constexprs);
  for (const auto& [name, by] : draft.set) text += fmt::format("# {} is set by {}\n", name, by);
  if (!draft.launch_values.empty()) text += section("launch", draft.launch_values);
  return text;
}

std::vector<std::string> assumptions(const JobDraft& draft) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& what, const std::string& remark) {
    lines.push_back(remark.empty() ? what : fmt::format("{}  ({})", what, one_line(remark)));
  };
  if (!draft.function_remark.empty()) add("kernel = " + draft.function, draft.function_remark);
  add(fmt::format("grid = [{}]", fmt::join(draft.grid, ", ")), draft.grid_remark);
  if (draft.config) add("config = " + draft.config->text, draft.config->remark);
  for (const auto& [name, value] : draft.sizes) add(name + " = " + value.text, value.remark);
  for (const DraftTensor& tensor : draft.tensors) {
    std::string what =
        fmt::format("{}: {} [{}]", tensor.name, tensor.dtype.text, fmt::join(tensor.shape, ", "));
    if (tensor.contents) what += fmt::format(", contents {}", tensor.contents->text);
    std::string remark = tensor.shape_remark;
    if (tensor.dtype.is_guess() && remark.find("guess") == std::string::npos)
      remark += (remark.empty() ? "" : "; ") + std::string("dtype is a guess");
    add(what, remark);
  }
  for (const auto* list : {&draft.scalars, &draft.constexprs, &draft.launch_values})
    for (const auto& [name, value] : *list) add(name + " = " + value.text, value.remark);
  for (const std::string& choice : choice_lines(draft)) lines.push_back(one_line(choice));
  for (const std::string& repair : draft.repairs) lines.push_back("repaired: " + one_line(repair));
  return lines;
}

}  // namespace heddle::config
