#include "emit/patched_kernel.h"

#include <fmt/format.h>

#include "emit/agreement.h"
#include "emit/kernel_rewriter.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::emit {
namespace {

/// What comparing blocks of both kernels found. Throws Error where one does other work.
std::string compare(const kernel::LoadedKernel& loaded, const kernel::KernelProgram& after,
                    const proof::ProvenOrder& proven) {
  const Agreement agreement = compare_blocks(loaded.program, after, loaded.launch, proven, {});
  if (agreement.first)
    throw Error(fmt::format("the new kernel does other work: block {} should be tile ({})",
                            agreement.first->block.value, fmt::join(agreement.first->tile, ", ")),
                "please report it");
  return fmt::format("{} of {} traced before and after: the same accesses",
                     with_separators(agreement.blocks),
                     count_of(loaded.launch.grid.count(), "block"));
}

}  // namespace

PatchedKernel patch_kernel(const kernel::LoadedKernel& loaded, const proof::ProvenOrder& proven,
                           const trace::IndependentTiles& independent, const CompileText& compile) {
  std::vector<std::string> macros;
  for (const config::Argument& argument : loaded.launch.arguments)
    if (argument.is_constexpr) macros.push_back(argument.name);
  const auto kernel = open_kernel(loaded.launch.kernel_path, loaded.program.function, macros);
  kernel->check_program(loaded.program);
  kernel->check_axes(proven.shape());
  PatchedKernel patched{kernel->text(), kernel->rewrite(proven, independent, {}), {}};
  patched.agreement =
      compare(loaded, compile(loaded.launch.kernel_path, patched.after, loaded.launch), proven);
  return patched;
}

}  // namespace heddle::emit
