#include "audit/cxx_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "audit/alignment.h"
#include "audit/cxx_statements.h"
#include "kernel/cxx/token.h"

namespace heddle::audit {
namespace {

using kernel::cxx::Token;
using kernel::cxx::TokenKind;
using kernel::cxx::TokenRange;

constexpr std::size_t kLongestQuote = 70;
constexpr std::size_t kMostNames = 1000;  ///< that a number is computed from
constexpr std::string_view kPlaceholder = "\x01";

/// Without const.
std::string plain_type(std::string type) {
  for (const std::string_view word : {"const ", "constexpr "})
    if (const std::size_t at = type.find(word); at != std::string::npos)
      type.erase(at, word.size());
  return type;
}

bool is_unsigned_int(const std::string& written) {
  const std::string type = plain_type(written);
  return type == "unsigned" || type == "unsigned int" || type == "uint32_t" || type == "uint" ||
         type == "std uint32_t";
}

/// blockIdx.x, or a name: what stands for an index value.
struct Item {
  std::string text;
  int axis = -1;  ///< of blockIdx; -1: a name, or a call
  std::size_t tokens = 1;
  std::string type = {};  ///< as written
  bool is_name = false;
  bool from_block = true;
  std::string value = {};  ///< of a call: its text for evaluation; else the same text
  friend bool operator<(const Item& a, const Item& b) { return a.text < b.text; }
};

struct Side {
  explicit Side(const CxxCodeSide& given)
      : side(given),
        tokens(given.source->tokens()),
        kernel(*given.source, *given.function, given.numbers) {}

  /// The index value that begins at a token, if one does. Parameters are none.
  std::optional<Item> item(std::size_t i) const {
    if (const std::size_t length = kernel.block_use(i))
      return Item{fmt::format("blockIdx.{}", "xyz"[kernel.block_axis(i)]), kernel.block_axis(i),
                  length, "unsigned"};
    if (const std::size_t length = kernel.helper_call(i))
      return Item{tokens_text(tokens, i, i + length - 1),
                  -1,
                  length,
                  kernel.helper_type(std::string(tokens[i].text)),
                  false,
                  true,
                  kernel.value_text(i, i + length - 1)};
    if (const std::size_t length = takes_brackets ? kernel.bracket_value(i) : 0)
      return Item{tokens_text(tokens, i, i + length - 1), -1, length, "unsigned", false, true,
                  kernel.value_text(i, i + length - 1)};
    const bool is_member = i > 0 && (tokens[i - 1].text == "." || tokens[i - 1].text == "->");
    if (tokens[i].kind == TokenKind::name && !is_member && kernel.is_index_name(tokens[i].text))
      return name_item(std::string(tokens[i].text));
    return std::nullopt;
  }

  Item name_item(const std::string& name) const {
    const CxxName& known = kernel.names().at(name);
    return Item{name, -1, 1, known.type, true, known.from_block};
  }

  /// A statement with index values left open.
  std::string open_text(const CxxStatement& statement) const {
    std::string text;
    for (std::size_t i = statement.begin; i <= statement.end; ++i) {
      const std::optional<Item> found = item(i);
      if (found) i += found->tokens - 1;
      text += found ? kPlaceholder : tokens[i].text;
      text += ' ';
    }
    return text;
  }

  std::string quoted(std::size_t begin, std::size_t end) const {
    const std::size_t from = tokens[begin].offset;
    const std::size_t to = tokens[end].offset + tokens[end].text.size();
    std::string text = side.source->text().substr(from, to - from);
    text = text.substr(0, text.find('\n'));
    if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + " ...";
    return text;
  }
  int line(std::size_t token) const { return tokens[token].position.line; }

  const CxxCodeSide& side;
  const std::vector<Token>& tokens;
  CxxStatements kernel;
  bool takes_brackets = false;  ///< (gridDim.x - 1 - blockIdx.x) is an index value, too
};

class Comparison {
 public:
  Comparison(const CxxCodeSide& before, const CxxCodeSide& after)
      : before_(before), after_(after) {}

