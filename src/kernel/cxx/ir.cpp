#include "kernel/cxx/ir.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::string_view kNameLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-$._";

/// The decimal number behind the first `before`; -1 where there is none.
int number_behind(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return -1;
  int number = -1;
  const char* const begin = text.data() + at + before.size();
  std::from_chars(begin, text.data() + text.size(), number);
  return number;
}

/// Behind the name at the start, which may be in quotes; `text` begins with @ or %.
std::size_t name_end(std::string_view text) {
  if (text.size() > 1 && text[1] == '"') return std::min(text.find('"', 2), text.size() - 1) + 1;
  return std::min(text.find_first_not_of(kNameLetters, 1), text.size());
}

/// Behind a text in quotes that begins at `at`.
std::size_t quote_end(std::string_view text, std::size_t at) {
  return std::min(text.find('"', at + 1), text.size() - 1) + 1;
}

bool opens(char c) {
  return c == '(' || c == '[' || c == '{' || c == '<';
}
bool closes(char c) {
  return c == ')' || c == ']' || c == '}' || c == '>';
}

/// Behind the bracket that closes the one at `at`.
std::size_t bracket_end(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = quote_end(text, at);
      continue;
    }
    if (opens(text[at])) ++depth;
    if (closes(text[at]) && --depth == 0) return at + 1;
    ++at;
  }
  return text.size();
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t"));
}

}  // namespace

std::string_view ir_name(std::string_view text) {
  const std::size_t end = name_end(text);
  return text[1] == '"' ? text.substr(2, end - 3) : text.substr(1, end - 1);
}

std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = quote_end(text, at);
    } else if (opens(text[at])) {
      at = bracket_end(text, at);
    } else if (text[at] == ',') {
      parts.push_back(trim(text.substr(begin, at - begin)));
      begin = ++at;
    } else {
      ++at;
    }
  }
  if (!trim(text.substr(begin)).empty()) parts.push_back(trim(text.substr(begin)));
  return parts;
}

IrCall read_call(std::string_view text) {
  IrCall call;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      const std::size_t end = quote_end(text, at);
      if (call.is_assembly && call.assembly.data() == nullptr)
        call.assembly = text.substr(at + 1, end - at - 2);
      at = end;
    } else if (text[at] == '@' || text[at] == '%') {
      const std::size_t end = at + name_end(text.substr(at));
      if (end < text.size() && text[end] == '(') {
        call.callee = text.substr(at, end - at);
        call.arguments = split_operands(text.substr(end + 1, bracket_end(text, end) - end - 2));
        return call;
      }
      at = end;
    } else if (opens(text[at])) {
      const std::size_t end = bracket_end(text, at);
      call.arguments = split_operands(text.substr(at + 1, end - at - 2));
      at = end;
    } else {
      if (text.substr(at).starts_with("asm ")) call.is_assembly = true;
      at = std::min(text.find_first_of(" \"(", at), text.size());
      while (at < text.size() && text[at] == ' ') ++at;
    }
  }
  return call;
}

int ir_type_bytes(std::string_view type) {
  static const std::map<std::string_view, int> kBits = {
      {"half", 16}, {"bfloat", 16}, {"float", 32}, {"double", 64}, {"ptr", 64}, {"fp128", 128}};
  type = trim(type);
  const auto bits = [](std::string_view scalar) -> std::int64_t {
    if (const auto known = kBits.find(scalar); known != kBits.end()) return known->second;
    if (!scalar.starts_with("i")) return 0;
    return parse_integer(scalar.substr(1)).value_or(0);
  };
  std::int64_t all = bits(type);
  if (type.starts_with("<") && type.ends_with(">")) {
    const std::size_t times = type.find(" x ");
    if (times == std::string_view::npos) return 0;
    const auto count = parse_integer(trim(type.substr(1, times - 1)));
    all = count.value_or(0) * bits(trim(type.substr(times + 3, type.size() - times - 4)));
  }
  return all > 0 && all < (1 << 20) ? static_cast<int>((all + 7) / 8) : 0;
}

