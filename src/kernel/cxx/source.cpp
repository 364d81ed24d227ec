#include "kernel/cxx/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/token.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kLargestFile = 2u << 20;

constexpr std::array<std::string_view, 8> kEndings = {".hip", ".cu",  ".cuh", ".cpp",
                                                      ".cc",  ".cxx", ".h",   ".hpp"};

/// Words of a type that leave the name of its parameter open.
const std::set<std::string_view> kQualifiers = {
    "const",    "volatile",     "struct",     "class",    "union",   "enum",
    "typename", "__restrict__", "__restrict", "restrict", "register"};
const std::set<std::string_view> kTypes = {"void",   "bool",  "char",   "short",    "int",
                                           "long",   "float", "double", "unsigned", "signed",
                                           "size_t", "auto",  "half",   "__half",   "float4"};

using Indices = std::vector<std::size_t>;

/// The tokens as written, with one space where the file has any.
std::string joined(const std::vector<Token>& tokens, const Indices& indices, std::size_t skipped) {
  std::string text;
  std::size_t end = 0;
  bool space = false;
  for (const std::size_t i : indices) {
    const Token& token = tokens[i];
    space = space || (!text.empty() && token.offset > end);
    end = token.offset + token.text.size();
    if (i == skipped) continue;
    if (space && !text.empty() && token.text != "[" && token.text != ")") text += ' ';
    space = false;
    text += token.text;
  }
  return text;
}

/// Without what follows `=`, and without attributes.
Indices without_default(const std::vector<Token>& tokens, const Outline& outline,
                        const Indices& part) {
  Indices kept;
  for (std::size_t k = 0; k < part.size(); ++k) {
    const std::size_t i = part[k];
    if (tokens[i].text == "=") break;
    const bool is_attribute =
        tokens[i].text == "[" && k + 1 < part.size() && tokens[part[k + 1]].text == "[";
    if (!is_attribute) {
      kept.push_back(i);
      continue;
    }
    while (k + 1 < part.size() && part[k] < outline.partner[i]) ++k;
  }
  return kept;
}

/// The token that names a parameter; none where it has no name.
std::size_t name_of(const std::vector<Token>& tokens, const Outline& outline, const Indices& part) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // void (*f)(int), int (&a)[4]
  for (std::size_t k = 1; k + 2 < part.size(); ++k) {
    const std::string_view sign = tokens[part[k + 1]].text;
    if (tokens[part[k]].text != "(" || (sign != "*" && sign != "&" && sign != "&&")) continue;
    const std::size_t behind = outline.partner[part[k]] + 1;
    if (behind < tokens.size() && (tokens[behind].text == "(" || tokens[behind].text == "["))
      return tokens[part[k + 2]].kind == TokenKind::name ? part[k + 2] : kNone;
  }
  std::size_t last = part.size();
  while (last > 0 && (tokens[part[last - 1]].text == "]" || tokens[part[last - 1]].text == ")")) {
    const std::size_t open = outline.partner[part[last - 1]];
    while (last > 0 && part[last - 1] >= open) --last;
  }
  while (last > 0 && tokens[part[last - 1]].text == "__attribute__") --last;
  if (last == 0) return kNone;
  const Token& token = tokens[part[last - 1]];
  if (token.kind != TokenKind::name || kQualifiers.count(token.text) != 0 ||
      kTypes.count(token.text) != 0)
    return kNone;
  if (last > 1 && tokens[part[last - 2]].text == "::") return kNone;
  const bool has_type =
      std::any_of(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(last) - 1,
                  [&](std::size_t i) { return kQualifiers.count(tokens[i].text) == 0; });
  return has_type ? part[last - 1] : kNone;
}

TokenRange inside(TokenRange brackets) {
  return {brackets.begin + 1, brackets.end - 1};
}

