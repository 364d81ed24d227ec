#include "trace/coalesce.h"

#include <algorithm>
#include <bit>

#include "support/error.h"
#include "trace/elements.h"
#include "trace/rows.h"
#include "trace/runs.h"
#include "trace/wave_requests.h"

namespace heddle::trace {
namespace {

constexpr int kLeastLine = kSectorBytes;
constexpr int kMostLine = 32 * kSectorBytes;  ///< a mask has 32 bits

/// One wave instruction covers a box of the block; boxes lie side by side along every axis.
struct Boxes {
  std::array<std::int64_t, kMaxAxes> extent{};  ///< of one box
  std::array<std::int64_t, kMaxAxes> steps{};   ///< along the axis, with all waves in step
};

class Coalescer {
 public:
  Coalescer(const AccessPattern& pattern, const BlockedLayout& layout, int line_bytes,
            std::vector<Request>& requests)
      : pattern_(pattern),
        layout_(layout),
        line_bytes_(static_cast<std::uint64_t>(line_bytes)),
        requests_(requests),
        box_(pattern) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(layout.axes); ++k) {
      boxes_.extent[k] = layout.elements[k] * layout.lanes[k];
      const std::int64_t covered = boxes_.extent[k] * layout.waves[k];
      boxes_.steps[k] = (pattern.axis[k].extent + covered - 1) / covered;
      steps_ *= boxes_.steps[k];
      waves_ *= layout.waves[k];
      is_strided_ =
          is_strided_ && pattern.axis[k].table == nullptr && pattern.axis[k].flags == nullptr;
    }
    is_strided_ = is_strided_ && pattern.addresses == nullptr && pattern.active == nullptr;
  }

  void append() {
    for (std::int64_t step = 0; step < steps_; ++step) {
      for (std::int64_t wave = 0; wave < waves_; ++wave) {
        number_ = static_cast<std::int32_t>(step * waves_ + wave);
        if (place_box(step, wave)) append_box();
      }
    }
  }

 private:
  /// Restricts box_ to the elements of this instruction; false if none is in range.
  bool place_box(std::int64_t step, std::int64_t wave) {
    same_shape_ = is_strided_ && has_rows_;
    offset_ = 0;
    for (int position = 0; position < layout_.axes; ++position) {
      const auto k = static_cast<std::size_t>(layout_.order[static_cast<std::size_t>(position)]);
      const std::int64_t at = step % boxes_.steps[k] * layout_.waves[k] + wave % layout_.waves[k];
      step /= boxes_.steps[k];
      wave /= layout_.waves[k];
      const PatternAxis& whole = pattern_.axis[k];
      const ActiveRange active = active_range(whole);
      const std::int64_t first = std::max(active.first, at * boxes_.extent[k]);
      const std::int64_t last = std::min(active.last, (at + 1) * boxes_.extent[k]);
      if (first >= last) return false;
      box_.axis[k].first = first;
      box_.axis[k].last = last;
      same_shape_ = same_shape_ && last - first == rows_shape_[k];
      offset_ += static_cast<std::uint64_t>(whole.stride) * static_cast<std::uint64_t>(first);
    }
    return true;
  }

  void append_box() {
    begin_ = requests_.size();
    // Boxes of one shape have the same rows, moved.
    if (same_shape_) {
      rows_.base = rows_origin_ + offset_;
    } else {
      has_rows_ = make_rows(box_, rows_);
      rows_origin_ = rows_.base - offset_;
      for (std::size_t k = 0; k < static_cast<std::size_t>(layout_.axes); ++k)
        rows_shape_[k] = box_.axis[k].last - box_.axis[k].first;
    }
    if (has_rows_) {
      for_each_row(rows_, [&](std::uint64_t start) { add({start, rows_.run_bytes}); });
      return;
    }
    runs_.clear();
    append_runs(box_, runs_);
    for (const Run& run : runs_) add(run);
  }

  /// The lines of a run that does not begin before the one before it.
  void add(Run run) {
    std::uint64_t address = run.address;
    std::uint64_t left = run.bytes;
    while (left > 0) {
      const std::uint64_t within = address & (line_bytes_ - 1);
      const std::uint64_t bytes = std::min(left, line_bytes_ - within);
      const std::uint32_t sectors = sectors_of(within, bytes);
      const std::uint64_t line = address - within;
      if (requests_.size() > begin_ && requests_.back().line == line)
        requests_.back().sectors |= sectors;
      else
        requests_.push_back({line, sectors, number_});
      address += bytes;
      left -= bytes;
    }
  }

  static std::uint32_t sectors_of(std::uint64_t within, std::uint64_t bytes) {
    const std::uint64_t first = within / kSectorBytes;
    const std::uint64_t last = (within + bytes - 1) / kSectorBytes;
    return static_cast<std::uint32_t>(((std::uint64_t{2} << (last - first)) - 1) << first);
  }

  const AccessPattern& pattern_;
  const BlockedLayout& layout_;
  std::uint64_t line_bytes_;
  std::vector<Request>& requests_;
  AccessPattern box_;
  Boxes boxes_;
  std::int64_t steps_ = 1;
  std::int64_t waves_ = 1;
  bool is_strided_ = true;

  std::int32_t number_ = 0;
  std::size_t begin_ = 0;     ///< of this instruction's requests
  std::uint64_t offset_ = 0;  ///< of the box's first element
  bool same_shape_ = false;   ///< rows_ fits this box as well, moved
  bool has_rows_ = false;
  Rows rows_;
  std::array<std::int64_t, kMaxAxes> rows_shape_{};  ///< of the box that rows_ was made for
  std::uint64_t rows_origin_ = 0;                    ///< rows_.base for offset 0
  std::vector<Run> runs_;
};

}  // namespace

void check_line_bytes(int line_bytes) {
  if (line_bytes < kLeastLine || line_bytes > kMostLine ||
      !std::has_single_bit(static_cast<unsigned>(line_bytes)))
    throw Error("requests are counted in lines of 32 to 1024 bytes, a power of two",
                "use 64 or 128");
}

void append_requests(const AccessPattern& pattern, const BlockedLayout& layout, int line_bytes,
                     std::vector<Request>& requests) {
  check_line_bytes(line_bytes);
  if (!pattern.scalar_active || pattern.elements() <= 0) return;
  if (pattern.by_thread)
    append_wave_requests(pattern, {.lanes = layout.wave_lanes, .line_bytes = line_bytes}, requests);
  else
    Coalescer(pattern, layout, line_bytes, requests).append();
}

}  // namespace heddle::trace