  CxxChanges run() {
    compare_heads();
    compare_files();
    compare_index();
    compare_work();
    if (!result_.has_other()) {
      result_.by_ids = is_by_ids();
      if (!result_.by_ids) judge_items();
      if (!hidden_.empty() && !result_.changes.empty()) {
        result_.by_ids = false;
        doubt(fmt::format("{} takes the block's own index", hidden_));
      }
      for (const auto& [old_item, new_items] : items_)
        if (old_item.from_block && new_items.size() == 1)
          result_.values.emplace_back(value_of(old_item), value_of(*new_items.begin()));
      result_.index_before = before_.kernel.index_text();
      result_.index_after = after_.kernel.index_text();
    }
    std::stable_sort(result_.changes.begin(), result_.changes.end(),
                     [](const CodeChange& a, const CodeChange& b) {
                       return std::max(a.line_after, a.line_before) <
                              std::max(b.line_after, b.line_before);
                     });
    return std::move(result_);
  }

 private:
  static const std::string& value_of(const Item& item) {
    return item.value.empty() ? item.text : item.value;
  }

  void report(const TokenRange* before, const TokenRange* after, const std::string& what) {
    CodeChange one;
    one.kind = what.empty() ? CodeChange::Kind::index : CodeChange::Kind::other;
    one.what = what;
    if (before != nullptr) {
      one.line_before = before_.line(before->begin);
      one.before = before_.quoted(before->begin, before->end);
    }
    if (after != nullptr) {
      one.line_after = after_.line(after->begin);
      one.after = after_.quoted(after->begin, after->end);
    }
    result_.changes.push_back(std::move(one));
  }

  // ---- around the kernel --------------------------------------------------------------------

  std::string head_text(const Side& side) const {
    const auto& function = *side.side.function;
    std::string text;
    bool is_named = false;  // the name itself may be another
    for (std::size_t i = function.begin; i < function.body_begin; ++i) {
      const bool is_name = !is_named && side.tokens[i].position.line == function.position.line &&
                           side.tokens[i].position.column == function.position.column;
      is_named = is_named || is_name;
      text += is_name ? std::string(kPlaceholder) : std::string(side.tokens[i].text);
      text += ' ';
    }
    return text;
  }

  void compare_heads() {
    if (head_text(before_) == head_text(after_)) return;
    const TokenRange before{before_.side.function->begin, before_.side.function->body_begin};
    const TokenRange after{after_.side.function->begin, after_.side.function->body_begin};
    report(&before, &after, "the kernel's head");
  }

  /// The file without the kernel, cut into pieces.
  static std::vector<TokenRange> pieces_of(const Side& side) {
    std::vector<TokenRange> pieces;
    const auto& function = *side.side.function;
    if (function.begin > 0) pieces = cut_statements(side.tokens, 0, function.begin - 1);
    if (function.body_end + 1 < side.tokens.size()) {
      const auto rest = cut_statements(side.tokens, function.body_end + 1, side.tokens.size() - 1);
      pieces.insert(pieces.end(), rest.begin(), rest.end());
    }
    return pieces;
  }

  static std::vector<std::string> texts_of(const Side& side,
                                           const std::vector<TokenRange>& pieces) {
    std::vector<std::string> texts;
    for (const TokenRange& piece : pieces) {
      std::string text;
      for (std::size_t i = piece.begin; i <= piece.end; ++i) {
        if (side.side.ignored.count(i) != 0) continue;
        text += side.tokens[i].text;
        text += ' ';
      }
      texts.push_back(std::move(text));
    }
    return texts;
  }

  /// A changed piece that is an index helper, which nothing but index code may call.
  bool is_index_helper(const Side& side, const TokenRange& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      if (side.tokens[i].text != "(") continue;
      if (i == piece.begin || !side.kernel.is_helper(side.tokens[i - 1].text)) return false;
      changed_helpers_.emplace(side.tokens[i - 1].text);
      return true;
    }
    return false;
  }

