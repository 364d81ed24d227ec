#include "kernel/cxx/type_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "kernel/cxx/device_headers.h"
#include "kernel/cxx/project.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/value_type.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBookFiles = 120;
constexpr std::size_t kMostBookBytes = std::size_t{1} << 20;  ///< of a file
constexpr int kDeepestMember = 4;
constexpr std::int64_t kMostElements = 8;

const std::set<std::string_view> kNotTypes = {
    "const",      "volatile",  "struct",       "class",   "union",
    "enum",       "typename",  "__restrict__", "mutable", "static",
    "__restrict", "constexpr", "unsigned",     "signed",  "__grid_constant__"};

/// "const ns::gl<bf16, 1>&" -> "gl".
std::string type_name(const std::string& type) {
  std::string name;
  for (const Token& token : tokenize(type, type)) {
    if (is_symbol(token, "<") || is_symbol(token, "*") || is_symbol(token, "&")) break;
    if (is_name(token) && kNotTypes.count(token.text) == 0) name = token.text;
  }
  return name;
}

std::string text_of_tokens(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i)
    text += (text.empty() ? "" : " ") + std::string(tokens[i].text);
  return text;
}

}  // namespace

config::SkeletonParameter skeleton_member(const std::string& name, const std::string& type) {
  const ValueType known = value_type(type);
  config::SkeletonParameter member;
  member.name = name;
  member.annotation = type;
  if (known.element) member.dtype = config::dtype_text(*known.element);
  member.guess =
      known.pointers > 0 ? config::ParameterGuess::pointer : config::ParameterGuess::scalar;
  if (known.pointers > 1) member.dtype = "int64";
  if (known.pointers == 1 && !known.element) member.dtype = known.name == "void" ? "uint8" : "fp32";
  return member;
}

TypeBook::TypeBook(const CxxSource& source) {
  gather(source);
  reach_ = std::make_unique<Reach>(files_);
}

void TypeBook::gather(const CxxSource& source) {
  Project project(source.path());
  std::set<std::string> seen;
  files_.push_back(&source);
  for (std::size_t file = 0; file < files_.size(); ++file)
    for (const Token& token : files_[file]->tokens()) {
      if (token.kind != TokenKind::directive || directive_name(token) != "include") continue;
      const std::string_view rest = directive_rest(token);
      const std::size_t end = rest.size() > 2 ? rest.find_first_of("\">", 1) : std::string::npos;
      if (end == std::string_view::npos || files_.size() >= kMostBookFiles) continue;
      const std::string name(rest.substr(1, end - 1));
      const fs::path beside = fs::absolute(files_[file]->path()).parent_path() / name;
      std::optional<std::string> path = beside.lexically_normal().string();
      if (is_device_header(name)) continue;
      if (!is_file_below(*path, project.root())) path = project.find(name);
      if (!path || !seen.insert(*path).second) continue;
      try {
        auto header = std::make_unique<CxxSource>(*path, read_text(*path, kMostBookBytes));
        outline_of(header->tokens(), header->path());
        files_.push_back(header.get());
        headers_.push_back(std::move(header));
      } catch (const Error&) {
        continue;  // not C++, or too large
      }
    }
}

const ReachUnit* TypeBook::find(const std::string& name) const {
  const ReachUnit* found = nullptr;
  for (const ReachUnit& unit : reach_->units()) {
    if (unit.is_function ||
        std::find(unit.names.begin(), unit.names.end(), name) == unit.names.end())
      continue;
    const auto& tokens = files_[unit.file]->tokens();
    const std::string_view first = tokens[unit.all.begin].text;
    const bool is_type = unit.body || first == "using" || first == "typedef" || first == "template";
    if (is_type && (found == nullptr || (unit.body && !found->body))) found = &unit;
  }
  return found;
}

std::string TypeBook::resolved(const std::string& type) const {
  std::string now = type;
  for (int turn = 0; turn < 4 && !value_type(now).element; ++turn) {
    const std::string name = type_name(now);
    const ReachUnit* const unit = name.empty() ? nullptr : find(name);
    if (unit == nullptr || unit->body) return now;
    const auto& tokens = files_[unit->file]->tokens();
    std::size_t begin = unit->all.begin;
    if (tokens[begin].text == "using" && begin + 3 <= unit->all.end) {
      begin += 3;
    } else if (tokens[begin].text == "typedef") {
      begin += 1;
    } else {
      return now;
    }
    const bool is_typedef = tokens[unit->all.begin].text == "typedef";
    const std::size_t end = unit->all.end - (is_typedef && unit->all.end > begin ? 1 : 0);
    const std::string stars(static_cast<std::size_t>(value_type(now).pointers), '*');
    const bool is_const = starts_with_word(now, "const");
    now = (is_const ? "const " : "") + text_of_tokens(tokens, begin, end) + stars;
  }
  return now;
}

