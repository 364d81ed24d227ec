#include "kernel/cxx/tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "kernel/cxx/clang.h"
#include "kernel/cxx/precompiled.h"
#include "kernel/cxx/target.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/tree_filter.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

using nlohmann::json;

constexpr std::size_t kMostJson = std::size_t{24} << 20;
constexpr int kDeepest = 1000;
constexpr const char* kFooter = "heddle_footer";
/// The name of the function that the footer calls the kernel from.
constexpr const char* kEntry = "heddle_entry";

const std::vector<std::string> kLanguage = {
    "-std=c++20", "-O2", "-fPIC", "-fdeclspec", "-fno-exceptions", "-fsanitize=kernel-address"};

/// Ids and places, which differ between equal trees, and fields that CxxNode holds by itself.
const std::set<std::string_view> kSkipped = {"id",           "loc",
                                             "range",        "inner",
                                             "kind",         "type",
                                             "name",         "value",
                                             "opcode",       "castKind",
                                             "mangledName",  "isUsed",
                                             "isReferenced", "isInvalid",
                                             "previousDecl", "referencedDecl",
                                             "virtual",      "parentDeclContextId"};

std::string run(const NativeCode& native, std::vector<std::string> arguments,
                const ClangRun& how = {}) {
  arguments.insert(arguments.begin(), kLanguage.begin(), kLanguage.end());
  ClangOutput output = run_clang(arguments, &native.place, how);
  if (!output.good) throw clang_error(output.errors, native.source_path);
  return std::move(output.output);
}

std::string expanded_text(const NativeCode& native) {
  const std::string path = native.place.folder + "/expand.cpp";
  write_input(path, fmt::format("#line 1 \"{}\"\n{}\n#line 1 \"{}\"\n#include \"heddle/entry.h\"\n"
                                "{}\n",
                                kMainFile, native.device_text, kFooter, native.entry));
  std::vector<std::string> arguments = {"-x", "c++", "-DHEDDLE_HOST=1", "-E"};
  append_common(native, arguments);
  arguments.insert(arguments.end(), {"-o", "-", path});
  return run(native, arguments);
}

/// `# 12 "file" 2 3`: the file of the next line, and its number there.
struct Marker {
  int line = 0;
  std::string file;
  bool is_system = false;
};

bool read_marker(std::string_view directive, Marker& marker) {
  const std::size_t open = directive.find('"');
  const std::size_t close = directive.rfind('"');
  if (directive.size() < 2 || directive[1] != ' ' || open == std::string_view::npos ||
      open == close)
    return false;
  const auto line = parse_integer(trim(directive.substr(1, open - 1)));
  if (!line) return false;
  marker.line = static_cast<int>(*line);
  marker.file = directive.substr(open + 1, close - open - 1);
  marker.is_system = directive.find('3', close) != std::string_view::npos;
  return true;
}

/// Markers of a part of a text do not say which file was entered or left: 1 and 2 become blanks.
std::string without_nesting(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, 2, "# ") == 0) {
      const std::size_t quote = text.rfind('"', end);
      for (std::size_t i = quote; i != std::string::npos && i > at && i < end; ++i)
        if (text[i] == '1' || text[i] == '2') text[i] = ' ';
    }
    at = end + 1;
  }
  return text;
}

std::uint64_t id_of(const json& value) {
  const auto* const text = value.get_ptr<const std::string*>();
  if (text == nullptr || text->size() < 3 || text->compare(0, 2, "0x") != 0) return 0;
  std::uint64_t id = 0;
  std::from_chars(text->data() + 2, text->data() + text->size(), id, 16);
  return id;
}

/// "(lambda at file:3:4)" -> "(lambda)": where a type stands does not matter.
std::string without_places(std::string text) {
  for (std::size_t at = text.find(" at "); at != std::string::npos;
       at = text.find(" at ", at + 1)) {
    const std::size_t open = text.rfind('(', at);
    const std::size_t close = text.find(')', at);
    if (open != std::string::npos && close != std::string::npos) text.erase(at, close - at);
  }
  return text;
}

std::string type_of(const json& type) {
  const auto found = type.find("desugaredQualType");
  return without_places(found != type.end() ? found->get<std::string>()
                                            : type.value("qualType", ""));
}

/// Attributes as text, without ids and places.
void add_attributes(const json& value, std::string& text) {
  if (value.is_object()) {
    for (const auto& [key, part] : value.items()) {
      if (kSkipped.count(key) != 0 && key != "name" && key != "kind" && key != "value") continue;
      if (id_of(part) != 0) continue;
      text += key + "=";
      add_attributes(part, text);
      text += ' ';
    }
  } else if (value.is_array()) {
    for (const json& part : value) add_attributes(part, text);
  } else {
    text += without_places(value.dump(-1, ' ', false, json::error_handler_t::replace));
  }
}

