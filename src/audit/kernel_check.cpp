#include "audit/kernel_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "audit/kernel_lines.h"
#include "audit/launch_judge.h"
#include "audit/size_check.h"
#include "config/job.h"
#include "config/other_sizes.h"
#include "kernel/source.h"
#include "support/text.h"
#include "tiles/find.h"

namespace heddle::audit {
namespace {

constexpr std::size_t kMostQuoted = 24;  ///< lines

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
    LaunchJudge judge(program, named.launch, tiles::lift(program, named.launch));
    result_.launch = judge.run();
    if (judge.space().is_found()) result_.tiles = judge.space().box_text();
    const bool has_box_alone = judge.has_box_alone();
    if (!request_.launch_only && (result_.launch->verdict == Verdict::proved || has_box_alone))
      check_other_sizes(named.launch, judge);
    if (has_box_alone && result_.range && result_.range->verdict == Verdict::proved)
      prove_by_box(judge.space(), named.launch);
  }

  void check_other_sizes(const config::Launch& launch, const LaunchJudge& judge) {
    const SizeCheckRequest request{
        request_.job_path, request_.overrides, result_.function, constants_,
        [this](const std::vector<std::string>& more) { return job_with(more); }};
    SizeCheck found = check_sizes(request, *source_, launch, judge);
    result_.range = std::move(found.range);
    is_wrong_elsewhere_ = found.is_wrong_elsewhere;
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
