#include "sim/sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace heddle::sim {
namespace {

constexpr std::int64_t kTouches = 60'000;      ///< of a sketch, about
constexpr std::int64_t kScanned = 30'000'000;  ///< requests that are looked at for it
constexpr double kEqualLengths = 1.2;          ///< the longest over the mean
constexpr double kSharpness = 4;               ///< of the busiest resource against the others
constexpr double kMissLatency = 0.25;          ///< of a miss beyond a hit, in latencies of a hit

std::uint32_t mixed(std::uint32_t value) {
  value ^= value >> 16;
  value *= 0x7feb352dU;
  value ^= value >> 15;
  value *= 0x846ca68bU;
  return value ^ value >> 16;
}

double percent_of(const SimResult& result, std::string_view resource) {
  for (const Utilization& one : result.utilization)
    if (one.resource == resource) return one.percent;
  return 0;
}

}  // namespace

/// Of one thread: kept from one order to the next.
struct Sketch::Scratch {
  std::vector<float> starts;             ///< of each turn
  std::vector<float> free;               ///< when each place of a die is: a heap, the first first
  std::vector<std::uint32_t> offsets;    ///< of buckets of time
  std::vector<std::uint32_t> bucket_of;  ///< of each group, turn by turn
  std::vector<Due> due;                  ///< in the order of time
  std::vector<Due> wave;                 ///< of one wave: room for all tiles in each phase
  std::vector<std::uint32_t> stamps;     ///< line by line: of each die, then of the last level
};

/// Rule 3: a stamp is how many lines had come in when a line was touched last.
class Sketch::Caches {
 public:
  Caches(const Sketch& sketch, std::vector<std::uint32_t>& stamps)
      : lines_(sketch.lines_.data()),
        dies_(static_cast<std::size_t>(sketch.dies_)),
        l2_lines_(counted(sketch.l2_lines_)),
        last_lines_(counted(sketch.last_lines_)),
        came_(dies_, l2_lines_),
        came_last_(last_lines_) {
    stamps.assign((dies_ + 1) * sketch.distinct_, 0);
    stamps_ = stamps.data();
  }

  void touch(std::span<const Due> all) {
    // Held apart from what the stores to stamps might change.
    const std::uint32_t* const lines = lines_;
    const std::size_t dies = dies_;
    const std::uint32_t l2_lines = l2_lines_, last_lines = last_lines_;
    std::uint32_t came_last = came_last_;
    std::int64_t touches = 0, misses = 0;
    for (const Due due : all) {
      std::uint32_t mine = came_[due.die] + due.alone;
      came_last += due.alone;
      misses += due.alone;
      touches += due.alone + due.count;
      for (std::uint32_t k = due.first; k < due.first + due.count; ++k) {
        std::uint32_t* const stamps = stamps_ + (dies + 1) * lines[k];
        if (mine - stamps[due.die] >= l2_lines) {
          ++mine;
          ++misses;
          if (came_last - stamps[dies] >= last_lines) ++came_last;
          stamps[dies] = came_last;
        }
        stamps[due.die] = mine;
      }
      came_[due.die] = mine;
    }
    came_last_ = came_last;
    touches_ += touches;
    misses_ += misses;
  }

  SketchFigures figures(double span) const {
    return {touches_, misses_, std::int64_t{came_last_} - last_lines_, span};
  }

 private:
  static std::uint32_t counted(std::int64_t lines) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(lines, 1 << 30));
  }

  const std::uint32_t* lines_;
  std::size_t dies_;
  std::uint32_t l2_lines_;
  std::uint32_t last_lines_;
  std::vector<std::uint32_t> came_;
  std::uint32_t came_last_;
  std::uint32_t* stamps_;
  std::int64_t touches_ = 0;
  std::int64_t misses_ = 0;
};

