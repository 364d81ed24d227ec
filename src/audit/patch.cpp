#include "audit/patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/patch_code.h"
#include "audit/patch_traces.h"
#include "audit/strides.h"
#include "kernel/doubt.h"
#include "tiles/find.h"
#include "tiles/single.h"
#include "trace/independence.h"
#include "trace/index_cases.h"

namespace heddle::audit {
namespace {

using kernel::PatchSide;
using kernel::Source;

config::Job original_job(const PatchRequest& request) {
  config::Job job = config::read_job(request.job_path, request.overrides);
  job.kernel_path = request.before;
  if (!request.function.empty()) job.function = request.function;
  if (request.config) job.config = *request.config;
  return job;
}

config::Job changed_job(const PatchRequest& request, const config::Job& original) {
  if (request.after_job_path.empty()) {
    config::Job job = original;
    job.kernel_path = request.after;
    return job;
  }
  config::Job job = config::read_job(request.after_job_path, request.overrides);
  job.kernel_path = request.after;
  return job;
}

/// The new file's kernel: by name, or the only one where that name is gone.
std::string changed_kernel(const Source& source, const std::string& asked,
                           const std::string& original) {
  if (!asked.empty()) return source.find(asked).name;
  try {
    return source.find(original).name;
  } catch (const Error&) {
    // Then it may be called something else.
  }
  try {
    return source.find("").name;
  } catch (const Error& error) {
    throw Error(fmt::format("the new file has no kernel '{}': {}", original, error.message()),
                "name the new kernel with --after-function NAME")
        .in(source.path());
  }
}

/// "blas::scale<float>": the name, with the template arguments of what was asked for.
std::string with_arguments(Source& source, const std::string& name, const std::string& asked) {
  const std::size_t arguments = asked.find('<');
  if (arguments == std::string::npos) return name;
  return source.signature(name).template_parameters.empty() ? name : name + asked.substr(arguments);
}

/// "line 12: ..." where there is one.
std::string reason_of_reading(const Error& error) {
  return error.position().line > 0
             ? fmt::format("line {}: {}", error.position().line, error.message())
             : error.message();
}

/// Another grid is right if the same bytes are written and read.
void judge_by_bytes(CheckResult& launch, const CheckResult& bytes) {
  launch.verdict = bytes.verdict;
  if (bytes.verdict == Verdict::proved)
    launch.evidence.emplace_back("the blocks together do all that the original's do (bytes)");
  else if (bytes.verdict == Verdict::refuted)
    launch.evidence.emplace_back("the blocks together do not do what the original's do (bytes)");
  else
    launch.evidence.emplace_back("whether that is enough is not known (bytes)");
}

/// Blocks that make the accesses of all tiles may still do the work of a few: what they write can
/// depend on the index.
void doubt_equal_accesses(const IndexJudgement& index, PatchAudit& result) {
  if (!index.blocks || index.blocks->is_permutation()) return;
  for (CheckResult* check : {&result.order, &result.bytes}) {
    if (check->verdict != Verdict::proved) continue;
    check->verdict = Verdict::unknown;
    check->finding =
        "the blocks make the accesses of the tiles, but their index values are not those of the "
        "tiles, each once";
  }
}

/// What is wrong on the original's grid says nothing of a launch on another one.
void doubt_assumed_grid(PatchAudit& result) {
  for (CheckResult* check : {&result.order, &result.bytes}) {
    if (check->verdict != Verdict::refuted) continue;
    check->verdict = Verdict::unknown;
    check->finding = fmt::format(
        "on the original's grid, which may not be the new one (launch): {}", check->finding);
  }
}

/// The kernel launched with one tile a block, if it is persistent.
std::optional<config::Launch> unrolled(kernel::Source& source, const config::Launch& launch,
                                       std::int64_t& tiles) {
  const TileSpace space = tiles::find_tile_box(source.read_index(launch), launch);
  tiles = space.count();
  if (!tiles::is_persistent(space)) return std::nullopt;
  auto single = tiles::single_launch(source, launch, space);
  return single ? std::optional(std::move(single->launch)) : std::nullopt;
}

/// Numbers that a launch with more blocks was given.
std::vector<std::string> changed_numbers(const config::Launch& before,
                                         const config::Launch& after) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < before.arguments.size(); ++i)
    if (const auto* number = std::get_if<std::int64_t>(&before.arguments[i].value.data))
      if (const auto* other = std::get_if<std::int64_t>(&after.arguments[i].value.data))
        if (*number != *other) names.push_back(before.arguments[i].name);
  return names;
}

