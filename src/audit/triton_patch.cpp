// Both kernels of a Triton patch on one launch.
#include <fmt/format.h>

#include "audit/audit_patch.h"
#include "audit/index_match.h"
#include "audit/patch.h"
#include "kernel/triton/compile.h"
#include "kernel/triton/language.h"

namespace heddle::audit {
namespace {

namespace triton = kernel::triton;

/// The new file's kernel: by name, or the only one where that name is gone.
const triton::Node& changed_kernel(const triton::TritonSource& source, const std::string& asked,
                                   const std::string& original) {
  if (!asked.empty()) return source.kernel(asked);
  const triton::Module& module = source.main();
  if (module.functions.count(original) > 0) return source.kernel(original);
  try {
    return source.kernel("");
  } catch (const Error& error) {
    throw Error(fmt::format("there is no kernel '{}', and not one that could be meant: {}",
                            original, error.message()),
                "name the new kernel with --after-function NAME")
        .in(module.path);
  }
}

struct Pair {
  PatchSide before;
  PatchSide after;
  LaunchJudgement launch;
};

class TritonPatch : public PatchJudge {
 public:
  explicit TritonPatch(const PatchRequest& request)
      : before_(request.before), after_(request.after) {}

  Grid grid(const PatchRequest& request) override {
    return triton::launch_of(before_, original_job(request)).launch.grid;
  }

  PatchAudit audit(const PatchRequest& request) override {
    const Pair pair = pair_of(request);
    return audit_triton(pair.before, pair.after, pair.launch);
  }

  std::optional<bool> is_permuted(const PatchRequest& request) override {
    const std::optional<Pair> pair = readable_pair(request);
    if (!pair || pair->launch.check.verdict != Verdict::proved) return std::nullopt;
    const IndexJudgement index = judge_index(pair->before, pair->after, *changes_);
    if (!index.blocks) return std::nullopt;
    return index.blocks->is_permutation();
  }

  std::string probe(const PatchRequest& request) override {
    const std::optional<Pair> pair = readable_pair(request);
    return pair ? probe_index(pair->before, pair->after, *changes_) : std::string();
  }

  std::vector<std::int64_t> constants() const override {
    return changes_ ? changes_->constants : std::vector<std::int64_t>();
  }

 private:
  Pair pair_of(const PatchRequest& request) {
    config::Job job = original_job(request);
    const triton::Node& function = before_.kernel(job.function);
    job.function = function.text;
    kernel::NamedLaunch known = triton::launch_of(before_, job);
    PatchSide before{request.before, &before_, &function, known.launch, {}, {}};
    before.program = triton::compile(before_, before.launch);

    const triton::Node& changed = changed_kernel(after_, request.after_function, function.text);
    PatchSide after{request.after, &after_, &changed, known.launch, {}, {}};
    LaunchGiven given{before.launch.grid, before.launch.grid,    known.names,
                      known.names,        before.launch.tensors, request.after_grid};
    try {
      config::Job new_job = changed_job(request, job);
      new_job.function = changed.text;
      kernel::NamedLaunch launched = triton::launch_of(after_, new_job);
      after.launch = std::move(launched.launch);
      given.new_names = std::move(launched.names);
      given.new_grid = after.launch.grid;
      if (!request.after_job_path.empty() && !given.after_grid)
        given.after_grid = after.launch.grid;
    } catch (const Error& error) {
      after.reason = error.message();
    }
    LaunchJudgement launch = judge_launch({&before_, &function}, {&after_, &changed}, given);
    after.launch.kernel_path = request.after;
    after.launch.function = changed.text;
    after.launch.grid = launch.after_grid;
    if (after.reason.empty()) {
      try {
        after.program = triton::compile(after_, after.launch);
      } catch (const Error& error) {
        after.reason = reason_of_reading(error);
      }
    }
    return {std::move(before), std::move(after), std::move(launch)};
  }

  /// Nothing if one of the kernels cannot be read for this launch.
  std::optional<Pair> readable_pair(const PatchRequest& request) {
    try {
      Pair pair = pair_of(request);
      if (!pair.after.program) return std::nullopt;
      if (!changes_) changes_ = changes_of(pair.before, pair.after, pair.launch);
      return pair;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  triton::TritonSource before_;
  triton::TritonSource after_;
  std::optional<CodeChanges> changes_;  ///< the same for all sizes
};

}  // namespace

std::unique_ptr<PatchJudge> open_triton_patch(const PatchRequest& request) {
  return std::make_unique<TritonPatch>(request);
}

}  // namespace heddle::audit