SketchBuilder::SketchBuilder(const config::Gpu& gpu, std::int64_t requests, int blocks_of_unit) {
  skipped_ = static_cast<std::uint32_t>(std::max<std::int64_t>(1, requests / kScanned));
  const std::int64_t scanned = requests / skipped_;
  const auto thinned = std::bit_ceil(
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(scanned / kTouches, 1, 1 << 20)));
  mask_ = thinned - 1;
  sketch_.factor_ = std::int64_t{thinned} * skipped_;
  sketch_.dies_ = gpu.compute.dies;
  sketch_.places_ = std::int64_t{gpu.compute.compute_units} * blocks_of_unit;
  units_per_us_ =
      static_cast<double>(sketch_.dies_ * gpu.compute.compute_units) * gpu.compute.clock_mhz;
  // What both partitions of an L2 ask for, both hold.
  const std::int64_t copies = gpu.partitions ? 2 : 1;
  sketch_.l2_lines_ = std::max<std::int64_t>(1, gpu.l2.shape.lines() / copies / sketch_.factor_);
  if (gpu.last_level)
    sketch_.last_lines_ = std::max<std::int64_t>(
        1, gpu.last_level->shape.bytes / gpu.l2.shape.line_bytes / sketch_.factor_);
  shift_ = std::countr_zero(
      static_cast<unsigned>(std::max(1, gpu.l2.shape.line_bytes / gpu.l1.shape.line_bytes)));
  window_ = std::max<std::int64_t>(1, gpu.l1.shape.lines() / blocks_of_unit / skipped_);
  sketch_.first_groups_.push_back(0);
}

void SketchBuilder::touch(std::uint32_t line, std::int64_t at) {
  const auto tile = static_cast<std::uint32_t>(sketch_.first_groups_.size());
  const auto [found, is_new] = known_.try_emplace(line);
  Known& known = found->second;
  if (is_new) known.number = static_cast<std::uint32_t>(known_.size() - 1);
  const bool is_held = known.tile == tile && at - known.at <= window_;
  known.tile = tile;
  known.at = at;
  if (!is_held) tile_.push_back({known.number, at});
}

void SketchBuilder::add(const TileTrace& tile) {
  std::int64_t at = 0;
  for (std::uint32_t s = tile.first_segment; s < tile.first_segment + tile.segments; ++s) {
    const Segment& segment = tile.chunk->segments[s];
    const std::uint32_t step = segment.rounds >= 2 * skipped_ ? skipped_ : 1;
    for (std::uint32_t round = 0; round < segment.rounds; round += step) {
      for (std::uint32_t k = 0; k < segment.steps; ++k) {
        const Step& one = tile.chunk->steps[segment.first_step + k];
        const std::uint32_t base = one.base + round * one.stride;
        for (const ShapeRequest& request : one.shape->requests) {
          const std::uint32_t line = (base + static_cast<std::uint32_t>(request.line)) >> shift_;
          if ((mixed(line) & mask_) == 0) touch(line, at);
          ++at;
        }
      }
    }
  }
  close_tile(at);
  sketch_.lengths_.push_back(static_cast<float>(std::max<std::int64_t>(1, tile.requests)));
}

void SketchBuilder::close_tile(std::int64_t requests) {
  for (const Touch& touch : tile_) {
    const auto phase = static_cast<std::uint16_t>(touch.at * Sketch::kPhases /
                                                  std::max<std::int64_t>(1, requests));
    const bool opens = sketch_.groups_.size() == sketch_.first_groups_.back() ||
                       sketch_.groups_.back().phase != phase ||
                       sketch_.groups_.back().count == UINT16_MAX;
    if (opens)
      sketch_.groups_.push_back({static_cast<std::uint32_t>(sketch_.lines_.size()), 0, 0, phase});
    ++sketch_.groups_.back().count;
    sketch_.lines_.push_back(touch.number);
  }
  tile_.clear();
  std::size_t alike = 0;
  for (std::size_t g = sketch_.first_groups_.back(); g < sketch_.groups_.size(); ++g) {
    const bool goes_on = alike > 0 && sketch_.groups_[g].phase == sketch_.groups_[g - 1].phase;
    alike = goes_on ? alike + 1 : 1;
    sketch_.groups_of_phase_ = std::max(sketch_.groups_of_phase_, alike);
  }
  sketch_.first_groups_.push_back(static_cast<std::uint32_t>(sketch_.groups_.size()));
}

