#include "kernel/cxx/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "kernel/cxx/declared_names.h"
#include "kernel/cxx/outline.h"
#include "kernel/cxx/token.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kLargestFile = 2u << 20;
constexpr std::size_t kMostMade = 1u << 20;  ///< text that macros make kernels of, in a file

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
  function.is_specialisation = item.template_parameters && function.template_parameters.empty();
  return function;
}

/// A kernel that is a static member of a class at namespace scope; its scope is "reduction::v1<>::"
/// where that is a template, whose parameters come first.
std::optional<CxxFunction> member_kernel(const std::vector<Token>& tokens, const Outline& outline,
                                         const OutlineItem& item) {
  const auto owner =
      std::find_if(outline.others.begin(), outline.others.end(), [&](const OutlineOther& one) {
        return one.body && one.body->begin < item.all.begin && item.all.end < one.body->end;
      });
  if (owner == outline.others.end()) return std::nullopt;
  int level = 0;
  for (std::size_t i = owner->body->begin + 1; i < item.all.begin; ++i)
    level += tokens[i].text == "{" ? 1 : tokens[i].text == "}" ? -1 : 0;
  const std::vector<std::string> names = declared_names(tokens, *owner);
  if (level != 0 || names.size() != 1) return std::nullopt;
  CxxFunction function = function_of(tokens, outline, item);
  const std::size_t head = past_template(tokens, owner->all);
  if (head == owner->all.begin) {
    function.scope += names.front() + "::";
    return function;
  }
  std::vector<std::string> parameters;
  for (const Indices& part : split_at_commas(tokens, outline, {owner->all.begin + 2, head - 2}))
    parameters.push_back(joined(tokens, without_default(tokens, outline, part), tokens.size()));
  if (!function.template_parameters.empty()) return std::nullopt;
  function.template_parameters = std::move(parameters);
  function.scope += names.front() + "<>::";
  return function;
}

/// Macros with parameters and a kernel in their text, by their names: the first definition.
std::map<std::string_view, std::size_t> kernel_makers(const std::vector<Token>& tokens) {
  std::map<std::string_view, std::size_t> makers;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::directive || directive_name(tokens[i]) != "define" ||
        tokens[i].text.find("__global__") == std::string_view::npos)
      continue;
    const std::string_view rest = directive_rest(tokens[i]);
    const std::size_t end = rest.find_first_of("( \t\\\n");
    if (end != std::string_view::npos && rest[end] == '(') makers.emplace(rest.substr(0, end), i);
  }
  return makers;
}

/// What `NAME(arguments)` at `at` becomes, if it is a macro of the file that makes kernels.
std::string kernel_macro(const std::vector<Token>& tokens, const Outline& outline, std::size_t at,
                         const std::map<std::string_view, std::size_t>& makers) {
  const auto maker = makers.find(tokens[at].text);
  return maker != makers.end()
             ? expanded_call(tokens, outline, at, directive_rest(tokens[maker->second]))
             : "";
}

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') result += c;
  return result.substr(0, 2) == "::" ? result.substr(2) : result;
}

/// "v1::kernel" of "v1<float,Plus>::kernel" and of "v1<>::kernel".
std::string without_class_arguments(const std::string& name) {
  const std::size_t end = name.rfind(">::");
  const std::size_t begin = name.find('<');
  return end == std::string::npos || begin > end ? name
                                                 : name.substr(0, begin) + name.substr(end + 1);
}

/// `name` is all of `full`, or what follows a :: in it.
bool names(const std::string& name, const std::string& full) {
  if (name == full) return true;
  return full.size() > name.size() + 2 &&
         full.compare(full.size() - name.size() - 2, 2, "::") == 0 &&
         full.compare(full.size() - name.size(), name.size(), name) == 0;
}

