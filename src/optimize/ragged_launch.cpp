#include "optimize/ragged_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "config/job.h"
#include "config/launch_limits.h"
#include "config/other_sizes.h"
#include "support/text.h"
#include "trace/analyze.h"
#include "trace/independence.h"

namespace heddle::optimize {
namespace {

constexpr std::int64_t kTraceWork = 20'000'000;  ///< of one launch that is tried
constexpr std::int64_t kIndependenceWork = 200'000'000;
constexpr std::int64_t kLeastExtent = 32;      ///< of a number that may be a loop's bound
constexpr std::int64_t kLoopExtent = 797;      ///< a prime: no block of a loop divides it
constexpr std::int64_t kMostRelated = 128;     ///< heads, groups; larger values are not counts
constexpr std::int64_t kDescriptorBytes = 16;  ///< strides of a descriptor are multiples
constexpr int kMostTried = 24;

/// "line 12: out of bounds (a_ptr)".
std::string fault_text(const TraceReport& report) {
  const FaultSummary& fault = report.faults.front();
  return fmt::format("line {}: {}{}", fault.place.line, fault.kind,
                     fault.tensor.empty() ? "" : " (" + fault.tensor + ")");
}

class RaggedSearch {
 public:
  RaggedSearch(const OptimizeRequest& request, const kernel::LoadedKernel& loaded)
      : request_(request),
        loaded_(loaded),
        source_(kernel::Source::open(loaded.launch.kernel_path)) {}

  RaggedLaunch run() {
    const auto varying = config::find_varying(
        request_.job_path, request_.overrides,
        [this](const std::vector<std::string>& more) { return grid_with(more); });
    if (varying.empty()) return {nullptr, "the grid depends on no number of the job"};
    read_numbers();
    const std::string refused = vary(varying);
    if (!best_) return {nullptr, refused};
    make_loops_ragged(varying);
    return {std::move(best_), refused};
  }

 private:
  std::optional<Grid> grid_with(const std::vector<std::string>& more) {
    try {
      return source_->launch(job_with(more)).launch.grid;
    } catch (const Error&) {
      return std::nullopt;  // the job does not work with these sizes
    }
  }

  config::Job job_with(const std::vector<std::string>& more) const {
    return config::read_job(request_.job_path, config::with_overrides(request_.overrides, more),
                            loaded_.launch.target);
  }

  void read_numbers() {
    const config::Job job = job_with({});
    for (const auto* list : {&job.sizes, &job.scalars})
      for (const config::NamedExpression& entry : *list)
        if (const auto value = parse_integer(trim(entry.written.text)))
          numbers_[entry.name] = *value;
  }

  /// Rule 1. Why sizes are not as ragged as they could be; empty: they are.
  std::string vary(const std::vector<config::VaryingSize>& varying) {
    std::vector<std::vector<std::int64_t>> choices;
    for (std::size_t i = 0; i < varying.size(); ++i) choices.push_back(choices_of(varying, i));
    Sizes all;
    for (std::size_t i = 0; i < varying.size(); ++i) all[varying[i].name] = choices[i].front();
    std::string refused;
    if (take(all, refused)) return {};
    for (std::size_t i = 0; i < varying.size(); ++i) {
      for (const std::int64_t value : choices[i]) {
        Sizes more = sizes_;
        more[varying[i].name] = value;
        std::string reason;
        if (take(more, reason)) break;
        if (refused.empty()) refused = reason;
      }
    }
    return refused;
  }

  /// Ragged ones first, then full tiles.
  std::vector<std::int64_t> choices_of(const std::vector<config::VaryingSize>& varying,
                                       std::size_t i) const {
    const config::VaryingSize& size = varying[i];
    const std::string text = config::ragged_sizes(varying)[i];
    const std::int64_t ragged = parse_integer(text.substr(text.find('=') + 1)).value_or(size.value);
    std::vector<std::int64_t> choices;
    const std::int64_t shared = size.per_tile <= 1 ? shared_divisor(size) : 1;
    if (shared > 1) choices.push_back(shared * std::max<std::int64_t>(3, (ragged / shared) | 1));
    choices.push_back(ragged);
    if (size.per_tile > 1) {
      const std::int64_t full = (ragged + size.per_tile - 1) / size.per_tile * size.per_tile;
      if (full > kDescriptorBytes) choices.push_back(full - kDescriptorBytes);
      choices.push_back(full);
    }
    return choices;
  }

