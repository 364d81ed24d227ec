#include "infer/infer.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>

#include "config/job.h"
#include "infer/repair.h"
#include "kernel/source.h"
#include "support/file.h"
#include "support/temporary_folder.h"
#include "trace/analyze.h"

namespace heddle::infer {
namespace {

constexpr int kMostTrials = 40;
constexpr std::int64_t kTrialTiles = 512;
constexpr std::int64_t kTrialWork = 4'000'000;  ///< steps of all tiles
constexpr std::int64_t kTileWork = 2'000'000;   ///< of one

/// One reading of the draft as a job, with what it found.
struct Trial {
  std::optional<config::Launch> launch;
  std::optional<Error> error;
  std::vector<FaultSummary> faults;

  std::string finding() const {
    if (error) return error->message();
    if (faults.empty()) return {};
    const FaultSummary& first = faults.front();
    return fmt::format("{}{}: {}", first.kind,
                       first.tensor.empty() ? "" : " of '" + first.tensor + "'", first.detail);
  }
};

class Inference {
 public:
  explicit Inference(const InferRequest& request)
      : request_(request), source_(kernel::Source::open(request.kernel_path)) {}

  std::optional<InferredJob> run() {
    auto draft = source_->draft(function_name(), request_.target);
    if (!draft) return std::nullopt;
    draft_ = std::move(*draft);
    draft_.kernel_path = std::filesystem::absolute(request_.kernel_path).string();
    repair();
    draft_.kernel_path = request_.kernel_path;
    InferredJob result;
    result.draft = std::move(draft_);
    result.problem = last_.finding();
    result.traces = !last_.error;
    return result;
  }

 private:
  /// The kernel that is asked for; else the only one, or the only one that is launched.
  std::string function_name() {
    constexpr std::size_t kMostKernels = 24;
    if (!request_.function.empty()) return request_.function;
    const std::vector<kernel::KernelName> all = source_->kernels();
    if (all.size() <= 1 || all.size() > kMostKernels) return source_->find("").name;
    std::vector<std::string> launched;
    for (const kernel::KernelName& one : all) {
      const auto draft = source_->draft(one.name, request_.target);
      if (!draft) return {};
      if (!draft->launch.empty()) launched.push_back(one.name);
    }
    if (launched.size() == 1) return launched.front();
    if (launched.empty()) return source_->find("").name;
    throw Error(fmt::format("{} kernels of the file are launched", launched.size()),
                fmt::format("pick one: --kernel NAME with one of: {}", fmt::join(launched, " ")))
        .in(request_.kernel_path);
  }

  Trial try_draft() {
    Trial trial;
    try {
      const std::string path = folder_.path() + "/job.toml";
      write_text(path, config::job_text(draft_));
      const config::Job job = config::read_job(path, {}, request_.target);
      trial.launch = source_->launch(job).launch;
      const kernel::KernelProgram program = source_->compile(*trial.launch);
      trace::AnalyzeOptions options;
      options.most_work = kTrialWork;
      options.trace.limits.steps = kTileWork;
      trial.faults = trace::find_faults(program, *trial.launch, kTrialTiles, options);
    } catch (const Error& error) {
      trial.error = error;
    }
    return trial;
  }

  void repair() {
    Repair repair(draft_);
    last_ = try_draft();
    for (int trials = 1; trials < kMostTrials && !last_.finding().empty(); ++trials) {
      const bool mended = last_.error
                              ? repair.mend(*last_.error, last_.launch ? &*last_.launch : nullptr)
                              : repair.mend(last_.faults, *last_.launch);
      if (mended) {
        last_ = try_draft();
      } else if (!last_.error || !try_options(trials)) {
        break;
      }
    }
  }

  /// Another value for a guess that has options; kept where it leads further.
  bool try_options(int& trials) {
    const config::JobDraft before = draft_;
    const Trial found = last_;
    for (const DraftOption& option : options_of(before)) {
      if (++trials >= kMostTrials || !tried_.insert(option.name + "=" + option.text).second)
        continue;
      set_option(draft_, option, found.finding());
      last_ = try_draft();
      if (last_.finding() != found.finding()) return true;
      draft_ = before;
    }
    last_ = found;
    return false;
  }

  const InferRequest& request_;
  std::unique_ptr<kernel::Source> source_;
  config::JobDraft draft_;
  Trial last_;
  std::set<std::string> tried_;
  TemporaryFolder folder_;
};

}  // namespace

std::optional<InferredJob> infer_job(const InferRequest& request) {
  return Inference(request).run();
}

}  // namespace heddle::infer
