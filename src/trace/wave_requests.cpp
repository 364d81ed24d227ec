#include "trace/wave_requests.h"

#include <algorithm>
#include <span>

#include "trace/elements.h"

namespace heddle::trace {
namespace {

/// Goes through the threads of a block, one after the other.
class ThreadCursor {
 public:
  explicit ThreadCursor(const AccessPattern& pattern) : pattern_(pattern) {
    if (pattern.axes > 0) inner_ = pattern.axis[static_cast<std::size_t>(pattern.axes - 1)];
    enter_row();
  }

  bool active() const {
    return row_active_ && is_active(inner_, column_) &&
           (pattern_.active == nullptr || pattern_.active[thread_] != 0);
  }
  std::uint64_t address() const {
    return pattern_.addresses != nullptr ? static_cast<std::uint64_t>(pattern_.addresses[thread_])
                                         : row_ + axis_offset(inner_, column_);
  }
  void advance() {
    ++thread_;
    if (++column_ == inner_.extent) next_row();
  }

 private:
  static bool is_active(const PatternAxis& axis, std::int64_t i) {
    return i >= axis.first && i < axis.last && (axis.flags == nullptr || axis.flags[i] != 0);
  }

  void next_row() {
    column_ = 0;
    for (int k = pattern_.axes - 2; k >= 0; --k) {
      const auto at = static_cast<std::size_t>(k);
      if (++index_[at] < pattern_.axis[at].extent) break;
      index_[at] = 0;
    }
    enter_row();
  }

  void enter_row() {
    row_ = static_cast<std::uint64_t>(pattern_.base);
    row_active_ = true;
    for (int k = 0; k + 1 < pattern_.axes; ++k) {
      const auto at = static_cast<std::size_t>(k);
      row_ += axis_offset(pattern_.axis[at], index_[at]);
      row_active_ = row_active_ && is_active(pattern_.axis[at], index_[at]);
    }
  }

  const AccessPattern& pattern_;
  PatternAxis inner_;  ///< the last axis; of a scalar, one element
  std::array<std::int64_t, kMaxAxes> index_{};
  std::int64_t thread_ = 0;
  std::int64_t column_ = 0;
  std::uint64_t row_ = 0;
  bool row_active_ = true;
};

/// A line of some lanes.
struct Touched {
  std::uint64_t line = 0;
  std::uint32_t sectors = 0;
  std::int32_t times = 1;
};

class WaveCoalescer {
 public:
  WaveCoalescer(const AccessPattern& pattern, const WaveOptions& options,
                std::vector<Request>& requests)
      : pattern_(pattern),
        options_(options),
        line_bytes_(static_cast<std::uint64_t>(options.line_bytes)),
        element_bytes_(static_cast<std::uint64_t>(pattern.element_bytes)),
        requests_(requests) {
    addresses_.reserve(static_cast<std::size_t>(options.lanes));
  }

  WaveTotals append() {
    ThreadCursor cursor(pattern_);
    const std::int64_t threads = pattern_.elements();
    for (std::int64_t first = 0; first < threads; first += options_.lanes) {
      const std::int64_t lanes = std::min<std::int64_t>(options_.lanes, threads - first);
      const std::int64_t lookups = gather(cursor, lanes);
      if (addresses_.empty()) continue;
      const std::int64_t asked = find_lines(addresses_);
      const auto wave = static_cast<std::int32_t>(first / options_.lanes);
      for (const Touched& touched : lines_)
        for (std::int32_t turn = 0; turn < touched.times; ++turn)
          requests_.push_back({touched.line, touched.sectors, wave});
      ++totals_.instructions;
      totals_.accesses += is_split() ? lookups : asked;
      totals_.uniform = totals_.uniform &&
                        std::ranges::all_of(addresses_, [&](auto a) { return a == addresses_[0]; });
    }
    return totals_;
  }

 private:
  bool is_split() const {
    return options_.lanes_at_once > 0 && options_.lanes_at_once < options_.lanes;
  }

  /// The addresses of a wave's active lanes; gives its lookups, if lanes are looked up in groups.
  std::int64_t gather(ThreadCursor& cursor, std::int64_t lanes) {
    addresses_.clear();
    const std::int64_t group = is_split() ? options_.lanes_at_once : lanes;
    std::int64_t lookups = 0;
    for (std::int64_t lane = 0; lane < lanes; lane += group) {
      const std::size_t begin = addresses_.size();
      for (std::int64_t k = lane; k < std::min(lane + group, lanes); ++k, cursor.advance())
        if (cursor.active()) addresses_.push_back(cursor.address());
      const auto its = std::span(addresses_).subspan(begin);
      if (is_split()) lookups += options_.one_by_one ? find_lines(its) : count_lines(its);
    }
    return lookups;
  }

