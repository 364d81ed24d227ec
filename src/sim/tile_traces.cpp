#include "sim/tile_traces.h"

#include <algorithm>

#include "support/grid.h"
#include "support/parallel.h"

namespace heddle::sim {
namespace {

constexpr std::size_t kTilesAtATime = 64;

}  // namespace

struct TileTraces::Worker {
  explicit Worker(const RecordContext& context) : recorder(context) {}
  Recorder recorder;
  std::deque<TraceChunk> chunks;  ///< kept ones; of a die's worker: one per slot
};

TileTraces::TileTraces(const RecordContext& context, std::int64_t most_bytes)
    : context_(context),
      most_bytes_(most_bytes),
      bytes_(context.launch.grid.count() * static_cast<std::int64_t>(sizeof(TileTrace))) {
  if (bytes_ < most_bytes_) tiles_.resize(static_cast<std::size_t>(context.launch.grid.count()));
}

TileTraces::~TileTraces() = default;

TileTraces::Worker& TileTraces::worker(std::size_t index) {
  while (workers_.size() <= index) workers_.push_back(std::make_unique<Worker>(context_));
  return *workers_[index];
}

TileTrace TileTraces::record(Worker& worker, std::int64_t tile, TraceChunk& chunk) const {
  return worker.recorder.record(block_of(context_.launch.grid, LaunchId{tile}), chunk);
}

void TileTraces::prepare(const order::Map& map, std::int64_t last_launch, int threads) {
  if (tiles_.empty()) return;
  std::vector<std::int64_t> wanted;
  std::vector<bool> seen(tiles_.size());
  for (std::int64_t launch = 0; launch < last_launch; ++launch) {
    const std::int64_t tile = map[static_cast<std::size_t>(launch)];
    if (tile < 0) continue;
    const auto at = static_cast<std::size_t>(tile);
    if (seen[at] || tiles_[at].chunk != nullptr) continue;
    seen[at] = true;
    wanted.push_back(tile);
  }
  const std::size_t chunks = (wanted.size() + kTilesAtATime - 1) / kTilesAtATime;
  const std::size_t lanes = std::clamp<std::size_t>(chunks, 1, static_cast<std::size_t>(threads));
  worker(lanes - 1);
  parallel_for(chunks, lanes, [&](std::size_t chunk, std::size_t lane) {
    const std::size_t first = chunk * kTilesAtATime;
    const std::size_t count = std::min(kTilesAtATime, wanted.size() - first);
    record_some(*workers_[lane], std::span<const std::int64_t>(wanted).subspan(first, count));
  });
}

bool TileTraces::keeps(const order::Map& map, std::int64_t last_launch) const {
  return !tiles_.empty() &&
         std::all_of(map.begin(), map.begin() + last_launch, [&](std::int64_t tile) {
           return tile < 0 || tiles_[static_cast<std::size_t>(tile)].chunk != nullptr;
         });
}

/// Into one chunk, if there is memory left for it.
void TileTraces::record_some(Worker& mine, std::span<const std::int64_t> tiles) {
  if (bytes_ >= most_bytes_) return;
  TraceChunk& chunk = mine.chunks.emplace_back();
  for (const std::int64_t tile : tiles)
    tiles_[static_cast<std::size_t>(tile)] = record(mine, tile, chunk);
  bytes_ += chunk.bytes();
}

TraceSource TileTraces::source() {
  return [this, mine = std::shared_ptr<Worker>()](std::int64_t tile, int slot) mutable {
    const auto at = static_cast<std::size_t>(tile);
    if (!tiles_.empty() && tiles_[at].chunk != nullptr) return tiles_[at];
    if (!mine) mine = std::make_shared<Worker>(context_);
    while (mine->chunks.size() <= static_cast<std::size_t>(slot)) mine->chunks.emplace_back();
    TraceChunk& chunk = mine->chunks[static_cast<std::size_t>(slot)];
    chunk.clear();
    return record(*mine, tile, chunk);
  };
}

TileTrace TileTraces::trace_of(std::int64_t tile) {
  const auto at = static_cast<std::size_t>(tile);
  if (!tiles_.empty() && tiles_[at].chunk != nullptr) return tiles_[at];
  Worker& mine = worker(0);
  const TileTrace trace = record(mine, tile, mine.chunks.emplace_back());
  if (!tiles_.empty()) tiles_[at] = trace;
  return trace;
}

}  // namespace heddle::sim
