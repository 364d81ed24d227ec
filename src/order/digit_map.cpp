#include "order/digit_map.h"

namespace heddle::order {
namespace {

/// Of one digit of the launch id.
struct Count {
  std::int64_t radix = 1;
  std::int64_t stride = 0;  ///< that a step of it adds to the tile
};

/// The digits, slowest first; nothing where they leave tiles over.
std::optional<std::vector<Count>> counts_of(const DigitOrder& digits, const Grid& grid) {
  std::vector<Count> counts(digits.launch.size());
  std::int64_t axis_stride = 1;
  for (std::size_t axis = digits.axes.size(); axis-- > 0;) {
    const auto& places = digits.axes[axis];
    const auto from_last = static_cast<int>(digits.axes.size() - 1 - axis);
    const std::int64_t extent = digits.axes.size() == 1 ? grid.count() : grid.extent(from_last);
    std::int64_t constants = 1;
    for (const std::size_t digit : places) constants *= digits.launch[digit].radix.value_or(1);
    if (extent % constants != 0) return std::nullopt;
    std::int64_t stride = axis_stride;
    for (std::size_t place = places.size(); place-- > 0;) {
      const std::size_t digit = places[place];
      counts[digit] = {digits.launch[digit].radix.value_or(extent / constants), stride};
      stride *= counts[digit].radix;
    }
    axis_stride *= extent;
  }
  return counts;
}

}  // namespace

std::optional<DigitOrder> digits_of(const Order& order) {
  constexpr std::string_view kBegin = "digits(";
  if (order.stages().size() != 1) return std::nullopt;
  const Stage& stage = order.stages()[0];
  const std::string_view written = stage.written;
  if (stage.inverted || !written.starts_with(kBegin)) return std::nullopt;
  return read_digits(written.substr(kBegin.size(), written.size() - kBegin.size() - 1));
}

std::optional<Map> digit_map(const DigitOrder& digits, const Space& space) {
  const Grid grid = space.columns_first();
  const bool has_its_axes =
      digits.axes.size() == 1 || digits.axes.size() == static_cast<std::size_t>(grid.axes());
  if (!has_its_axes || space.block_count() != grid.count()) return std::nullopt;
  const auto counts = counts_of(digits, grid);
  if (!counts) return std::nullopt;
  // Each digit repeats what the faster ones gave.
  Map map = {0};
  map.reserve(static_cast<std::size_t>(grid.count()));
  for (std::size_t digit = counts->size(); digit-- > 0;) {
    const std::size_t inner = map.size();
    for (std::int64_t value = 1; value < (*counts)[digit].radix; ++value)
      for (std::size_t i = 0; i < inner; ++i)
        map.push_back(map[i] + value * (*counts)[digit].stride);
  }
  return map;
}

}  // namespace heddle::order
