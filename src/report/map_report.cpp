#include "report/map_report.h"

#include <fmt/format.h>

namespace heddle::report {
namespace {

constexpr std::int64_t kMost = 64;

}  // namespace

std::string map_text(const std::vector<std::int64_t>& map,
                     const std::vector<std::int64_t>& tile_space, bool row_major) {
  const std::int64_t axis0 = tile_space[0];
  const std::int64_t axis1 = tile_space.size() > 1 ? tile_space[1] : 1;
  if (tile_space.size() > 2) return "  (a map of three axes is not drawn)\n";
  const bool line = tile_space.size() == 1;
  const std::int64_t cols = line ? std::min<std::int64_t>(axis0, 16) : row_major ? axis1 : axis0;
  const std::int64_t rows = line ? (axis0 + 15) / 16 : row_major ? axis0 : axis1;
  if (cols > kMost || rows > kMost)
    return fmt::format("  (more than {0}x{0} tiles are not drawn)\n", kMost);
  std::vector<std::vector<std::int64_t>> computed_by(static_cast<std::size_t>(rows * cols));
  std::int64_t tiles = 1;
  for (const std::int64_t extent : tile_space) tiles *= extent;
  for (std::size_t launch = 0; launch < map.size(); ++launch) {
    if (map[launch] >= 0 && map[launch] < tiles) {
      computed_by[static_cast<std::size_t>(map[launch])].push_back(
          static_cast<std::int64_t>(launch));
    }
  }
  const std::size_t width = std::to_string(map.size()).size() + 1;
  std::string text = fmt::format("  launch id of each tile ({}; '-' never, '+' more than once)\n",
                                 line        ? "16 a line"
                                 : row_major ? "rows down, columns right"
                                             : "axis 1 down, axis 0 right");
  for (std::int64_t row = 0; row < rows; ++row) {
    text += "  ";
    for (std::int64_t col = 0; col < cols && row * cols + col < tiles; ++col) {
      const auto& ids = computed_by[static_cast<std::size_t>(row * cols + col)];
      const std::string shown = ids.empty() ? "-" : std::to_string(ids[0]);
      text += fmt::format("{:>{}}{}", shown, width, ids.size() > 1 ? "+" : " ");
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace heddle::report
