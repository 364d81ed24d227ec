#include "kernel/cxx/patch/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "kernel/alignment.h"
#include "kernel/cxx/clang.h"
#include "kernel/cxx/patch/headers.h"
#include "kernel/cxx/patch/heads.h"
#include "kernel/cxx/patch/host_numbers.h"
#include "kernel/cxx/patch/macros.h"
#include "kernel/cxx/patch/pieces.h"
#include "kernel/cxx/patch/texts.h"
#include "kernel/cxx/token.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

/// Macros of heddle's device headers that say nothing about a value.
const std::set<std::string_view> kAttributes = {"__device__", "__host__", "__forceinline__",
                                                "__inline__"};
class FileComparison {
 public:
  FileComparison(const CxxCodeSide& before, const CxxCodeSide& after, const CxxOutside* outside,
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
    if (outside_ != nullptr && outside_->has_new_system && !has_new_types_)
      doubt("the new file reads more headers of the system");
    if (!after_.grid_doubt.empty()) doubt(after_.grid_doubt);
    for (const auto& [side, name] :
         {std::pair(&before_, "the original"), {&after_, "the new file"}})
      for (const std::string& one : text_doubts(*side->source, *side->function, name)) doubt(one);
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
    if (before != nullptr && after != nullptr && one.before == one.after) {
      const auto [olds, news] = from_difference(tokens(before_), *before, tokens(after_), *after);
      one.before = quoted(*before_.source, olds);
      one.after = quoted(*after_.source, news);
    }
    result_.changes.push_back(std::move(one));
  }

  void doubt(std::string text) {
    if (std::find(result_.doubts.begin(), result_.doubts.end(), text) == result_.doubts.end())
      result_.doubts.push_back(std::move(text));
  }

  // ---- around the kernel --------------------------------------------------------------------

