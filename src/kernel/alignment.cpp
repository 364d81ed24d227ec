#include "kernel/alignment.h"

#include <algorithm>

namespace heddle::kernel {
namespace {

constexpr std::size_t kMostCells = 4'000'000;

}  // namespace

std::vector<Gap> gaps(const std::vector<std::string>& before,
                      const std::vector<std::string>& after) {
  std::size_t head = 0;
  while (head < before.size() && head < after.size() && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail + head < before.size() && tail + head < after.size() &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  const std::size_t rows = before.size() - head - tail;
  const std::size_t columns = after.size() - head - tail;
  if (rows == 0 && columns == 0) return {};
  const Gap whole{head, head + rows, head, head + columns};
  if (rows == 0 || columns == 0 || rows * columns > kMostCells) return {whole};
  // longest[i][k]: of what follows the first i and k.
  const std::size_t width = columns + 1;
  std::vector<std::uint32_t> longest((rows + 1) * width, 0);
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t k = columns; k-- > 0;) {
      longest[i * width + k] =
          before[head + i] == after[head + k]
              ? longest[(i + 1) * width + k + 1] + 1
              : std::max(longest[(i + 1) * width + k], longest[i * width + k + 1]);
    }
  }
  std::vector<Gap> result;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < rows || k < columns) {
    const std::size_t row = i;
    const std::size_t column = k;
    while ((i < rows || k < columns) &&
           !(i < rows && k < columns && before[head + i] == after[head + k])) {
      const bool skips_row =
          k == columns || (i < rows && longest[(i + 1) * width + k] >= longest[i * width + k + 1]);
      ++(skips_row ? i : k);
    }
    if (i > row || k > column) result.push_back({head + row, head + i, head + column, head + k});
    while (i < rows && k < columns && before[head + i] == after[head + k]) {
      ++i;
      ++k;
    }
  }
  return result;
}

}  // namespace heddle::kernel
