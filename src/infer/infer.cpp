#include "infer/infer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "config/job.h"
#include "infer/repair.h"
#include "kernel/source.h"
#include "support/file.h"
#include "support/temporary_folder.h"
#include "trace/analyze.h"

namespace heddle::infer {
namespace {

constexpr int kMostTrials = 40;
constexpr std::int64_t kTileWork = 2'000'000;  ///< steps of a tile

/// How much of a launch a trial looks at.
struct Depth {
  std::int64_t tiles = 0;
  std::int64_t work = 0;  ///< steps of all tiles
};
constexpr Depth kQuick = {512, 4'000'000};
constexpr Depth kThorough = {1 << 16, 40'000'000};  ///< before the job is called sound

/// One reading of the draft as a job, with what it found.
struct Trial {
  std::optional<config::Launch> launch;
  std::optional<Error> error;
  std::vector<trace::Fault> faults;

  std::string finding() const {
    if (error) return error->message();
    if (faults.empty()) return {};
    const trace::Fault& first = faults.front();
    const std::string tensor = tensor_name(first, *launch);
    return fmt::format("{}{}: {}", trace::fault_text(first.kind),
                       tensor.empty() ? "" : " of '" + tensor + "'", first.detail);
  }
};

class Inference {
 public:
  explicit Inference(const InferRequest& request)
      : request_(request), source_(kernel::Source::open(request.kernel_path)) {}

  std::optional<InferredJob> run() {
    auto draft =
        request_.function.empty() ? pick() : source_->draft(request_.function, request_.target);
    if (!draft) return std::nullopt;
    draft_ = std::move(*draft);
    apply_overrides();
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
  /// A name that the draft does not have is left to read_job, which says so.
  void apply_overrides() {
    for (const std::string& one : request_.overrides) {
      const std::size_t at = one.find('=');
      for (auto* list : {&draft_.sizes, &draft_.scalars, &draft_.constexprs, &draft_.launch_values})
        for (auto& [name, value] : *list)
          if (at != std::string::npos && name == one.substr(0, at))
            value = {one.substr(at + 1), "--set"};
    }
  }

  /// The only kernel of the file, or the one whose launch comes first.
  std::optional<config::JobDraft> pick() {
    constexpr std::size_t kMostKernels = 24;
    const std::vector<kernel::KernelName> all = source_->kernels();
    if (all.size() <= 1 || all.size() > kMostKernels)
      return source_->draft(source_->find("").name, request_.target);
    std::optional<config::JobDraft> first;
    std::vector<std::string> launched;
    const auto place = [](const config::JobDraft& one) {
      return std::pair(!one.launched_here, one.launched_here ? one.launch_line : 0);
    };
    for (const kernel::KernelName& one : all) {
      auto draft = source_->draft(one.name, request_.target);
      if (!draft) return std::nullopt;
      if (draft->launch.empty()) continue;
      launched.push_back(one.name);
      if (!first || place(*draft) < place(*first)) first = std::move(draft);
    }
    if (!first) return source_->draft(source_->find("").name, request_.target);
    if (launched.size() > 1) {
      std::erase(launched, first->function);
      first->function_remark = fmt::format("the first that is launched; --kernel picks another: {}",
                                           fmt::join(launched, ", "));
    }
    return first;
  }

  Trial try_draft() {
    Trial trial;
    try {
      const std::string path = folder_.path() + "/job.toml";
      write_text(path, config::job_text(draft_));
      const config::Job job = config::read_job(path, request_.overrides, request_.target);
      trial.launch = source_->launch(job).launch;
      const kernel::KernelProgram program = source_->compile(*trial.launch);
      trace::AnalyzeOptions options;
      options.most_work = depth_.work;
      options.trace.limits.steps = kTileWork;
      trial.faults = trace::find_faults(program, *trial.launch, depth_.tiles, options);
    } catch (const Error& error) {
      trial.error = error;
    }
    return trial;
  }

  void repair() {
    Repair repair(draft_);
    last_ = try_draft();
    for (int trials = 1; trials < kMostTrials; ++trials) {
      if (last_.finding().empty()) {
        if (last_.launch && repair.lower_grid(*last_.launch)) {
          last_ = try_draft();
          continue;
        }
        if (std::exchange(depth_, kThorough).tiles == kThorough.tiles) break;
        last_ = try_draft();
        continue;
      }
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
  Depth depth_ = kQuick;
  std::set<std::string> tried_;
  TemporaryFolder folder_;
};

}  // namespace

std::optional<InferredJob> infer_job(const InferRequest& request) {
  return Inference(request).run();
}

}  // namespace heddle::infer