/// What tells overloads apart: nothing that stands at a parameter's own end, no __restrict__.
std::string overloading_type(const CxxParameter& parameter) {
  std::vector<Token> words;
  for (const Token& word : tokenize(parameter.type, "a type"))
    if (!word.text.starts_with("__restrict") && word.text != "restrict") words.push_back(word);
  const bool has_sign = std::any_of(words.begin(), words.end(), [](const Token& word) {
    return word.text == "*" || word.text == "&" || word.text == "&&";
  });
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const bool is_own = words[k].text == "const" && (!has_sign || k + 1 == words.size());
    if (!is_own) text += std::string(words[k].text) + ' ';
  }
  return text;
}

bool same_types(const CxxFunction& a, const CxxFunction& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), [](const auto& one, const auto& other) {
                      return overloading_type(one) == overloading_type(other);
                    });
}

/// Where "(float*, int)" begins in "gemm<(16)>(float*, int)".
std::size_t signature_begin(const std::string& function) {
  int depth = 0;
  if (!function.ends_with(')')) return function.size();
  for (std::size_t i = function.size(); i-- > 0;) {
    depth += function[i] == ')' ? 1 : function[i] == '(' ? -1 : 0;
    if (depth == 0) return i;
  }
  return function.size();
}

std::string file_text(const std::string& path) {
  try {
    return read_text(path, kLargestFile);
  } catch (const Error& error) {
    throw error.source().empty() ? error.in(path) : error;
  }
}

}  // namespace

std::string expanded_call(const std::vector<Token>& tokens, const Outline& outline, std::size_t at,
                          std::string_view definition) {
  if (at + 1 >= tokens.size() || !is_symbol(tokens[at + 1], "(") || definition.size() > kMostMade)
    return {};
  const std::string own = std::string(tokens[at].text);
  if (!definition.starts_with(own + "(")) return {};
  std::string text(definition);
  for (std::size_t i = text.find("\\\n"); i != std::string::npos; i = text.find("\\\n", i))
    text.replace(i, 2, "  ");
  const std::vector<Token> words = tokenize(text, own);
  std::vector<std::string> names;
  std::size_t body = 2;
  for (; body < words.size() && words[body].text != ")"; ++body)
    if (words[body].text != ",") names.emplace_back(words[body].text);
  std::vector<std::string> given;
  const TokenRange brackets = {at + 1, outline.partner[at + 1]};
  if (brackets.begin + 1 < brackets.end)
    for (const Indices& part : split_at_commas(tokens, outline, inside(brackets)))
      given.push_back(joined(tokens, part, tokens.size()));
  std::string made;
  bool pastes = true;  // nothing stands in front
  for (std::size_t i = body + 1; i < words.size(); ++i) {
    if (words[i].text == "##") {
      pastes = true;
      continue;
    }
    const auto name = std::find(names.begin(), names.end(), words[i].text);
    const auto number = static_cast<std::size_t>(name - names.begin());
    made += pastes ? "" : " ";
    const bool is_given = name != names.end() && number < given.size();
    made += is_given ? given[number] : std::string(words[i].text);
    pastes = false;
    if (made.size() > kMostMade) return {};
  }
  return made;
}

std::string signature_of(const CxxFunction& function) {
  std::vector<std::string> types;
  for (const CxxParameter& parameter : function.parameters) types.push_back(parameter.type);
  return fmt::format("({})", fmt::join(types, ", "));
}

std::string without_signature(const std::string& function) {
  return function.substr(0, signature_begin(function));
}

CxxSource::CxxSource(const std::string& path) : CxxSource(path, file_text(path)) {}

CxxSource::CxxSource(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  if (text_.size() > kLargestFile)
    throw Error(fmt::format("the file is larger than {} MiB", kLargestFile >> 20),
                "put the kernel into a file of its own")
        .in(path_);
  tokens_ = tokenize(text_, path_);
  const Outline outline = outline_of(tokens_, path_);
  const std::map<std::string_view, std::size_t> makers = kernel_makers(tokens_);
  std::size_t room = kMostMade;
  for (const OutlineItem& item : outline.items) {
    if (item.is_function && !item.is_member && add_made_kernels(outline, item, makers, room))
      continue;
    if (!item.is_kernel || !item.body || !item.name || !item.parameters) continue;
    if (!item.is_member) {
      kernels_.push_back(function_of(tokens_, outline, item));
    } else if (auto member = member_kernel(tokens_, outline, item)) {
      kernels_.push_back(std::move(*member));
    }
  }
  find_overloads();
}