  /// What other numbers of the job divide a count by: heads by kv_heads.
  std::int64_t shared_divisor(const config::VaryingSize& size) const {
    std::int64_t shared = 1;
    for (const auto& [name, value] : numbers_) {
      if (name == size.name || value < 2 || value >= size.value || value > kMostRelated) continue;
      if (size.value % value != 0) continue;
      const std::int64_t both = std::lcm(shared, value);
      if (size.value % both == 0 && both < size.value) shared = both;
    }
    return shared;
  }

  /// Rule 2.
  void make_loops_ragged(const std::vector<config::VaryingSize>& varying) {
    const Grid grid = best_->launch.grid;
    for (const std::string& name :
         config::other_numbers(request_.job_path, request_.overrides, varying)) {
      const auto found = numbers_.find(name);
      if (found == numbers_.end() || found->second < kLeastExtent) continue;
      const std::int64_t odd =
          found->second > kLoopExtent ? kLoopExtent : (found->second - found->second / 4 - 1) | 1;
      for (const std::int64_t value : {odd, odd / kDescriptorBytes * kDescriptorBytes}) {
        Sizes more = sizes_;
        more[name] = value;
        std::string reason;
        if (value > 1 && value < found->second && take(more, reason, &grid)) break;
      }
    }
  }

  using Sizes = std::map<std::string, std::int64_t>;

  /// Whether the kernel can be launched with these sizes; then they are the best so far.
  bool take(const Sizes& sizes, std::string& reason, const Grid* grid = nullptr) {
    if (++tried_ > kMostTried) return false;
    std::vector<std::string> more;
    for (const auto& [name, value] : sizes) more.push_back(fmt::format("{}={}", name, value));
    try {
      auto kernel = std::make_unique<const kernel::LoadedKernel>(
          kernel::load_kernel(request_.job_path, config::with_overrides(request_.overrides, more),
                              loaded_.launch.target));
      reason = refusal(*kernel);
      if (reason.empty() && grid != nullptr && !(kernel->launch.grid == *grid))
        reason = "the grid is another one";
      if (!reason.empty()) {
        reason = fmt::format("with {}: {}", fmt::join(more, ", "), reason);
        return false;
      }
      best_ = std::move(kernel);
      sizes_ = sizes;
      return true;
    } catch (const Error& error) {
      reason = fmt::format("with {}: {}", fmt::join(more, ", "), error.message());
      return false;
    }
  }

  /// Rules 3 and 4; empty: nothing speaks against it.
  std::string refusal(const kernel::LoadedKernel& kernel) const {
    if (kernel.program.defines != loaded_.program.defines) return "other sizes are other macros";
    const std::string beyond = config::launch_refusal(kernel.launch, kernel.launch.target);
    if (!beyond.empty()) return beyond;
    for (const config::Tensor& tensor : kernel.launch.tensors)
      if (!tensor.block.empty())
        for (std::size_t i = 0; i + 1 < tensor.strides.size(); ++i)
          if (tensor.strides[i] * config::byte_width(tensor.dtype) % kDescriptorBytes != 0)
            return fmt::format("the strides of the descriptor {} are not multiples of {} bytes",
                               tensor.name, kDescriptorBytes);
    trace::AnalyzeOptions options;
    options.most_work = kTraceWork;
    const TraceReport report = trace::analyze(kernel.program, kernel.launch, options);
    if (!report.faults.empty()) return fault_text(report);
    trace::IndependenceOptions limits;
    limits.most_work = kIndependenceWork;
    IndependenceReport independence;
    if (!trace::find_independence(kernel.program, kernel.launch, limits, independence))
      return independence.reason.empty() ? "tiles are not independent" : independence.reason;
    return {};
  }

  const OptimizeRequest& request_;
  const kernel::LoadedKernel& loaded_;
  std::unique_ptr<kernel::Source> source_;
  Sizes numbers_;  ///< of the job
  Sizes sizes_;    ///< of the best launch
  std::unique_ptr<const kernel::LoadedKernel> best_;
  int tried_ = 0;
};

}  // namespace

RaggedLaunch find_ragged(const OptimizeRequest& request, const kernel::LoadedKernel& loaded) {
  try {
    return RaggedSearch(request, loaded).run();
  } catch (const Error& error) {
    return {nullptr, error.message()};
  }
}

}  // namespace heddle::optimize