  /// A number that the file is given for the index: a name that the original does not know, that
  /// the new file uses, and that no header behind it can see.
  bool is_new_number(const TokenRange& piece) const {
    const std::string name = number_name(after_.tokens, piece);
    bool is_used = false;
    for (std::size_t i = piece.end + 1; i < after_.tokens.size(); ++i) {
      const Token& token = after_.tokens[i];
      is_used = is_used || (token.kind == TokenKind::name && token.text == name);
      if (token.kind == TokenKind::directive && kernel::cxx::directive_name(token) == "include")
        return false;
    }
    return is_used && name.rfind('_', 0) != 0 &&
           std::none_of(before_.tokens.begin(), before_.tokens.end(), [&](const Token& token) {
             return token.kind == TokenKind::directive ? token.text.find(name) != std::string::npos
                                                       : token.text == name;
           });
  }

  static std::string what_of(const Side& side, const TokenRange& piece) {
    if (side.tokens[piece.begin].kind == TokenKind::directive) return "a directive";
    for (std::size_t i = piece.begin; i <= piece.end; ++i) {
      if (side.tokens[i].text == "__global__") return "another kernel";
      if (side.tokens[i].text == "__device__") return "a helper function";
    }
    return "host code";
  }

  void compare_files() {
    const auto old_pieces = pieces_of(before_);
    const auto new_pieces = pieces_of(after_);
    for (const Gap& gap : gaps(texts_of(before_, old_pieces), texts_of(after_, new_pieces))) {
      const std::size_t olds = gap.before_end - gap.before_begin;
      const std::size_t news = gap.after_end - gap.after_begin;
      for (std::size_t k = 0; k < std::max(olds, news); ++k) {
        const TokenRange* before = k < olds ? &old_pieces[gap.before_begin + k] : nullptr;
        const TokenRange* after = k < news ? &new_pieces[gap.after_begin + k] : nullptr;
        const bool old_helper = before == nullptr || is_index_helper(before_, *before);
        const bool new_helper = after == nullptr || is_index_helper(after_, *after) ||
                                (before == nullptr && is_new_number(*after));
        if (old_helper && new_helper)
          report(before, after, "");
        else
          report(before, after,
                 after != nullptr && !new_helper ? what_of(after_, *after)
                                                 : what_of(before_, *before));
      }
    }
  }

  // ---- index code ---------------------------------------------------------------------------

  static std::vector<const CxxStatement*> statements_of(const Side& side, bool is_index) {
    std::vector<const CxxStatement*> result;
    for (const CxxStatement& statement : side.kernel.all())
      if (statement.is_index == is_index) result.push_back(&statement);
    return result;
  }

  static TokenRange range_of(const CxxStatement& statement) {
    return {statement.begin, statement.end};
  }

  void compare_index() {
    const auto olds = statements_of(before_, true);
    const auto news = statements_of(after_, true);
    std::vector<std::string> old_texts;
    std::vector<std::string> new_texts;
    for (const auto* one : olds)
      old_texts.push_back(tokens_text(before_.tokens, one->begin, one->end));
    for (const auto* one : news)
      new_texts.push_back(tokens_text(after_.tokens, one->begin, one->end));
    for (const Gap& gap : gaps(old_texts, new_texts)) {
      std::set<const CxxStatement*> paired;
      for (std::size_t i = gap.before_begin; i < gap.before_end; ++i) {
        const CxxStatement* found = nullptr;
        for (std::size_t k = gap.after_begin; k < gap.after_end && found == nullptr; ++k)
          if (news[k]->writes == olds[i]->writes && paired.insert(news[k]).second) found = news[k];
        const TokenRange before = range_of(*olds[i]);
        const TokenRange after = found != nullptr ? range_of(*found) : TokenRange{};
        report(&before, found != nullptr ? &after : nullptr, "");
      }
      for (std::size_t k = gap.after_begin; k < gap.after_end; ++k) {
        const TokenRange after = range_of(*news[k]);
        if (paired.count(news[k]) == 0) report(nullptr, &after, "");
      }
    }
  }

  // ---- the rest of the kernel ---------------------------------------------------------------