void SketchBuilder::set_apart_lone_lines() {
  sketch_.touches_ = static_cast<std::int64_t>(sketch_.lines_.size());
  std::vector<std::uint32_t> touches(known_.size());
  for (const std::uint32_t line : sketch_.lines_) ++touches[line];
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> numbers(known_.size(), kNone);
  std::uint32_t kept = 0;
  for (Sketch::Group& group : sketch_.groups_) {
    const std::uint32_t first = kept;
    for (std::uint32_t k = group.first; k < group.first + group.count; ++k) {
      const std::uint32_t line = sketch_.lines_[k];
      if (touches[line] == 1) continue;
      if (numbers[line] == kNone) numbers[line] = sketch_.distinct_++;
      sketch_.lines_[kept++] = numbers[line];
    }
    group.alone = static_cast<std::uint16_t>(group.count - (kept - first));
    group.count = static_cast<std::uint16_t>(kept - first);
    group.first = first;
  }
  sketch_.lines_.resize(kept);
}

Sketch SketchBuilder::finish(double cycles_of_operation) {
  sketch_.us_of_operation_ =
      cycles_of_operation * static_cast<double>(sketch_.lengths_.size()) / units_per_us_;
  set_apart_lone_lines();
  double sum = 0;
  for (const float length : sketch_.lengths_) sum += length;
  if (sum > 0) sketch_.mean_length_ = sum / static_cast<double>(sketch_.lengths_.size());
  sketch_.is_even_ = sketch_.lengths_.empty() || *std::ranges::max_element(sketch_.lengths_) <=
                                                     kEqualLengths * sketch_.mean_length_;
  return std::move(sketch_);
}

namespace {

/// Puts another value in the place of the least of a heap.
void replace_least(std::vector<float>& heap, float value) {
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && heap[child + 1] < heap[child]) ++child;
    if (value <= heap[child]) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}

}  // namespace

/// When each turn starts, by rule 2; the end of the last.
double Sketch::schedule(const order::Map& map, std::int64_t blocks, Scratch& scratch) const {
  std::vector<float>& starts = scratch.starts;
  starts.assign(map.size(), 0);
  const auto turns = static_cast<std::int64_t>(map.size());
  const auto length_of = [&](std::int64_t turn) {
    const std::int64_t tile = map[static_cast<std::size_t>(turn)];
    return tile < 0 ? 0.0F : lengths_[static_cast<std::size_t>(tile)];
  };
  float span = 0;
  const std::int64_t first_turns = blocks > 0 ? std::min(blocks, turns) : turns;
  for (std::int64_t die = 0; die < dies_; ++die) {
    scratch.free.assign(static_cast<std::size_t>(places_), 0);
    for (std::int64_t turn = die; turn < first_turns; turn += dies_) {
      if (map[static_cast<std::size_t>(turn)] < 0) continue;
      float start = scratch.free.front();
      for (std::int64_t its = turn; its < turns; its += first_turns) {
        starts[static_cast<std::size_t>(its)] = start;
        start += length_of(its);
      }
      replace_least(scratch.free, start);
      span = std::max(span, start);
    }
  }
  return static_cast<double>(span);
}

bool Sketch::is_in_waves(const order::Map& map, std::int64_t blocks) const {
  if (!is_even_ || (blocks > 0 && blocks < static_cast<std::int64_t>(map.size()))) return false;
  std::int64_t signs = 0;
  for (const std::int64_t tile : map) signs |= tile;
  return signs >= 0;
}

/// All turns in the order of time.
SketchFigures Sketch::run_in_time(const order::Map& map, std::int64_t blocks,
                                  Scratch& scratch) const {
  const double span = schedule(map, blocks, scratch);
  const double buckets_of_request = kPhases / mean_length_;
  const auto buckets = static_cast<std::size_t>(span * buckets_of_request) + 2;
  scratch.offsets.assign(buckets + 1, 0);
  scratch.bucket_of.clear();
  for (std::size_t turn = 0; turn < map.size(); ++turn) {
    if (map[turn] < 0) continue;
    const auto tile = static_cast<std::size_t>(map[turn]);
    const double step = lengths_[tile] / kPhases;
    for (std::uint32_t g = first_groups_[tile]; g < first_groups_[tile + 1]; ++g) {
      const double at = scratch.starts[turn] + groups_[g].phase * step;
      const auto bucket = static_cast<std::uint32_t>(
          std::min(static_cast<std::size_t>(at * buckets_of_request), buckets - 1));
      scratch.bucket_of.push_back(bucket);
      ++scratch.offsets[bucket + 1];
    }
  }
  for (std::size_t b = 1; b <= buckets; ++b) scratch.offsets[b] += scratch.offsets[b - 1];
  scratch.due.resize(scratch.offsets[buckets]);
  const std::uint32_t* bucket = scratch.bucket_of.data();
  const std::size_t round = blocks > 0 ? static_cast<std::size_t>(blocks) : map.size();
  for (std::size_t first = 0; first < map.size(); first += round) {
    std::uint16_t die = 0;
    for (std::size_t turn = first; turn < std::min(first + round, map.size()); ++turn) {
      const auto tile = static_cast<std::size_t>(map[turn]);
      if (map[turn] >= 0)
        for (std::uint32_t g = first_groups_[tile]; g < first_groups_[tile + 1]; ++g)
          scratch.due[scratch.offsets[*bucket++]++] = groups_[g].due(die);
      if (++die == dies_) die = 0;
    }
  }
  Caches caches(*this, scratch.stamps);
  caches.touch(scratch.due);
  return caches.figures(span);
}

