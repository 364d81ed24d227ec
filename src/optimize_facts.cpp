#include "optimize_facts.h"

#include <algorithm>
#include <variant>

#include "config/fingerprint.h"
#include "config/gpu_write.h"
#include "support/text.h"

namespace heddle {

Grid trimmed(const Grid& grid, int used) {
  std::vector<std::int64_t> extents = grid.extents();
  while (static_cast<int>(extents.size()) > used && extents.back() == 1) extents.pop_back();
  return Grid(extents);
}

std::vector<std::int64_t> split_extents(const config::Launch& launch, const Grid& grid, int dies) {
  std::vector<std::int64_t> numbers;
  const auto add = [&](std::int64_t number) {
    if (number < 2 || grid.count() % number != 0 || number >= grid.count()) return;
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
      numbers.push_back(number);
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

int operations_of(const std::string& code) {
  constexpr std::string_view kOperators = "+-*/%(<>&|^";
  int count = 0;
  for (const std::string_view line : split_lines(code)) {
    if (trim(line).starts_with("#")) continue;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool is_comparison =
          i > 0 && line[i] == '=' && (line[i - 1] == '=' || line[i - 1] == '!');
      if (kOperators.find(line[i]) != std::string_view::npos || is_comparison) ++count;
    }
  }
  return count;
}

}  // namespace heddle