struct Offsets {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Offsets offsets_of(const json& location, std::size_t base) {
  const json& at = location.contains("expansionLoc") ? location["expansionLoc"] : location;
  if (!at.contains("offset")) return {};
  const std::size_t begin = base + at["offset"].get<std::size_t>();
  return {begin, begin + at.value("tokLen", std::size_t{0})};
}

/// `base` is where the text of the trees begins.
CxxNode node_of(const json& from, std::size_t base, int depth) {
  if (depth > kDeepest)
    throw Error("the kernel is nested too deeply to be compared", "make it simpler");
  CxxNode node;
  node.kind = from.value("kind", "");
  node.name = without_places(from.value("name", ""));
  node.opcode = from.value("opcode", "");
  node.cast = from.value("castKind", "");
  if (from.contains("id")) node.id = id_of(from["id"]);
  if (from.contains("type")) node.type = type_of(from["type"]);
  if (from.contains("value"))
    node.value =
        from["value"].is_string() ? from["value"].get<std::string>() : from["value"].dump();
  if (from.contains("loc")) node.place = offsets_of(from["loc"], base).begin;
  if (from.contains("range")) {
    node.begin = offsets_of(from["range"].value("begin", json::object()), base).begin;
    node.end = offsets_of(from["range"].value("end", json::object()), base).end;
  }
  const char* const reference =
      from.contains("referencedDecl") ? "referencedDecl" : "referencedMemberDecl";
  if (const auto found = from.find(reference); found != from.end()) {
    node.refers = id_of(found->is_object() ? found->value("id", json()) : *found);
    if (found->is_object())
      node.refers_to = fmt::format("{} {} {}", found->value("kind", ""), found->value("name", ""),
                                   type_of(found->value("type", json::object())));
  }
  if (from.contains("targetLabelDeclId")) node.refers = id_of(from["targetLabelDeclId"]);
  for (const auto& [key, part] : from.items()) {
    if (kSkipped.count(key) != 0 || id_of(part) != 0) continue;
    node.text += key + "=";
    add_attributes(part, node.text);
    node.text += ' ';
  }
  if (const auto inner = from.find("inner"); inner != from.end())
    for (const json& part : *inner) node.children.push_back(node_of(part, base, depth + 1));
  return node;
}

/// The kernel that the entry takes the address of.
const CxxNode* called_kernel(const CxxNode& node) {
  if (node.is("UnaryOperator") && node.opcode == "&") {
    const CxxNode* inner = node.children.empty() ? nullptr : &node.children.front();
    while (inner != nullptr && !inner->is("DeclRefExpr") && !inner->children.empty())
      inner = &inner->children.front();
    if (inner != nullptr && inner->is("DeclRefExpr") &&
        inner->refers_to.compare(0, 13, "FunctionDecl ") == 0)
      return inner;
  }
  for (const CxxNode& child : node.children)
    if (const CxxNode* const found = called_kernel(child)) return found;
  return nullptr;
}

const CxxNode* entry_of(const CxxNode& node) {
  if (node.is("FunctionDecl") && node.name == kEntry) return &node;
  if (!node.is("TranslationUnitDecl") && !node.is("LinkageSpecDecl")) return nullptr;
  for (const CxxNode& child : node.children)
    if (const CxxNode* const found = entry_of(child)) return found;
  return nullptr;
}

}  // namespace

CxxTree::CxxTree(const KernelProgram& program) {
  const NativeKernel* native = native_of(program);
  if (native == nullptr)
    throw Error("only a compiled kernel has syntax trees of Clang's", "give a C++ kernel");
  text_ = expanded_text(native->code());
  read_tokens();
  read_trees(native->code());
}

void CxxTree::read_tokens() {
  const std::vector<Token> all = tokenize(text_, "the expanded text");
  tokens_.reserve(all.size());
  file_of_.reserve(all.size());
  std::map<std::string, int> numbers;  // of files
  int file = -1;
  int shift = 0;  // of line numbers
  bool is_system = true;
  bool has_begun = false;
  bool is_over = false;
  for (const Token& token : all) {
    Marker marker;
    if (token.kind == TokenKind::directive && read_marker(token.text, marker)) {
      const auto [known, is_new] = numbers.emplace(marker.file, static_cast<int>(files_.size()));
      file = known->second;
      if (is_new) files_.push_back(marker.file);
      shift = marker.line - token.position.line - 1;
      is_system = marker.is_system || marker.file.empty() || marker.file.front() == '<';
      is_over = is_over || marker.file == kFooter;
      const bool is_header = !is_system && !is_over && marker.file != kMainFile &&
                             !marker.file.ends_with("expand.cpp");
      if (is_header &&
          std::find(user_headers_.begin(), user_headers_.end(), marker.file) == user_headers_.end())
        user_headers_.push_back(marker.file);
      continue;
    }
    if (!is_system && !has_begun) {
      has_begun = true;
      user_begin_ = tokens_.size();
    }
    if (!is_over) user_end_ = tokens_.size() + 1;
    tokens_.push_back(token);
    tokens_.back().position.line += shift;
    file_of_.push_back(file);
  }
}

