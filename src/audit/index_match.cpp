#include "audit/index_match.h"

#include <algorithm>

#include "trace/tracer.h"

namespace heddle::audit {
namespace {

constexpr std::int64_t kIndexProbes = 64;

struct NoAccesses : trace::AccessSink {
  void access(const trace::AccessPattern& /*pattern*/) override {}
};

/// Why values are not defined; empty: they are.
std::string undefined_text(const std::vector<trace::Fault>& faults) {
  if (faults.empty()) return {};
  switch (faults.front().kind) {
    case trace::Fault::Kind::division_by_zero:
      return "the index code divides by zero";
    case trace::Fault::Kind::uninitialized:
      return "an index value is used that was never set";
    default:
      return "the arithmetic of the index overflows";
  }
}

std::string undefined_in(const kernel::KernelProgram& program, const config::Launch& launch) {
  trace::Tracer tracer(program, launch, {});
  NoAccesses sink;
  const std::int64_t count = launch.grid.count();
  for (std::int64_t i = 0; i < std::min(count, kIndexProbes); ++i) {
    const std::int64_t id = count <= kIndexProbes ? i : (count - 1) / (kIndexProbes - 1) * i;
    tracer.run(block_of(launch.grid, LaunchId{id}), sink);
  }
  tracer.run(block_of(launch.grid, LaunchId{count - 1}), sink);
  return undefined_text(tracer.faults());
}

}  // namespace

IndexJudgement judge_index(const kernel::CodeComparison& code) {
  IndexJudgement result;
  result.reason = code.reason;
  if (!code.index) return result;
  const kernel::IndexPrograms& index = *code.index;
  try {
    BlockMatch blocks = match_blocks({&index.before, &index.launch_before},
                                     {&index.after, &index.launch_after}, AccessForm::stream);
    const std::string before = undefined_text(blocks.faults_before);
    const std::string after = undefined_text(blocks.faults_after);
    result.is_undefined = before.empty() && !after.empty();
    result.reason = before.empty() ? after : before;
    if (result.reason.empty() && !index.if_moved.empty() && !blocks.is_identity())
      result.reason = index.if_moved;
    if (result.reason.empty()) result.blocks = std::move(blocks);
  } catch (const Error& error) {
    result.reason = error.message();
  }
  return result;
}

std::string probe_index(const kernel::CodeComparison& code) {
  if (!code.index) return code.reason;
  try {
    // An original that is not defined there is not launched there.
    if (!undefined_in(code.index->before, code.index->launch_before).empty()) return {};
    return undefined_in(code.index->after, code.index->launch_after);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace heddle::audit
