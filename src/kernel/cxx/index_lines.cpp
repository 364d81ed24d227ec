#include "kernel/cxx/index_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/cxx/conditions.h"
#include "kernel/cxx/outline.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/value_type.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

const std::set<std::string_view> kTypeParts = {
    "const",    "constexpr", "static", "int",     "unsigned", "long",
    "short",    "auto",      "size_t", "int32_t", "uint32_t", "int64_t",
    "uint64_t", "uint",      "std",    "signed",  "register", "volatile"};
const std::set<std::string_view> kIndexWords = {"blockIdx",      "gridDim",       "hipBlockIdx_x",
                                                "hipBlockIdx_y", "hipBlockIdx_z", "hipGridDim_x",
                                                "hipGridDim_y",  "hipGridDim_z"};
const std::set<std::string_view> kFunctions = {"min", "max", "abs", "x", "y", "z"};

bool takes_block(std::string_view word) {
  return word == "blockIdx" || word.starts_with("hipBlockIdx");
}

class LineFinder {
 public:
  LineFinder(const CxxSource& source, const CxxFunction& function)
      : source_(source), function_(function), tokens_(source.tokens()) {
    for (const CxxParameter& parameter : function.parameters)
      if (const ValueType type = value_type(parameter.type); type.pointers == 0)
        scalars_.insert(parameter.name);
    for (const std::string& parameter : function.template_parameters)
      if (const std::size_t blank = parameter.rfind(' '); !parameter.starts_with("typename") &&
                                                          !parameter.starts_with("class") &&
                                                          blank != std::string::npos)
        add_constant(parameter.substr(blank + 1));
  }

  IndexLines run() {
    find_definitions();
    collect();
    for (const Statement& one : statements_)
      for (const std::string& name : one.given)
        if (index_.count(name) > 0 && work_reads_.count(name) > 0 &&
            std::ranges::find(result_.at_work, name) == result_.at_work.end())
          result_.at_work.push_back(name);
    if (result_.at_work.empty()) {
      result_.reason = "no scalar of the block's index reaches the kernel's work";
      return std::move(result_);
    }
    for (const std::string& name : order_) result_.names.push_back(names_[name]);
    take_needed();
    return std::move(result_);
  }

 private:
  struct Statement {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< its last token
    std::set<std::string> given;
    std::set<std::string> reads;
    bool is_return = false;
  };

  void add_constant(const std::string& name) {
    scalars_.insert(name);
    result_.constexprs.push_back(name);
  }

  // ---- the file's own numbers and helpers

