#include "trace/native/launch.h"

#include "support/grid.h"
#include "trace/native/memory.h"
#include "trace/native/session.h"

namespace heddle::trace::native {

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
  std::vector<std::vector<char>> before;
  for (std::size_t k = 0; k < launch.tensors.size(); ++k) before.push_back(read(k));
  for (std::int64_t id = 0; id < launch.grid.count(); ++id)
    session.run(block_of(launch.grid, LaunchId{id}));
  std::vector<TensorBytes> results;
  for (std::size_t k = 0; k < launch.tensors.size(); ++k) {
    std::vector<char> after = read(k);
    if (after != before[k]) results.push_back({k, std::move(after)});
  }
  return results;
}

}  // namespace heddle::trace::native
