#include "kernel/cxx/patch/patch.h"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <set>

#include "kernel/cxx/patch/changes.h"
#include "kernel/cxx/patch/launch.h"
#include "support/parallel.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

/// The value of a node that is made of nothing but literals and + - * <<.
std::optional<std::int64_t> literal_value(const CxxNode& node) {
  if (node.is("IntegerLiteral")) return parse_integer(node.value);
  const bool is_wrapper = node.is("ParenExpr") || node.is("ImplicitCastExpr") ||
                          node.is("ConstantExpr") || node.is("CStyleCastExpr") ||
                          node.is("CXXStaticCastExpr");
  if (is_wrapper && node.children.size() == 1) return literal_value(node.children.front());
  if (!node.is("BinaryOperator") || node.children.size() != 2) return std::nullopt;
  const auto left = literal_value(node.children.front());
  const auto right = literal_value(node.children.back());
  constexpr std::int64_t kLarge = std::int64_t{1} << 31;
  if (!left || !right || *left < 0 || *right < 0 || *left > kLarge || *right > kLarge)
    return std::nullopt;
  if (node.opcode == "+") return *left + *right;
  if (node.opcode == "-") return *left - *right;
  if (node.opcode == "*") return *left * *right;
  if (node.opcode == "<<" && *right < 31) return *left << *right;
  return std::nullopt;
}

void collect_numbers(const CxxNode& node, std::set<std::int64_t>& numbers) {
  if (const auto number = literal_value(node)) numbers.insert(*number);
  for (const CxxNode& child : node.children) collect_numbers(child, numbers);
}

/// Those that the device code of the new file holds, and the original's does not.
std::vector<std::int64_t> new_constants(const CxxTree& before, const CxxTree& after) {
  std::set<std::int64_t> olds;
  std::set<std::int64_t> news;
  for (const CxxNode& node : before.declarations()) collect_numbers(node, olds);
  for (const CxxNode& node : after.declarations()) collect_numbers(node, news);
  std::vector<std::int64_t> constants;
  for (const std::int64_t number : news)
    if (number > kSmallNumber && olds.count(number) == 0) constants.push_back(number);
  return constants;
}

class CxxPatch final : public Patch {
 public:
  CxxPatch(const CxxSource& before, const CxxSource& after) : before_(before), after_(after) {}

  LaunchComparison compare_launches(const PatchSide& before, const PatchSide& after,
                                    const std::optional<Grid>& given) override {
    return judge_launch(side_of(before_, before), side_of(after_, after), before, after, given);
  }

  CodeComparison compare_code(const PatchSide& before, const PatchSide& after) override {
    const CxxCodeSide old_side = side_of(before_, before);
    CxxCodeSide new_side = side_of(after_, after);
    doubt_grids(old_side, new_side);
    std::array<std::shared_ptr<const CxxTree>, 2> trees;
    std::string reason;
    if (after.program) {
      try {
        parallel_for(2, 2, [&](std::size_t i, std::size_t) {
          trees[i] = tree_of(i == 0 ? *before.program : *after.program);
        });
      } catch (const Error& error) {
        trees = {};
        reason = fmt::format("the kernels cannot be compared: {}", error.message());
      }
    }
    const Paired& pair =
        paired({&old_side, trees[0], &before.launch}, {&new_side, trees[1], &after.launch});
    CxxChanges changes = pair.changes;
    if (changes.index) {
      changes.index->launch_before = before.launch;
      changes.index->launch_after = after.launch;
    }
    if (!reason.empty()) changes.doubt = reason;
    CodeComparison result = comparison_of(old_side, new_side, changes);
    result.constants = pair.constants;
    if (result.index)
      result.decisions = index_values_of(result.index->after)->decisions(after.launch);
    return result;
  }

 private:
  /// A comparison of two trees, which launches of other sizes often share.
  struct Paired {
    CxxCodeSide old_side;
    CxxCodeSide new_side;
    std::array<std::shared_ptr<const CxxTree>, 2> trees;
    bool same_launch = false;
    CxxChanges changes;
    std::vector<std::int64_t> constants;
  };

  const Paired& paired(const CxxCompared& before, const CxxCompared& after) {
    constexpr std::size_t kMostKept = 8;
    const bool same_launch = is_same_launch(*before.launch, *after.launch);
    for (const Paired& known : paired_)
      if (known.same_launch == same_launch && known.old_side == *before.code &&
          known.new_side == *after.code && known.trees[0] == before.tree &&
          known.trees[1] == after.tree)
        return known;
    if (paired_.size() >= kMostKept) paired_.pop_front();
    Paired& made = paired_.emplace_back(
        Paired{*before.code, *after.code, {before.tree, after.tree}, same_launch, {}, {}});
    made.changes = find_cxx_changes(before, after);
    if (after.tree) made.constants = new_constants(*before.tree, *after.tree);
    return made;
  }

  static CxxCodeSide side_of(const CxxSource& source, const PatchSide& side) {
    CxxCodeSide code = code_side(source, source.kernel(side.function));
    for (const config::Argument& argument : side.launch.arguments)
      if (argument.is_constexpr) code.numbers.insert(argument.name);
    code.is_only_instance = is_only_instance(source, *code.function, side.launch);
    return code;
  }

  const CxxSource& before_;
  const CxxSource& after_;
  std::deque<Paired> paired_;
};

}  // namespace

CodeComparison comparison_of(const CxxCodeSide& before, const CxxCodeSide& after,
                             const CxxChanges& changes) {
  CodeComparison result;
  result.changes = changes.changes;
  result.is_same_text = before.source->text() == after.source->text();
  result.has_launches = !after.ignored.empty();
  result.index = changes.index;
  // The same text in the same files means the same, whatever it is.
  const bool is_same = result.is_same_text && result.changes.empty();
  if (!changes.doubt.empty() && !is_same) result.doubts.push_back(changes.doubt);
  return result;
}

std::unique_ptr<Patch> make_patch(const CxxSource& before, const CxxSource& after) {
  return std::make_unique<CxxPatch>(before, after);
}

}  // namespace heddle::kernel::cxx
