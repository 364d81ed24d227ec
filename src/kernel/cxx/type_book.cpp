#include "kernel/cxx/type_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "kernel/cxx/device_headers.h"
#include "kernel/cxx/host_values.h"
#include "kernel/cxx/project.h"
#include "kernel/cxx/template_arguments.h"
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

/// "bf16" of "gl<bf16, -1>", by its place.
std::string template_argument(const std::string& type, std::size_t index) {
  const std::vector<Token> tokens = tokenize(type, type);
  std::size_t open = 0;
  while (open < tokens.size() && !is_symbol(tokens[open], "<")) ++open;
  if (open + 2 >= tokens.size()) return {};
  const std::size_t end = past_angles(tokens, open);
  if (end < open + 3) return {};
  const auto parts = parts_of(tokens, {open + 1, end - 2});
  return index < parts.size() ? text_of_tokens(tokens, parts[index].begin, parts[index].end + 1)
                              : std::string();
}

bool is_texture(const std::string& name) {
  return name == "cudaTextureObject_t" || name == "hipTextureObject_t" ||
         name == "cudaSurfaceObject_t" || name == "hipSurfaceObject_t";
}

config::SkeletonParameter scalar_member(const std::string& name, const std::string& dtype,
                                        const std::string& value) {
  config::SkeletonParameter member;
  member.name = name;
  member.dtype = dtype;
  member.guess = config::ParameterGuess::scalar;
  member.value = value;
  return member;
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
      const fs::path folder = fs::absolute(files_[file]->path()).lexically_normal().parent_path();
      const fs::path beside = folder / name;
      std::optional<std::string> path = beside.lexically_normal().string();
      if (is_device_header(name)) continue;
      if (!is_file_below(*path, project.root())) path = project.find(name, folder.string());
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

/// What `using NAME = ...` in a class says; those outside classes are units.
std::string TypeBook::alias(const std::string& name) const {
  for (const CxxSource* const file : files_) {
    const auto& tokens = file->tokens();
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
      if (tokens[i].text != "using" || tokens[i + 1].text != name || tokens[i + 2].text != "=")
        continue;
      std::size_t end = i + 3;
      while (end < tokens.size() && tokens[end].text != ";") ++end;
      return text_of_tokens(tokens, i + 3, end);
    }
  }
  return {};
}

/// What a name stands for; empty: it is not an alias.
std::string TypeBook::meaning(const std::string& name) const {
  const ReachUnit* const unit = find(name);
  if (unit == nullptr) return alias(name);
  if (unit->body) return {};
  const auto& tokens = files_[unit->file]->tokens();
  std::size_t begin = unit->all.begin;
  if (tokens[begin].text == "template")
    while (begin < unit->all.end && tokens[begin].text != "using") ++begin;
  if (tokens[begin].text == "using" && begin + 3 <= unit->all.end)
    return text_of_tokens(tokens, begin + 3, unit->all.end);
  if (tokens[begin].text != "typedef" || unit->all.end < begin + 2) return {};
  return text_of_tokens(tokens, begin + 1, unit->all.end - 1);
}

