#include "search/subject.h"

#include <algorithm>
#include <variant>

#include "config/fingerprint.h"
#include "config/gpu_write.h"
#include "emit/kernel_rewriter.h"
#include "order/compact.h"
#include "support/error.h"
#include "support/lists.h"

namespace heddle::search {
namespace {

/// The last axis whose block index the kernel takes, plus one; 1 if that is not known.
int axes_used(const kernel::LoadedKernel& kernel) {
  try {
    return emit::open_kernel(kernel.launch.kernel_path, kernel.program.function, {})->axes();
  } catch (const Error&) {
    return 1;  // the kernel will not be rewritten, and a note will say why
  }
}

/// The axes that have more than one block or that the kernel uses, and those before them.
Grid trimmed(const Grid& grid, int used) {
  std::vector<std::int64_t> extents = grid.extents();
  while (static_cast<int>(extents.size()) > used && extents.back() == 1) extents.pop_back();
  return Grid(extents);
}

/// Integers of the launch that may be the extents of what a kernel splits its ids into.
std::vector<std::int64_t> split_extents(const config::Launch& launch, const Grid& grid, int dies) {
  std::vector<std::int64_t> numbers;
  const auto add = [&](std::int64_t number) {
    if (number < 2 || grid.count() % number != 0 || number >= grid.count()) return;
    if (!is_one_of(number, numbers)) numbers.push_back(number);
  };
  for (const config::Argument& argument : launch.arguments) {
    const auto* number = std::get_if<std::int64_t>(&argument.value.data);
    if (number == nullptr || *number < 1) continue;
    add(*number);
    add(grid.count() / *number);
    if (*number % dies == 0) add(*number / dies);
    if (grid.count() / *number % dies == 0) add(grid.count() / *number / dies);
  }
  return numbers;
}

GpuFacts facts_of(const config::Gpu& gpu, const std::string& name) {
  GpuFacts facts;
  facts.name = gpu.name;
  facts.argument = name;
  facts.title = gpu.title;
  facts.mode = gpu.mode;
  facts.dies = gpu.compute.dies;
  facts.compute_units = gpu.compute.compute_units;
  facts.l2_bytes = gpu.l2.shape.bytes;
  facts.line_bytes = static_cast<int>(gpu.l2.shape.line_bytes);
  if (gpu.last_level) facts.last_level_bytes = gpu.last_level->shape.bytes;
  facts.file_hash =
      config::fingerprint(config::gpu_text(config::gpu_document(name), "") + ":" + gpu.mode);
  return facts;
}

}  // namespace

Subject subject_of(const std::string& job_path, tiles::TileLaunch launch,
                   std::shared_ptr<const kernel::LoadedKernel> kernel, config::Gpu gpu,
                   const std::string& gpu_name, Clock::time_point since) {
  Subject subject{
      job_path, std::move(kernel), std::move(launch), std::move(gpu), {}, {}, {}, Grid({1}), {},
      since};
  subject.gpu_facts = facts_of(subject.gpu, gpu_name);
  subject.space = subject.launch.orders;
  if (!subject.launch.is_lifted)
    subject.space.launch = trimmed(subject.kernel().launch.grid, axes_used(subject.kernel()));
  subject.grid = subject.space.columns_first();
  subject.extents = split_extents(subject.kernel().launch, subject.grid, subject.gpu.compute.dies);
  return subject;
}

order::Map Subject::own_map() const {
  if (launch.is_lifted) return launch.own;
  return order::materialize(order::read_compact("identity"), space, {});
}

}  // namespace heddle::search
