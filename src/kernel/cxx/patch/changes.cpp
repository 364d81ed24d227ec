#include "kernel/cxx/patch/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "kernel/alignment.h"
#include "kernel/cxx/clang.h"
#include "kernel/cxx/patch/doubts.h"
#include "kernel/cxx/patch/pieces.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kLongestQuote = 70;

/// Variables that a statement declares or writes, and those that it names.
void find_names(const CxxNode& node, std::set<std::uint64_t>& names) {
  if (node.is("VarDecl")) names.insert(node.id);
  if (node.is("DeclRefExpr")) names.insert(node.refers);
  for (const CxxNode& child : node.children) find_names(child, names);
}

std::string raw_line(const std::string& text, int line) {
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos) return {};
  return std::string(trim(text.substr(at, text.find('\n', at) - at)));
}

struct Side {
  explicit Side(const CxxCompared& given)
      : compared(given),
        owned(std::make_shared<CxxIndex>(*given.tree)),
        index(*owned),
        work{given.tree.get(), &index, {}} {}

  std::size_t behind(const CxxNode& node) const {
    const std::size_t token = compared.tree->last_token(node);
    const auto& tokens = compared.tree->tokens();
    return token < tokens.size() && tokens[token].text == ";" && tokens[token - 1].text != "}" &&
                   tokens[token - 1].text != ";"
               ? token + 1
               : token;
  }
  std::string text(const CxxNode& node) const {
    return tokens_text(compared.tree->tokens(), compared.tree->first_token(node), behind(node) - 1);
  }
  int line(const CxxNode& node) const {
    const std::size_t token = compared.tree->first_token(node);
    return compared.tree->tokens()[token].position.line;
  }
  /// As it is written, if that is to be seen; its first line.
  std::string quoted(const CxxNode& node) const {
    const auto& tokens = compared.tree->tokens();
    const auto& last = tokens[behind(node) - 1];
    std::string text =
        compared.tree->text().substr(node.begin, last.offset + last.text.size() - node.begin);
    text = text.substr(0, text.find('\n'));
    const std::string line_text = raw_line(compared.code->source->text(), line(node));
    if (line_text.find(text) == std::string::npos) text = line_text;
    if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + " ...";
    return text;
  }

  CxxDoubtSide beyond() const { return {compared.code, compared.tree.get(), &index}; }

  const CxxCompared& compared;
  std::shared_ptr<CxxIndex> owned;
  CxxIndex& index;
  CxxWorkSide work;
};

class Comparison {
 public:
  Comparison(const CxxCompared& before, const CxxCompared& after)
      : before_(before),
        after_(after),
        same_launch_(is_same_launch(*before.launch, *after.launch)) {}

  CxxChanges run() {
    const CxxOutside outside = compare_outside(before_.work, after_.work);
    CxxFileChanges files = compare_files(*before_.compared.code, *after_.compared.code, &outside,
                                         &before_.work, &after_.work);
    result_.changes = std::move(files.changes);
    for (const std::string& one : files.doubts) doubt(one);
    report_outside(outside);
    work_.emplace(before_.work, after_.work, same_launch_);
    find_unreadable();
    compare_work();
    compare_index();
    for (const std::string& one : files.doubts) doubt(one);
    const std::string leftover = work_->leftover_name(outside.names);
    if (!leftover.empty() && body_text(before_) + index_text(outside.before) !=
                                 body_text(after_) + index_text(outside.after))
      doubt(fmt::format("the work names '{}' where no value stands", leftover));
    for (const std::string& one :
         doubts_beyond_trees(before_.beyond(), after_.beyond(), outside, result_.changes))
      doubt(one);
    for (const int line : outside.line_numbers) doubt_line(line);
    for (const int line : work_->line_numbers()) doubt_line(line);
    if (!result_.has_other() && result_.doubt.empty()) show_values();
    std::stable_sort(result_.changes.begin(), result_.changes.end(),
                     [](const CodeChange& a, const CodeChange& b) {
                       return std::max(a.line_after, a.line_before) <
                              std::max(b.line_after, b.line_before);
                     });
    return std::move(result_);
  }

 private:
  void doubt(const std::string& text) {
    if (result_.doubt.empty()) result_.doubt = text;
  }
  void doubt_line(int line) {
    doubt(fmt::format("__LINE__ is another number in line {}, and is not just printed", line));
  }

