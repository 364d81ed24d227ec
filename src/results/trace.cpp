#include "results/trace.h"

#include <fmt/format.h>

namespace heddle {

std::string access_text(AccessKind kind) {
  switch (kind) {
    case AccessKind::read:
      return "read";
    case AccessKind::write:
      return "write";
    case AccessKind::atomic:
      return "atomic";
  }
  return {};
}

std::string conflict_text(TileConflict::Kind kind) {
  switch (kind) {
    case TileConflict::Kind::read_after_write:
      return "read-after-write";
    case TileConflict::Kind::write_after_write:
      return "write-after-write";
    case TileConflict::Kind::atomic:
      return "atomic";
    case TileConflict::Kind::lock:
      return "lock";
  }
  return {};
}

std::string TraceReport::axis_name(int axis) const {
  return axes.empty() ? fmt::format("axis {}", axis) : axes[static_cast<std::size_t>(axis)];
}

std::int64_t TraceReport::total_bytes() const {
  std::int64_t total = 0;
  for (const AccessSummary& access : accesses) total += access.total_bytes;
  return total;
}

std::optional<std::int64_t> TraceReport::distinct_lines() const {
  std::int64_t total = 0;
  for (const TensorSummary& tensor : tensors) {
    if (!tensor.distinct_lines) return std::nullopt;
    total += *tensor.distinct_lines;
  }
  return total;
}

}  // namespace heddle
