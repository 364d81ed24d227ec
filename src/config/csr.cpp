#include <fmt/format.h>

#include <cmath>

#include "config/contents.h"
#include "config/random.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::config {
namespace {

constexpr std::int64_t kCsrStoredBytes = 8;

/// Walks over the non-zeros of a matrix in row-major order.
class NonZeros {
 public:
  NonZeros(std::int64_t rows, std::int64_t columns, double density, std::uint64_t seed)
      : stream_(seed), density_(density) {
    if (rows < 0 || columns < 0) {
      throw Error(fmt::format("a sparse matrix cannot be {} x {}", rows, columns),
                  "rows and columns are at least 0");
    }
    if (!(density >= 0 && density <= 1)) {
      throw Error(fmt::format("{} is not a density", density), "give a share between 0 and 1");
    }
    if (__builtin_mul_overflow(rows, columns, &cells_)) {
      throw Error("the sparse matrix has 2^63 entries or more", "use fewer rows or columns");
    }
    if (1 - density == 1) density_ = 0;  // a double cannot tell them apart
    log_of_miss_ = density < 1 ? natural_log(1 - density) : 0;
  }

  double expected() const { return static_cast<double>(cells_) * density_; }

  /// The next entry's number, or false after the last one.
  bool next(std::int64_t& cell) {
    const std::int64_t left = cells_ - cell_;
    if (left <= 0 || density_ <= 0) return false;
    if (density_ < 1) {
      // The number of misses before a hit is geometric: floor(log(u) / log(1 - density)).
      const double gap = natural_log(1 - stream_.unit(draws_++)) / log_of_miss_;
      if (!(gap < static_cast<double>(left))) return false;
      const auto skipped = static_cast<std::int64_t>(gap);
      if (skipped >= left) return false;
      cell_ += skipped;
    }
    cell = cell_++;
    return true;
  }

 private:
  RandomStream stream_;
  double density_;
  double log_of_miss_ = 0;
  std::int64_t cells_ = 0;
  std::int64_t cell_ = 0;
  std::uint64_t draws_ = 0;
};

Error too_many(double expected, std::int64_t limit) {
  return Error(fmt::format("the sparse matrix has about {:.3g} numbers, more than the limit of {}",
                           expected, with_separators(limit)),
               "use fewer rows or a lower density");
}

}  // namespace

CsrMatrix make_csr(std::int64_t rows, std::int64_t columns, double density, std::uint64_t seed,
                   std::int64_t limit_bytes) {
  NonZeros entries(rows, columns, density, seed);
  const std::int64_t limit = limit_bytes / kCsrStoredBytes;
  const double expected = entries.expected() + static_cast<double>(rows) + 1;
  if (expected > static_cast<double>(limit)) throw too_many(expected, limit);
  CsrMatrix matrix;
  matrix.offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  std::size_t row = 0;
  for (std::int64_t cell = 0; entries.next(cell);) {
    for (; static_cast<std::int64_t>(row) < cell / columns; ++row) {
      matrix.offsets[row + 1] = static_cast<std::int64_t>(matrix.columns.size());
    }
    matrix.columns.push_back(cell % columns);
  }
  for (; row < static_cast<std::size_t>(rows); ++row) {
    matrix.offsets[row + 1] = static_cast<std::int64_t>(matrix.columns.size());
  }
  return matrix;
}

std::int64_t csr_nonzeros(std::int64_t rows, std::int64_t columns, double density,
                          std::uint64_t seed, std::int64_t limit) {
  NonZeros entries(rows, columns, density, seed);
  if (entries.expected() > static_cast<double>(limit)) throw too_many(entries.expected(), limit);
  std::int64_t count = 0;
  for (std::int64_t cell = 0; entries.next(cell);) ++count;
  return count;
}

}  // namespace heddle::config