/// New branches that let blocks return, where not every tile is done: they leave out work.
void blame_guards(kernel::CodeComparison& code) {
  for (CodeChange& one : code.changes) {
    if (one.line_before > 0 || code.guards.count(one.line_after) == 0) continue;
    one.kind = CodeChange::Kind::other;
    one.what = "a branch";
    code.is_other_inside = false;
  }
}

void set_blocks(config::Launch& launch, const std::vector<std::string>& names,
                std::int64_t blocks) {
  launch.grid = Grid({blocks});
  for (config::Argument& argument : launch.arguments)
    if (std::find(names.begin(), names.end(), argument.name) != names.end())
      argument.value.data = blocks;
}

}  // namespace

PatchJudge::PatchJudge(const PatchRequest& request)
    : before_(Source::open(request.before)),
      after_(Source::open(request.after)),
      patch_(kernel::Patch::open(*before_, *after_)),
      lines_(before_->text(), after_->text()) {
  const std::optional<std::string> whole = patch_->whole_text();
  if (!whole) return;
  patch_.reset();
  after_ = Source::open(request.after, *whole);
  patch_ = kernel::Patch::open(*before_, *after_);
  lines_ = NewLines(before_->text(), *whole);
}

Grid PatchJudge::grid(const PatchRequest& request) {
  const config::Launch launch = before_->launch(original_job(request)).launch;
  if (!is_persistent_.value_or(true)) return launch.grid;
  const TileSpace space = tiles::find_tile_box(before_->read_index(launch), launch);
  if (!is_persistent_) is_persistent_ = tiles::is_persistent(space);
  return *is_persistent_ && space.is_found() ? Grid({space.count()}) : launch.grid;
}

bool PatchJudge::is_launched(const PatchRequest& request) {
  try {
    return pair_of(request).launch.is_of_job;
  } catch (const Error&) {
    return false;
  }
}

PatchJudge::Pair PatchJudge::pair_of(const PatchRequest& request) {
  config::Job job = original_job(request);
  Pair pair;
  pair.before.source = before_.get();
  pair.before.function = before_->find(job.function).name;
  job.function = with_arguments(*before_, pair.before.function, job.function);
  kernel::NamedLaunch known = before_->launch(job);
  pair.before.launch = std::move(known.launch);
  pair.before.names = std::move(known.names);

  pair.after.source = after_.get();
  pair.after.function = changed_kernel(*after_, request.after_function, pair.before.function);
  pair.after.launch = pair.before.launch;
  pair.after.names = pair.before.names;
  std::optional<Grid> given = request.after_grid;
  const std::string launched =
      with_arguments(*after_, pair.after.function,
                     request.after_function.empty() ? job.function : request.after_function);
  try {
    config::Job new_job = changed_job(request, job);
    new_job.function = launched;
    // A job of its own says which config it means.
    const ConfigPick pick = request.after_job_path.empty() ? pick_of(job, pair) : ConfigPick();
    pick.apply(new_job);
    kernel::NamedLaunch now = after_->launch(new_job);
    pair.after.launch = std::move(now.launch);
    pair.after.names = std::move(now.names);
    pick.apply(pair.before.launch, pair.after.launch, pair.after.names);
    if (request.after_job_path.empty()) take_handed(pair);
    if (!request.after_job_path.empty() && !given) given = pair.after.launch.grid;
  } catch (const Error& error) {
    pair.after.reason = error.message();
  }
  pair.launch = patch_->compare_launches(pair.before, pair.after, given);
  pair.launch.is_of_job = pair.launch.is_of_job && pair.is_of_job;
  pair.after.launch.kernel_path = request.after;
  pair.after.launch.function = launched;
  pair.after.launch.grid = pair.launch.after_grid;
  return pair;
}

