// Turns the memory instructions that a tracer hands over into a TileTrace.
//
// Rules
//   1. Shapes are kept by what they depend on: site, strides, extents, masks, tables, and where in
//      a line the base lies. Patterns with dense addresses have a shape of their own, and so have
//      those with dense masks, but for C++ kernels, whose masks come again and again.
//   2. What a recorder records refers to shapes that it owns: it must outlive its traces.
//   3. Of a C++ kernel a load is uniform if its target loads it through the scalar cache and every
//      wave has one address. What its addresses depend on is not known: only atomics whose result
//      is used are awaited.
//   4. Its lanes are looked up in the groups that the GPU file says (l1.lanes_at_once); on AMD
//      atomics of several lanes on one address take turns.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/gpu.h"
#include "kernel/program.h"
#include "kernel/tile_layout.h"
#include "sim/recent_shapes.h"
#include "sim/tile_trace.h"
#include "sim/units/pages.h"
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
  std::vector<std::uint8_t> awaited;           ///< per site: addresses depend on what it loads
  kernel::Work work;                           ///< of the whole program, per site
  std::vector<trace::ContiguityBound> bounds;  ///< per site: what a compiler knows
  std::vector<trace::ContiguityBound> masks;   ///< per site: neighbours of one mask; AMD alone
  std::vector<kernel::LaneVector> vectors;     ///< per site, of alignment; NVIDIA alone
  std::vector<int> lane_elements;  ///< per site: what a lane holds, by the widest of its kind
  std::shared_ptr<const kernel::TargetFacts> facts;  ///< of a C++ kernel, which has no bounds

  RecordContext(const kernel::KernelProgram& reduced, kernel::Work its_work,
                const config::Launch& launch, const config::Gpu& gpu, const Pages& pages);

  /// Nothing of the tile goes on before this load has come.
  bool is_awaited(const trace::AccessPattern& pattern) const;
  /// `elements` that a lane loads at a time.
  bool is_alone(const trace::AccessPattern& pattern, std::int64_t elements) const;

 private:
  bool has_lanes;
  void find_layouts();
};

class Recorder final : public trace::AccessSink {
 public:
  explicit Recorder(const RecordContext& context);

  /// Traces a tile into the chunk.
  TileTrace record(std::array<std::int64_t, 3> tile, TraceChunk& chunk);

  /// The same with patterns from elsewhere: begin, access by access, end.
  void begin(TraceChunk& chunk);
  void access(const trace::AccessPattern& pattern) override;
  TileTrace end();

 private:
  const Shape* shared_shape(const trace::AccessPattern& pattern, std::int64_t base);
  void make_key(const trace::AccessPattern& pattern, std::int64_t base);
  Shape make_shape(const trace::AccessPattern& pattern);
  void find_requests(const trace::AccessPattern& pattern, Shape& shape);
  void find_requests_by_thread(const trace::AccessPattern& pattern, Shape& shape);
  void repeat_stores(int parts);
  void add_repeats(const trace::AccessPattern& pattern, const trace::BlockedLayout& layout,
                   Shape& shape);
  void add_scattered(const trace::AccessPattern& pattern);

  const RecordContext& context_;
  std::optional<trace::Tracer> tracer_;  ///< made for the first tile
  trace::LayoutOptions layout_;
  int line_log_ = 7;
  TraceChunk* chunk_ = nullptr;
  std::optional<TraceWriter> writer_;
  RecentShapes recent_;

  std::deque<Shape> shapes_;
  std::size_t shared_bytes_ = 0;
  std::unordered_map<std::string, const Shape*> by_key_;
  struct Last {
    std::string key;
    const Shape* shape = nullptr;
  };
  std::vector<Last> last_of_site_;
  std::vector<std::int64_t> entries_;  ///< per site: of loops, when it was last reached; -1: never
  std::int64_t entered_ = -1;          ///< the last of them whose first load waited
  bool enters_ = false;                ///< the instruction at hand is the first load of such a loop
  std::string key_;
  std::vector<trace::Request> requests_;
  double counted_ = 0;  ///< cycles of this tile's counts that its shapes have
  std::shared_ptr<const std::vector<kernel::ArithmeticCount>> arithmetic_;  ///< of the last tile
};

}  // namespace heddle::sim