  void compare_work() {
    const auto olds = statements_of(before_, false);
    const auto news = statements_of(after_, false);
    std::size_t i = 0;
    std::size_t k = 0;
    auto between = work_gaps(olds, news);
    if (!between.empty()) {
      before_.takes_brackets = after_.takes_brackets = true;
      auto others = work_gaps(olds, news);
      before_.takes_brackets = after_.takes_brackets = others.empty();
      if (others.empty()) between.clear();
    }
    between.push_back({olds.size(), olds.size(), news.size(), news.size()});
    for (const Gap& gap : between) {
      for (; i < gap.before_begin; ++i, ++k) pair_items(*olds[i], *news[k]);
      for (; i < gap.before_end || k < gap.after_end; ++i, ++k) {
        const bool has_old = i < gap.before_end;
        const bool has_new = k < gap.after_end;
        const TokenRange before = has_old ? range_of(*olds[i]) : TokenRange{};
        const TokenRange after = has_new ? range_of(*news[k]) : TokenRange{};
        report(has_old ? &before : nullptr, has_new ? &after : nullptr, "a statement");
      }
      i = gap.before_end;
      k = gap.after_end;
    }
    refuse_changed_helpers(news);
    doubt_hidden(before_, olds);
    doubt_hidden(after_, news);
  }

  std::vector<Gap> work_gaps(const std::vector<const CxxStatement*>& olds,
                             const std::vector<const CxxStatement*>& news) const {
    std::vector<std::string> old_texts;
    std::vector<std::string> new_texts;
    for (const auto* one : olds) old_texts.push_back(before_.open_text(*one));
    for (const auto* one : news) new_texts.push_back(after_.open_text(*one));
    return gaps(old_texts, new_texts);
  }

  /// Two statements that are the same but for index values.
  void pair_items(const CxxStatement& before, const CxxStatement& after) {
    bool is_same = true;
    std::size_t k = after.begin;
    for (std::size_t i = before.begin; i <= before.end; ++i, ++k) {
      const std::optional<Item> old_item = before_.item(i);
      const std::optional<Item> new_item = after_.item(k);
      if (!old_item || !new_item) continue;
      items_[*old_item].insert(*new_item);
      is_same = is_same && old_item->text == new_item->text;
      i += old_item->tokens - 1;
      k += new_item->tokens - 1;
    }
    const TokenRange old_range = range_of(before);
    const TokenRange new_range = range_of(after);
    if (!is_same) report(&old_range, &new_range, "");
  }

  void refuse_changed_helpers(const std::vector<const CxxStatement*>& work) {
    for (const CxxStatement* one : work)
      for (const std::string& helper : changed_helpers_)
        if (names_outside_of_items(after_, *one).count(helper) != 0) {
          const TokenRange range = range_of(*one);
          report(nullptr, &range, "a call of a function that changed");
        }
  }

  static std::set<std::string> names_outside_of_items(const Side& side, const CxxStatement& one) {
    std::set<std::string> names;
    for (std::size_t i = one.begin; i <= one.end; ++i) {
      if (const std::optional<Item> found = side.item(i))
        i += found->tokens - 1;
      else if (side.tokens[i].kind == TokenKind::name)
        names.emplace(side.tokens[i].text);
    }
    return names;
  }

  static bool is_address(const Side& side, std::size_t i) {
    const Token& before = side.tokens[i - 1];
    return side.tokens[i].text == "&" && before.kind == TokenKind::symbol && before.text != ")" &&
           before.text != "]";
  }

  /// What sees the block by itself keeps seeing the block, whatever tile it does now.
  void doubt_hidden(const Side& side, const std::vector<const CxxStatement*>& work) {
    static const std::vector<std::string_view> kOtherWays = {
        "blockIdx",  "workgroup_id", "group_id",    "ctaid", "block_rank",
        "grid_rank", "block_index",  "thread_rank", "asm"};
    const std::set<std::string> hidden = side.kernel.hidden_uses();
    for (const CxxStatement* one : work) {
      for (const std::string& name : names_outside_of_items(side, *one)) {
        const bool is_other = std::any_of(kOtherWays.begin(), kOtherWays.end(), [&](auto way) {
          return name.find(way) != std::string::npos;
        });
        if (is_other || hidden.count(name) != 0) hidden_ = name;
      }
      for (std::size_t i = one->begin + 1; i < one->end; ++i)
        if (is_address(side, i) && side.item(i + 1)) hidden_ = "the address of an index value";
    }
  }

