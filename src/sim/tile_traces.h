// The traces of the tiles that replays need: kept from one replay to the next, or made anew.
//
// Rules
//   1. Tiles are traced when a replay first needs them, on several threads, and kept as long as
//      they fit `most_bytes`. Beyond that every die traces a tile when one of its blocks starts,
//      and forgets it when the block ends.
//   2. One thread at a time may call prepare, source and trace_of; sources that were handed out may
//      be used meanwhile, each by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "order/order.h"
#include "sim/die.h"
#include "sim/recorder.h"
#include "sim/tile_trace.h"

namespace heddle::sim {

class TileTraces {
 public:
  TileTraces(const RecordContext& context, std::int64_t most_bytes);
  ~TileTraces();
  TileTraces(const TileTraces&) = delete;
  TileTraces& operator=(const TileTraces&) = delete;

  /// Traces what launch ids below `last_launch` run. Throws Error if a tile cannot be traced.
  void prepare(const order::Map& map, std::int64_t last_launch, int threads);

  /// Whether all that these launch ids run is kept: shapes then live as long as this.
  bool keeps(const order::Map& map, std::int64_t last_launch) const;

  /// For one die of the replay to come. The traces must outlive it.
  TraceSource source();

  /// One tile, traced or not.
  TileTrace trace_of(std::int64_t tile);

 private:
  struct Worker;
  TileTrace record(Worker& worker, std::int64_t tile, TraceChunk& chunk) const;
  void record_some(Worker& worker, std::span<const std::int64_t> tiles);
  Worker& worker(std::size_t index);

  const RecordContext& context_;
  std::int64_t most_bytes_;
  std::atomic<std::int64_t> bytes_;
  std::vector<TileTrace> tiles_;  ///< by tile id; without a chunk where it was not traced
  std::vector<std::unique_ptr<Worker>> workers_;  ///< that trace tiles to keep
};

}  // namespace heddle::sim