  void find_definitions() {
    const Outline outline = outline_of(tokens_, source_.path());
    for (const OutlineItem& item : outline.items) {
      if (item.is_member || item.is_kernel) continue;
      Statement one{item.all.begin, item.all.end, {}, {}, false};
      for (std::size_t i = one.begin; i <= one.end; ++i)
        if (is_name(tokens_[i])) one.reads.insert(std::string(tokens_[i].text));
      if (item.is_function && item.is_device && item.name) {
        one.given.insert(std::string(tokens_[item.name->begin].text));
      } else if (!item.is_function && item.is_const) {
        for (std::size_t i = one.begin; i < one.end; ++i)
          if (is_name(tokens_[i]) && is_symbol(tokens_[i + 1], "="))
            one.given.insert(std::string(tokens_[i].text));
      }
      if (!one.given.empty()) definitions_.push_back(one);
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::directive || directive_name(tokens_[i]) != "define")
        continue;
      const std::string_view rest = directive_rest(tokens_[i]);
      const std::size_t end = rest.find_first_of(" \t(");
      Statement one{i, i, {std::string(rest.substr(0, end))}, {}, false};
      definitions_.push_back(one);
    }
    for (const Statement& one : definitions_)
      for (const std::string& name : one.given) defined_.insert(name);
  }

  // ---- statements of the body

  void collect() {
    std::size_t at = function_.body_begin + 1;
    while (at < function_.body_end) {
      const std::size_t end = statement_end(at);
      Statement one{at, end, {}, {}, false};
      if (!read_statement(one)) add_work(one);
      at = end + 1;
    }
  }

  /// The last token of the statement at `at`: its semicolon, or the brace that closes it.
  std::size_t statement_end(std::size_t at) const {
    int depth = 0;
    for (std::size_t i = at; i < function_.body_end; ++i) {
      const Token& token = tokens_[i];
      if (token.kind == TokenKind::directive && i == at) return i;
      if (token.kind != TokenKind::symbol) continue;
      if (token.text == "(" || token.text == "{" || token.text == "[") ++depth;
      if (token.text == ")" || token.text == "}" || token.text == "]") --depth;
      if (depth == 0 && token.text == ";") return i;
      if (depth == 0 && token.text == "}" && !is_symbol(tokens_[i + 1], ";") &&
          !(is_name(tokens_[i + 1]) && tokens_[i + 1].text == "else"))
        return i;
    }
    return function_.body_end - 1;
  }

  void add_work(const Statement& one) {
    for (std::size_t i = one.begin; i <= one.end; ++i) {
      if (!is_name(tokens_[i])) continue;
      const std::string name(tokens_[i].text);
      work_reads_.insert(name);
      const bool is_lent = is_address(i) || is_referred(one, i);
      if (!is_assigned(i) && !is_lent) continue;
      scalars_.erase(name);  // no longer the index alone
      if (index_.count(name) > 0 && (is_lent || !is_offset(one, i)) && result_.doubt.empty())
        result_.doubt =
            fmt::format("line {} gives '{}' another value, by code that is not read here",
                        tokens_[i].position.line, name);
    }
  }

  /// &row, but not a & row.
  bool is_address(std::size_t i) const {
    const Token& before = tokens_[i - 2];
    return is_symbol(tokens_[i - 1], "&") && before.kind == TokenKind::symbol &&
           before.text != ")" && before.text != "]";
  }

  /// int& other = row
  bool is_referred(const Statement& one, std::size_t i) const {
    for (std::size_t k = one.begin + 1; k + 2 <= i; ++k)
      if (is_symbol(tokens_[k], "&") && is_name(tokens_[k + 1]) && is_symbol(tokens_[k + 2], "="))
        return true;
    return false;
  }

  /// row += threadIdx.y: the index and the place of a thread in its tile.
  bool is_offset(const Statement& one, std::size_t i) const {
    const auto decides = [&](const Token& token) {
      return is_symbol(token, "[") || is_symbol(token, "?") || token.text == "blockIdx" ||
             token.text == "gridDim" ||
             (is_name(token) && index_.count(std::string(token.text)) > 0);
    };
    return i == one.begin && is_symbol(tokens_[i + 1], "+=") &&
           std::none_of(tokens_.begin() + static_cast<long>(i + 2),
                        tokens_.begin() + static_cast<long>(one.end), decides);
  }

  bool is_assigned(std::size_t i) const {
    static const std::set<std::string_view> kAssign = {"=",  "+=",  "-=",  "*=", "/=", "%=", "++",
                                                       "--", "<<=", ">>=", "|=", "&=", "^="};
    const Token& before = tokens_[i - 1];
    return is_symbol(before, "++") || is_symbol(before, "--") ||
           (tokens_[i + 1].kind == TokenKind::symbol && kAssign.count(tokens_[i + 1].text) > 0);
  }

  bool is_known(std::string_view name) const {
    return scalars_.count(std::string(name)) > 0 || kIndexWords.count(name) > 0 ||
           kFunctions.count(name) > 0 || kTypeParts.count(name) > 0 ||
           defined_.count(std::string(name)) > 0 || is_macro(name);
  }
  /// A name in capitals that nothing defines: the compiler is given it.
  static bool is_macro(std::string_view name) {
    return std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  }

  /// An integer declaration or assignment, or `if (...) return;`, of scalars alone.
  bool read_statement(Statement& one) {
    std::size_t i = one.begin;
    if (tokens_[i].text == "if") {
      one.is_return = tokens_[one.end - 1].text == "return" ||
                      (tokens_[one.end].text == "}" && tokens_[one.end - 2].text == "return");
      if (!one.is_return) return false;
    } else {
      bool is_declared = false;
      while (is_name(tokens_[i]) && kTypeParts.count(tokens_[i].text) > 0) {
        is_declared = true;
        ++i;
      }
      const bool is_given = is_name(tokens_[i]) && is_assigned(i);
      if (!is_given || (!is_declared && index_.count(std::string(tokens_[i].text)) == 0))
        return false;
    }
    for (; i <= one.end; ++i) {
      const Token& token = tokens_[i];
      if (token.kind == TokenKind::text || token.kind == TokenKind::directive) return false;
      if (is_symbol(token, "{") && !one.is_return) return false;
      if (is_symbol(token, "[") || is_symbol(token, "&") || is_symbol(token, ".")) {
        if (!is_symbol(token, ".") || kIndexWords.count(tokens_[i - 1].text) == 0) return false;
      }
      if (!is_name(token)) continue;
      const std::string name(token.text);
      if (is_assigned(i) && !one.is_return) {
        if (tokens_[i + 1].text != "=") one.reads.insert(name);
        one.given.insert(name);
      } else if (name != "if" && name != "return") {
        if (!is_known(token.text)) return false;
        one.reads.insert(name);
      }
    }
    finish(one);
    return true;
  }

  void finish(const Statement& one) {
    const bool is_index = std::ranges::any_of(one.reads, [&](const std::string& name) {
      return takes_block(name) || index_.count(name) > 0;
    });
    for (const std::string& name : one.given) {
      scalars_.insert(name);
      if (!is_index) continue;
      index_.insert(name);
      const auto [entry, is_new] = names_.try_emplace(name);
      if (is_new) order_.push_back(name);
      entry->second.name = name;
      entry->second.is_sum =
          is_new &&
          std::none_of(tokens_.begin() + static_cast<long>(one.begin),
                       tokens_.begin() + static_cast<long>(one.end), [](const Token& token) {
                         return token.text == "/" || token.text == "%" || token.text == "-" ||
                                token.text == "min";
                       });
      for (const std::string& read : one.reads)
        if (read != name && index_.count(read) > 0) entry->second.reads.insert(read);
    }
    statements_.push_back(one);
  }

  // ---- lines

  void take_needed() {
    std::set<std::string> needed(result_.at_work.begin(), result_.at_work.end());
    std::vector<const Statement*> taken;
    std::set<const Statement*> seen;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto* list : {&statements_, &definitions_})
        for (const Statement& one : *list) {
          const bool is_needed =
              one.is_return || std::ranges::any_of(one.given, [&](const std::string& name) {
                return needed.count(name) > 0;
              });
          if (!is_needed || !seen.insert(&one).second) continue;
          needed.insert(one.reads.begin(), one.reads.end());
          taken.push_back(&one);
          changed = true;
        }
    }
    write(taken);
    find_scales();
    find_divided();
  }

  void write(const std::vector<const Statement*>& taken) {
    const std::string& text = source_.text();
    std::string kept(text.size(), ' ');
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') kept[i] = '\n';
    std::set<int> lines;
    for (const Statement* one : taken) {
      const Token& last = tokens_[one->end];
      const std::size_t end = last.offset + last.text.size();
      for (std::size_t i = tokens_[one->begin].offset; i < end; ++i) kept[i] = text[i];
      const int first = tokens_[one->begin].position.line;
      const auto more = std::count(text.begin() + static_cast<long>(tokens_[one->begin].offset),
                                   text.begin() + static_cast<long>(end), '\n');
      for (int line = first; line <= first + static_cast<int>(more); ++line) lines.insert(line);
    }
    result_.text = kept;
    result_.lines.assign(lines.begin(), lines.end());
  }

  void find_scales() {
    for (std::size_t i = function_.body_begin + 1; i + 1 < function_.body_end; ++i) {
      if (!is_symbol(tokens_[i], "*")) continue;
      for (const auto& [name, other] : {std::pair{i - 1, i + 1}, {i + 1, i - 1}})
        for (IndexName& each : result_.names)
          if (is_name(tokens_[name]) && each.name == tokens_[name].text)
            each.scales.insert(std::string(tokens_[other].text));
    }
  }

  /// Divided, compared bit by bit, or handed to a function.
  void find_divided() {
    static const std::set<std::string_view> kDivides = {"/",  "%",  ">>", "&",  "|",   "^",
                                                        "/=", "%=", "?",  "&=", ">>=", "<<"};
    for (std::size_t i = function_.body_begin + 1; i < function_.body_end; ++i) {
      const auto named = std::ranges::find(result_.names, tokens_[i].text, &IndexName::name);
      if (!is_name(tokens_[i]) || named == result_.names.end()) continue;
      std::size_t next = i + 1;
      while (is_symbol(tokens_[next], ")")) ++next;
      if (kDivides.count(tokens_[next].text) > 0 || is_argument(i)) named->is_divided = true;
    }
  }

  /// Inside the brackets of a call, or of a loop's head.
  bool is_argument(std::size_t at) const {
    int depth = 0;
    for (std::size_t i = at; i-- > function_.body_begin;) {
      if (is_symbol(tokens_[i], ";") && depth == 0) {
        // A loop's head has semicolons of its own.
        std::size_t before = i;
        while (before > function_.body_begin && !is_symbol(tokens_[before], "(") &&
               !is_symbol(tokens_[before], "}") && !is_symbol(tokens_[before], "{"))
          --before;
        return is_symbol(tokens_[before], "(") && tokens_[before - 1].text == "for";
      }
      if (is_symbol(tokens_[i], ")")) ++depth;
      if (!is_symbol(tokens_[i], "(") || depth-- > 0) continue;
      depth = 0;
      if (is_name(tokens_[i - 1]) && tokens_[i - 1].text != "if" &&
          tokens_[i - 1].text != "return" && tokens_[i - 1].text != "while")
        return true;
    }
    return false;
  }

  const CxxSource& source_;
  const CxxFunction& function_;
  const std::vector<Token>& tokens_;
  std::set<std::string> scalars_;
  std::set<std::string> index_;
  std::set<std::string> defined_;
  std::set<std::string> work_reads_;
  std::map<std::string, IndexName> names_;
  std::vector<std::string> order_;
  std::vector<Statement> statements_;
  std::vector<Statement> definitions_;
  IndexLines result_;
};