std::vector<CxxParameter> parameters_of(const std::vector<Token>& tokens, const Outline& outline,
                                        TokenRange brackets) {
  std::vector<CxxParameter> parameters;
  if (brackets.begin + 1 == brackets.end) return parameters;
  for (const Indices& whole : split_at_commas(tokens, outline, inside(brackets))) {
    const Indices part = without_default(tokens, outline, whole);
    if (part.empty() || (part.size() == 1 && tokens[part.front()].text == "void")) continue;
    const std::size_t name = name_of(tokens, outline, part);
    CxxParameter parameter;
    if (name < tokens.size()) parameter.name = tokens[name].text;
    parameter.type = joined(tokens, part, name);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

CxxFunction function_of(const std::vector<Token>& tokens, const Outline& outline,
                        const OutlineItem& item) {
  CxxFunction function;
  for (std::size_t i = item.name->begin; i <= item.name->end; ++i)
    if (outline.is_read[i]) function.name += tokens[i].text;
  function.scope = item.scope;
  function.parameters = parameters_of(tokens, outline, *item.parameters);
  if (item.template_parameters &&
      item.template_parameters->begin + 1 < item.template_parameters->end) {
    // The bracket that closes may be the last of several: `typename T = A<B<int>>`.
    for (const Indices& part : split_at_commas(tokens, outline, inside(*item.template_parameters)))
      function.template_parameters.push_back(
          joined(tokens, without_default(tokens, outline, part), tokens.size()));
  }
  function.begin = item.all.begin;
  function.body_begin = item.body->begin;
  function.body_end = item.body->end;
  function.position = tokens[item.name->begin].position;
  return function;
}

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') result += c;
  return result.substr(0, 2) == "::" ? result.substr(2) : result;
}

/// `name` is all of `full`, or what follows a :: in it.
bool names(const std::string& name, const std::string& full) {
  if (name == full) return true;
  return full.size() > name.size() + 2 &&
         full.compare(full.size() - name.size() - 2, 2, "::") == 0 &&
         full.compare(full.size() - name.size(), name.size(), name) == 0;
}

bool same_types(const CxxFunction& a, const CxxFunction& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(),
                    [](const auto& one, const auto& other) { return one.type == other.type; });
}

std::string file_text(const std::string& path) {
  try {
    return read_text(path, kLargestFile);
  } catch (const Error& error) {
    throw error.source().empty() ? error.in(path) : error;
  }
}

}  // namespace

CxxSource::CxxSource(const std::string& path) : CxxSource(path, file_text(path)) {}

CxxSource::CxxSource(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  if (text_.size() > kLargestFile)
    throw Error(fmt::format("the file is larger than {} MiB", kLargestFile >> 20),
                "put the kernel into a file of its own")
        .in(path_);
  tokens_ = tokenize(text_, path_);
  const Outline outline = outline_of(tokens_, path_);
  for (const OutlineItem& item : outline.items)
    if (item.is_kernel && item.body && item.name && item.parameters && !item.is_member)
      kernels_.push_back(function_of(tokens_, outline, item));
}

const CxxFunction& CxxSource::kernel(const std::string& function) const {
  std::vector<std::string> known;
  for (const CxxFunction& one : kernels_) known.push_back(one.scope + one.name);
  if (known.empty())
    throw Error("the file has no __global__ function", "name the file that holds the kernel")
        .in(path_);
  const std::string asked = without_spaces(function);
  const std::string plain = asked.substr(0, asked.find('<'));
  std::vector<const CxxFunction*> found;
  const auto collect = [&](const std::string& name) {
    for (const CxxFunction& one : kernels_) {
      const bool is_other = found.empty() ||
                            one.scope + one.name != found.front()->scope + found.front()->name ||
                            !same_types(one, *found.front());
      if ((asked.empty() || names(name, one.scope + one.name)) && is_other) found.push_back(&one);
    }
  };
  collect(asked);
  if (found.empty() && plain != asked) collect(plain);
  if (found.size() == 1) return *found.front();
  const std::string list = fmt::format("{}", fmt::join(known, " "));
  if (found.empty())
    throw Error(fmt::format("the file has no kernel '{}'", function), "use one of: " + list)
        .in(path_);
  if (asked.empty()) throw Error("the file has several kernels", "name one of: " + list).in(path_);
  throw Error(fmt::format("'{}' could be any of {} kernels", function, found.size()),
              "write its namespace, or give overloads names of their own: " + list)
      .at(path_, found[1]->position);
}

bool CxxSource::is_cuda() const {
  return (path_.ends_with(".cu") || path_.ends_with(".cuh")) && !includes_hip();
}

std::vector<std::size_t> CxxSource::plain_includes() const {
  std::vector<std::size_t> found;
  int depth = 0;
  std::size_t directives = 0;
  std::string_view guard;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != TokenKind::directive) continue;
    const std::string_view kind = directive_name(tokens_[i]);
    const std::string_view rest = directive_rest(tokens_[i]);
    if (kind.starts_with("if")) ++depth;
    if (kind == "endif") --depth;
    if (++directives == 1 && kind == "ifndef") guard = rest;
    if (directives == 2 && kind == "define" && rest == guard) --depth;  // around the whole file
    if (kind == "include" && depth <= 0) found.push_back(i);
  }
  return found;
}

bool CxxSource::includes_hip() const {
  const std::vector<std::size_t> all = plain_includes();
  return std::any_of(all.begin(), all.end(), [&](std::size_t i) {
    const std::string_view rest = directive_rest(tokens_[i]);
    return rest.starts_with("<hip/") || rest.starts_with("\"hip/");
  });
}

bool is_cxx_path(const std::string& path) {
  const std::string name = lower_case(path);
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
    return name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  });
}

}  // namespace heddle::kernel::cxx