bool TypeBook::is_enum(const std::string& type) const {
  const ReachUnit* const unit = find(type_name(resolved(type)));
  if (unit == nullptr || !unit->body) return false;
  const auto& tokens = files_[unit->file]->tokens();
  for (std::size_t i = unit->all.begin; i < unit->body->begin; ++i)
    if (tokens[i].text == "enum") return true;
  return false;
}

std::vector<config::SkeletonParameter> TypeBook::members(const std::string& type) const {
  Members found;
  add_members(type, 0, found);
  return std::move(found.all);
}

void TypeBook::add_members(const std::string& type, int depth, Members& members) const {
  const std::string whole = resolved(type);
  const ValueType known = value_type(whole);
  const std::string name = type_name(whole);
  const bool is_dim3 = name == "dim3";
  if (known.pointers == 0 && (is_dim3 || (known.element && known.elements > 1))) {
    const int count = is_dim3 ? 3 : known.elements;
    const std::string element(is_dim3 ? "uint32" : config::dtype_text(*known.element));
    for (int i = 0; i < count; ++i) {
      config::SkeletonParameter member;
      member.name = std::string(1, "xyzw"[i]);
      member.dtype = element;
      member.guess = config::ParameterGuess::scalar;
      member.value = "1";
      members.all.push_back(std::move(member));
    }
    return;
  }
  const ReachUnit* const unit = find(name);
  if (unit == nullptr || !unit->body || depth > kDeepestMember || is_enum(whole)) return;
  const auto& tokens = files_[unit->file]->tokens();
  int level = 0;
  std::size_t at = unit->body->begin + 1;
  for (const OutlineItem& item : reach_->outline(unit->file).items) {
    if (!item.is_member || item.is_function || item.all.begin <= unit->body->begin ||
        item.all.end >= unit->body->end)
      continue;
    for (; at < item.all.begin; ++at) {
      if (tokens[at].text == "{") ++level;
      if (tokens[at].text == "}") --level;
    }
    const bool is_static = std::any_of(
        tokens.begin() + static_cast<long>(item.all.begin),
        tokens.begin() + static_cast<long>(item.all.end),
        [](const Token& token) { return token.text == "static" || token.text == "friend"; });
    if (level == 0 && !is_static) add_variable(unit->file, item.all, depth, members);
  }
}

/// `float *a, b[4];`
void TypeBook::add_variable(std::size_t file, TokenRange range, int depth, Members& members) const {
  const auto& tokens = files_[file]->tokens();
  std::size_t type_end = range.begin;
  std::string type;
  int angles = 0;  // of template arguments
  for (std::size_t i = range.begin; i <= range.end; ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "<") ++angles;
    if (text == ">" || text == ">>") angles -= static_cast<int>(text.size());
    if (angles > 0) continue;
    const std::string_view next = i < range.end ? tokens[i + 1].text : ";";
    const bool ends = next == ";" || next == "," || next == "=" || next == "[" || next == "{";
    if (tokens[i].text == "=" || tokens[i].text == "{" || tokens[i].text == "(") break;
    if (!is_name(tokens[i]) || !ends || i == range.begin) continue;
    if (type.empty()) {
      type_end = i;
      type = text_of_tokens(tokens, range.begin, type_end);
    }
    const bool is_other = i > type_end;
    std::string own = type;
    if (is_other) {
      while (!own.empty() && (own.back() == '*' || own.back() == ' ')) own.pop_back();
      if (tokens[i - 1].text == "*") own += "*";
    }
    std::int64_t count = 1;
    const bool is_array = next == "[" && i + 2 <= range.end;
    if (is_array) count = parse_integer(tokens[i + 2].text).value_or(0);
    if (is_array && (count < 1 || count > kMostElements)) break;
    for (std::int64_t k = 0; k < count; ++k)
      add_member(is_array ? fmt::format("{}[{}]", tokens[i].text, k) : std::string(tokens[i].text),
                 own, depth, members);
  }
}

void TypeBook::add_member(const std::string& name, const std::string& type, int depth,
                          Members& members) const {
  if (--members.left < 0) return;
  const std::string whole = resolved(type);
  const ValueType known = value_type(whole);
  config::SkeletonParameter member = skeleton_member(name, whole);
  if (known.pointers > 0 || (known.element && known.elements <= 1)) {
    members.all.push_back(std::move(member));
    return;
  }
  if (is_enum(whole)) {
    member.value = "0";
    members.all.push_back(std::move(member));
    return;
  }
  Members inner;
  inner.left = members.left;
  add_members(whole, depth + 1, inner);
  members.left = inner.left;
  member.members = std::move(inner.all);
  if (!member.members.empty()) members.all.push_back(std::move(member));
}

}  // namespace heddle::kernel::cxx
