#include "kernel/triton/host/infer.h"

#include <fmt/format.h>

#include "kernel/triton/compile.h"
#include "kernel/triton/host/draft_writer.h"
#include "kernel/triton/host/launch_search.h"

namespace heddle::kernel::triton::host {
namespace {

/// What the decorators set, the first config's values among it.
Dict read_decorators(TritonSource& source, const Node& kernel, config::JobDraft& draft) {
  for (const auto& [name, configs] : tuned_names(source, kernel))
    draft.set.emplace_back(name, configs > 0 ? "its autotune config" : "@triton.heuristics");
  const auto configs = listed_configs(source, kernel.text);
  Dict values;
  if (configs.empty()) return values;
  draft.config =
      config::DraftValue{"0", fmt::format("the first of {} of @triton.autotune", configs.size())};
  for (const config::NamedValue& one : configs.front()) {
    if (const auto* number = std::get_if<std::int64_t>(&one.value.data))
      values.emplace_back(one.name, Value{Number::of(*number, one.name)});
    else if (const auto* flag = std::get_if<bool>(&one.value.data))
      values.emplace_back(one.name, Value{*flag});
  }
  return values;
}

}  // namespace

config::JobDraft infer_job(TritonSource& source, const std::string& function) {
  const Node& kernel = source.kernel(function);
  config::JobDraft draft;
  draft.function = kernel.text;
  const KernelParameters parameters(source, kernel);
  const Dict config = read_decorators(source, kernel, draft);
  std::vector<std::string> set;
  for (const auto& [name, by] : draft.set) set.push_back(name);
  Effort effort;
  FoundLaunch launch = LaunchSearch(source, kernel, parameters, set, effort).run();
  effort = {};  // what is left to do is short
  DraftWriter(draft, launch, parameters, config, source.main()).run(kernel);
  return draft;
}

}  // namespace heddle::kernel::triton::host
