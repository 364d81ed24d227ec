#include "trace/native/launch.h"

#include <algorithm>

#include "support/grid.h"
#include "trace/native/memory.h"
#include "trace/native/session.h"

namespace heddle::trace::native {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

/// Tensors that the kernel may write: large ones, which are kept nowhere, are only read.
std::vector<std::size_t> writable(const kernel::KernelProgram& program,
                                  const config::Launch& launch) {
  std::vector<std::size_t> tensors;
  for (std::size_t k = 0; k < program.parameters.size(); ++k) {
    const config::Argument& argument = launch.arguments[program.parameters[k].argument];
    const auto* reference = std::get_if<config::TensorReference>(&argument.value.data);
    const bool is_const = program.parameters[k].points_to_const();
    if (reference == nullptr || is_const) continue;
    if (launch.tensors[reference->index].bytes <= kMostBytes) tensors.push_back(reference->index);
  }
  std::ranges::sort(tensors);
  return tensors;
}

}  // namespace

std::vector<TensorBytes> run_launch(const kernel::KernelProgram& program,
                                    const config::Launch& launch) {
  const NativeMemory memory(launch);
  Session session(program, launch, memory, {});
  const auto read = [&](std::size_t tensor) {
    const auto address = memory.in_runner(launch.tensors[tensor].address);
    return address
               ? session.memory(*address, static_cast<std::uint64_t>(launch.tensors[tensor].bytes))
               : std::vector<char>{};
  };
  const std::vector<std::size_t> written = writable(program, launch);
  std::vector<std::vector<char>> before;
  for (const std::size_t k : written) before.push_back(read(k));
  for (std::int64_t id = 0; id < launch.grid.count(); ++id)
    session.run(block_of(launch.grid, LaunchId{id}));
  std::vector<TensorBytes> results;
  for (std::size_t k = 0; k < written.size(); ++k) {
    std::vector<char> after = read(written[k]);
    if (after != before[k]) results.push_back({written[k], std::move(after)});
  }
  return results;
}

}  // namespace heddle::trace::native