  void compare_heads() {
    const HeadChange change =
        compare_heads_of({*before_.source, *before_.function}, {*after_.source, *after_.function});
    if (change.is_same) return;
    const TokenRange before{before_.function->begin, before_.function->body_begin};
    const TokenRange after{after_.function->begin, after_.function->body_begin};
    if (!change.doubt.empty()) doubt(change.doubt);
    report(&before, &after, change.is_known ? "" : "the kernel's head");
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

  /// A file of a side: the kernel's own, or a header by its name.
  struct File {
    const std::vector<Token>* tokens = nullptr;
    bool is_old = false;
    std::string header = {};
  };
  File main_file(const CxxCodeSide& side) const { return {&tokens(side), &side == &before_}; }

  bool is_of(const File& file, const std::string& path) const {
    if (file.header.empty()) return path == kMainFile;
    const CxxCodeSide& side = file.is_old ? before_ : after_;
    return path != kMainFile && header_name(*side.source, path) == file.header;
  }

  /// The piece declares index code, and nothing besides.
  bool is_index(const File& file, const TokenRange& piece) const {
    if (outside_ == nullptr) return false;
    const CxxTree& tree = *(file.is_old ? tree_before_ : tree_after_)->tree;
    const std::vector<Token>& all = *file.tokens;
    const int first = all[piece.begin].position.line;
    const int last = all[piece.end].position.line;
    for (const CxxUnit& unit : file.is_old ? outside_->before : outside_->after) {
      const Token& begin = tree.tokens()[unit.first];
      const Token& end = tree.tokens()[unit.behind - 1];
      if (unit.is_scope && is_start(all, piece, unit.name) && begin.position.line == first &&
          is_of(file, tree.file(unit.first)))
        return true;
      if (begin.position.line < first || end.position.line > last || unit.is_scope ||
          declared_name(all, piece) != unit.name || !is_of(file, tree.file(unit.first)))
        continue;
      std::set<std::string_view> words;
      for (std::size_t i = unit.first; i < unit.behind; ++i) words.insert(tree.tokens()[i].text);
      if (is_plain(file, piece, words)) return true;
    }
    return false;
  }

  /// Nothing but these words, attributes and numbers.
  bool is_plain(const File& file, const TokenRange& piece,
                const std::set<std::string_view>& words) const {
    static const std::set<std::string_view> kFixed = {"__device__", "constexpr", "const", "enum",
                                                      "struct"};
    bool is_fixed = false;
    for (std::size_t i = piece.begin; i <= piece.end; ++i) {
      const Token& token = (*file.tokens)[i];
      is_fixed = is_fixed || kFixed.count(token.text) != 0;
      if (token.kind == TokenKind::directive || token.kind == TokenKind::text) return false;
      if (token.kind == TokenKind::name && words.count(token.text) == 0 &&
          kAttributes.count(token.text) == 0 && !is_index_macro(token.text) &&
          !is_number(file, std::string(token.text)))
        return false;
    }
    return is_fixed;
  }

  /// A macro of the job, or of the file.
  bool is_number(const File& file, const std::string& name) const {
    return (file.is_old ? before_ : after_).numbers.count(name) != 0 ||
           is_arithmetic_macro(*file.tokens, name);
  }

  /// A macro that is a number, whose name nothing else knows and that no header behind it can see.
  bool is_new_number(const TokenRange& piece) {
    const std::string name = arithmetic_macro(tokens(after_)[piece.begin]);
    if (name.empty() || name.front() == '_') return false;
    bool is_used = false;
    for (std::size_t i = piece.end + 1; i < tokens(after_).size(); ++i) {
      const Token& token = tokens(after_)[i];
      is_used = is_used || (token.kind == TokenKind::name && token.text == name);
      if (token.kind == TokenKind::directive && directive_name(token) == "include") return false;
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

  void compare_pieces() {
    headers_before_ = headers_of(*before_.source, read_by(tree_before_));
    headers_after_ = headers_of(*after_.source, read_by(tree_after_));
    const auto olds = pieces_of(before_);
    const auto news = pieces_of(after_);
    for (const Gap& gap : gaps(texts_of(before_, olds), texts_of(after_, news))) {
      std::set<std::size_t> paired;
      for (std::size_t i = gap.before_begin; i < gap.before_end; ++i) {
        const std::string key = key_of(tokens(before_), olds[i]);
        const TokenRange* after = nullptr;
        for (std::size_t k = gap.after_begin; k < gap.after_end && after == nullptr; ++k)
          if (!key.empty() && key_of(tokens(after_), news[k]) == key && paired.insert(k).second)
            after = &news[k];
        compare_changed(olds[i], after);
      }
      for (std::size_t k = gap.after_begin; k < gap.after_end; ++k)
        if (paired.count(k) == 0) report_new(news[k]);
    }
    refuse_host_uses();
  }

  /// A piece of the original that is another, or gone (null).
  void compare_changed(const TokenRange& before, const TokenRange* after) {
    const bool old_index = is_index(main_file(before_), before);
    const bool new_index = after == nullptr || is_index(main_file(after_), *after);
    if (old_index && new_index) return report(&before, after, "");
    const std::string macro = macro_name(tokens(before_)[before.begin]);
    const bool is_doubted =
        macro.empty() ? is_open(before_, before) && (after == nullptr || is_open(after_, *after))
                      : !is_used_outside(macro);
    if (is_doubted) {
      doubt(fmt::format(
          "line {} of the original is another now, and is not index code that heddle "
          "can read: {}",
          tokens(before_)[before.begin].position.line, quoted(*before_.source, before)));
      return report(&before, after, "");
    }
    if (after != nullptr && macro.empty() && differs_in_numbers(before, *after)) {
      doubt(fmt::format("host code computes a launch in another way in line {}",
                        tokens(after_)[after->begin].position.line));
      return report(&before, after, "");
    }
    report(&before, after,
           after != nullptr && !new_index ? what_of(tokens(after_), *after)
                                          : what_of(tokens(before_), before));
  }

  /// Host functions with a launch, of which one has other arithmetic on integers than the other.
  bool differs_in_numbers(const TokenRange& before, const TokenRange& after) const {
    std::vector<std::string> texts[2];
    std::vector<std::size_t> places[2];
    bool has_launch = false;
    for (const int side : {0, 1}) {
      const CxxCodeSide& code = side == 0 ? before_ : after_;
      const TokenRange& piece = side == 0 ? before : after;
      for (std::size_t i = piece.begin; i <= piece.end; ++i) {
        has_launch = has_launch || code.ignored.count(i) != 0;
        if (code.ignored.count(i) != 0) continue;
        texts[side].push_back(std::string(tokens(code)[i].text));
        places[side].push_back(i);
      }
    }
    if (!has_launch) return false;
    for (const Gap& gap : gaps(texts[0], texts[1])) {
      for (std::size_t i = gap.before_begin; i < gap.before_end; ++i)
        if (!is_plain_word(tokens(before_), places[0][i])) return false;
      for (std::size_t i = gap.after_begin; i < gap.after_end; ++i)
        if (!is_plain_word(tokens(after_), places[1][i])) return false;
    }
    return true;
  }

  /// The compiler sees the piece, and it may be index code.
  bool is_open(const CxxCodeSide& side, const TokenRange& piece) const {
    const CxxWorkSide* const tree = &side == &before_ ? tree_before_ : tree_after_;
    if (tree == nullptr) return false;
    const auto found = likely_index(*tree->tree);
    return std::any_of(found.begin(), found.end(), [&](const CxxLikely& one) {
      const auto names = [&](const Token& token) { return token.text == one.name; };
      return one.first >= tokens(side)[piece.begin].position.line &&
             one.last <= tokens(side)[piece.end].position.line &&
             std::any_of(tokens(side).begin() + static_cast<std::ptrdiff_t>(piece.begin),
                         tokens(side).begin() + static_cast<std::ptrdiff_t>(piece.end) + 1, names);
    });
  }

  /// Something besides the kernel uses the macro.
  bool is_used_outside(const std::string& macro) const {
    for (const CxxCodeSide* side : {&before_, &after_})
      for (std::size_t i = 0; i < tokens(*side).size(); ++i) {
        const bool is_body = i >= side->function->body_begin && i <= side->function->body_end;
        if (!is_body && tokens(*side)[i].text == macro) return true;
      }
    return false;
  }

  void report_new(const TokenRange& piece) {
    const Token& first = tokens(after_)[piece.begin];
    const bool is_directive = first.kind == TokenKind::directive;
    if (is_directive && directive_name(first) == "pragma")
      return report(nullptr, &piece, "a directive");
    const bool is_end = piece.begin == piece.end && first.text == "}" && open_scopes_ > 0;
    const bool is_known = is_index(main_file(after_), piece) || is_new_number(piece) || is_end ||
                          (is_directive && is_known_include(first));
    if (first.text == "namespace" && is_known) ++open_scopes_;
    if (is_end) --open_scopes_;
    if (!is_known)
      doubt(fmt::format("line {} is new, and is not index code that heddle can read: {}",
                        first.position.line, quoted(*after_.source, piece)));
    report(nullptr, &piece, "");
  }

  /// An #include of a header that is judged by itself, or that holds types and numbers alone.
  bool is_known_include(const Token& directive) {
    const std::string name = included_name(directive);
    if (headers_after_.files.count(name) != 0) return headers_before_.files.count(name) == 0;
    if (tree_after_ == nullptr || directive.text.find('<') == std::string_view::npos) return false;
    const CxxTree& tree = *tree_after_->tree;
    std::set<std::string_view> plain;  // names that the compiler still sees
    for (std::size_t i = tree.user_begin(); i < tree.user_end(); ++i)
      if (!tree.is_of_system(i)) plain.insert(tree.tokens()[i].text);
    const bool is_of_types = is_header_of_types(name, *before_.source, headers_before_, plain) &&
                             is_header_of_types(name, *after_.source, headers_after_, plain);
    has_new_types_ = has_new_types_ || is_of_types;
    return is_of_types;
  }

  /// Names of index code that changed, in host code and headers.
  void refuse_host_uses() {
    if (outside_ == nullptr) return;
    for (const CxxCodeSide* side : {&before_, &after_}) {
      auto pieces = pieces_of(*side);
      pieces.push_back({side->function->begin, side->function->body_begin});
      for (const TokenRange& piece : pieces)
        if (!is_index(main_file(*side), piece)) doubt_uses(main_file(*side), piece, side->ignored);
      for (const auto& [name, text] : (side == &before_ ? headers_before_ : headers_after_).files) {
        const std::vector<Token> all = tokens_of(text);
        const File file{&all, side == &before_, name};
        if (all.empty()) continue;
        for (const TokenRange& piece : cut_pieces(all, 0, all.size() - 1))
          if (!is_index(file, piece)) doubt_uses(file, piece, {});
      }
    }
  }

  void doubt_uses(const File& file, const TokenRange& piece, const std::set<std::size_t>& ignored) {
    for (std::size_t i = piece.begin; i <= piece.end; ++i) {
      const Token& token = (*file.tokens)[i];
      if (ignored.count(i) != 0 || !included_name(token).empty()) continue;
      for (const std::string& name : outside_->names) {
        const bool is_used = token.kind == TokenKind::directive
                                 ? token.text.find(name) != std::string::npos
                                 : token.text == name;
        if (is_used)
          doubt(fmt::format("'{}' changed, and {}line {} uses it outside the kernel's body", name,
                            file.header.empty() ? "" : file.header + ", ", token.position.line));
      }
    }
  }

  // ---- headers ------------------------------------------------------------------------------

  static std::vector<std::string> read_by(const CxxWorkSide* side) {
    return side != nullptr ? side->tree->user_headers() : std::vector<std::string>();
  }

  /// Nothing: it is not a text of C++.
  static std::vector<Token> tokens_of(const std::string& text) {
    try {
      return tokenize(text, "");
    } catch (const Error&) {
      return {};
    }
  }

  void compare_headers() {
    for (const std::string& name : different_headers(headers_before_, headers_after_)) {
      const bool is_new = headers_before_.files.count(name) == 0;
      const bool is_gone = headers_after_.files.count(name) == 0;
      CodeChange one;
      one.what = fmt::format("{} {}", name, is_new ? "is new" : is_gone ? "is gone" : "differs");
      const bool is_index_code =
          !is_gone && has_same_work(name, is_new ? "" : headers_before_.files.at(name),
                                    headers_after_.files.at(name));
      if (is_new && !is_index_code)
        doubt(one.what + ", and is not index code that heddle can read");
      if (is_new && asks_for_files()) doubt(one.what + ", and __has_include may tell");
      one.kind = is_new || is_index_code ? CodeChange::Kind::index : CodeChange::Kind::other;
      if (one.kind == CodeChange::Kind::index) {
        one.after = one.what;
        one.what.clear();
      }
      result_.changes.push_back(std::move(one));
    }
    for (const auto* headers : {&headers_before_, &headers_after_})
      for (const std::string& text : headers->doubts) doubt(text);
  }

  bool asks_for_files() const {
    constexpr std::string_view kAsks = "__has_";
    if (after_.source->text().find(kAsks) != std::string::npos) return true;
    return std::any_of(
        headers_after_.files.begin(), headers_after_.files.end(),
        [&](const auto& one) { return one.second.find(kAsks) != std::string::npos; });
  }

  /// Two texts of a header are the same but for index code; a new one may begin with #pragma once.
  bool has_same_work(const std::string& name, const std::string& before, const std::string& after) {
    for (const std::string* text : {&before, &after})
      if (text->find('\\') != std::string::npos || text->find("\?\?/") != std::string::npos)
        return false;
    const std::vector<Token> olds = tokens_of(before);
    const std::vector<Token> news = tokens_of(after);
    if (news.empty() || (olds.empty() && !before.empty())) return false;
    const auto pieces = [](const std::vector<Token>& all) {
      return all.empty() ? std::vector<TokenRange>() : cut_pieces(all, 0, all.size() - 1);
    };
    const auto texts = [](const std::vector<Token>& all, const std::vector<TokenRange>& list) {
      std::vector<std::string> result;
      for (const TokenRange& one : list) result.push_back(tokens_text(all, one.begin, one.end));
      return result;
    };
    const auto old_pieces = pieces(olds);
    const auto new_pieces = pieces(news);
    int open = 0;
    for (const Gap& gap : gaps(texts(olds, old_pieces), texts(news, new_pieces))) {
      for (std::size_t i = gap.before_begin; i < gap.before_end; ++i)
        if (!is_index({&olds, true, name}, old_pieces[i])) return false;
      for (std::size_t k = gap.after_begin; k < gap.after_end; ++k) {
        const std::string_view text = news[new_pieces[k].begin].text;
        const bool is_index_piece = is_index({&news, false, name}, new_pieces[k]);
        const bool is_end = text == "}" && open > 0 && new_pieces[k].begin == new_pieces[k].end;
        const bool is_once = k == 0 && before.empty() && text == "#pragma once";
        if (!is_index_piece && !is_end && !is_once) return false;
        open += is_end ? -1 : text == "namespace" ? 1 : 0;
      }
    }
    return true;
  }

  // ---- the body -----------------------------------------------------------------------------

  void compare_bodies() {
    if (fixed_text(*before_.source, *before_.function) !=
        fixed_text(*after_.source, *after_.function))
      doubt(fmt::format("directives in the kernel's body (line {}) are not the same",
                        after_.function->position.line));
    const BodyMacros olds = body_macros(*before_.source, *before_.function, *tree_before_);
    const BodyMacros news = body_macros(*after_.source, *after_.function, *tree_after_);
    const auto differs =
        std::mismatch(olds.work.begin(), olds.work.end(), news.work.begin(), news.work.end());
    if (differs.first != olds.work.end() || differs.second != news.work.end())
      doubt(fmt::format("the work uses the macro {} in another way",
                        differs.second != news.work.end() ? *differs.second : *differs.first));
    const auto check = [&](const CxxCodeSide& side, const std::vector<std::string>& names,
                           const std::vector<std::string>& others) {
      if (names == others) return;
      for (const std::string& name : names)
        if (!is_number(main_file(side), name))
          doubt(fmt::format("the index code uses the macro {}, which is not a plain number", name));
    };
    check(before_, olds.index, news.index);
    check(after_, news.index, olds.index);
  }

  const CxxCodeSide& before_;
  const CxxCodeSide& after_;
  const CxxOutside* outside_;
  const CxxWorkSide* tree_before_;
  const CxxWorkSide* tree_after_;
  CxxHeaders headers_before_;
  CxxHeaders headers_after_;
  bool has_new_types_ = false;
  int open_scopes_ = 0;  ///< new namespaces of index code whose end comes
  CxxFileChanges result_;
};

}  // namespace

CxxFileChanges compare_files(const CxxCodeSide& before, const CxxCodeSide& after,
                             const CxxOutside* outside, const CxxWorkSide* tree_before,
                             const CxxWorkSide* tree_after) {
  return FileComparison(before, after, outside, tree_before, tree_after).run();
}

}  // namespace heddle::kernel::cxx
