#include "audit/kernel_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "audit/kernel_lines.h"
#include "audit/launch_judge.h"
#include "config/job.h"
#include "config/other_sizes.h"
#include "kernel/source.h"
#include "support/text.h"
#include "tiles/find.h"

namespace heddle::audit {
namespace {

constexpr std::int64_t kMostBlocks = 4096;   ///< of a launch with other sizes
constexpr std::size_t kMostLaunches = 24;    ///< with other sizes
constexpr std::int64_t kLeastMultiples = 3;  ///< numbers of blocks that say something of others
constexpr std::size_t kMostQuoted = 24;      ///< lines

/// Those of a text without its comments; 1 << n for a shift by n.
std::set<std::int64_t> numbers_in(std::string_view text, std::string_view comment) {
  std::set<std::int64_t> numbers;
  const auto value_of = [](std::string word) -> std::optional<std::int64_t> {
    while (!word.empty() && std::strchr("uUlL", word.back()) != nullptr) word.pop_back();
    constexpr int kHexadecimal = 16;
    constexpr std::size_t kMostDigits = 15;
    if ((word.starts_with("0x") || word.starts_with("0X")) && word.size() <= kMostDigits)
      return std::strtoll(word.c_str(), nullptr, kHexadecimal);
    return parse_integer(word);
  };
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view code = line.substr(0, line.find(comment));
    for (std::size_t at = 0; at < code.size();) {
      std::size_t end = at;
      while (end < code.size() && is_word(code[end])) ++end;
      const auto number = value_of(std::string(code.substr(at, end - at)));
      const std::string_view before = trim(code.substr(0, at));
      const bool is_shift = before.ends_with("<<") || before.ends_with(">>");
      if (number && is_shift && *number > 0 && *number < 62)
        numbers.insert(std::int64_t{1} << *number);
      else if (number)
        numbers.insert(*number);
      at = std::max(end, at + 1);
    }
  }
  return numbers;
}

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
    if (judge.space().is_found() && judge.space().walk != TileSpace::Walk::once && !check_tiles())
      return;
    const bool is_known = std::ranges::all_of(
        varying, [](const config::VaryingSize& size) { return size.per_tile > 0; });
    if (varying.empty() || !is_known) return;
    result_.range = check_range(varying).result;
    if (result_.range && result_.range->verdict == Verdict::refuted)
      check_multiples(launch, judge, varying);  // says nothing of other numbers of blocks
    else if (result_.range && result_.range->verdict == Verdict::proved && check_rest(varying))
      check_numbers(varying);
  }

  /// Other numbers of tiles on the blocks of a persistent kernel. False: the verdict stands.
  bool check_tiles() {
    const auto tiles_with = [&](const std::vector<std::string>& more) -> std::optional<Grid> {
      try {
        const config::Launch other = source_->launch(job_with(more)).launch;
        const TileSpace space = tiles::find_tile_space(source_->read_index(other), other);
        if (space.is_found()) return Grid({space.count()});
      } catch (const Error&) {
      }
      return std::nullopt;
    };
    std::vector<config::VaryingSize> varying =
        config::find_varying(request_.job_path, request_.overrides, tiles_with);
    std::erase_if(varying, [](const config::VaryingSize& size) { return size.per_tile < 1; });
    if (varying.empty()) return true;
    std::size_t count = 0;
    for (const std::vector<std::int64_t>& counts : config::tile_counts(varying.size())) {
      if (++count > kMostLaunches) break;
      if (is_refuted_with(config::sizes_with(varying, counts))) return false;
    }
    return true;
  }

  /// One element in the last tile, along sizes that do not fill it in the job either. False: the
  /// verdict stands.
  bool check_rest(const std::vector<config::VaryingSize>& varying) {
    std::vector<std::string> sizes;
    for (const config::VaryingSize& size : varying) {
      const bool is_full = size.value % size.per_tile == 0;
      sizes.push_back(
          fmt::format("{}={}", size.name, size.per_tile * (is_full ? 3 : 2) + (is_full ? 0 : 1)));
    }
    return !is_refuted_with(sizes);
  }

  /// Numbers of the index lines, where a case may begin: as many tiles, and that many of a size.
  void check_numbers(const std::vector<config::VaryingSize>& varying) {
    constexpr std::size_t kMostNumbers = 6;
    std::set<std::int64_t> numbers = line_numbers(varying);
    std::vector<std::string> untried;
    std::size_t count = 0;
    for (const std::int64_t number : numbers) {
      if (number >= kMostBlocks || ++count > kMostNumbers) {
        untried.push_back(fmt::format("{}", number));
        continue;
      }
      for (std::size_t i = 0; i < varying.size(); ++i)
        for (const std::int64_t tiles : {number + 1, number + 2, number / varying[i].per_tile,
                                         number / varying[i].per_tile + 1})
          if (!check_many(varying, i, tiles)) return;
    }
    if (untried.empty()) return;
    result_.range->verdict = Verdict::unknown;
    result_.range->evidence.push_back(
        fmt::format("not tried: as many tiles as the numbers of its index lines say ({})",
                    fmt::join(untried, ", ")));
  }

  /// So many tiles along one size. False: they are not computed once.
  bool check_many(const std::vector<config::VaryingSize>& varying, std::size_t i,
                  std::int64_t tiles) {
    constexpr std::int64_t kOthers = 3;
    if (tiles < 1) return true;
    std::vector<std::string> sizes;
    for (std::size_t k = 0; k < varying.size(); ++k)
      sizes.push_back(
          fmt::format("{}={}", varying[k].name, varying[k].per_tile * (k == i ? tiles : kOthers)));
    return !is_refuted_with(sizes);
  }

  bool is_refuted_with(const std::vector<std::string>& sizes) {
    const auto one = check_with(sizes);
    if (!one || one->verdict != Verdict::refuted) return false;
    result_.range = *one;
    result_.range->finding = fmt::format("with {}: {}", fmt::join(sizes, ", "), one->finding);
    return true;
  }

  /// Whole numbers over 17 of the index lines, but for those that count tiles; 1 << n for a shift.
  std::set<std::int64_t> line_numbers(const std::vector<config::VaryingSize>& varying) const {
    constexpr std::int64_t kSmall = 17;
    std::set<std::int64_t> numbers;
    try {
      const kernel::IndexLines lines = source_->index_lines(result_.function);
      for (const std::int64_t number : numbers_in(lines.text, source_->language().comment()))
        if (number > kSmall) numbers.insert(number);
    } catch (const Error&) {
    }
    for (const config::VaryingSize& size : varying) numbers.erase(size.per_tile);
    return numbers;
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
