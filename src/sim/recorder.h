// Turns the memory instructions that a tracer hands over into a TileTrace.
//
// Rules
//   1. Shapes are kept by what they depend on: site, strides, extents, masks, tables, and where in
//      a line the base lies. Patterns with dense addresses or masks have a shape of their own.
//   2. What a recorder records refers to shapes that it owns: it must outlive its traces.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/gpu.h"
#include "sim/tile_trace.h"
#include "sim/units/pages.h"
#include "sim/work.h"
#include "trace/coalesce.h"
#include "trace/pattern.h"
#include "trace/tracer.h"

namespace heddle::sim {

/// What recording needs to know, the same for all tiles. `program` has passed remove_unneeded.
struct RecordContext {
  const kernel::KernelProgram& program;
  const config::Launch& launch;
  const config::Gpu& gpu;
  const Pages& pages;
  std::vector<std::uint8_t> awaited;  ///< per site: addresses depend on what it loads

  Work work;                                   ///< of the whole program, per site
  std::vector<trace::ContiguityBound> bounds;  ///< per site: what a compiler knows
  std::vector<int> lane_elements;  ///< per site: what a lane holds, by the widest of its kind

  RecordContext(const kernel::KernelProgram& reduced, Work its_work, const config::Launch& launch,
                const config::Gpu& gpu, const Pages& pages);
};

class Recorder final : public trace::AccessSink {
 public:
  explicit Recorder(const RecordContext& context);

  /// Traces a tile into the chunk.
  TileTrace record(std::array<std::int64_t, 3> tile, TraceChunk& chunk);

 private:
  void access(const trace::AccessPattern& pattern) override;
  const Shape* shared_shape(const trace::AccessPattern& pattern, std::int64_t base);
  void make_key(const trace::AccessPattern& pattern, std::int64_t base);
  Shape make_shape(const trace::AccessPattern& pattern);
  void add_repeats(const trace::AccessPattern& pattern, const trace::BlockedLayout& layout,
                   Shape& shape);
  void add_scattered(const trace::AccessPattern& pattern);

  const RecordContext& context_;
  trace::Tracer tracer_;
  trace::LayoutOptions layout_;
  int line_log_ = 7;
  TraceChunk* chunk_ = nullptr;
  TraceWriter* writer_ = nullptr;

  std::deque<Shape> shapes_;
  std::size_t shared_bytes_ = 0;
  std::unordered_map<std::string, const Shape*> by_key_;
  struct Last {
    std::string key;
    const Shape* shape = nullptr;
  };
  std::vector<Last> last_of_site_;
  std::string key_;
  std::vector<trace::Request> requests_;
  double counted_ = 0;  ///< cycles of this tile's counts that its shapes have
};

}  // namespace heddle::sim