/// A header of the device's or the C++ library, or of a well-known one: it keeps to its own names.
bool is_known_header(const std::string& name, bool is_system) {
  static const std::vector<std::string_view> kDevice = {
      "hip/", "hip_", "cuda", "cooperative_groups", "device_launch_parameters.h", "mma.h"};
  if (is_library(name)) return true;
  if (!is_system) {
    const bool is_runtime = name == "hip/hip_runtime.h" || name == "cuda_runtime.h";
    return is_runtime;
  }
  const bool is_standard = name.find_first_of("./") == std::string::npos;
  static const std::set<std::string_view> kC = {"assert.h", "float.h",  "limits.h", "math.h",
                                                "stddef.h", "stdint.h", "stdio.h",  "stdlib.h",
                                                "string.h", "time.h"};
  return is_standard || kC.count(name) > 0 ||
         std::ranges::any_of(kDevice, [&](std::string_view one) { return name.starts_with(one); });
}

/// Headers are not read here: one of the user's may define a word of the lines.
std::string doubt_of_headers(const CxxSource& source) {
  for (const Token& token : source.tokens()) {
    if (token.kind != TokenKind::directive || directive_name(token) != "include") continue;
    const std::string_view rest = directive_rest(token);
    const std::size_t begin = rest.find_first_of("<\"");
    const std::size_t end = begin == std::string_view::npos
                                ? begin
                                : rest.find(rest[begin] == '<' ? '>' : '"', begin + 1);
    const std::string name(end == std::string_view::npos ? rest
                                                         : rest.substr(begin + 1, end - begin - 1));
    if (end != std::string_view::npos && is_known_header(name, rest[begin] == '<')) continue;
    return fmt::format("{} (line {}) is not read here, and may change what these lines mean", name,
                       token.position.line);
  }
  return {};
}

}  // namespace

IndexLines find_index_lines(const CxxSource& source, const std::string& function) {
  IndexLines marked;
  IndexLines found = LineFinder(source, source.kernel(function)).run();
  const std::string doubt = doubt_of_headers(source);
  if (found.doubt.empty()) found.doubt = doubt;
  if (!take_marked(source.text(), "//", marked)) return found;
  marked.constexprs = found.constexprs;
  marked.doubt = doubt;
  return marked;
}

}  // namespace heddle::kernel::cxx
