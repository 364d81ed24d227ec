// A patch on other launches than the job's: by index values alone.
#include <fmt/format.h>

#include <algorithm>

#include "audit/patch.h"
#include "audit/patch_code.h"
#include "audit/strides.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

/// Sizes of more than 31 bits make other types of what is computed from them.
bool has_wide_numbers(const config::Launch& launch) {
  return std::ranges::any_of(launch.arguments, [](const config::Argument& argument) {
    const auto* const number = std::get_if<std::int64_t>(&argument.value.data);
    return number != nullptr && *number > INT32_MAX;
  });
}

}  // namespace

/// Nothing if one of the kernels cannot be read for this launch, or not quickly.
std::optional<PatchJudge::Pair> PatchJudge::readable_pair(
    const PatchRequest& request, const std::function<void(Pair&)>& prepare) {
  try {
    Pair pair = pair_of(request);
    prepare(pair);
    if (!before_->compiles_quickly(pair.before.launch) ||
        !after_->compiles_quickly(pair.after.launch))
      return std::nullopt;
    read(pair);
    if (!pair.after.program) return std::nullopt;
    return pair;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// On the launch as the job has it; nothing: not known.
std::optional<bool> PatchJudge::has_same_turns(const Pair& pair) {
  const Pair rolled = pair.rolled_before ? rolled_pair(pair) : pair;
  if (!rolled.after.program) return std::nullopt;
  const kernel::CodeComparison code = patch_->compare_code(rolled.before, rolled.after);
  if (has_index_ && !code.index) return false;
  const TurnJudgement turns = judge_turns(code, budget_);
  was_undefined_ = turns.is_original_undefined;
  if (!was_undefined_) note_cases(code);
  was_cut_short_ = turns.is_cut_short;
  return turns.is_same;
}

std::optional<bool> PatchJudge::is_same_in_turns(const PatchRequest& request, std::int64_t blocks) {
  const std::optional<Pair> pair =
      readable_pair(request, [&](Pair& both) { launch_blocks(both, blocks); });
  return pair ? has_same_turns(*pair) : std::nullopt;
}

std::optional<bool> PatchJudge::is_permuted(const PatchRequest& request, bool by_turns) {
  was_cut_short_ = was_undefined_ = false;
  misfit_.clear();
  const std::optional<Pair> pair = readable_pair(request, [&](Pair& both) {
    if (by_turns)
      both.before.is_persistent = both.after.is_persistent = true;
    else
      unroll(both);
  });
  if (!pair) return std::nullopt;
  if (pair->is_uneven) return std::nullopt;
  const bool is_other_grid = pair->launch.is_by_bytes && pair->launch.is_grid_known && has_index_;
  if (pair->launch.check.verdict != Verdict::proved && !is_other_grid) return std::nullopt;
  if (pair->before.is_persistent) {
    const std::optional<bool> is_same = has_same_turns(*pair);
    if (!pair->rolled_before || !is_same.value_or(false)) return is_same;
  }
  const kernel::CodeComparison code = patch_->compare_code(pair->before, pair->after);
  const IndexJudgement index = judge_index(code, budget_);
  // Cases of a launch that the original cannot have say nothing.
  was_undefined_ = index.is_original_undefined;
  if (!was_undefined_ && !broken_line(*pair)) note_cases(code);
  was_cut_short_ = index.is_cut_short;
  if (index.is_undefined) misfit_ = index.reason;
  if (index.is_undefined) return false;
  // Work that is the same on the job's launch, and is not here, sees other numbers.
  if (!index.blocks) return has_index_ && !code.index ? std::optional<bool>(false) : std::nullopt;
  add_strides(index.blocks->tile_of, pair->after.launch.grid, pair->before.launch.grid, strides_);
  misfit_ = misfit_text(*index.blocks, pair->before.launch.grid, pair->after.launch.grid);
  return index.blocks->is_permutation();
}

bool PatchJudge::is_defined(const PatchRequest& request) {
  const std::optional<Pair> pair = readable_pair(request, [](Pair&) {});
  return pair && !broken_line(*pair) &&
         is_original_defined(patch_->compare_code(pair->before, pair->after));
}

void PatchJudge::keep_whole(const PatchRequest& request, const std::set<std::int64_t>& counts) {
  if (const std::optional<Pair> pair = readable_pair(request, [](Pair&) {}))
    quotients_ = WholeQuotients(patch_->quotients(pair->before), counts);
}

std::optional<int> PatchJudge::broken_line(const Pair& pair) const {
  if (quotients_.empty()) return std::nullopt;
  return quotients_.broken_line(patch_->quotients(pair.before));
}

std::string PatchJudge::broken_quotient(const PatchRequest& request) {
  if (quotients_.empty()) return {};
  const std::optional<Pair> pair = readable_pair(request, [](Pair&) {});
  const std::optional<int> line = pair ? broken_line(*pair) : std::nullopt;
  if (!line) return {};
  const std::vector<std::string_view> lines = split(before_->text(), '\n');
  return fmt::format("line {}: {}", *line, trim(lines.at(static_cast<std::size_t>(*line - 1))));
}

std::optional<std::string> PatchJudge::probe(const PatchRequest& request, std::int64_t tiles) {
  const bool is_persistent = is_persistent_.value_or(false);
  const std::optional<Pair> pair = readable_pair(request, [&](Pair& both) {
    if (is_persistent) launch_blocks(both, tiles);
  });
  if (!pair || has_wide_numbers(pair->before.launch)) return std::nullopt;
  const kernel::CodeComparison code = patch_->compare_code(pair->before, pair->after);
  // Turns that are not compared on any launch are the doubt of `code`.
  return is_persistent && !has_index_ ? std::string() : probe_index(code);
}

}  // namespace heddle::audit