IrModule::IrModule(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    read_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void IrModule::read_line(std::string_view line) {
  if (in_function_) return read_body_line(line);
  const std::size_t at = line.find('@');
  if (line.starts_with("define ") && at != std::string_view::npos) {
    functions.push_back({std::string(ir_name(line.substr(at))), line, {}});
    in_function_ = true;
  } else if (line.starts_with("declare ") && at != std::string_view::npos) {
    declarations[std::string(ir_name(line.substr(at)))] = line;
  } else if (line.starts_with("@")) {
    const std::size_t equals = line.find(" = ", name_end(line));
    if (equals != std::string_view::npos)
      globals[std::string(ir_name(line))] = line.substr(equals + 3);
  } else if (line.starts_with("module asm ")) {
    assembly.push_back(line.substr(11));
  } else if (line.starts_with("attributes #")) {
    attributes_[number_behind(line, "#")] = line;
  } else if (line.starts_with("!")) {
    const int number = number_behind(line, "!");
    if (number >= 0) nodes_[number] = line;
  }
}

void IrModule::read_body_line(std::string_view line) {
  IrFunction& function = functions.back();
  if (line == "}") {
    in_function_ = false;
    return;
  }
  if (line.empty() || line[0] == ';') return;
  if (line[0] != ' ') {  // "if.then:    ; preds = ..."
    std::string_view label = line.substr(0, line.find(':'));
    if (line[0] == '"') label = line.substr(1, quote_end(line, 0) - 2);
    function.blocks.push_back({label, {}, {}});
    return;
  }
  if (function.blocks.empty()) function.blocks.emplace_back();
  IrBlock& block = function.blocks.back();
  for (std::size_t at = line.find("label %"); at != std::string_view::npos;
       at = line.find("label %", at + 7))
    block.successors.push_back(ir_name(line.substr(at + 6)));
  if (!line.starts_with("  ") || line.starts_with("   ")) return;  // more of the line above
  IrInstruction instruction;
  std::string_view rest = trim(line);
  if (rest.starts_with("%")) {
    const std::size_t end = name_end(rest);
    instruction.result = rest.substr(0, end);
    rest = rest.substr(std::min(end + 3, rest.size()));
  }
  for (const std::string_view mark : {"tail ", "musttail ", "notail "})
    if (rest.starts_with(mark)) rest.remove_prefix(mark.size());
  instruction.opcode = first_word(rest);
  instruction.text = trim(rest.substr(instruction.opcode.size()));
  instruction.location = number_behind(rest, "!dbg !");
  block.instructions.push_back(instruction);
}

std::string_view IrModule::attributes_of(std::string_view line) const {
  const std::size_t at = line.rfind(" #");
  if (at == std::string_view::npos) return {};
  const auto found = attributes_.find(number_behind(line.substr(at), "#"));
  return found != attributes_.end() ? found->second : std::string_view{};
}

std::string_view IrModule::node(int number) const {
  const auto found = nodes_.find(number);
  return found != nodes_.end() ? found->second : std::string_view{};
}

/// The name of the file that a scope stands in, without its folder.
std::string IrModule::file_of(int scope) const {
  const std::string_view file = node(number_behind(node(scope), "file: !"));
  const std::size_t begin = file.find("filename: \"");
  if (begin == std::string_view::npos) return {};
  const std::string_view path = file.substr(begin + 11, file.find('"', begin + 11) - begin - 11);
  return std::string(path.substr(path.find_last_of('/') + 1));
}

IrPlace IrModule::place(const IrFunction& function, const IrInstruction& instruction,
                        const std::string& main_file) const {
  IrPlace place;
  int location = instruction.location;
  for (int depth = 0; location >= 0 && depth < 256; ++depth) {
    const std::string_view text = node(location);
    const std::string file = file_of(number_behind(text, "scope: !"));
    const int line = std::max(0, number_behind(text, "line: "));
    if (file == main_file && line > 0) {
      place.position = {line, std::max(0, number_behind(text, "column: "))};
      return place;
    }
    if (place.elsewhere.empty() && !file.empty())
      place.elsewhere = fmt::format("{}:{}", file, line);
    location = number_behind(text, "inlinedAt: !");
  }
  const int scope = number_behind(function.head, "!dbg !");
  if (place.elsewhere.empty() && file_of(scope) == main_file)
    place.position = {std::max(0, number_behind(node(scope), "line: ")), 0};
  return place;
}

}  // namespace heddle::kernel::cxx