/// What host code hands to the new kernel alone; a job of its own says that itself.
void PatchJudge::take_handed(Pair& pair) {
  kernel::HandedValues handed = patch_->handed_values(pair.before, pair.after.function);
  pair.is_of_job = handed.is_of_job;
  if (!handed.reason.empty()) pair.after.reason = handed.reason;
  auto& arguments = pair.after.launch.arguments;
  for (config::Argument& number : handed.numbers) {
    const auto own = std::ranges::find(arguments, number.name, &config::Argument::name);
    if (own == arguments.end())
      arguments.push_back(std::move(number));
    else
      own->value = number.value;
  }
}

/// Blocks of persistent kernels do several tiles each: both are judged on launches with one tile a
/// block. That every tile is done once on their own launches is part of finding them.
void PatchJudge::unroll(Pair& pair) {
  if (!is_persistent_.value_or(true)) return;
  try {
    std::int64_t olds = 0;
    std::int64_t news = 0;
    auto before = unrolled(*before_, pair.before.launch, olds);
    if (!is_persistent_) is_persistent_ = before.has_value();
    pair.before.is_persistent = pair.after.is_persistent = *is_persistent_;
    if (!before || !pair.after.reason.empty()) return;
    auto after = unrolled(*after_, pair.after.launch, news);
    if (!after || olds != news) return;
    pair.is_uneven = before->grid.count() != after->grid.count();
    block_counts_ = changed_numbers(pair.before.launch, *before);
    new_block_counts_ = changed_numbers(pair.after.launch, *after);
    pair.rolled_before = std::exchange(pair.before.launch, std::move(*before));
    pair.rolled_after = std::exchange(pair.after.launch, std::move(*after));
  } catch (const Error&) {
    // Judged as they are, then.
  }
}

/// So many blocks. On as many as tiles, as on the launches of `unroll`, every block was looked at.
void PatchJudge::launch_blocks(Pair& pair, std::int64_t blocks) const {
  pair.before.is_persistent = pair.after.is_persistent = true;
  set_blocks(pair.before.launch, block_counts_, blocks);
  set_blocks(pair.after.launch, new_block_counts_, blocks);
}

/// The kernels on the job's own launch, where blocks do their tiles in turn.
PatchJudge::Pair PatchJudge::rolled_pair(const Pair& pair) {
  Pair rolled{pair.before, pair.after, pair.launch, {}, {}, pair.is_of_job};
  rolled.before.launch = *pair.rolled_before;
  rolled.after.launch = *pair.rolled_after;
  read(rolled);
  return rolled;
}

/// The bytes on the job's own launch, and what its turns see.
void PatchJudge::judge_rolled(const Pair& pair, PatchAudit& result) {
  const std::string note = fmt::format(
      "blocks compute several tiles each, all of them once on the job's launch; compared on a "
      "launch of "
      "{} with one tile each",
      count_of(pair.before.launch.grid.count(), "block"));
  result.order.evidence.push_back(note);
  const Pair rolled = rolled_pair(pair);
  if (!rolled.after.program) return;  // it was read before, for another number of blocks
  TraceJudgement traces = judge_traces({&*rolled.before.program, &rolled.before.launch},
                                       {&*rolled.after.program, &rolled.after.launch}, nullptr);
  if (traces.bytes.verdict != Verdict::proved) result.bytes = std::move(traces.bytes);
  const kernel::CodeComparison code = patch_->compare_code(rolled.before, rolled.after);
  note_cases(code);
  judge_turns_of_code(code, judge_turns(code, budget_), result.code);
}

void PatchJudge::note_cases(const kernel::CodeComparison& code) {
  // Where such a hint does not hold, tiles are wrong: it has one case.
  const auto add = [&](std::vector<kernel::IndexDecision> cases) {
    std::erase_if(cases, [&](const kernel::IndexDecision& one) {
      return std::ranges::any_of(
          code.hints, [&](const auto& hint) { return hint.holds(one.line, one.column); });
    });
    cases_.add(cases, lines_, named_);
  };
  add(code.decisions);
  if (code.index) add(trace::index_cases(code.index->after, code.index->launch_after));
}

