#include "audit/launch_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"
#include "tiles/shown.h"

namespace heddle::audit {
namespace {

std::string element_text(const std::string& tensor, const std::vector<std::int64_t>& element) {
  return fmt::format("{}[{}]", tensor, fmt::join(element, ", "));
}

std::string block_text(const Grid& grid, std::int64_t id) {
  if (grid.axes() == 1) return fmt::format("{}", id);
  const auto block = block_of(grid, LaunchId{id});
  return fmt::format("({})", fmt::join(block.begin(), block.begin() + grid.axes(), ", "));
}

/// Nothing where memory takes part in the index.
std::optional<tiles::SameWork> find_twins(const kernel::IndexProbe& probe) {
  if (std::ranges::any_of(probe.numbers, [](const kernel::IndexNumber& one) {
        return one.is_at_work && one.is_loaded;
      }))
    return std::nullopt;
  for (const tiles::ShownRows& table : tiles::show_numbers(probe))
    if (auto found = tiles::find_same_work(probe, table)) return found;
  return std::nullopt;
}

std::string twins_text(const tiles::SameWork& twins, const Grid& grid) {
  return fmt::format("blocks {} and {} compute one tile{}", block_text(grid, twins.first),
                     block_text(grid, twins.second),
                     twins.values.empty() ? "" : fmt::format(" ({})", twins.values));
}

std::optional<tiles::SameWork> twins_on(const kernel::KernelProgram& program,
                                        const config::Launch& launch) {
  if (!tiles::is_looked_at(launch)) return std::nullopt;
  const kernel::IndexProbe probe = program.probe_index(launch);
  return probe ? find_twins(probe) : std::nullopt;
}

}  // namespace

std::string repeated_tile(const kernel::KernelProgram& program, const config::Launch& launch) {
  const auto twins = twins_on(program, launch);
  return twins ? twins_text(*twins, launch.grid) : std::string();
}

CheckResult LaunchJudge::run() {
  CheckResult result;
  try {
    written_ = find_written({&program_, &launch_});
    judge(result);
    const std::string unseen = program_.traits().unseen;
    if (result.verdict == Verdict::proved && !unseen.empty())
      result = {Verdict::unknown, unseen, {}, {}};
  } catch (const Error& error) {
    result = {};
    result.finding = error.message();
    is_too_large_ = true;
  }
  return result;
}

bool LaunchJudge::has_all(bool (*test)(const WrittenTensor&)) const {
  return std::ranges::all_of(written_.tensors, test);
}

void LaunchJudge::judge(CheckResult& result) {
  const bool is_found = lifted_.space.is_found();
  const bool is_covered = has_all([](const WrittenTensor& one) { return one.is_covered(); });
  const bool is_once = has_all([](const WrittenTensor& one) { return one.twice == 0; });
  const bool is_mixed = has_mixed();
  const bool is_updated = !has_all([](const WrittenTensor& one) { return !one.is_updated; });
  // A counter alone fills its box whatever is made of it.
  const bool has_plane = std::ranges::count_if(lifted_.space.coordinates,
                                               [](const auto& one) { return one.extent > 1; }) > 1;
  // A rim that no block writes, as stencils leave it, says nothing of the tiles.
  const bool is_spanned = has_all([](const WrittenTensor& one) { return one.spans; });
  const auto returning = is_found ? lifted_.space.returning + lifted_.space.idle_blocks() : 0;
  const auto silent = static_cast<std::int64_t>(written_.silent.size());
  // Of a box, a block that does not get to a store has a tile without work.
  const bool is_run = program_.traits().runs && !is_loaded();  // masks are branches there
  const bool is_wrong =
      is_found ? written_.masked > 0 || (is_run && silent > returning) : silent > 0;
  const bool all_write = silent <= returning || (is_found && written_.masked == 0 && is_loaded());
  if (written_.tensors.empty()) {
    result.finding = "no block writes anything";
    return;
  }
  if (const auto twins = twins_of()) return refute_twins(*twins, result);
  const bool is_rim = is_found && is_spanned;
  if (!is_covered && (!is_once || (is_wrong && !is_rim) || !written_.fault.empty()))
    return refute(result);
  const bool by_elements = is_covered && is_once && !is_updated;
  // Blocks that return leave the missing elements out, by intent or by mistake: unless what they
  // load tells them to, nobody knows.
  const bool is_filled = returning + silent > 0 ? is_loaded() : is_spanned;
  const bool by_box = is_found && all_write && is_once && !is_mixed &&
                      !lifted_.space.has_returns() && (is_covered || (has_plane && is_filled));
  if (written_.fault.empty() && (by_elements || by_box)) return prove(result);
  say_unknown(result);
}

bool LaunchJudge::has_mixed() const {
  return !has_all([](const WrittenTensor& one) { return one.mixed == 0; });
}

bool LaunchJudge::is_loaded() const {
  return std::ranges::any_of(lifted_.probe.numbers,
                             [](const kernel::IndexNumber& one) { return one.is_loaded; });
}

std::optional<tiles::SameWork> LaunchJudge::twins_of() const {
  return twins_on(program_, launch_);
}

void LaunchJudge::prove(CheckResult& result) const {
  result.verdict = Verdict::proved;
  const TileSpace& space = lifted_.space;
  if (space.is_found()) {
    result.finding = fmt::format(
        "{}, {} tiles, each {}: {}", count_of(launch_.grid.count(), "block"), space.box_text(),
        space.has_returns() || space.returning > 0 ? "in one block" : "computed once",
        space.order_text());
    if (space.returning > 0)
      result.notes.push_back(fmt::format("{} return at once", count_of(space.returning, "block")));
  } else {
    result.finding =
        fmt::format("{}: every element that is written has one block, and all are written",
                    count_of(launch_.grid.count(), "block"));
    result.notes.push_back("no tile space: " + space.refusal);
  }
  for (const WrittenTensor& one : written_.tensors)
    if (!one.is_covered())
      result.notes.push_back(fmt::format("{} of {} elements of {} are written",
                                         with_separators(one.written),
                                         with_separators(one.elements), one.name));
}

void LaunchJudge::refute_twins(const tiles::SameWork& twins, CheckResult& result) const {
  result.verdict = Verdict::refuted;
  result.finding = twins_text(twins, launch_.grid);
  add_evidence(result);
}

void LaunchJudge::refute(CheckResult& result) const {
  result.verdict = Verdict::refuted;
  result.finding = "not every tile is computed once";
  add_evidence(result);
}

void LaunchJudge::add_evidence(CheckResult& result) const {
  for (const WrittenTensor& one : written_.tensors) {
    if (one.meeting)
      result.evidence.push_back(fmt::format("blocks {} and {} both write {}",
                                            block_text(launch_.grid, one.meeting->first),
                                            block_text(launch_.grid, one.meeting->second),
                                            element_text(one.name, one.meeting->element)));
    if (one.missing)
      result.evidence.push_back(fmt::format("{} is written by no block ({} of {} elements are not)",
                                            element_text(one.name, *one.missing),
                                            with_separators(one.elements - one.written),
                                            with_separators(one.elements)));
  }
  if (!written_.silent.empty())
    result.evidence.push_back(fmt::format(
        "block {} writes nothing ({} of {})", block_text(launch_.grid, written_.silent.front()),
        with_separators(static_cast<std::int64_t>(written_.silent.size())),
        count_of(launch_.grid.count(), "block")));
  if (!written_.fault.empty()) result.evidence.push_back(written_.fault);
}

void LaunchJudge::say_unknown(CheckResult& result) const {
  const TileSpace& space = lifted_.space;
  result.finding = "the tiles that blocks write do not make up the tensors";
  if (has_mixed()) result.finding = "some blocks store what others update with atomics";
  if (space.has_returns()) result.finding = space.order_text();
  if (!space.is_found()) result.finding = space.refusal;
  if (!written_.fault.empty()) result.finding = written_.fault;
  add_evidence(result);
}

}  // namespace heddle::audit
