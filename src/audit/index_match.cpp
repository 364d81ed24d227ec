#include "audit/index_match.h"

#include <algorithm>

#include "kernel/triton/compile.h"
#include "trace/tracer.h"

namespace heddle::audit {
namespace {

using kernel::KernelProgram;

constexpr std::int64_t kProbes = 64;
constexpr const char* kUndefined = "the arithmetic of the index overflows, or is not defined";

/// The new kernel with the original's names for its variables.
std::optional<KernelProgram> renamed_program(const PatchSide& after, const CodeChanges& changes) {
  if (changes.renamed.empty()) return std::nullopt;
  const auto& module = after.source->main();
  kernel::triton::TritonSource source(module.path, renamed_root(module, *after.function, changes));
  return kernel::triton::compile(source, after.launch);
}

std::vector<kernel::ValueId> half_of(const ProgramMatch& match, bool first) {
  std::vector<kernel::ValueId> values;
  for (const auto& [before, after] : match.cut) values.push_back(first ? before : after);
  return values;
}

struct NoAccesses : trace::AccessSink {
  void access(const trace::AccessPattern& /*pattern*/) override {}
};

bool is_defined(const IndexProgram& index) {
  trace::Tracer tracer(index.program, index.launch, {});
  NoAccesses sink;
  const std::int64_t count = index.launch.grid.count();
  for (std::int64_t i = 0; i < std::min(count, kProbes); ++i) {
    const std::int64_t id = count <= kProbes ? i : (count - 1) / (kProbes - 1) * i;
    tracer.run(block_of(index.launch.grid, LaunchId{id}), sink);
  }
  tracer.run(block_of(index.launch.grid, LaunchId{count - 1}), sink);
  return tracer.faults().empty();
}

}  // namespace

IndexJudgement judge_index(const PatchSide& before, const PatchSide& after,
                           const CodeChanges& changes) {
  IndexJudgement index;
  try {
    const std::optional<KernelProgram> renamed = renamed_program(after, changes);
    const KernelProgram& program = renamed ? *renamed : *after.program;
    index.programs =
        match_programs(*before.program, program, before.launch.grid == after.launch.grid);
    if (!index.programs.is_match) {
      index.reason = index.programs.reason;
      return index;
    }
    const IndexProgram old_index =
        index_program(*before.program, before.launch, half_of(index.programs, true));
    const IndexProgram new_index =
        index_program(program, after.launch, half_of(index.programs, false));
    BlockMatch blocks =
        match_blocks(old_index.launched(), new_index.launched(), AccessForm::stream);
    if (!blocks.faults_before.empty() || !blocks.faults_after.empty())
      index.reason = kUndefined;
    else
      index.blocks = std::move(blocks);
  } catch (const Error& error) {
    index.reason = error.message();
  }
  return index;
}

std::string probe_index(const PatchSide& before, const PatchSide& after,
                        const CodeChanges& changes) {
  try {
    const std::optional<KernelProgram> renamed = renamed_program(after, changes);
    const KernelProgram& program = renamed ? *renamed : *after.program;
    const ProgramMatch match =
        match_programs(*before.program, program, before.launch.grid == after.launch.grid);
    if (!match.is_match) return match.reason;
    // An original that is not defined there is not launched there.
    if (!is_defined(index_program(*before.program, before.launch, half_of(match, true)))) return {};
    const bool is_fine = is_defined(index_program(program, after.launch, half_of(match, false)));
    return is_fine ? std::string() : kUndefined;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace heddle::audit
