#include "kernel/product_work.h"

#include <algorithm>
#include <cmath>

#include "kernel/tile_shared.h"

namespace heddle::kernel {
namespace {

constexpr double kRows = 64;      ///< of an instruction that reads shared memory
constexpr double kColumns = 256;  ///< at most
constexpr int kWideBytes = 4;     ///< elements that cannot be read across rows of shared memory

/// Waves along the rows and columns of a result: as square as they go.
std::pair<double, double> waves_of(std::int64_t waves, double rows, double columns) {
  double down = 1;
  double across = 1;
  for (std::int64_t left = waves; left > 1; left /= 2)
    (rows / down >= columns / across ? down : across) *= 2;
  return {down, across};
}

}  // namespace

ProductWork::ProductWork(const TileProgram& code, const ThreadShape& threads,
                         const config::Gpu& gpu)
    : code_(code), threads_(threads), gpu_(gpu), links_(links_of(code, in_order(code))) {}

double ProductWork::bytes_of(ValueId value) const {
  const Type& type = code_.values[static_cast<std::size_t>(value)];
  return static_cast<double>(type.elements() * config::byte_width(type.element));
}

double ProductWork::cycles(const Instruction& dot, double at_rate) const {
  const double per_clock = gpu_.arithmetic.shared_bytes;
  const auto& shape = code_.values[static_cast<std::size_t>(dot.results[0])].shape;
  if (per_clock <= 0 || shape.size() < 2) return at_rate;
  const auto rows = static_cast<double>(shape[shape.size() - 2]);
  const auto columns = static_cast<double>(shape[shape.size() - 1]);
  const double first = bytes_of(dot.operands[0]);
  const double second = bytes_of(dot.operands[1]);
  const bool first_loaded = links_.load_behind(dot.operands[0]) != nullptr;
  const Type& type = code_.values[static_cast<std::size_t>(dot.operands[1])];
  const bool is_wide = config::byte_width(type.element) >= kWideBytes;
  if (reads_shared_memory(code_, dot, threads_, gpu_) && !is_wide) {
    const double bytes = second * std::ceil(rows / kRows) + second +
                         (first_loaded ? first * std::ceil(columns / kColumns) + first : 0);
    return std::max(at_rate, bytes / per_clock);
  }
  const auto [down, across] = waves_of(threads_.waves, rows, columns);
  const double bytes = second * down + second + (first_loaded ? first * across + first : 0);
  return at_rate / gpu_.arithmetic.register_products + bytes / per_clock;
}

}  // namespace heddle::kernel