/// The same wave by wave, without a table of all times.
SketchFigures Sketch::run_in_waves(const order::Map& map, Scratch& scratch) const {
  const auto wave = static_cast<std::size_t>(dies_ * places_);
  Caches caches(*this, scratch.stamps);
  const Group* const groups = groups_.data();
  const std::uint32_t* const first_groups = first_groups_.data();
  const std::int64_t dies = dies_;
  double span = 0;
  const std::size_t room = std::min(wave, map.size()) * groups_of_phase_;
  scratch.wave.resize(room * kPhases);
  for (std::size_t first = 0; first < map.size(); first += wave) {
    const std::size_t end = std::min(first + wave, map.size());
    std::array<Due*, kPhases> ends;
    for (std::size_t phase = 0; phase < kPhases; ++phase)
      ends[phase] = scratch.wave.data() + room * phase;
    std::uint16_t die = 0;
    for (std::size_t turn = first; turn < end; ++turn) {
      const auto tile = static_cast<std::size_t>(map[turn]);
      const Group* const last = groups + first_groups[tile + 1];
      for (const Group* group = groups + first_groups[tile]; group < last; ++group)
        *ends[group->phase]++ = group->due(die);
      if (++die == dies) die = 0;
    }
    for (std::size_t phase = 0; phase < kPhases; ++phase)
      caches.touch({scratch.wave.data() + room * phase, ends[phase]});
    span += mean_length_;
  }
  return caches.figures(span);
}

SketchFigures Sketch::run(const order::Map& map, std::int64_t blocks) const {
  thread_local Scratch scratch;
  return is_in_waves(map, blocks) ? run_in_waves(map, scratch) : run_in_time(map, blocks, scratch);
}

double SketchTime::time_us(const SketchFigures& figures, int operations) const {
  const auto ratio = [](std::int64_t now, std::int64_t then) {
    return static_cast<double>(now + 1) / static_cast<double>(then + 1);
  };
  const auto moved = static_cast<double>(known_.hbm_read_bytes + known_.hbm_write_bytes);
  const double reads = moved > 0 ? static_cast<double>(known_.hbm_read_bytes) / moved : 1;
  const double memory = percent_of(known_, "memory");
  const double last = std::max(percent_of(known_, "last level"), percent_of(known_, "fabric"));
  const double rest =
      std::max({percent_of(known_, "compute"), percent_of(known_, "L1"), percent_of(known_, "L2")});
  const auto power = [](double percent) { return std::pow(percent / 100, kSharpness); };
  const double waiting = std::max(0.0, 1 - power(memory) - power(last) - power(rest));
  const auto latency = [](const SketchFigures& its) {
    return 1 + kMissLatency * static_cast<double>(its.misses) /
                   static_cast<double>(std::max<std::int64_t>(1, its.touches));
  };
  const double read_ratio = ratio(figures.last_misses, of_.last_misses);
  const double sum = power(memory * (reads * read_ratio + 1 - reads)) +
                     power(last * ratio(figures.misses, of_.misses)) +
                     power(rest + 100 * us_of_operation_ * operations / known_.time_us) +
                     waiting * std::pow(latency(figures) / latency(of_), kSharpness);
  const double before = power(memory) + power(last) + power(rest) + waiting;
  const double span = of_.span > 0 ? figures.span / of_.span : 1;
  return known_.time_us * span * std::pow(sum / before, 1 / kSharpness);
}

}  // namespace heddle::sim
