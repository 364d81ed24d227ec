#include "kernel/cxx/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kernel/cxx/compile_commands.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

/// The bytes of a type that everybody writes the same way; others are not checked.
std::optional<int> known_width(const std::string& type) {
  static constexpr std::array<std::pair<std::string_view, int>, 30> kWidths = {{
      {"double", 8},         {"float", 4},
      {"half", 2},           {"__half", 2},
      {"_Float16", 2},       {"__hip_bfloat16", 2},
      {"hip_bfloat16", 2},   {"__nv_bfloat16", 2},
      {"char", 1},           {"signed char", 1},
      {"unsigned char", 1},  {"short", 2},
      {"unsigned short", 2}, {"int", 4},
      {"unsigned", 4},       {"unsigned int", 4},
      {"long", 8},           {"unsigned long", 8},
      {"long long", 8},      {"unsigned long long", 8},
      {"size_t", 8},         {"int8_t", 1},
      {"uint8_t", 1},        {"int16_t", 2},
      {"uint16_t", 2},       {"int32_t", 4},
      {"uint32_t", 4},       {"int64_t", 8},
      {"uint64_t", 8},       {"bool", 1},
  }};
  const auto found = std::find_if(kWidths.begin(), kWidths.end(),
                                  [&](const auto& known) { return known.first == type; });
  if (found == kWidths.end()) return std::nullopt;
  return found->second;
}

bool is_pointer(const CxxParameter& parameter) {
  return parameter.type.find_first_of("*[") != std::string::npos;
}