  /// Lines of a few lanes: too few to be sorted.
  std::int64_t count_lines(std::span<const std::uint64_t> addresses) {
    lines_.clear();
    for (const std::uint64_t address : addresses)
      for_each_line(address, [&](std::uint64_t line, std::uint32_t) {
        const bool is_new =
            std::none_of(lines_.rbegin(), lines_.rend(),
                         [&](const Touched& touched) { return touched.line == line; });
        if (is_new) lines_.push_back({line, 0, 1});
      });
    return static_cast<std::int64_t>(lines_.size());
  }

  /// Fills lines_, ascending: how often lines are asked for, all together.
  std::int64_t find_lines(std::span<const std::uint64_t> addresses) {
    lines_.clear();
    for (const std::uint64_t address : addresses)
      for_each_line(address, [&](std::uint64_t line, std::uint32_t sectors) {
        if (!lines_.empty() && lines_.back().line == line)
          lines_.back().sectors |= sectors;
        else
          lines_.push_back({line, sectors, 1});
      });
    unite();
    if (options_.one_by_one) count_turns(addresses);
    std::int64_t total = 0;
    for (const Touched& touched : lines_) total += touched.times;
    return total;
  }

  /// Sorts lines_ where they need it; lines that come again become one.
  void unite() {
    const auto before = [](const Touched& a, const Touched& b) { return a.line < b.line; };
    const auto same = [](const Touched& a, const Touched& b) { return a.line >= b.line; };
    if (std::ranges::adjacent_find(lines_, same) == lines_.end()) return;
    std::ranges::sort(lines_, before);
    std::size_t kept = 0;
    for (std::size_t k = 1; k < lines_.size(); ++k) {
      if (lines_[k].line == lines_[kept].line)
        lines_[kept].sectors |= lines_[k].sectors;
      else
        lines_[++kept] = lines_[k];
    }
    lines_.resize(kept + 1);
  }

  /// Lanes on one address take turns; those on other addresses of the line go along.
  void count_turns(std::span<const std::uint64_t> addresses) {
    sorted_.assign(addresses.begin(), addresses.end());
    std::ranges::sort(sorted_);
    for (std::size_t first = 0; first < sorted_.size();) {
      std::size_t last = first + 1;
      while (last < sorted_.size() && sorted_[last] == sorted_[first]) ++last;
      const auto turns = static_cast<std::int32_t>(last - first);
      for_each_line(sorted_[first], [&](std::uint64_t line, std::uint32_t) {
        const auto found = std::ranges::lower_bound(lines_, line, {}, &Touched::line);
        found->times = std::max(found->times, turns);
      });
      first = last;
    }
  }

  template <class Visit>
  void for_each_line(std::uint64_t address, Visit visit) const {
    const std::uint64_t end = address + element_bytes_;
    while (address != end) {
      const std::uint64_t within = address & (line_bytes_ - 1);
      const std::uint64_t bytes = std::min(end - address, line_bytes_ - within);
      const std::uint64_t first = within / kSectorBytes;
      const std::uint64_t last = (within + bytes - 1) / kSectorBytes;
      visit(address - within,
            static_cast<std::uint32_t>(((std::uint64_t{2} << (last - first)) - 1) << first));
      address += bytes;
    }
  }

  const AccessPattern& pattern_;
  const WaveOptions& options_;
  std::uint64_t line_bytes_;
  std::uint64_t element_bytes_;
  std::vector<Request>& requests_;
  WaveTotals totals_;
  std::vector<std::uint64_t> addresses_;  ///< of a wave's active lanes
  std::vector<std::uint64_t> sorted_;
  std::vector<Touched> lines_;
};

}  // namespace

WaveTotals append_wave_requests(const AccessPattern& pattern, const WaveOptions& options,
                                std::vector<Request>& requests) {
  check_line_bytes(options.line_bytes);
  if (!pattern.scalar_active || pattern.elements() <= 0) return {};
  return WaveCoalescer(pattern, options, requests).append();
}

}  // namespace heddle::trace
