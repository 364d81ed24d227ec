#include "audit/cxx_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "audit/alignment.h"
#include "audit/cxx_headers.h"
#include "audit/cxx_pieces.h"
#include "kernel/cxx/clang.h"
#include "kernel/cxx/token.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

using kernel::cxx::Token;
using kernel::cxx::TokenKind;
using kernel::cxx::TokenRange;

/// Macros of heddle's device headers that say nothing about a value.
const std::set<std::string_view> kAttributes = {"__device__", "__host__", "__forceinline__",
                                                "__inline__"};
/// And those that are index values.
const std::set<std::string_view> kIndexMacros = {"hipBlockIdx_x", "hipBlockIdx_y", "hipBlockIdx_z",
                                                 "hipGridDim_x",  "hipGridDim_y",  "hipGridDim_z",
                                                 "hipBlockDim_x", "hipBlockDim_y", "hipBlockDim_z"};

class FilesComparison {
 public:
  FilesComparison(const CxxCodeSide& before, const CxxCodeSide& after, const CxxOutside* outside,
                  const CxxWorkSide* tree_before, const CxxWorkSide* tree_after)
      : before_(before),
        after_(after),
        outside_(outside),
        tree_before_(tree_before),
        tree_after_(tree_after) {}

  CxxFileChanges run() {
    compare_heads();
    compare_pieces();
    compare_headers();
    if (outside_ != nullptr) compare_bodies();
    if (!after_.grid_doubt.empty()) doubt(after_.grid_doubt);
    doubt_text(before_, "the original");
    doubt_text(after_, "the new file");
    doubt_lines(before_);
    doubt_lines(after_);
    return std::move(result_);
  }

 private:
  static const std::vector<Token>& tokens(const CxxCodeSide& side) { return side.source->tokens(); }

  void report(const TokenRange* before, const TokenRange* after, const std::string& what) {
    CodeChange one;
    one.kind = what.empty() ? CodeChange::Kind::index : CodeChange::Kind::other;
    one.what = what;
    if (before != nullptr) {
      one.line_before = tokens(before_)[before->begin].position.line;
      one.before = quoted(*before_.source, *before);
    }
    if (after != nullptr) {
      one.line_after = tokens(after_)[after->begin].position.line;
      one.after = quoted(*after_.source, *after);
    }
    result_.changes.push_back(std::move(one));
  }

  void doubt(std::string text) {
    if (std::find(result_.doubts.begin(), result_.doubts.end(), text) == result_.doubts.end())
      result_.doubts.push_back(std::move(text));
  }

  // ---- around the kernel --------------------------------------------------------------------

  static std::string head_text(const CxxCodeSide& side) {
    const auto& function = *side.function;
    std::string text;
    for (std::size_t i = function.begin; i < function.body_begin; ++i) {
      const Token& token = tokens(side)[i];
      const bool is_name = token.position.line == function.position.line &&
                           token.position.column == function.position.column;
      text += is_name ? std::string_view("\x01") : token.text;  // the name may be another
      text += ' ';
    }
    return text;
  }

  void compare_heads() {
    if (head_text(before_) == head_text(after_)) return;
    const TokenRange before{before_.function->begin, before_.function->body_begin};
    const TokenRange after{after_.function->begin, after_.function->body_begin};
    report(&before, &after, "the kernel's head");
  }

  static std::vector<TokenRange> pieces_of(const CxxCodeSide& side) {
    std::vector<TokenRange> pieces;
    const auto& function = *side.function;
    if (function.begin > 0) pieces = cut_pieces(tokens(side), 0, function.begin - 1);
    if (function.body_end + 1 < tokens(side).size()) {
      const auto rest = cut_pieces(tokens(side), function.body_end + 1, tokens(side).size() - 1);
      pieces.insert(pieces.end(), rest.begin(), rest.end());
    }
    return pieces;
  }

