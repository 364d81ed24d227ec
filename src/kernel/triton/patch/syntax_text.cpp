#include "kernel/triton/patch/syntax_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::size_t kQuoted = 72;

/// "latin-1" of a line `# -*- coding: latin-1 -*-`, as Python looks for it (PEP 263); "" of others.
std::string_view encoding_cookie(std::string_view line) {
  constexpr std::string_view kWord = "coding";
  const std::size_t begin = line.find_first_not_of(" \t\f");
  if (begin == std::string_view::npos || line[begin] != '#') return {};
  for (std::size_t at = line.find(kWord, begin); at != std::string_view::npos;
       at = line.find(kWord, at + 1)) {
    std::string_view rest = line.substr(at + kWord.size());
    if (!rest.starts_with(':') && !rest.starts_with('=')) continue;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t", 1), rest.size()));
    const auto end = std::find_if_not(rest.begin(), rest.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (end != rest.begin()) return {rest.begin(), end};
  }
  return {};
}

bool is_documentation(const Node& node) {
  return node.is("Expr") && node.at("value").is("Constant") &&
         node.at("value").constant == ConstantKind::text;
}

bool holds_statements(const Field& field) {
  return field.name == "body" || field.name == "orelse" || field.name == "finalbody" ||
         field.name == "handlers";
}

}  // namespace

std::vector<const Node*> statements_of(const std::vector<Node>& body) {
  std::vector<const Node*> result;
  for (const Node& statement : body)
    if (!is_documentation(statement)) result.push_back(&statement);
  return result;
}

SyntaxText::SyntaxText(const Module& module, const Node& kernel,
                       const std::set<const Node*>& ignored)
    : module_(module), kernel_(kernel), ignored_(ignored), lines_{0} {
  const std::string& text = module.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if ((text[i] == '\n' || text[i] == '\r') && !is_pair) lines_.push_back(i + 1);
  }
}

std::size_t SyntaxText::offset(Position position) const {
  const auto line = static_cast<std::size_t>(std::max(position.line, 1)) - 1;
  if (line >= lines_.size()) return module_.text.size();
  const auto column = static_cast<std::size_t>(std::max(position.column, 1)) - 1;
  return std::min(lines_[line] + column, module_.text.size());
}

std::string SyntaxText::raw(const Node& node) const {
  const std::size_t begin = offset(node.begin);
  const std::size_t end = offset(node.end);
  return end > begin ? module_.text.substr(begin, end - begin) : std::string();
}

std::string SyntaxText::quoted(const Node& node) const {
  std::string text = raw(node);
  const Node* head = node.is("If") || node.is("While") ? &node.at("test")
                     : node.is("For")                  ? &node.at("iter")
                                                       : nullptr;
  if (head != nullptr) {
    Node before_body;
    before_body.begin = node.begin;
    before_body.end = head->end;
    text = raw(before_body) + ":";
  }
  std::string line(trim(std::string_view(text).substr(0, text.find_first_of("\r\n"))));
  const bool is_cut = text.find_first_of("\r\n") != std::string::npos || line.size() > kQuoted;
  if (line.size() > kQuoted) {
    line.resize(kQuoted);
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U)
      line.pop_back();  // no halves of characters
  }
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return is_cut ? line + " ..." : line;
}

bool SyntaxText::is_complete(const Node& node) {
  static const std::set<std::string_view> kComplete = {
      "Constant",   "Module",   "FunctionDef",   "Return",    "Assign",        "AugAssign",
      "AnnAssign",  "For",      "While",         "If",        "With",          "withitem",
      "Expr",       "Pass",     "Break",         "Continue",  "Name",          "Attribute",
      "Call",       "keyword",  "BinOp",         "UnaryOp",   "BoolOp",        "Compare",
      "IfExp",      "Tuple",    "List",          "Dict",      "Set",           "Slice",
      "Subscript",  "Starred",  "Lambda",        "arguments", "arg",           "Import",
      "ImportFrom", "alias",    "Assert",        "Raise",     "Delete",        "Global",
      "Nonlocal",   "ClassDef", "Try",           "Absent",    "ListComp",      "GeneratorExp",
      "DictComp",   "SetComp",  "comprehension", "NamedExpr", "ExceptHandler", "Number"};
  return kComplete.count(node.kind) > 0;
}

/// Of `ignored`, statements and members of lists: one side may have none of them.
bool SyntaxText::is_left_out(const Field& field, const Node& child) const {
  static const std::set<std::string_view> kLists = {"args", "kwonlyargs", "keywords", "defaults",
                                                    "kw_defaults"};
  const bool is_statement = child.is("Assign") || child.is("FunctionDef");
  return ignored_.count(&child) > 0 && (is_statement || kLists.count(field.name) > 0);
}

void SyntaxText::write(const Node& node, const ScalarNames* names, bool is_statement,
                       std::string& text) const {
  if (&node == &kernel_) {
    text += "<kernel>";
    return;
  }
  if (ignored_.count(&node) > 0) {
    text += "<grid>";
    return;
  }
  if (node.is("Name") && node.text == kernel_.text) {
    text += "<kernel's name>";
    return;
  }
  if (!is_complete(node)) {
    text += "<" + raw(node) + ">";
    return;
  }
  if (names != nullptr && !is_statement) {
    if (names->is_index(node)) {
      text += "<index>";
      return;
    }
    if (names->is_block_range(node)) {
      text += "<range>";
      write(node.at("func"), nullptr, false, text);
      for (const Node& keyword : node.list("keywords")) write(keyword, nullptr, false, text);
      return;
    }
    if (node.is("Name") && names->is_local(node.text)) {
      text += names->is_index_name(node.text) ? "<index>" : "<name>";
      return;
    }
  }
  text += node.kind + "'" + std::to_string(node.text.size()) + "'" + node.text;
  text += static_cast<char>('0' + static_cast<int>(node.constant));
  for (const Field& field : node.fields) {
    if (names != nullptr && is_statement && holds_statements(field)) continue;
    // A field of which all is left out is as good as none.
    const auto is_out = [&](const Node& child) { return is_left_out(field, child); };
    if (!field.nodes.empty() && std::ranges::all_of(field.nodes, is_out)) continue;
    text += "(" + field.name + ":";
    const bool is_body = field.name == "body" &&
                         (node.is("FunctionDef") || node.is("ClassDef") || node.is("Module"));
    for (const Node& child : field.nodes) {
      if (is_body && is_documentation(child)) continue;
      if (is_out(child)) continue;
      write(child, names, false, text);
      text += ",";
    }
    text += ")";
  }
}

std::string SyntaxText::exact(const Node& node) const {
  std::string text;
  write(node, nullptr, false, text);
  return text;
}

std::string SyntaxText::outline(const Node& statement, const ScalarNames& names) const {
  std::string text;
  write(statement, &names, true, text);
  return text;
}

bool has_odd_encoding(const Module& module) {
  if (!module.root.text.empty()) return true;
  const std::string& text = module.text;
  std::size_t begin = 0;
  for (int line = 0; line < 2 && begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::size_t length = std::min<std::size_t>(end - begin, 1000);
    std::string name(encoding_cookie(std::string_view(text).substr(begin, length)));
    for (char& c : name)
      c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    static const std::set<std::string_view> kSame = {"", "utf-8", "utf8", "ascii", "us-ascii"};
    if (kSame.count(name) == 0) return true;
    const bool is_pair = text.compare(end, 2, "\r\n") == 0;
    begin = end + (is_pair ? 2 : 1);
  }
  return false;
}

}  // namespace heddle::kernel::triton