  // ---- what index values stand for ----------------------------------------------------------

  /// The statements of the new kernel without those that write names the old one has not.
  std::vector<const CxxStatement*> without_added() const {
    std::vector<const CxxStatement*> kept;
    for (const CxxStatement& statement : after_.kernel.all()) {
      const bool is_added =
          statement.is_index &&
          std::none_of(statement.writes.begin(), statement.writes.end(),
                       [&](const std::string& name) { return before_.kernel.is_index_name(name); });
      if (!is_added) kept.push_back(&statement);
    }
    return kept;
  }

  /// What takes the place of each axis of blockIdx: `is_whole` where a name takes its value.
  struct Substitute {
    std::string text;
    bool is_whole = false;
  };

  bool substitute(int axis, Substitute by) {
    const auto [place, is_new] = substitutes_.emplace(axis, by);
    return is_new || (place->second.text == by.text && !place->second.is_whole && !by.is_whole);
  }

  bool is_by_ids() {
    const auto& olds = before_.kernel.all();
    const auto news = without_added();
    if (olds.size() != news.size()) return false;
    for (const CxxStatement* one : news)
      for (const std::string& helper : changed_helpers_)
        if (one->reads.count(helper) != 0) return false;
    for (std::size_t s = 0; s < olds.size(); ++s)
      if (!same_but_ids(olds[s], *news[s])) return false;
    return true;
  }

  bool same_but_ids(const CxxStatement& before, const CxxStatement& after) {
    if (is_whole_use(before, after)) {
      const std::size_t use = value_of(before_, before);
      return substitute(before_.kernel.block_axis(use), {*before.writes.begin(), true});
    }
    std::size_t k = after.begin;
    std::size_t i = before.begin;
    for (; i <= before.end && k <= after.end; ++i, ++k) {
      const std::size_t length = before_.kernel.block_use(i);
      if (length == 0) {
        if (after_.kernel.block_use(k) > 0 || before_.tokens[i].text != after_.tokens[k].text)
          return false;
        continue;
      }
      const std::optional<Item> other = after_.item(k);
      if (!other || !stands_in(*other, before_.kernel.block_axis(i))) return false;
      i += length - 1;
      k += other->tokens - 1;
    }
    return i == before.end + 1 && k == after.end + 1;
  }

  bool stands_in(const Item& other, int axis) {
    if (other.axis >= 0) return other.axis == axis && substitute(axis, {other.text, false});
    if (!other.is_name) return is_unsigned_int(other.type) && substitute(axis, {other.text, false});
    const auto known = after_.kernel.names().find(other.text);
    return known != after_.kernel.names().end() && known->second.writers == 1 &&
           !before_.kernel.is_index_name(other.text) && is_unsigned_int(known->second.type) &&
           substitute(axis, {other.text, false});
  }

  /// The token behind `T name =`.
  static std::size_t value_of(const Side& side, const CxxStatement& statement) {
    std::size_t i = statement.begin;
    while (i < statement.end && side.tokens[i].text != "=") ++i;
    return i + 1;
  }

  /// `T name = blockIdx.x;` before, `T name = ...;` after, and no other use of that axis.
  bool is_whole_use(const CxxStatement& before, const CxxStatement& after) const {
    if (!before.is_index || !after.is_index || before.writes.size() != 1 ||
        before.writes != after.writes)
      return false;
    const auto name = after_.kernel.names().find(*after.writes.begin());
    const std::size_t use = value_of(before_, before);
    const std::size_t length = before_.kernel.block_use(use);
    if (length == 0 || use + length != before.end || name == after_.kernel.names().end() ||
        name->second.writers != 1)
      return false;
    const std::size_t head = use - before.begin;
    return value_of(after_, after) - after.begin == head &&
           tokens_text(before_.tokens, before.begin, use - 1) ==
               tokens_text(after_.tokens, after.begin, after.begin + head - 1);
  }