  static std::vector<std::string> texts_of(const CxxCodeSide& side,
                                           const std::vector<TokenRange>& pieces) {
    std::vector<std::string> texts;
    for (const TokenRange& piece : pieces) {
      std::string text;
      for (std::size_t i = piece.begin; i <= piece.end; ++i) {
        if (side.ignored.count(i) != 0) continue;
        text += tokens(side)[i].text;
        text += ' ';
      }
      texts.push_back(std::move(text));
    }
    return texts;
  }

  /// The piece declares index code, and nothing besides.
  bool is_index(const CxxCodeSide& side, const TokenRange& piece) const {
    if (outside_ == nullptr) return false;
    const bool is_old = &side == &before_;
    const kernel::cxx::CxxTree& tree = *(is_old ? tree_before_ : tree_after_)->tree;
    const int first = tokens(side)[piece.begin].position.line;
    const int last = tokens(side)[piece.end].position.line;
    for (const CxxUnit& unit : is_old ? outside_->before : outside_->after) {
      const Token& begin = tree.tokens()[unit.first];
      const Token& end = tree.tokens()[unit.behind - 1];
      if (tree.file(unit.first) != kernel::cxx::kMainFile || begin.position.line < first ||
          end.position.line > last)
        continue;
      std::set<std::string_view> words;
      for (std::size_t i = unit.first; i < unit.behind; ++i) words.insert(tree.tokens()[i].text);
      bool is_fixed = false;
      bool is_plain = true;
      for (std::size_t i = piece.begin; i <= piece.end; ++i) {
        const Token& token = tokens(side)[i];
        is_fixed = is_fixed || token.text == "__device__" || token.text == "constexpr" ||
                   token.text == "const";
        is_plain = is_plain && token.kind != TokenKind::directive && token.kind != TokenKind::text;
        if (token.kind != TokenKind::name || words.count(token.text) != 0) continue;
        is_plain = is_plain &&
                   (kAttributes.count(token.text) != 0 || kIndexMacros.count(token.text) != 0 ||
                    is_number(side, std::string(token.text)));
      }
      const bool is_named = declared_name(side, piece) == unit.name && is_fixed;
      if (is_named && is_plain) return true;
    }
    return false;
  }

  /// The name in front of the first ( or =.
  static std::string_view declared_name(const CxxCodeSide& side, const TokenRange& piece) {
    for (std::size_t i = piece.begin + 1; i <= piece.end; ++i)
      if (tokens(side)[i].text == "(" || tokens(side)[i].text == "=")
        return tokens(side)[i - 1].text;
    return {};
  }

  /// The macro is a number everywhere in the file: of the job, or defined once.
  static bool is_number(const CxxCodeSide& side, const std::string& name) {
    if (side.numbers.count(name) != 0) return true;
    int defined = 0;
    int depth = 0;
    for (const Token& token : tokens(side)) {
      if (token.kind != TokenKind::directive) continue;
      const std::string_view word = kernel::cxx::directive_name(token);
      if (word.substr(0, 2) == "if") ++depth;
      if (word == "endif") --depth;
      const std::string rest(kernel::cxx::directive_rest(token));
      if ((word == "define" || word == "undef") &&
          rest.substr(0, rest.find_first_of(" \t(")) == name)
        defined += depth == 0 && !number_macro(token).empty() ? 1 : 2;
    }
    return defined == 1;
  }

  /// `#define NAME 8` -> NAME
  static std::string number_macro(const Token& token) {
    if (token.kind != TokenKind::directive || kernel::cxx::directive_name(token) != "define")
      return {};
    const std::string rest(kernel::cxx::directive_rest(token));
    const std::size_t space = rest.find_first_of(" \t");
    return space != std::string::npos && parse_integer(trim(rest.substr(space)))
               ? rest.substr(0, space)
               : std::string();
  }

