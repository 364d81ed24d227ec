#include "audit/index_match.h"

#include <algorithm>
#include <set>

#include "trace/tracer.h"

namespace heddle::audit {
namespace {

constexpr std::int64_t kIndexProbes = 64;
constexpr std::int64_t kProbedSteps = 1'000'000;  ///< of a block

/// The least of each value, as the blocks show them one after the other.
struct Least : trace::AccessSink {
  void access(const trace::AccessPattern& pattern) override {
    if (at == values.size()) values.push_back(pattern.base);
    values[at] = std::min(values[at], pattern.base);
    ++at;
  }
  std::vector<std::int64_t> values;
  std::size_t at = 0;
};

/// Why values are not defined; empty: they are.
std::string undefined_text(const std::vector<trace::Fault>& faults) {
  if (faults.empty()) return {};
  switch (faults.front().kind) {
    case trace::Fault::Kind::division_by_zero:
      return "the index code divides by zero";
    case trace::Fault::Kind::uninitialized:
      return "an index value is used that was never set";
    default:
      return "the arithmetic of the index overflows";
  }
}

constexpr std::size_t kMostShown = std::size_t{1} << 26;  ///< numbers of all turns

/// What the turns of all blocks show, each a list.
struct TurnLists : trace::AccessSink {
  explicit TurnLists(const std::vector<std::int32_t>& sites) : begins(sites.begin(), sites.end()) {}

  void access(const trace::AccessPattern& pattern) override {
    if (begins.count(pattern.site) > 0) turns.emplace_back();
    if (turns.empty()) return;
    if (++shown > kMostShown)
      throw Error("the blocks have too many turns to compare", "give a job with smaller sizes");
    turns.back().push_back(pattern.base);
  }

  std::set<std::int32_t> begins;
  std::vector<std::vector<std::int64_t>> turns;
  std::size_t shown = 0;
};

/// Sorted. Why they are not defined is added to `reason`.
std::vector<std::vector<std::int64_t>> sorted_turns(const LaunchedKernel& kernel,
                                                    const std::vector<std::int32_t>& sites,
                                                    std::string& reason) {
  const kernel::KernelProgram reduced = kernel::remove_unneeded(*kernel.program, kernel::Keep::all);
  trace::Tracer tracer(reduced, *kernel.launch, {});
  TurnLists lists(sites);
  for (std::int64_t id = 0; id < kernel.blocks(); ++id)
    tracer.run(block_of(kernel.launch->grid, LaunchId{id}), lists);
  reason = undefined_text(tracer.faults());
  std::sort(lists.turns.begin(), lists.turns.end());
  return std::move(lists.turns);
}

/// The index code of some blocks: why it is not defined there, else the least values.
std::string sample(const kernel::KernelProgram& program, const config::Launch& launch,
                   std::vector<std::int64_t>& values) {
  trace::TraceOptions options;
  options.limits.steps = kProbedSteps;
  trace::Tracer tracer(program, launch, options);
  Least least;
  const std::int64_t count = launch.grid.count();
  const std::int64_t probes = std::min(count, kIndexProbes);
  for (std::int64_t i = 0; i <= probes; ++i) {
    const std::int64_t id =
        i == probes ? count - 1 : (count - 1) / std::max<std::int64_t>(1, probes - 1) * i;
    least.at = 0;
    tracer.run(block_of(launch.grid, LaunchId{id}), least);
  }
  values = std::move(least.values);
  return undefined_text(tracer.faults());
}

}  // namespace

IndexJudgement judge_index(const kernel::CodeComparison& code, std::int64_t& budget) {
  IndexJudgement result;
  result.reason = code.reason;
  if (!code.index) return result;
  const kernel::IndexPrograms& index = *code.index;
  try {
    const LaunchedKernel old_index{&index.before, &index.launch_before};
    const LaunchedKernel new_index{&index.after, &index.launch_after};
    const std::int64_t work = check_work(old_index, AccessForm::stream, budget) +
                              check_work(new_index, AccessForm::stream, budget);
    BlockMatch blocks = match_blocks(old_index, new_index, AccessForm::stream, budget);
    budget = std::max<std::int64_t>(0, budget - work);
    const std::string before = undefined_text(blocks.faults_before);
    const std::string after = undefined_text(blocks.faults_after);
    result.is_undefined = before.empty() && !after.empty();
    result.is_original_undefined = !before.empty();
    result.reason = before.empty() ? after : before;
    if (result.reason.empty() && !index.if_moved.empty() && !blocks.is_identity())
      result.reason = index.if_moved;
    if (result.reason.empty()) result.blocks = std::move(blocks);
  } catch (const Error& error) {
    result.reason = error.message();
    result.is_cut_short = true;
  }
  return result;
}

TurnJudgement judge_turns(const kernel::CodeComparison& code, std::int64_t& budget) {
  TurnJudgement result;
  result.reason = code.reason;
  if (!code.index) return result;
  const kernel::IndexPrograms& index = *code.index;
  if (index.turns.empty()) {
    const IndexJudgement blocks = judge_index(code, budget);
    result.reason = blocks.reason;
    result.is_original_undefined = blocks.is_original_undefined;
    result.is_cut_short = blocks.is_cut_short;
    if (blocks.blocks) result.is_same = blocks.blocks->is_permutation();
    if (!result.is_same.value_or(true))
      result.reason =
          "the blocks do not have the index values of "
          "the original's, each once";
    return result;
  }
  const LaunchedKernel old_index{&index.before, &index.launch_before};
  const LaunchedKernel new_index{&index.after, &index.launch_after};
  if (index.has_outer || old_index.blocks() != new_index.blocks()) {
    result.reason = index.has_outer ? "code outside the loop over tiles sees the block's index"
                                    : "the launches have different numbers of blocks";
    return result;
  }
  try {
    const std::int64_t work = check_work(old_index, AccessForm::stream, budget) +
                              check_work(new_index, AccessForm::stream, budget);
    std::string before;
    std::string after;
    const auto olds = sorted_turns(old_index, index.turns, before);
    const auto news = sorted_turns(new_index, index.turns, after);
    budget = std::max<std::int64_t>(0, budget - work);
    result.reason = before.empty() ? after : before;
    result.is_original_undefined = !before.empty();
    if (before.empty() && !after.empty()) result.is_same = false;
    if (!result.reason.empty()) return result;
    result.is_same = olds == news;
    if (!*result.is_same)
      result.reason = "the turns of all blocks do not have the index values of the original's";
  } catch (const Error& error) {
    result.reason = error.message();
    result.is_cut_short = true;
  }
  return result;
}

bool is_original_defined(const kernel::CodeComparison& code) {
  if (!code.index) return true;
  try {
    std::vector<std::int64_t> values;
    return sample(code.index->before, code.index->launch_before, values).empty();
  } catch (const Error&) {
    return false;
  }
}

std::optional<std::string> probe_index(const kernel::CodeComparison& code) {
  if (!code.index) return code.reason;
  try {
    std::vector<std::int64_t> olds;
    std::vector<std::int64_t> news;
    if (!sample(code.index->before, code.index->launch_before, olds).empty()) return std::nullopt;
    const std::string undefined = sample(code.index->after, code.index->launch_after, news);
    if (!undefined.empty()) return undefined;
    // A number that wrapped is negative: the first block, or the last, has the least of all.
    for (std::size_t i = 0; i < std::min(olds.size(), news.size()); ++i)
      if (news[i] < olds[i]) return "a block has an index value below all that tiles have";
    return std::string();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace heddle::audit
