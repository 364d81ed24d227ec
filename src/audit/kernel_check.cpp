#include "audit/kernel_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "audit/kernel_lines.h"
#include "audit/written_elements.h"
#include "config/job.h"
#include "config/other_sizes.h"
#include "kernel/source.h"
#include "support/text.h"
#include "tiles/find.h"
#include "tiles/same_work.h"
#include "tiles/shown.h"

namespace heddle::audit {
namespace {

constexpr std::int64_t kMostBlocks = 4096;   ///< of a launch with other sizes
constexpr std::size_t kMostLaunches = 24;    ///< with other sizes
constexpr std::int64_t kLeastMultiples = 3;  ///< numbers of blocks that say something of others
constexpr std::size_t kMostQuoted = 24;      ///< lines

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

class LaunchJudge {
 public:
  LaunchJudge(const kernel::KernelProgram& program, const config::Launch& launch)
      : program_(program), launch_(launch), lifted_(tiles::lift(program, launch)) {}

  CheckResult run() {
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

  const TileSpace& space() const { return lifted_.space; }
  /// Whole numbers that the index is divided by.
  const std::vector<std::int64_t>& divisors() const { return lifted_.probe.divisors; }
  /// The blocks fill a box, but what they write was not looked at.
  bool has_box_alone() const { return is_too_large_ && lifted_.space.is_found() && !twins_of(); }

 private:
  bool has_all(bool (*test)(const WrittenTensor&)) const {
    return std::ranges::all_of(written_.tensors, test);
  }

  void judge(CheckResult& result) {
    const bool is_found = lifted_.space.is_found();
    const bool is_covered = has_all([](const WrittenTensor& one) { return one.is_covered(); });
    const bool is_once = has_all([](const WrittenTensor& one) { return one.twice == 0; });
    const bool is_mixed = has_mixed();
    const bool is_updated = !has_all([](const WrittenTensor& one) { return !one.is_updated; });
    // A counter alone fills its box whatever is made of it.
    const bool has_plane = std::ranges::count_if(lifted_.space.coordinates, [](const auto& one) {
                             return one.extent > 1;
                           }) > 1;
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
    if (!is_covered && (!is_once || is_wrong || !written_.fault.empty())) return refute(result);
    const bool by_elements = is_covered && is_once && !is_updated;
    const bool by_box = is_found && all_write && is_once && !is_mixed &&
                        !lifted_.space.has_returns() &&
                        (is_covered || (has_plane && (is_spanned || silent > 0)));
    if (written_.fault.empty() && (by_elements || by_box)) return prove(result);
    say_unknown(result);
  }

  /// Blocks alone do not say which comes first, a store or another block's atomic: that neither
  /// proves nor refutes.
  bool has_mixed() const {
    return !has_all([](const WrittenTensor& one) { return one.mixed == 0; });
  }

  /// Memory takes part in numbers that work sees.
  bool is_loaded() const {
    return std::ranges::any_of(lifted_.probe.numbers,
                               [](const kernel::IndexNumber& one) { return one.is_loaded; });
  }

  std::optional<tiles::SameWork> twins_of() const {
    if (!tiles::is_looked_at(launch_)) return std::nullopt;
    const kernel::IndexProbe probe = program_.probe_index(launch_);
    return probe ? find_twins(probe) : std::nullopt;
  }

  void prove(CheckResult& result) const {
    result.verdict = Verdict::proved;
    const TileSpace& space = lifted_.space;
    if (space.is_found()) {
      result.finding = fmt::format(
          "{}, {} tiles, each {}: {}", count_of(launch_.grid.count(), "block"), space.box_text(),
          space.has_returns() || space.returning > 0 ? "in one block" : "computed once",
          space.order_text());
      if (space.returning > 0)
        result.notes.push_back(
            fmt::format("{} return at once", count_of(space.returning, "block")));
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

  void refute_twins(const tiles::SameWork& twins, CheckResult& result) const {
    result.verdict = Verdict::refuted;
    result.finding =
        fmt::format("blocks {} and {} compute one tile{}", block_text(launch_.grid, twins.first),
                    block_text(launch_.grid, twins.second),
                    twins.values.empty() ? "" : fmt::format(" ({})", twins.values));
    add_evidence(result);
  }

  void refute(CheckResult& result) const {
    result.verdict = Verdict::refuted;
    result.finding = "not every tile is computed once";
    add_evidence(result);
  }

  void add_evidence(CheckResult& result) const {
    for (const WrittenTensor& one : written_.tensors) {
      if (one.meeting)
        result.evidence.push_back(fmt::format("blocks {} and {} both write {}",
                                              block_text(launch_.grid, one.meeting->first),
                                              block_text(launch_.grid, one.meeting->second),
                                              element_text(one.name, one.meeting->element)));
      if (one.missing)
        result.evidence.push_back(fmt::format(
            "{} is written by no block ({} of {} elements are not)",
            element_text(one.name, *one.missing), with_separators(one.elements - one.written),
            with_separators(one.elements)));
    }
    if (!written_.silent.empty())
      result.evidence.push_back(fmt::format(
          "block {} writes nothing ({} of {})", block_text(launch_.grid, written_.silent.front()),
          with_separators(static_cast<std::int64_t>(written_.silent.size())),
          count_of(launch_.grid.count(), "block")));
    if (!written_.fault.empty()) result.evidence.push_back(written_.fault);
  }

  void say_unknown(CheckResult& result) const {
    const TileSpace& space = lifted_.space;
    result.finding = "the tiles that blocks write do not make up the tensors";
    if (has_mixed()) result.finding = "some blocks store what others update with atomics";
    if (space.has_returns()) result.finding = space.order_text();
    if (!space.is_found()) result.finding = space.refusal;
    if (!written_.fault.empty()) result.finding = written_.fault;
    add_evidence(result);
  }

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  const tiles::Lifted lifted_;
  WrittenElements written_;
  bool is_too_large_ = false;
};

class KernelChecker {
 public:
  explicit KernelChecker(const KernelCheckRequest& request) : request_(request) {}

  KernelCheck run() {
    if (!request_.job_path.empty()) {
      job_ = config::read_job(request_.job_path, request_.overrides);
      result_.subject = request_.job_path;
    }
    result_.kernel = request_.kernel_path.empty() ? job_->kernel_path : request_.kernel_path;
    if (result_.subject.empty()) result_.subject = result_.kernel;
    source_ = request_.text ? kernel::Source::open(result_.kernel, *request_.text)
                            : kernel::Source::open(result_.kernel);
    const std::string asked = !request_.function.empty() ? request_.function
                              : job_                     ? job_->function
                                                         : "";
    result_.function = find_function(asked);
    if (job_) check_launch();
    if (!request_.launch_only) check_lines();
    return std::move(result_);
  }

 private:
  /// Without a job the only kernel that takes its block's index will do.
  std::string find_function(const std::string& asked) const { return source_->find(asked).name; }

  config::Job job_with(const std::vector<std::string>& more) const {
    config::Job job =
        config::read_job(request_.job_path, config::with_overrides(request_.overrides, more));
    job.kernel_path = result_.kernel;
    if (!request_.function.empty()) job.function = request_.function;
    return job;
  }

  void check_launch() {
    const kernel::NamedLaunch named = source_->launch(job_with({}));
    const kernel::KernelProgram program = source_->compile(named.launch);
    for (const config::Argument& argument : named.launch.arguments)
      if (const auto* number = std::get_if<std::int64_t>(&argument.value.data);
          number != nullptr && argument.is_constexpr && *number > 0)
        constants_[argument.name] = *number;
    LaunchJudge judge(program, named.launch);
    result_.launch = judge.run();
    if (judge.space().is_found()) result_.tiles = judge.space().box_text();
    const bool has_box_alone = judge.has_box_alone();
    if (!request_.launch_only && (result_.launch->verdict == Verdict::proved || has_box_alone))
      check_other_sizes(named.launch, judge);
    if (has_box_alone && result_.range && result_.range->verdict == Verdict::proved)
      prove_by_box(judge.space(), named.launch);
  }

  /// Of a launch that is too large to look at each element.
  void prove_by_box(const TileSpace& space, const config::Launch& launch) {
    CheckResult& result = *result_.launch;
    result.notes.push_back("elements are looked at with other sizes only: " + result.finding);
    result.verdict = Verdict::proved;
    result.finding =
        fmt::format("{}, {} tiles, each in one block: {}", count_of(launch.grid.count(), "block"),
                    space.box_text(), space.order_text());
  }

  std::optional<Grid> grid_with(const std::vector<std::string>& more) const {
    try {
      return source_->launch(job_with(more)).launch.grid;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  /// Rule 3.
  void check_other_sizes(const config::Launch& launch, const LaunchJudge& judge) {
    const std::vector<config::VaryingSize> varying =
        config::find_varying(request_.job_path, request_.overrides,
                             [&](const std::vector<std::string>& more) { return grid_with(more); });
    if (!check_larger(launch, judge.space(), varying)) return;
    const bool is_known = std::ranges::all_of(
        varying, [](const config::VaryingSize& size) { return size.per_tile > 0; });
    if (varying.empty() || !is_known) return;
    result_.range = check_range(varying).result;
    if (result_.range && result_.range->verdict == Verdict::refuted)
      check_multiples(launch, judge, varying);
  }

  struct TriedSizes {
    std::optional<CheckResult> result = {};  ///< nothing: the kernel cannot be launched so
    std::int64_t count = 0;
    std::int64_t most = 0;  ///< tiles along one of them
  };

  /// Few tiles along each size.
  TriedSizes check_range(const std::vector<config::VaryingSize>& varying) {
    TriedSizes tried;
    CheckResult range;
    for (const std::vector<std::int64_t>& counts : config::tile_counts(varying.size())) {
      if (tried.count == static_cast<std::int64_t>(kMostLaunches)) break;
      std::vector<std::string> sizes;
      for (std::size_t i = 0; i < varying.size(); ++i)
        sizes.push_back(fmt::format("{}={}", varying[i].name, varying[i].per_tile * counts[i]));
      const auto one = check_with(sizes);
      if (!one) continue;
      ++tried.count;
      for (const std::int64_t count : counts) tried.most = std::max(tried.most, count);
      if (one->verdict == Verdict::proved) continue;
      range = *one;
      range.finding = fmt::format("with {} ({} tiles): {}", fmt::join(sizes, ", "),
                                  fmt::join(counts, " x "), one->finding);
      tried.result = std::move(range);
      return tried;
    }
    if (tried.count == 0) return tried;
    std::vector<std::string> names;
    for (const config::VaryingSize& size : varying) names.push_back(size.name);
    range.verdict = Verdict::proved;
    range.finding =
        fmt::format("{} with 1 to {} tiles along {}", count_of(tried.count, "other size"),
                    tried.most, fmt::join(names, " and "));
    tried.result = std::move(range);
    return tried;
  }

  /// Rule 4: the range is refuted, and its only size is the number of a persistent kernel's blocks.
  void check_multiples(const config::Launch& launch, const LaunchJudge& judge,
                       const std::vector<config::VaryingSize>& varying) {
    const config::VaryingSize& size = varying.front();
    const bool is_blocks =
        varying.size() == 1 && judge.space().is_found() &&
        judge.space().walk != TileSpace::Walk::once &&
        !has_other_shapes(launch, {fmt::format("{}={}", size.name, size.value / 2)});
    if (!is_blocks) return;
    for (const std::int64_t divisor : judge.divisors()) {
      // Its own number of blocks alone says nothing of others.
      if (size.value % (divisor * size.per_tile) != 0 || divisor * size.per_tile >= size.value)
        continue;
      config::VaryingSize multiple = size;
      multiple.per_tile *= divisor;
      TriedSizes tried = check_range({multiple});
      if (!tried.result || tried.result->verdict != Verdict::proved ||
          tried.count < kLeastMultiples)
        continue;
      tried.result->finding = fmt::format(
          "{} with {} = {} to {}, multiples of {}", count_of(tried.count, "other size"), size.name,
          multiple.per_tile, multiple.per_tile * tried.most, name_of(divisor));
      tried.result->notes.push_back("wrong for other numbers of blocks: " + result_.range->finding);
      result_.range = std::move(tried.result);
      is_wrong_elsewhere_ = true;
      return;
    }
  }

  /// "NUM_XCDS (8)" of a constexpr, "8" otherwise.
  std::string name_of(std::int64_t number) const {
    for (const auto& [name, value] : constants_)
      if (value == number) return fmt::format("{} ({})", name, value);
    return fmt::format("{}", number);
  }

  /// Sizes that the grid does not depend on, twice as large. False: the verdict stands.
  bool check_larger(const config::Launch& launch, const TileSpace& space,
                    const std::vector<config::VaryingSize>& varying) {
    const bool is_persistent = space.is_found() && space.walk != TileSpace::Walk::once;
    for (const std::string& name :
         config::other_numbers(request_.job_path, request_.overrides, varying)) {
      const auto value = std::ranges::find(launch.arguments, name, &config::Argument::name);
      if (value == launch.arguments.end()) continue;
      const auto* number = std::get_if<std::int64_t>(&value->value.data);
      if (number == nullptr || *number < 2) continue;
      const std::vector<std::string> sizes = {fmt::format("{}={}", name, 2 * *number)};
      if (!has_other_shapes(launch, sizes)) continue;
      auto one = check_with(sizes);
      if (!one || one->verdict != Verdict::refuted) continue;
      std::string grid;
      if (!is_persistent && !refute_on_larger_grid(launch.grid, sizes, *one, grid)) continue;
      result_.range = *one;
      result_.range->finding = fmt::format("with {}{}: {}", sizes.front(), grid, one->finding);
      return false;
    }
    return true;
  }

  /// A grid that the job writes as numbers has to follow the size: twice as long along one of its
  /// axes. False: with one of these grids the kernel is right.
  bool refute_on_larger_grid(const Grid& grid, const std::vector<std::string>& sizes,
                             CheckResult& refuted, std::string& text) {
    std::optional<CheckResult> found;
    for (int axis = 0; axis < grid.axes(); ++axis) {
      std::vector<std::int64_t> extents;
      for (int i = 0; i < grid.axes(); ++i) extents.push_back(grid.extent(i) * (i == axis ? 2 : 1));
      const Grid larger(extents);
      const auto one = check_with(sizes, larger);
      if (!one) continue;
      if (one->verdict == Verdict::proved) return false;
      if (found || one->verdict != Verdict::refuted) continue;
      found = one;
      text = fmt::format(" on grid {}", larger.text());
    }
    if (found) refuted = *found;
    if (!found) text = fmt::format(" on grid {}", grid.text());
    return true;
  }

  /// Shapes of tensors follow the sizes, and not their strides alone.
  bool has_other_shapes(const config::Launch& launch, const std::vector<std::string>& sizes) const {
    try {
      const config::Launch other = source_->launch(job_with(sizes)).launch;
      for (std::size_t i = 0; i < launch.tensors.size() && i < other.tensors.size(); ++i)
        if (launch.tensors[i].shape != other.tensors[i].shape) return true;
    } catch (const Error&) {
    }
    return false;
  }

  /// Nothing: the kernel cannot be launched so, or not quickly.
  std::optional<CheckResult> check_with(const std::vector<std::string>& sizes,
                                        const std::optional<Grid>& grid = std::nullopt) {
    try {
      kernel::NamedLaunch named = source_->launch(job_with(sizes));
      if (grid) named.launch.grid = *grid;
      if (named.launch.grid.count() > kMostBlocks || !source_->compiles_quickly(named.launch))
        return std::nullopt;
      const kernel::KernelProgram program = source_->compile(named.launch);
      return LaunchJudge(program, named.launch).run();
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void check_lines() {
    kernel::IndexLines lines;
    try {
      lines = source_->index_lines(result_.function);
    } catch (const Error&) {
      if (!job_) throw;
      return;
    }
    if (!lines) {
      if (!job_) refuse(lines.reason);
      return;
    }
    quote(lines);
    for (const auto& [name, value] : constants_) lines.values[name] = {value};
    LinesRequest request;
    request.path = result_.kernel;
    request.lets = request_.lets;
    request.results = request_.results;
    request.is_c = source_->language().name() != "Triton";
    LinesCheck found = audit::check_lines(lines, request);
    if (!job_ && !found.range && !found.all_sizes) refuse(found.reason);
    take(std::move(found));
  }

  /// What is known of a launch wins over how its lines are read.
  void take(LinesCheck found) {
    const bool is_proved = result_.launch && result_.launch->verdict == Verdict::proved;
    const auto is_refuted = [](const std::optional<CheckResult>& one) {
      return one && one->verdict == Verdict::refuted;
    };
    if (result_.launch && is_refuted(found.range) && is_proved) found.range.reset();
    if (result_.launch && is_refuted(result_.launch)) found.all_sizes.reset();
    if (is_refuted(result_.range) || is_wrong_elsewhere_) found.all_sizes.reset();
    if (found.all_sizes && (!result_.launch || found.all_sizes->verdict == Verdict::proved))
      result_.all_sizes = std::move(found.all_sizes);
    if (!result_.range && found.range) result_.range = std::move(found.range);
    if (result_.tiles.empty()) result_.tiles = found.tiles;
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(
        fmt::format("the index lines of {} cannot be read: {}", result_.function, reason),
        fmt::format("write a job for its launch (heddle new-job {} -o job.toml) and check that, or "
                    "mark the lines with comments: 'heddle: begin order', 'heddle: end order'",
                    shell_quoted(result_.kernel)))
        .in(result_.kernel);
  }

  void quote(const kernel::IndexLines& lines) {
    const std::vector<std::string_view> text = split(source_->text(), '\n');
    for (const int line : lines.lines) {
      if (result_.lines.size() == kMostQuoted) break;
      const std::string_view whole = text[static_cast<std::size_t>(line) - 1];
      if (!trim(whole).empty()) result_.lines.push_back({line, std::string(trim(whole))});
    }
  }

  const KernelCheckRequest& request_;
  std::optional<config::Job> job_;
  std::unique_ptr<kernel::Source> source_;
  std::map<std::string, std::int64_t> constants_;  ///< of the job's launch
  KernelCheck result_;
  bool is_wrong_elsewhere_ = false;  ///< the range is of some numbers of blocks, others are wrong
};

}  // namespace

KernelCheck check_kernel(const KernelCheckRequest& request) {
  return KernelChecker(request).run();
}

}  // namespace heddle::audit