void CxxSource::find_overloads() {
  std::map<std::string, std::vector<CxxFunction*>> named;
  for (CxxFunction& one : kernels_)
    if (!one.is_specialisation) named[one.scope + one.name].push_back(&one);
  for (auto& [name, all] : named) {
    // Where one differs from the first, each differs from some.
    const bool differ = std::any_of(all.begin(), all.end(), [&](const CxxFunction* one) {
      return !same_types(*one, *all.front());
    });
    for (CxxFunction* const one : all) one->is_overloaded = differ;
  }
}

bool CxxSource::add_made_kernels(const Outline& outline, const OutlineItem& item,
                                 const std::map<std::string_view, std::size_t>& makers,
                                 std::size_t& room) {
  const std::size_t at = item.name ? item.name->begin : item.all.begin;
  std::vector<CxxFunction> made;
  try {
    std::string text = kernel_macro(tokens_, outline, at, makers);
    if (text.empty() || text.size() > room) return false;
    room -= text.size();
    if (item.body) {  // KERNEL(add) { ... }, KERNEL(add)(float* x) { ... }
      for (std::size_t i = outline.partner[at + 1] + 1; i < item.head_end; ++i)
        if (outline.is_read[i]) text += ' ' + std::string(tokens_[i].text);
      text += " {}";
    }
    made = CxxSource(path_, std::move(text)).kernels_;
  } catch (const Error&) {
    return false;  // a part of something
  }
  for (CxxFunction& one : made) {
    one.scope = item.scope + one.scope;
    one.begin = item.all.begin;
    one.body_begin = item.body ? item.body->begin : item.all.end;
    one.body_end = item.body ? item.body->end : item.all.end;
    one.position = tokens_[at].position;
    kernels_.push_back(std::move(one));
  }
  return !made.empty();
}

std::vector<const CxxFunction*> CxxSource::kernels_named(const std::string& function) const {
  const std::string whole = without_spaces(function);
  const std::string named = without_signature(whole);
  const std::string asked = without_class_arguments(named);
  const std::string plain = asked.substr(0, asked.find('<'));
  std::vector<const CxxFunction*> found;
  const auto is_known = [&](const CxxFunction& one) {
    return std::any_of(found.begin(), found.end(), [&](const CxxFunction* other) {
      return one.scope + one.name == other->scope + other->name &&
             (one.is_specialisation || same_types(one, *other));
    });
  };
  const auto collect = [&](const std::string& name) {
    for (const CxxFunction& one : kernels_) {
      if (!asked.empty() && !names(name, without_class_arguments(one.scope + one.name))) continue;
      if (named != whole && without_spaces(signature_of(one)) != whole.substr(named.size()))
        continue;
      if (!is_known(one)) found.push_back(&one);
    }
  };
  collect(asked);
  if (found.empty() && plain != asked) collect(plain);
  return found;
}

const CxxFunction& CxxSource::kernel(const std::string& function) const {
  std::vector<std::string> known;
  for (const CxxFunction& one : kernels_)
    known.push_back(one.scope + one.name + (one.is_overloaded ? signature_of(one) : ""));
  if (known.empty())
    throw Error("the file has no __global__ function", "name the file that holds the kernel")
        .in(path_);
  const std::vector<const CxxFunction*> found = kernels_named(function);
  if (found.size() == 1) return *found.front();
  if (found.empty())
    throw Error(fmt::format("the file has no kernel '{}'", function),
                fmt::format("use one of: {}", fmt::join(known, " ")))
        .in(path_);
  if (function.empty())
    throw Error("the file has several kernels",
                fmt::format("name one of: {}", fmt::join(known, " ")))
        .in(path_);
  known.clear();
  for (const CxxFunction* one : found)
    known.push_back(one->scope + one->name + (one->is_overloaded ? signature_of(*one) : ""));
  throw Error(fmt::format("'{}' could be any of {} kernels", function, found.size()),
              fmt::format("name one of: {}", fmt::join(known, ", ")))
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