  /// A macro that is a number, whose name nothing else knows and that no header behind it can see.
  bool is_new_number(const TokenRange& piece) {
    const std::string name = number_macro(tokens(after_)[piece.begin]);
    if (name.empty() || name.front() == '_') return false;
    bool is_used = false;
    for (std::size_t i = piece.end + 1; i < tokens(after_).size(); ++i) {
      const Token& token = tokens(after_)[i];
      is_used = is_used || (token.kind == TokenKind::name && token.text == name);
      if (token.kind == TokenKind::directive && kernel::cxx::directive_name(token) == "include")
        return false;
    }
    const auto knows = [&](const std::vector<Token>& list) {
      return std::any_of(list.begin(), list.end(), [&](const Token& token) {
        return token.kind == TokenKind::directive ? token.text.find(name) != std::string::npos
                                                  : token.text == name;
      });
    };
    if (!is_used || knows(tokens(before_))) return false;
    for (const auto& [file, text] : headers_before_.files)
      if (text.find(name) != std::string::npos) return false;
    // Macros of the system's headers expand to names in small letters.
    if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; }))
      doubt(
          fmt::format("the new macro {} may stand for a name that a macro of a header uses", name));
    return true;
  }

  /// `namespace order {`, and its end.
  bool is_scope(const TokenRange& piece) const {
    const auto& all = tokens(after_);
    return (all[piece.begin].text == "namespace" && all[piece.end].text == "{") ||
           (piece.begin == piece.end && all[piece.begin].text == "}");
  }

  static std::string what_of(const CxxCodeSide& side, const TokenRange& piece) {
    if (tokens(side)[piece.begin].kind == TokenKind::directive) return "a directive";
    for (std::size_t i = piece.begin; i <= piece.end; ++i) {
      if (tokens(side)[i].text == "__global__") return "another kernel";
      if (tokens(side)[i].text == "__device__") return "a helper function";
    }
    return "host code";
  }

  void compare_pieces() {
    headers_before_ = headers_of(*before_.source, read_by(tree_before_));
    headers_after_ = headers_of(*after_.source, read_by(tree_after_));
    const auto old_pieces = pieces_of(before_);
    const auto new_pieces = pieces_of(after_);
    for (const Gap& gap : gaps(texts_of(before_, old_pieces), texts_of(after_, new_pieces))) {
      const std::size_t olds = gap.before_end - gap.before_begin;
      const std::size_t news = gap.after_end - gap.after_begin;
      for (std::size_t k = 0; k < std::max(olds, news); ++k) {
        const TokenRange* before = k < olds ? &old_pieces[gap.before_begin + k] : nullptr;
        const TokenRange* after = k < news ? &new_pieces[gap.after_begin + k] : nullptr;
        const bool old_index = before == nullptr || is_index(before_, *before);
        const bool new_index = after == nullptr || is_index(after_, *after) ||
                               (before == nullptr && is_new_number(*after));
        if (before == nullptr && is_scope(*after)) {
          doubt(fmt::format("line {} puts names into a new namespace",
                            tokens(after_)[after->begin].position.line));
          report(before, after, "");
        } else if (old_index && new_index)
          report(before, after, "");
        else
          report(
              before, after,
              after != nullptr && !new_index ? what_of(after_, *after) : what_of(before_, *before));
      }
    }
    refuse_host_uses();
  }

  /// Names of index code that changed, in host code.
  void refuse_host_uses() {
    if (outside_ == nullptr) return;
    for (const CxxCodeSide* side : {&before_, &after_}) {
      auto pieces = pieces_of(*side);
      pieces.push_back({side->function->begin, side->function->body_begin});
      for (const TokenRange& piece : pieces) {
        if (is_index(*side, piece)) continue;
        for (std::size_t i = piece.begin; i <= piece.end; ++i) {
          const Token& token = tokens(*side)[i];
          if (side->ignored.count(i) != 0) continue;
          for (const std::string& name : outside_->names) {
            const bool is_used = token.kind == TokenKind::directive
                                     ? token.text.find(name) != std::string::npos
                                     : token.text == name;
            if (is_used)
              doubt(fmt::format("'{}' changed, and line {} uses it outside the kernel's body", name,
                                token.position.line));
          }
        }
      }
    }
  }

  // ---- headers ------------------------------------------------------------------------------

  static std::vector<std::string> read_by(const CxxWorkSide* side) {
    return side != nullptr ? side->tree->user_headers() : std::vector<std::string>();
  }

  void compare_headers() {
    for (const std::string& name : different_headers(headers_before_, headers_after_)) {
      CodeChange one;
      one.kind = CodeChange::Kind::other;
      one.what = headers_before_.files.count(name) == 0  ? fmt::format("{} is new", name)
                 : headers_after_.files.count(name) == 0 ? fmt::format("{} is gone", name)
                                                         : fmt::format("{} differs", name);
      result_.changes.push_back(std::move(one));
    }
    for (const auto* headers : {&headers_before_, &headers_after_})
      for (const std::string& text : headers->doubts) doubt(text);
  }

  // ---- the body -----------------------------------------------------------------------------

  struct BodyMacros {
    std::vector<std::string> work;
    std::vector<std::string> index;
  };

  /// Directives of a body, and all tokens from the first #if to the last #endif.
  static std::string fixed_text(const CxxCodeSide& side) {
    std::string text;
    int depth = 0;
    for (std::size_t i = side.function->body_begin; i <= side.function->body_end; ++i) {
      const Token& token = tokens(side)[i];
      const bool is_directive = token.kind == TokenKind::directive;
      const std::string_view word =
          is_directive ? kernel::cxx::directive_name(token) : std::string_view();
      if (word.substr(0, 2) == "if") ++depth;
      if ((is_directive && word != "pragma") || depth > 0) {
        text += token.text;
        text += ' ';
      }
      if (word == "endif") --depth;
    }
    return text;
  }

  /// Names in the body that the compiler does not see any more: macros.
  static BodyMacros macros_of(const CxxCodeSide& side, const CxxWorkSide& tree) {
    std::set<std::string_view> seen;
    std::set<int> work_lines;
    std::set<int> index_lines;
    const auto& all = tree.tree->tokens();
    for (const CxxIndex::Statement& one : tree.index->statements())
      for (std::size_t i = tree.tree->first_token(*one.node);
           i < tree.tree->last_token(*one.node) && i < all.size(); ++i) {
        if (all[i].kind == TokenKind::name) seen.insert(all[i].text);
        (one.step >= 0 ? index_lines : work_lines).insert(all[i].position.line);
      }
    BodyMacros macros;
    for (std::size_t i = side.function->body_begin; i <= side.function->body_end; ++i) {
      const Token& token = tokens(side)[i];
      const std::string name(token.text);
      if (token.kind != TokenKind::name || seen.count(name) != 0 || kIndexMacros.count(name) != 0)
        continue;
      const bool is_index =
          index_lines.count(token.position.line) != 0 && work_lines.count(token.position.line) == 0;
      (is_index ? macros.index : macros.work).push_back(name);
    }
    return macros;
  }

  void compare_bodies() {
    if (fixed_text(before_) != fixed_text(after_))
      doubt(fmt::format("directives in the kernel's body (line {}) are not the same",
                        after_.function->position.line));
    const BodyMacros olds = macros_of(before_, *tree_before_);
    const BodyMacros news = macros_of(after_, *tree_after_);
    const auto differs =
        std::mismatch(olds.work.begin(), olds.work.end(), news.work.begin(), news.work.end());
    if (differs.first != olds.work.end() || differs.second != news.work.end())
      doubt(fmt::format("the work uses the macro {} in another way",
                        differs.second != news.work.end() ? *differs.second : *differs.first));
    const auto check = [&](const CxxCodeSide& side, const std::vector<std::string>& names,
                           const std::vector<std::string>& others) {
      if (names == others) return;
      for (const std::string& name : names)
        if (!is_number(side, name))
          doubt(fmt::format("the index code uses the macro {}, which is not a plain number", name));
    };
    check(before_, olds.index, news.index);
    check(after_, news.index, olds.index);
  }

  // ---- texts that are not what they seem ------------------------------------------------------

  void doubt_text(const CxxCodeSide& side, std::string_view name) {
    const std::string& text = side.source->text();
    if (const std::size_t at = text.find("\?\?/"); at != std::string::npos)
      doubt(fmt::format("line {} of {} has a trigraph", line_of(text, at), name));
    for (const Token& token : tokens(side))
      if (token.kind == TokenKind::directive && is_line_directive(token))
        doubt(fmt::format("line {} of {} is a #line directive", token.position.line, name));
    std::vector<std::pair<std::size_t, std::size_t>> directives;
    for (const Token& token : tokens(side))
      if (token.kind == TokenKind::directive && token.text.find("/*") == std::string_view::npos)
        directives.emplace_back(token.offset, token.offset + token.text.size());
    for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at + 1)) {
      const std::size_t next = text.find_first_not_of(" \t\f\v", at + 1);
      if (next == std::string::npos || (text[next] != '\n' && text[next] != '\r')) continue;
      const bool is_directive =
          std::any_of(directives.begin(), directives.end(),
                      [&](const auto& range) { return range.first <= at && at < range.second; });
      if (is_directive) continue;
      doubt(fmt::format("line {} of {} is joined to the next one by a backslash", line_of(text, at),
                        name));
      return;
    }
  }

  static bool is_line_directive(const Token& token) {
    const std::string_view word = kernel::cxx::directive_name(token);
    const std::size_t at = token.text.find_first_not_of("# \t");
    return word == "line" || (at != std::string_view::npos &&
                              std::isdigit(static_cast<unsigned char>(token.text[at])) != 0);
  }

  static std::ptrdiff_t line_of(const std::string& text, std::size_t at) {
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  }

  /// __LINE__ and its like in host code and in macros.
  void doubt_lines(const CxxCodeSide& side) {
    const auto look = [&](const std::vector<Token>& list, std::size_t i, int line) {
      const std::string_view text = list[i].text;
      if (text == "__COUNTER__" || text == "source_location" || text == "__builtin_LINE")
        doubt(fmt::format("line {} uses {}", line, text));
      if (text == "__LINE__" && !is_printed(list, i))
        doubt(fmt::format("line {} uses __LINE__ for more than a message", line));
    };
    const auto& all = tokens(side);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_body = i >= side.function->body_begin && i <= side.function->body_end;
      if (all[i].kind == TokenKind::name && (!is_body || all[i].text == "__COUNTER__"))
        look(all, i, all[i].position.line);
      if (all[i].kind != TokenKind::directive ||
          (all[i].text.find("__LINE__") == std::string_view::npos &&
           all[i].text.find("__COUNTER__") == std::string_view::npos))
        continue;
      const std::string rest(kernel::cxx::directive_rest(all[i]));
      try {
        const auto words = kernel::cxx::tokenize(rest, "");
        for (std::size_t k = 0; k < words.size(); ++k) look(words, k, all[i].position.line);
      } catch (const Error&) {
        doubt(fmt::format("line {} uses __LINE__ or __COUNTER__", all[i].position.line));
      }
    }
  }

  const CxxCodeSide& before_;
  const CxxCodeSide& after_;
  const CxxOutside* outside_;
  const CxxWorkSide* tree_before_;
  const CxxWorkSide* tree_after_;
  CxxHeaders headers_before_;
  CxxHeaders headers_after_;
  CxxFileChanges result_;
};

}  // namespace

CxxFileChanges compare_files(const CxxCodeSide& before, const CxxCodeSide& after,
                             const CxxOutside* outside, const CxxWorkSide* tree_before,
                             const CxxWorkSide* tree_after) {
  return FilesComparison(before, after, outside, tree_before, tree_after).run();
}

}  // namespace heddle::audit