  /// Whether index values that stand in for others can: one for one, of one type, of the block.
  void judge_items() {
    std::map<std::string, std::string> back;
    for (const auto& [old_item, new_items] : items_) {
      if (new_items.size() != 1)
        return doubt(fmt::format("{} is now {} in one place, {} in another", old_item.text,
                                 new_items.begin()->text, new_items.rbegin()->text));
      const Item& new_item = *new_items.begin();
      const auto [place, is_new] = back.emplace(new_item.text, old_item.text);
      if (!is_new)
        return doubt(fmt::format("{} stands for {} and for {}", new_item.text, place->second,
                                 old_item.text));
      judge_pair(old_item, new_item);
    }
  }

  void doubt(std::string text) {
    if (result_.doubt.empty()) result_.doubt = std::move(text);
  }

  static std::string type_of(const Item& item) {
    return is_unsigned_int(item.type) ? "unsigned int" : item.type;
  }

  void judge_pair(const Item& old_item, const Item& new_item) {
    const std::string old_type = type_of(old_item);
    const std::string new_type = type_of(new_item);
    if (plain_type(old_type) != plain_type(new_type))
      doubt(fmt::format("{} is {}, where {} was {}: arithmetic with it can mean something else",
                        new_item.text, new_type, old_item.text, old_type));
    if (old_item.from_block && new_item.from_block) return;
    std::set<std::string> seen;
    if (old_item.is_name && new_item.is_name && same_value(old_item.text, new_item.text, seen))
      return;
    report_value(old_item, new_item);
  }

  /// A number that is the same in every block and that more than the index depends on.
  void report_value(const Item& old_item, const Item& new_item) {
    TokenRange before;
    TokenRange after;
    const bool has_old = old_item.is_name;
    const bool has_new = new_item.is_name;
    if (has_old)
      before = range_of(before_.kernel.all()[before_.kernel.names().at(old_item.text).statement]);
    if (has_new)
      after = range_of(after_.kernel.all()[after_.kernel.names().at(new_item.text).statement]);
    report(has_old ? &before : nullptr, has_new ? &after : nullptr, "a computation");
  }

  /// Names that are computed in the same way from the same.
  bool same_value(const std::string& old_name, const std::string& new_name,
                  std::set<std::string>& seen) const {
    if (!seen.insert(old_name).second) return true;
    if (seen.size() > kMostNames) return false;
    const auto olds = before_.kernel.names().find(old_name);
    const auto news = after_.kernel.names().find(new_name);
    if (olds == before_.kernel.names().end() || news == after_.kernel.names().end())
      return olds == before_.kernel.names().end() && news == after_.kernel.names().end();
    const CxxStatement& before = before_.kernel.all()[olds->second.statement];
    const CxxStatement& after = after_.kernel.all()[news->second.statement];
    if (olds->second.writers != 1 || news->second.writers != 1 || old_name != new_name ||
        tokens_text(before_.tokens, before.begin, before.end) !=
            tokens_text(after_.tokens, after.begin, after.end))
      return false;
    return std::all_of(before.reads.begin(), before.reads.end(), [&](const std::string& name) {
      return changed_helpers_.count(name) == 0 && same_value(name, name, seen);
    });
  }

  Side before_;
  Side after_;
  std::set<std::string> changed_helpers_;
  std::map<Item, std::set<Item>> items_;  ///< of the original -> what stands there now
  std::map<int, Substitute> substitutes_;
  std::string hidden_;  ///< a name through which the work sees the block
  CxxChanges result_;
};

}  // namespace

bool CxxChanges::has_other() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const CodeChange& one) { return one.kind == CodeChange::Kind::other; });
}

CxxChanges find_cxx_changes(const CxxCodeSide& before, const CxxCodeSide& after) {
  return Comparison(before, after).run();
}

}  // namespace heddle::audit