std::string TypeBook::resolved(const std::string& type) const {
  std::string now = type;
  for (int turn = 0; turn < 6 && !value_type(now).element; ++turn) {
    const std::string name = type_name(now);
    const std::string stars(static_cast<std::size_t>(value_type(now).pointers), '*');
    // Which of two types it is, is not looked at: most often the first.
    std::string next = name == "conditional_t" ? template_argument(now, 1)
                       : name.empty()          ? ""
                                               : meaning(name);
    if (next.empty() || next == now) return now;
    now = (starts_with_word(now, "const") ? "const " : "") + next + stars;
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

std::string TypeBook::first_enumerator(const std::string& declaration) const {
  const std::string type = declaration.substr(0, declaration.find_last_of(' '));
  if (type.size() == declaration.size() || !is_enum(type)) return {};
  const ReachUnit* const unit = find(type_name(resolved(type)));
  const auto& tokens = files_[unit->file]->tokens();
  const std::size_t first = unit->body->begin + 1;
  const bool is_scoped =
      std::any_of(tokens.begin() + static_cast<long>(unit->all.begin),
                  tokens.begin() + static_cast<long>(unit->body->begin),
                  [](const Token& one) { return one.text == "class" || one.text == "struct"; });
  if (first >= unit->body->end || !is_name(tokens[first])) return {};
  return (is_scoped ? type + "::" : "") + std::string(tokens[first].text);
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
    for (int i = 0; i < count; ++i)
      members.all.push_back(scalar_member(std::string(1, "xyzw"[i]), element, "1"));
    return;
  }
  if (known.pointers == 0 && is_texture(name)) return add_texture(members);
  if (known.pointers == 0 && name.find("PackedTensorAccessor") != std::string::npos)
    return add_accessor(whole, members);
  if (const std::string first = template_argument(whole, 0); !first.empty())
    if (const ValueType element = value_type(resolved(first)); element.element)
      members.element = config::dtype_text(*element.element);
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

/// The array of a texture, and how it is read as far as the files say: tex2D<float4>(...),
/// filterMode = cudaFilterModeLinear.
void TypeBook::add_texture(Members& members) const {
  config::SkeletonParameter data = skeleton_member("data", "float*");
  bool is_fraction = false;
  std::set<std::string> modes;
  for (const CxxSource* const file : files_) {
    const auto& tokens = file->tokens();
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
      const std::string_view word = tokens[i].text;
      const bool reads = word.starts_with("tex") || word.starts_with("surf");
      if (reads && is_symbol(tokens[i + 1], "<")) {
        std::size_t end = i + 2;
        while (end + 1 < tokens.size() && end < i + 6 && tokens[end].text != ">") ++end;
        const ValueType texel = value_type(text_of_tokens(tokens, i + 2, end));
        if (texel.element) data.dtype = config::dtype_text(*texel.element);
      }
      for (const std::string_view mode : {"Linear", "Wrap", "Mirror", "Border"})
        if (word.ends_with("FilterMode" + std::string(mode)) ||
            word.ends_with("AddressMode" + std::string(mode)))
          modes.insert(lower_case(mode));
      if (word == "normalizedCoords" && tokens[i + 1].text == "=" &&
          (tokens[i + 2].text == "1" || tokens[i + 2].text == "true"))
        modes.insert("normalized");
      is_fraction = is_fraction || word.ends_with("ReadModeNormalizedFloat");
    }
  }
  if (is_fraction && data.dtype == "fp32") {
    data.dtype = "uint8";
    members.all.push_back(scalar_member("channel_bytes", "uint32", "1"));
  }
  for (const char* const extent : {"width", "height"})
    members.all.push_back(scalar_member(extent, "uint32", "256"));
  members.all.push_back(scalar_member("depth", "uint32", "16"));
  for (const std::string& mode : modes) members.all.push_back(scalar_member(mode, "int1", "true"));
  data.shape = "16, 256, 256, 4";
  members.all.push_back(std::move(data));
}

/// PyTorch's packed accessor, PackedTensorAccessor32<scalar_t, 3>: what it points to, sizes and
/// strides.
void TypeBook::add_accessor(const std::string& type, Members& members) const {
  const auto axes = parse_integer(template_argument(type, 1));
  if (!axes || *axes < 1 || *axes > kMostElements) return;
  const ValueType element = value_type(resolved(template_argument(type, 0)));
  config::SkeletonParameter data = skeleton_member("data_", "float*");
  if (element.element) data.dtype = config::dtype_text(*element.element);
  members.all.push_back(std::move(data));
  const std::string index = type.find("32") != std::string::npos ? "int32" : "int64";
  std::int64_t stride = 1;
  for (std::int64_t k = 0; k < *axes; ++k)
    members.all.push_back(scalar_member(fmt::format("sizes_[{}]", k), index, "8"));
  for (std::int64_t k = *axes; k-- > 0; stride *= 8)
    members.all.push_back(
        scalar_member(fmt::format("strides_[{}]", k), index, fmt::format("{}", stride)));
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
                 own, next == "=" ? initial(file, {i + 2, range.end}) : "", depth, members);
  }
}

/// `int n = 4;`: what is behind the =, if it is a number.
std::string TypeBook::initial(std::size_t file, TokenRange range) const {
  const auto& tokens = files_[file]->tokens();
  while (range.end > range.begin && tokens[range.end].text == ";") --range.end;
  HostValues values(*files_[file], {});
  const auto value = values.value(range, range.begin);
  const bool is_known = value && values.sizes().empty();
  return is_known ? fmt::format("{}", static_cast<std::int64_t>(value->number)) : std::string();
}

void TypeBook::add_member(const std::string& name, const std::string& type,
                          const std::string& value, int depth, Members& members) const {
  if (--members.left < 0) return;
  const std::string whole = resolved(type);
  const ValueType known = value_type(whole);
  config::SkeletonParameter member = skeleton_member(name, whole);
  if (known.pointers == 1 && !known.element && !members.element.empty())
    member.dtype = members.element;
  member.value = value;
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
  // A number that is wrapped up has its owner's name.
  if (inner.all.size() == 1 && inner.all.front().guess == config::ParameterGuess::scalar &&
      inner.all.front().value.empty())
    inner.all.front().value = fmt::format("{}", guessed_size(name));
  member.members = std::move(inner.all);
  if (!member.members.empty()) members.all.push_back(std::move(member));
}

}  // namespace heddle::kernel::cxx
