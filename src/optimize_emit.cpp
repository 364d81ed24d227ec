#include "optimize_emit.h"

#include <fmt/format.h>

#include "emit/agreement.h"
#include "emit/diff.h"
#include "emit/emit.h"
#include "emit/kernel_rewriter.h"
#include "support/text.h"

namespace heddle {
namespace {

/// What comparing blocks of both kernels found. Throws Error where one does other work.
std::string compare(const LoadedKernel& loaded, const std::string& after,
                    const proof::ProvenOrder& proven) {
  const kernel::KernelProgram program =
      compile_kernel(loaded.launch.kernel_path, after, loaded.launch);
  const emit::Agreement agreement =
      emit::compare_blocks(loaded.program, program, loaded.launch, proven, {});
  if (agreement.first)
    throw Error(fmt::format("the new kernel does other work: block {} should be tile ({})",
                            agreement.first->block.value, fmt::join(agreement.first->tile, ", ")),
                "please report it");
  return fmt::format("{} of {} traced before and after: the same accesses",
                     with_separators(agreement.blocks),
                     count_of(loaded.launch.grid.count(), "block"));
}

struct Rewritten {
  std::string before, after;
  std::string agreement;
};

Rewritten rewrite(const LoadedKernel& loaded, const proof::ProvenOrder& proven,
                  const trace::IndependentTiles& independent) {
  std::vector<std::string> macros;
  for (const config::Argument& argument : loaded.launch.arguments)
    if (argument.is_constexpr) macros.push_back(argument.name);
  const auto kernel = emit::open_kernel(loaded.launch.kernel_path, loaded.program.function, macros);
  kernel->check_program(loaded.program);
  kernel->check_axes(proven.shape());
  Rewritten result{kernel->text(), kernel->rewrite(proven, independent, {}), {}};
  result.agreement = compare(loaded, result.after, proven);
  return result;
}

}  // namespace

std::string rewritten_kernel(const LoadedKernel& loaded, const proof::ProvenOrder& proven,
                             const trace::IndependentTiles& independent) {
  return rewrite(loaded, proven, independent).after;
}

int axes_used(const std::string& path, const std::string& function) {
  try {
    return emit::open_kernel(path, function, {})->axes();
  } catch (const Error&) {
    return 1;  // the kernel will not be rewritten, and a note will say why
  }
}

void write_order(const proof::ProvenOrder& proven, const std::vector<std::string>& argument,
                 BestOrder& best) {
  best.scope = proven.scope();
  best.argument = argument;
  best.triton = emit::emit_order(proven, {emit::Dialect::triton, {}});
  best.hip = emit::emit_order(proven, {emit::Dialect::hip, {}});
  best.cuda = emit::emit_order(proven, {emit::Dialect::cuda, {}});
  best.opencl = emit::emit_order(proven, {emit::Dialect::opencl, {}});
}

void patch_kernel(const LoadedKernel& loaded, const proof::ProvenOrder& proven,
                  const trace::IndependentTiles& independent, OptimizationReport& report) {
  try {
    Rewritten result = rewrite(loaded, proven, independent);
    report.agreement = std::move(result.agreement);
    report.patch =
        emit::unified_diff(result.before, result.after, emit::name_in_diff(report.kernel_path));
    report.patched = std::move(result.after);
  } catch (const Error& error) {
    report.notes.push_back(fmt::format("the kernel was not rewritten: {}", error.full_text()));
  }
}

}  // namespace heddle