void CxxTree::read_trees(const NativeCode& native) {
  // What comes before the user's first token is read once and stays out of the trees.
  const std::size_t first = user_begin_ < tokens_.size() ? tokens_[user_begin_].offset : 0;
  const std::size_t cut = text_.rfind('\n', first) + 1;
  const std::string header = put_header(std::string_view(text_).substr(0, cut), native.place);
  write_input(native.place.folder + "/trees.cpp", without_nesting(text_.substr(cut)));
  TreeFilter filter(kMostJson, [&](std::size_t offset) {
    const std::size_t token = token_at(cut + offset);
    return token < tokens_.size() && (!is_of_system(token) || file(token) == kFooter);
  });
  const std::string dump =
      run(native,
          {"-x", "c++", "-include-pch", precompiled_path(native.place), "-fsyntax-only", "-Xclang",
           "-ast-dump=json", native.place.folder + "/trees.cpp"},
          {.prepare = [&] { put_precompiled(header, kLanguage, native.place, native.source_path); },
           .filter = &filter});
  if (dump.empty())
    throw Error(fmt::format("the syntax trees of the kernel's files are larger than {} MiB",
                            kMostJson >> 20),
                "give a variant with fewer headers");
  const json parsed = json::parse(dump, nullptr, false);
  if (parsed.is_discarded() || !parsed.is_object())
    throw Error("Clang's syntax trees cannot be read", "is it Clang 19?");
  root_ = node_of(parsed, cut, 0);
  index(root_);
  find_kernel(native);
}

void CxxTree::index(const CxxNode& node) {
  if (node.id != 0 && node.is_declaration()) declared_.emplace(node.id, &node);
  for (const CxxNode& child : node.children) index(child);
}

void CxxTree::find_kernel(const NativeCode& native) {
  const CxxNode* const entry = entry_of(root_);
  const CxxNode* const use = entry != nullptr ? called_kernel(*entry) : nullptr;
  const CxxNode* found = use != nullptr ? declaration(use->refers) : nullptr;
  const auto has_body = [](const CxxNode& one) {
    return std::any_of(one.children.begin(), one.children.end(),
                       [](const CxxNode& child) { return child.is("CompoundStmt"); });
  };
  // A reference may be to an earlier declaration; the definition has the same name and type.
  if (found != nullptr && !has_body(*found))
    for (const auto& [id, one] : declared_)
      if (one->is("FunctionDecl") && one->name == found->name && one->type == found->type &&
          has_body(*one))
        found = one;
  if (found == nullptr || !has_body(*found))
    throw Error(fmt::format("Clang shows no body of '{}'", native.function),
                "define the kernel in the file itself")
        .in(native.source_path);
  kernel_ = found;
}

const std::string& CxxTree::file(std::size_t token) const {
  static const std::string kNone;
  return token < file_of_.size() && file_of_[token] >= 0
             ? files_[static_cast<std::size_t>(file_of_[token])]
             : kNone;
}

bool CxxTree::is_of_system(std::size_t token) const {
  const std::string& name = file(token);
  return name != kMainFile &&
         std::find(user_headers_.begin(), user_headers_.end(), name) == user_headers_.end();
}

std::size_t CxxTree::token_at(std::size_t offset) const {
  const auto found =
      std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                       [](const Token& token, std::size_t at) { return token.offset < at; });
  return static_cast<std::size_t>(found - tokens_.begin());
}

int CxxTree::line(const CxxNode& node) const {
  const std::size_t token = token_at(node.place != 0 ? node.place : node.begin);
  return token < tokens_.size() ? tokens_[token].position.line : 0;
}

const CxxNode* CxxTree::declaration(std::uint64_t id) const {
  const auto found = declared_.find(id);
  return found != declared_.end() ? found->second : nullptr;
}

namespace {

/// The headers of a tree as they are now.
std::string headers_now(const CxxTree& tree) {
  std::string all;
  for (const std::string& header : tree.user_headers()) {
    std::ifstream file(header, std::ios::binary);
    all.append(std::istreambuf_iterator<char>(file), {});
    all += '\0';
  }
  return all;
}

struct KeptTree {
  std::string key;
  std::string headers;  ///< when it was made
  std::shared_ptr<const CxxTree> tree;
};

}  // namespace

std::shared_ptr<const CxxTree> tree_of(const KernelProgram& program) {
  constexpr std::size_t kMostKept = 4;
  static std::mutex mutex;
  static std::deque<KeptTree> kept;
  const NativeKernel* native = native_of(program);
  if (native == nullptr) return std::make_shared<const CxxTree>(program);  // says what is wrong
  const NativeCode& code = native->code();
  const std::string key =
      fmt::format("{}\n{}{}\n{}\n{}\n{}", code.source_path, code.function, code.signature,
                  code.wave_lanes, fmt::join(code.defines, "\n"), code.device_text);
  const auto find = [&]() -> std::shared_ptr<const CxxTree> {
    const std::lock_guard lock(mutex);
    for (const KeptTree& one : kept)
      if (one.key == key && one.headers == headers_now(*one.tree)) return one.tree;
    return nullptr;
  };
  if (auto known = find()) return known;
  auto made = std::make_shared<const CxxTree>(program);
  const std::lock_guard lock(mutex);
  kept.push_back({key, headers_now(*made), made});
  if (kept.size() > kMostKept) kept.pop_front();
  return made;
}

}  // namespace heddle::kernel::cxx