void PatchJudge::note_constants(const kernel::CodeComparison& code) {
  std::set<std::int64_t> numbers = numbers_in(lines_.text(), after_->language().comment());
  numbers.erase(numbers.begin(), numbers.upper_bound(kernel::kSmallNumber));
  numbers.erase(numbers.upper_bound(kMostBlocks), numbers.end());
  numbers.insert(code.constants.begin(), code.constants.end());
  constants_.assign(numbers.begin(), numbers.end());
}

void PatchJudge::read(Pair& pair) {
  pair.before.program = before_->compile(pair.before.launch);
  if (!pair.after.reason.empty()) return;
  try {
    pair.after.program = after_->compile(pair.after.launch);
  } catch (const Error& error) {
    pair.after.reason = reason_of_reading(error);
  }
}

PatchAudit PatchJudge::audit(const PatchRequest& request) {
  Pair pair = pair_of(request);
  unroll(pair);
  read(pair);
  const PatchSide& before = pair.before;
  const PatchSide& after = pair.after;
  PatchAudit result;
  result.before = request.before;
  result.after = request.after;
  result.function_before = before.function;
  result.function_after = after.function;
  result.grid_before = before.launch.grid.extents();
  result.grid_after = after.launch.grid.extents();
  result.traced_on = trace::launch_text(before.launch);
  result.launch = pair.launch.check;
  kernel::CodeComparison code = patch_->compare_code(before, after);
  note_constants(code);
  named_ = lines_.numbers(after.names);
  touched_.clear();
  for (const config::NamedValue& one : after.names)
    if (const auto* number = std::get_if<std::int64_t>(&one.value.data);
        number != nullptr && lines_.touches(one.name))
      touched_.push_back({one.name, *number});
  index_lines_ = code.index_lines;
  numbers_.clear();
  for (const config::NamedValue& one : after.names)
    if (const auto* number = std::get_if<std::int64_t>(&one.value.data))
      numbers_.push_back(fmt::format("{}={}", one.name, *number));
  is_regrouped_ = before.launch.grid.count() != after.launch.grid.count();
  has_index_ = code.index.has_value();
  is_original_outside_ = is_original_undefined_ = false;
  IndexJudgement index;
  if (after.program) {
    index = judge_index(code, budget_);
    if (!index.is_original_undefined) note_cases(code);
    TraceJudgement traces =
        judge_traces({&*before.program, &before.launch}, {&*after.program, &after.launch},
                     index.blocks ? &*index.blocks : nullptr);
    is_original_outside_ = traces.is_original_outside;
    is_original_undefined_ = traces.is_original_undefined;
    result.order = std::move(traces.order);
    result.bytes = std::move(traces.bytes);
  } else {
    result.order.finding = fmt::format("the new kernel cannot be read: {}", after.reason);
    result.bytes.finding = result.order.finding;
  }
  // Blocks without a tile say nothing about how others go on from theirs.
  if (pair.is_uneven && result.order.verdict == Verdict::proved) {
    result.order.verdict = Verdict::unknown;
    result.order.finding = fmt::format(
        "{} of the new kernel compute the {} tiles, one each: how its blocks continue is not known",
        count_of(after.launch.grid.count(), "block"), with_separators(before.launch.grid.count()));
  }
  if (result.order.verdict == Verdict::refuted) blame_guards(code);
  result.changes = code.changes;
  result.code = judge_code(before, after, code, index, result.order.verdict);
  for (const auto* const side : {&before, &after})
    if (const std::string doubt = side->program ? kernel::doubt_of(*side->program) : "";
        !doubt.empty() && result.code.verdict == Verdict::proved)
      result.code = {Verdict::unknown, doubt, {}, result.code.notes};
  if (after.program && pair.rolled_before) judge_rolled(pair, result);
  if (before.launch.grid.count() == after.launch.grid.count()) doubt_equal_accesses(index, result);
  if (pair.launch.is_by_bytes) judge_by_bytes(result.launch, result.bytes);
  if (!pair.launch.is_grid_known) doubt_assumed_grid(result);
  return result;
}

std::int64_t PatchJudge::configs(const PatchRequest& request) {
  const config::Job job = original_job(request);
  return std::ssize(before_->configs(before_->find(job.function).name, job.target));
}

PatchAudit audit_launch(const PatchRequest& request) {
  return PatchJudge(request).audit(request);
}

}  // namespace heddle::audit