/// "const float* __restrict__" points to "float"; pointers to pointers have no text here.
std::string pointee(const std::string& type) {
  if (std::count(type.begin(), type.end(), '*') != 1) return {};
  const std::string_view element = std::string_view(type).substr(0, type.find('*'));
  std::string words;
  for (const std::string_view word : split(element, ' ')) {
    if (word.empty() || word == "const" || word == "volatile") continue;
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

/// Names, numbers, brackets and operators.
bool is_plain_cxx(const std::string& text) {
  constexpr std::string_view kMarks = "_:<>{}(),.+-* ";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

void check(const CxxSource& source, const CxxFunction& kernel, const CxxParameter& parameter,
           const config::Argument& argument, const config::Launch& launch) {
  const auto* tensor = std::get_if<config::TensorReference>(&argument.value.data);
  const auto fail = [&](const std::string& what, const std::string& advice) {
    throw Error(what, advice).at(source.path(), kernel.position);
  };
  if (is_pointer(parameter)) {
    if (std::holds_alternative<std::monostate>(argument.value.data)) return;
    if (tensor == nullptr)
      fail(fmt::format("parameter '{}' is a pointer, {}, and the job gives it {}", parameter.name,
                       parameter.type, config::value_text(argument.value)),
           fmt::format("describe what it points to under [tensors.{}]", parameter.name));
    const config::Tensor& given = launch.tensors[tensor->index];
    const std::string to = pointee(parameter.type);
    const auto width = known_width(to);
    if (width && *width != config::byte_width(given.dtype))
      fail(fmt::format("parameter '{}' points to {}, and the job's tensor holds {}", parameter.name,
                       to, config::dtype_text(given.dtype)),
           "give the tensor the kernel's type");
    return;
  }
  if (std::holds_alternative<std::monostate>(argument.value.data)) return;  // all zero
  if (const auto* text = std::get_if<std::string>(&argument.value.data)) {
    if (!is_plain_cxx(*text))
      fail(fmt::format("parameter '{}' cannot be {}", parameter.name, *text),
           "write a C++ constant: an enumerator, or Type{1, 2}");
    return;
  }
  const bool is_number = std::holds_alternative<bool>(argument.value.data) ||
                         std::holds_alternative<std::int64_t>(argument.value.data) ||
                         std::holds_alternative<double>(argument.value.data);
  if (!is_number)
    fail(fmt::format("parameter '{}' is a number, {}, and the job gives it {}", parameter.name,
                     parameter.type,
                     tensor != nullptr ? "a tensor" : config::value_text(argument.value)),
         fmt::format("give it a number under [scalars]: {} = 1", parameter.name));
}

std::string define_text(const config::Argument& argument) {
  const config::Value& value = argument.value;
  if (const auto* flag = std::get_if<bool>(&value.data))
    return fmt::format("{}={}", argument.name, *flag ? 1 : 0);
  if (const auto* text = std::get_if<std::string>(&value.data))
    return fmt::format("{}={}", argument.name, *text);
  return fmt::format("{}={}", argument.name, config::value_text(value));
}

/// The members of a parameter that the job gives; nothing if it gives none.
std::string bind_members(const std::string& name, std::size_t index, const config::Launch& launch,
                         BoundArguments& bound, std::vector<bool>& used) {
  std::string sets;
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const config::Argument& one = launch.arguments[k];
    if (one.name.compare(0, name.size() + 1, name + ".") != 0) continue;
    used[k] = true;
    const std::string member = one.name.substr(name.size() + 1);
    if (const auto* text = std::get_if<std::string>(&one.value.data)) {
      if (is_plain_cxx(*text))
        sets += fmt::format(" v.{} = decltype(v.{})({});", member, member, *text);
      continue;
    }
    sets += fmt::format(" heddle_set(v.{}, s[{}]);", member, bound.parameters.size());
    bound.parameters.push_back({one.name, -1, k, -1, ""});
  }
  if (sets.empty()) return {};
  return fmt::format(
      "[](const HeddleSlot* s) {{ HeddleZeros<HeddleTypes::Type<{}>> z; auto& v = z.value();{} "
      "return v; }}(s)",
      index, sets);
}

void take_defines(const CxxSource& source, const config::Launch& launch, BoundArguments& bound) {
  for (const std::string& define : launch.defines) {
    const bool is_none = define.starts_with("-U");
    const std::string text = define.substr(is_none ? 2 : 0);
    if (!is_define(text) || (is_none && text.find_first_of("=(") != std::string::npos))
      throw Error(fmt::format("'{}' cannot be a macro", define),
                  "defines = [\"N=4\", \"FAST\", \"-UNONE\"]")
          .in(source.path());
    (is_none ? bound.undefined : bound.defines).push_back(text);
  }
}

}  // namespace

std::string entry_text(const std::string& callee, const BoundArguments& bound) {
  if (!bound.has_structs) return fmt::format("HEDDLE_ENTRY({})", callee);
  return fmt::format(
      "using HeddleTypes = HeddleParameters<decltype({})>;\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) void heddle_entry(const void* slots) "
      "{{ "
      "const HeddleSlot* s = static_cast<const HeddleSlot*>(slots); ({})({}); }}\n"
      "HEDDLE_SECTIONS",
      callee, callee, fmt::join(bound.values, ", "));
}

BoundArguments bind_arguments(const CxxSource& source, const CxxFunction& kernel,
                              const config::Launch& launch) {
  BoundArguments bound;
  std::vector<bool> used(launch.arguments.size(), false);
  take_defines(source, launch, bound);
  for (const CxxParameter& parameter : kernel.parameters) {
    const auto found =
        std::find_if(launch.arguments.begin(), launch.arguments.end(),
                     [&](const config::Argument& one) { return one.name == parameter.name; });
    const std::size_t number = bound.values.size();
    if (found == launch.arguments.end() && parameter.name.empty()) {
      bound.values.push_back(fmt::format("heddle_zeros<HeddleTypes::Type<{}>>()", number));
      bound.has_structs = true;
      continue;
    }
    if (found == launch.arguments.end()) {
      bound.values.push_back(bind_members(parameter.name, number, launch, bound, used));
      bound.has_structs = true;
      if (!bound.values.back().empty()) continue;
      throw Error(fmt::format("the job says nothing about parameter '{}', {}", parameter.name,
                              parameter.type),
                  is_pointer(parameter)
                      ? fmt::format("add [tensors.{}] with dtype and shape", parameter.name)
                      : fmt::format("add {} = ... under [scalars]; {}.MEMBER = ... for a struct",
                                    parameter.name, parameter.name))
          .at(source.path(), kernel.position);
    }
    check(source, kernel, parameter, *found, launch);
    const auto* text = std::get_if<std::string>(&found->value.data);
    const bool is_zero =
        !is_pointer(parameter) && std::holds_alternative<std::monostate>(found->value.data);
    bound.has_structs = bound.has_structs || text != nullptr || is_zero;
    bound.values.push_back(text != nullptr ? fmt::format("HeddleTypes::Type<{}>({})", number, *text)
                           : is_zero ? fmt::format("heddle_zeros<HeddleTypes::Type<{}>>()", number)
                                     : fmt::format("heddle_argument<HeddleTypes::Type<{}>>(s[{}])",
                                                   number, bound.parameters.size()));
    const auto index = static_cast<std::size_t>(found - launch.arguments.begin());
    used[index] = true;
    bound.parameters.push_back({parameter.name, -1, index, -1, parameter.type});
  }
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const config::Argument& argument = launch.arguments[k];
    if (used[k]) continue;
    if (argument.is_constexpr) {
      bound.defines.push_back(define_text(argument));
      continue;
    }
    throw Error(
        fmt::format("the job gives '{}', and the kernel has no such parameter", argument.name),
        "names of tensors and scalars are those of the kernel's parameters; macros go under "
        "[constexprs], other names under [sizes]")
        .at(source.path(), kernel.position);
  }
  return bound;
}

}  // namespace heddle::kernel::cxx