  void report(const CxxNode* before, const CxxNode* after, const std::string& what) {
    CodeChange one;
    one.kind = what.empty() ? CodeChange::Kind::index : CodeChange::Kind::other;
    one.what = what;
    if (before != nullptr) {
      one.line_before = before_.line(*before);
      one.before = before_.quoted(*before);
    }
    if (after != nullptr) {
      one.line_after = after_.line(*after);
      one.after = after_.quoted(*after);
    }
    result_.changes.push_back(std::move(one));
  }

  static std::string token_place(const CxxTree& tree, std::size_t token) {
    const std::string& file = tree.file(token);
    const std::size_t slash = file.find_last_of('/');
    const std::string name = file == kMainFile            ? ""
                             : slash == std::string::npos ? file + ", "
                                                          : file.substr(slash + 1) + ", ";
    return fmt::format("{}line {}", name, tree.tokens()[token].position.line);
  }

  void report_outside(const CxxOutside& outside) {
    if (!outside.misused.empty())
      doubt(fmt::format("'{}' changed, and more than index code uses it", outside.misused));
    for (const std::string& one : outside.doubts) doubt(one);
    if (outside.is_same || result_.has_other()) return;
    const CxxTree& tree = *after_.compared.tree;
    CodeChange one;
    one.kind = CodeChange::Kind::other;
    one.what = fmt::format(
        "the compiler sees another text from {} on: '{}', not '{}'",
        token_place(tree, outside.differs_after),
        tree.tokens()[outside.differs_after].text.substr(0, kLongestQuote),
        before_.compared.tree->tokens()[outside.differs_before].text.substr(0, kLongestQuote));
    result_.changes.push_back(std::move(one));
  }

  // ---- index code that heddle cannot read ---------------------------------------------------

  /// Statements of integers alone that one side has and the other has not, and that are not in the
  /// grammar: they may be index code.
  void find_unreadable() {
    const auto find = [&](Side& side, const Side& other, std::set<std::uint64_t>& names) {
      std::multiset<std::string> known;
      for (const CxxIndex::Statement& one : other.index.statements())
        known.insert(other.text(*one.node));
      for (const CxxIndex::Statement& one : side.index.statements()) {
        if (one.step >= 0 || !one.is_integer) continue;
        const auto found = known.find(side.text(*one.node));
        if (found != known.end()) {
          known.erase(found);
          continue;
        }
        find_names(*one.node, names);
        if (unreadable_.what.empty() || one.refusal.pass < unreadable_.pass)
          unreadable_ = one.refusal;
      }
    };
    find(before_, after_, doubted_before_);
    find(after_, before_, doubted_after_);
  }

  bool is_doubted(const CxxNode* before, const CxxNode* after) const {
    const auto meets = [](const CxxNode* node, const std::set<std::uint64_t>& doubted) {
      std::set<std::uint64_t> names;
      if (node != nullptr) find_names(*node, names);
      return std::any_of(names.begin(), names.end(),
                         [&](std::uint64_t id) { return doubted.count(id) != 0; });
    };
    return meets(before, doubted_before_) || meets(after, doubted_after_);
  }

  void report_work(const CxxNode* before, const CxxNode* after, const std::string& what) {
    if (before != nullptr && after != nullptr && work_->differ_in_types(*before, *after)) {
      doubt(fmt::format("the statement in line {} computes in other integer types",
                        after_.line(*after)));
      return report(before, after, "");
    }
    if (before != nullptr && after != nullptr && work_->differ_in_turns(*before, *after)) {
      doubt(fmt::format("index code inside the loop in line {} is not compared",
                        after_.line(*after)));
      return report(before, after, "");
    }
    if (!is_doubted(before, after)) return report(before, after, what);
    report(before, after, "");
    doubt(fmt::format("{} in line {} is not index code that heddle can read", unreadable_.what,
                      unreadable_.line));
  }

  // ---- work ---------------------------------------------------------------------------------

  static std::vector<std::size_t> work_of(const Side& side) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < side.index.statements().size(); ++i)
      if (side.index.statements()[i].step < 0) numbers.push_back(i);
    return numbers;
  }

  const CxxNode* old_node(std::size_t i) const { return head(before_.index.statements()[i]); }
  const CxxNode* new_node(std::size_t i) const { return head(after_.index.statements()[i]); }

  /// Of a branch around all the rest, its condition.
  static const CxxNode* head(const CxxIndex::Statement& one) {
    return one.is_around ? &one.node->children.front() : one.node;
  }

  /// Blocks return behind code that does something: whether that makes a difference is not compared.
  bool doubt_late_guard(const Side& side, const std::size_t* statement) {
    if (statement == nullptr) return false;
    const CxxIndex::Statement& one = side.index.statements()[*statement];
    if (!one.is_late_guard) return false;
    doubt(fmt::format("blocks return in line {}, behind code that is not index code",
                      side.line(*one.node)));
    report(&side == &before_ ? one.node : nullptr, &side == &after_ ? one.node : nullptr, "");
    return true;
  }

  void compare_work() {
    const auto olds = work_of(before_);
    const auto news = work_of(after_);
    std::vector<std::string> old_forms;
    std::vector<std::string> new_forms;
    for (const std::size_t i : olds) old_forms.push_back(work_->form_before(i));
    for (const std::size_t i : news) new_forms.push_back(work_->form_after(i));
    auto between = gaps(old_forms, new_forms);
    between.push_back({olds.size(), olds.size(), news.size(), news.size()});
    std::size_t i = 0;
    std::size_t k = 0;
    for (const Gap& gap : between) {
      for (; i < gap.before_begin; ++i, ++k) compare(olds[i], news[k]);
      for (; i < gap.before_end || k < gap.after_end; ++i, ++k) {
        const std::size_t* const old_one = i < gap.before_end ? &olds[i] : nullptr;
        const std::size_t* const new_one = k < gap.after_end ? &news[k] : nullptr;
        const bool is_old_guard = doubt_late_guard(before_, old_one);
        const bool is_new_guard = doubt_late_guard(after_, new_one);
        const CxxNode* const before =
            old_one == nullptr || is_old_guard ? nullptr : old_node(*old_one);
        const CxxNode* const after =
            new_one == nullptr || is_new_guard ? nullptr : new_node(*new_one);
        if (before != nullptr && after != nullptr && work_->differ_in_types(*before, *after))
          compare(*old_one, *new_one);
        else if (before != nullptr || after != nullptr)
          report_work(before, after, "a statement");
      }
      i = gap.before_end;
      k = gap.after_end;
    }
    std::size_t old_token = 0;
    std::size_t new_token = 0;
    if (result_.has_other() || !result_.doubt.empty() || is_other_computation_ ||
        work_->are_tokens_equal(old_token, new_token))
      return;
    CodeChange one;
    one.kind = CodeChange::Kind::other;
    one.what =
        fmt::format("{} of the body: '{}', not '{}'", token_place(*after_.compared.tree, new_token),
                    after_.compared.tree->tokens()[new_token].text,
                    before_.compared.tree->tokens()[old_token].text);
    result_.changes.push_back(std::move(one));
  }

  void compare(std::size_t before, std::size_t after) {
    const CxxNode* const old_one = old_node(before);
    const CxxNode* const new_one = new_node(after);
    if (!work_->pair(before, after)) {
      if (!work_->other_type().empty()) {
        doubt(work_->other_type());
        return report(old_one, new_one, "");
      }
      if (work_->reason() == "a computation" && before_.text(*old_one) == after_.text(*new_one)) {
        is_other_computation_ = true;
        other_before_ = old_one;
        other_after_ = new_one;
        return;
      }
      const bool is_plain = work_->reason().empty() || work_->reason() == "a computation";
      return report_work(
          old_one, new_one,
          is_plain ? "a statement" : fmt::format("a statement ({})", work_->reason()));
    }
    if (before_.text(*old_one) != after_.text(*new_one)) report(old_one, new_one, "");
  }

  // ---- index code ---------------------------------------------------------------------------

  static std::vector<std::size_t> index_of(const Side& side) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < side.index.statements().size(); ++i)
      if (side.index.statements()[i].step >= 0 && !side.index.statements()[i].node->is("NullStmt"))
        numbers.push_back(i);
    return numbers;
  }

  static std::set<std::string> names_of(const CxxNode& node) {
    std::set<std::string> names;
    if (node.is("VarDecl")) names.insert(node.name);
    if (node.is("DeclStmt"))
      for (const CxxNode& child : node.children) names.merge(names_of(child));
    return names;
  }

  /// A number that no block has to itself is no index: what changes it changes the work.
  void report_index(const std::size_t* before, const std::size_t* after) {
    unsigned seen = 0;
    if (before != nullptr) seen |= written_sees(before_.index, *before);
    if (after != nullptr) seen |= written_sees(after_.index, *after);
    const bool is_other = is_other_computation_ && (seen & kSeesBlock) == 0;
    reported_computation_ = reported_computation_ || is_other;
    report(before != nullptr ? old_node(*before) : nullptr,
           after != nullptr ? new_node(*after) : nullptr, is_other ? "a computation" : "");
  }

  static unsigned written_sees(const CxxIndex& index, std::size_t statement) {
    return index.sees(index.statements()[statement].step);
  }

  void compare_index() {
    const auto olds = index_of(before_);
    const auto news = index_of(after_);
    std::vector<std::string> old_texts;
    std::vector<std::string> new_texts;
    for (const std::size_t i : olds) old_texts.push_back(before_.text(*old_node(i)));
    for (const std::size_t i : news) new_texts.push_back(after_.text(*new_node(i)));
    for (const Gap& gap : gaps(old_texts, new_texts)) {
      std::set<std::size_t> paired;
      for (std::size_t i = gap.before_begin; i < gap.before_end; ++i) {
        const std::size_t* found = nullptr;
        for (std::size_t k = gap.after_begin; k < gap.after_end && found == nullptr; ++k)
          if (names_of(*new_node(news[k])) == names_of(*old_node(olds[i])) &&
              paired.insert(k).second)
            found = &news[k];
        report_index(&olds[i], found);
      }
      for (std::size_t k = gap.after_begin; k < gap.after_end; ++k)
        if (paired.count(k) == 0) report_index(nullptr, &news[k]);
    }
    if (is_other_computation_ && !reported_computation_)
      report(other_before_, other_after_, "a computation");
  }

  // ---- values -------------------------------------------------------------------------------

  static std::string index_text(const std::vector<CxxUnit>& units) {
    std::string text;
    for (const CxxUnit& unit : units) text += unit.text;
    return text;
  }

  static std::string body_text(const Side& side) {
    std::string text;
    for (const CxxIndex::Statement& one : side.index.statements())
      text += side.text(*one.node) + "\n";
    return text;
  }

  /// Index code that moved among the work is a change, too: what it wrote may be read before.
  void report_moved() {
    const auto& olds = before_.index.statements();
    const auto& news = after_.index.statements();
    for (std::size_t i = 0; i < std::min(olds.size(), news.size()); ++i)
      if (before_.text(*olds[i].node) != after_.text(*news[i].node))
        return report(olds[i].node, news[i].node, "");
  }

  /// What the work sees of the block, in both.
  void show_values() {
    if (result_.changes.empty()) report_moved();
    std::vector<PlacedValue> olds;
    std::vector<PlacedValue> news;
    for (const CxxWork::Pair& pair : work_->cut()) {
      olds.push_back(pair.before);
      news.push_back(pair.after);
    }
    std::string hidden;
    if (!result_.changes.empty()) {
      std::set<int> kernels;
      for (const auto& kernel : after_.compared.code->source->kernels())
        kernels.insert(kernel.position.line);
      const auto uses = hidden_uses(after_.work, kernels, work_->rest(), same_launch_);
      if (!uses.empty()) hidden = fmt::format("{} takes the block's own index", uses.front());
    }
    if (!hidden.empty() && !same_launch_) return doubt(hidden);
    result_.index =
        IndexPrograms{index_program(before_.compared.tree, before_.owned, std::move(olds)),
                      index_program(after_.compared.tree, after_.owned, std::move(news)),
                      *before_.compared.launch,
                      *after_.compared.launch,
                      false,
                      hidden};
  }

  Side before_;
  Side after_;
  bool same_launch_;
  std::optional<CxxWork> work_;
  IndexRefusal unreadable_;
  std::set<std::uint64_t> doubted_before_;
  std::set<std::uint64_t> doubted_after_;
  bool is_other_computation_ = false;  ///< a number of the work is computed in another way
  bool reported_computation_ = false;
  const CxxNode* other_before_ = nullptr;
  const CxxNode* other_after_ = nullptr;
  CxxChanges result_;
};

}  // namespace

bool CxxChanges::has_other() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const CodeChange& one) { return one.kind == CodeChange::Kind::other; });
}

bool is_same_launch(const config::Launch& before, const config::Launch& after) {
  return before.grid == after.grid && before.threads == after.threads;
}

CxxChanges find_cxx_changes(const CxxCompared& before, const CxxCompared& after) {
  if (before.tree != nullptr && after.tree != nullptr) return Comparison(before, after).run();
  CxxFileChanges files = compare_files(*before.code, *after.code, nullptr, nullptr, nullptr);
  CxxChanges changes;
  changes.changes = std::move(files.changes);
  changes.doubt =
      files.doubts.empty() ? "the kernels' bodies are not compared" : files.doubts.front();
  return changes;
}

}  // namespace heddle::kernel::cxx
