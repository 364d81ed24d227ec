#include "sim/recorder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "support/error.h"
#include "support/grid.h"
#include "trace/wave_requests.h"

namespace heddle::sim {
namespace {

/// Bounds what the shapes of one recorder take; beyond it every instruction has its own.
constexpr std::size_t kMostSharedBytes = std::size_t{64} << 20;

template <class T>
void append_array(std::string& key, const T* values, std::int64_t count) {
  if (values == nullptr) return;
  key.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(T));
}

constexpr double kMostCycles = 1e12;  ///< of the work of a tile
constexpr int kWideBytes = 8;         ///< of a lane: from here on wide_lanes_at_once holds

std::int64_t ticks_of(double cycles) {
  if (cycles > kMostCycles)
    throw Error("a tile takes more than 10^12 cycles of arithmetic on this GPU",
                "see the rates of its file under [arithmetic]");
  return std::llround(cycles * kTicks);
}

trace::LayoutOptions layout_of(const RecordContext& context) {
  trace::LayoutOptions layout;
  layout.waves = context.launch.waves(context.gpu.compute.wave_lanes);
  layout.wave_lanes = context.gpu.compute.wave_lanes;
  return layout;
}

/// How many neighbours a lane loads at a time, site by site. Blocks of one shape have one layout:
/// the widest of them decides what a lane holds.
class Widths final : public trace::AccessSink {
 public:
  explicit Widths(const RecordContext& context)
      : sites_(context.program.sites),
        bounds_(context.bounds),
        vectors_(context.vectors),
        layout_(layout_of(context)),
        elements_(context.program.sites.size(), 1),
        first_(context.program.sites.size()) {}

  std::vector<int> widest() const {
    std::vector<int> result = elements_;
    for (std::size_t a = 0; a < sites_.size(); ++a)
      for (std::size_t b = 0; b < sites_.size(); ++b)
        if (sites_[a].shape == sites_[b].shape && first_[a] == first_[b])
          result[a] = std::max(result[a], elements_[b]);
    return result;
  }

 private:
  void access(const trace::AccessPattern& pattern) override {
    if (!pattern.scalar_active || pattern.elements() <= 0 || pattern.axes == 0) return;
    const auto site = static_cast<std::size_t>(pattern.site);
    layout_.bound = &bounds_[site];
    layout_.most_elements = vectors_[site].vector;
    const trace::BlockedLayout layout = trace::blocked_layout(pattern, layout_);
    first_[site] = layout.order[0];
    int& widest = elements_[site];
    for (const std::int64_t elements : layout.elements)
      widest = std::max(widest, static_cast<int>(elements));
  }

  const std::vector<kernel::Site>& sites_;
  const std::vector<trace::ContiguityBound>& bounds_;
  const std::vector<kernel::LaneVector>& vectors_;
  trace::LayoutOptions layout_;
  std::vector<int> elements_;
  std::vector<int> first_;  ///< the axis that lanes go along
};

}  // namespace

RecordContext::RecordContext(const kernel::KernelProgram& reduced, kernel::Work its_work,
                             const config::Launch& its_launch, const config::Gpu& its_gpu,
                             const Pages& its_pages)
    : program(reduced),
      launch(its_launch),
      gpu(its_gpu),
      pages(its_pages),
      awaited(reduced.awaited()),
      work(std::move(its_work)),
      facts(reduced.facts(its_gpu)),
      has_lanes(reduced.traits().has_lanes) {
  if (!has_lanes) find_layouts();
}

/// Integers that a C++ kernel loads are taken for indices: what comes next waits for them.
bool RecordContext::is_awaited(const trace::AccessPattern& pattern) const {
  if (awaited[static_cast<std::size_t>(pattern.site)] != 0) return true;
  if (!has_lanes || pattern.tensor < 0) return false;
  return program.sites[static_cast<std::size_t>(pattern.site)].kind == kernel::MemoryKind::read &&
         config::is_integer(launch.tensors[static_cast<std::size_t>(pattern.tensor)].dtype);
}

/// NVIDIA copies operands to shared memory rounds ahead, where each lane copies enough.
bool RecordContext::is_alone(const trace::AccessPattern& pattern, std::int64_t elements) const {
  constexpr int kLeastCopyBytes = 4;
  if (has_lanes || !work.has_products || gpu.vendor != config::Vendor::nvidia) return false;
  return pattern.axes > 0 && elements * pattern.element_bytes < kLeastCopyBytes;
}

/// How wide compilers make the loads of a block.
void RecordContext::find_layouts() {
  bounds = trace::contiguity_bounds(program, launch);
  if (gpu.vendor == config::Vendor::amd) masks = trace::mask_bounds(program, launch);
  const int lanes = gpu.compute.wave_lanes;
  vectors.resize(program.sites.size());
  if (gpu.vendor == config::Vendor::nvidia)
    vectors = kernel::lane_vectors(program, launch, {launch.waves(lanes), lanes});
  Widths widths(*this);
  trace::Tracer tracer(program, launch, {});
  tracer.run(block_of(launch.grid, LaunchId{launch.grid.count() / 2}), widths);
  lane_elements = widths.widest();
}

Recorder::Recorder(const RecordContext& context)
    : context_(context),
      layout_(layout_of(context)),
      line_log_(std::countr_zero(static_cast<unsigned>(context.gpu.l1.shape.line_bytes))),
      recent_(context.program.sites.size(), context.gpu.l1.shape.line_bytes),
      last_of_site_(context.program.sites.size()),
      entries_(context.program.sites.size()) {}

TileTrace Recorder::record(std::array<std::int64_t, 3> tile, TraceChunk& chunk) {
  if (!tracer_) {
    trace::TraceOptions options;
    options.target = kernel::compiler_target(context_.gpu);
    tracer_.emplace(context_.program, context_.launch, options);
  }
  begin(chunk);
  tracer_->run(tile, *this);
  TileTrace trace = end();
  std::vector<kernel::ArithmeticCount> counts = tracer_->arithmetic();
  const double counted = kernel::arithmetic_cycles(counts, context_.gpu.arithmetic);
  trace.arithmetic_cycles = std::max(0.0, counted - counted_);
  if (!arithmetic_ || *arithmetic_ != counts)
    arithmetic_ = std::make_shared<const std::vector<kernel::ArithmeticCount>>(std::move(counts));
  trace.arithmetic = arithmetic_;
  return trace;
}

void Recorder::begin(TraceChunk& chunk) {
  chunk_ = &chunk;
  writer_.emplace(chunk);
  writer_->begin();
  counted_ = 0;
  std::ranges::fill(entries_, -1);
  entered_ = -1;
}

TileTrace Recorder::end() {
  return writer_->finish();
}

void Recorder::access(const trace::AccessPattern& pattern) {
  const std::int64_t elements = pattern.elements();
  if (!pattern.scalar_active || elements <= 0) return;
  std::int64_t& entries = entries_[static_cast<std::size_t>(pattern.site)];
  const bool is_again = entries >= 0 && entries != pattern.entries;
  entries = pattern.entries;
  const bool is_read = context_.program.sites[static_cast<std::size_t>(pattern.site)].kind ==
                       kernel::MemoryKind::read;
  // The other loads of the loop follow the one that waited.
  enters_ = context_.work.has_products && is_read && is_again && entered_ != pattern.entries;
  if (enters_) entered_ = pattern.entries;
  if (pattern.tensor < 0) return add_scattered(pattern);
  const std::int64_t base = pattern.addresses == nullptr ? pattern.base : 0;
  const std::int64_t compact = base + context_.pages.shift_of(pattern.tensor);
  const auto line = static_cast<std::uint32_t>(compact >> line_log_);
  const bool dense =
      pattern.addresses != nullptr || (pattern.active != nullptr && !pattern.by_thread);
  const bool kept = RecentShapes::keeps(pattern);
  const Shape* shape = kept ? recent_.find(pattern, elements) : nullptr;
  if (shape != nullptr) {
    // One of the patterns just before, moved.
  } else if (!dense) {
    shape = shared_shape(pattern, base);
    if (kept && shape->shared) recent_.keep(pattern, elements, shape);
  } else {
    chunk_->own_shapes.push_back(make_shape(pattern));
    shape = &chunk_->own_shapes.back();
  }
  counted_ += context_.work.counted[static_cast<std::size_t>(pattern.site)];
  if (!shape->requests.empty()) writer_->add(shape, line);
}

const Shape* Recorder::shared_shape(const trace::AccessPattern& pattern, std::int64_t base) {
  make_key(pattern, base);
  Last& last = last_of_site_[static_cast<std::size_t>(pattern.site)];
  if (last.shape != nullptr && last.key == key_) return last.shape;
  const Shape*& known = by_key_[key_];
  if (known == nullptr) {
    if (shared_bytes_ > kMostSharedBytes) {
      by_key_.erase(key_);
      chunk_->own_shapes.push_back(make_shape(pattern));
      return &chunk_->own_shapes.back();
    }
    shapes_.push_back(make_shape(pattern));
    shapes_.back().shared = true;
    shared_bytes_ +=
        sizeof(Shape) + 2 * key_.size() + shapes_.back().requests.size() * sizeof(ShapeRequest);
    known = &shapes_.back();
  }
  last = {key_, known};
  return known;
}

void Recorder::make_key(const trace::AccessPattern& pattern, std::int64_t base) {
  std::array<std::int64_t, 4 + 5 * trace::kMaxAxes> head;
  std::size_t size = 0;
  head[size++] = pattern.site;
  head[size++] = enters_ ? 1 : 0;
  head[size++] = static_cast<std::int64_t>(pattern.element_bytes);
  head[size++] = base & ((std::int64_t{1} << line_log_) - 1);
  const auto axes = static_cast<std::size_t>(pattern.axes);
  for (std::size_t k = 0; k < axes; ++k) {
    const trace::PatternAxis& axis = pattern.axis[k];
    head[size++] = axis.extent;
    head[size++] = axis.stride;
    head[size++] = axis.first;
    head[size++] = axis.last;
    head[size++] = (axis.table != nullptr ? 1 : 0) + (axis.flags != nullptr ? 2 : 0);
  }
  key_.assign(reinterpret_cast<const char*>(head.data()), size * sizeof(head[0]));
  for (std::size_t k = 0; k < axes; ++k) {
    append_array(key_, pattern.axis[k].table, pattern.axis[k].extent);
    append_array(key_, pattern.axis[k].flags, pattern.axis[k].extent);
  }
  append_array(key_, pattern.active, pattern.elements());
}

/// Lines are relative to the line that the base (0 where addresses are dense) lies in.
Shape Recorder::make_shape(const trace::AccessPattern& pattern) {
  requests_.clear();
  const auto site = static_cast<std::size_t>(pattern.site);
  Shape shape;
  shape.kind = context_.program.sites[site].kind;
  if (pattern.by_thread)
    find_requests_by_thread(pattern, shape);
  else
    find_requests(pattern, shape);
  shape.ticks_before = ticks_of(context_.work.before[site]);
  shape.ticks_after = ticks_of(context_.work.after[site]);
  shape.wait_before = ticks_of(context_.work.wait_before[site]);
  shape.wait_after = ticks_of(context_.work.wait_after[site]);
  shape.awaited = context_.is_awaited(pattern);
  shape.enters = enters_;
  shape.site = pattern.site;
  shape.requests.reserve(requests_.size());
  const std::int64_t base = pattern.addresses == nullptr ? pattern.base : 0;
  const std::int64_t origin = base >> line_log_;
  for (const trace::Request& request : requests_)
    shape.requests.push_back(
        {static_cast<std::int32_t>(static_cast<std::int64_t>(request.line >> line_log_) - origin),
         request.sectors});
  return shape;
}

void Recorder::find_requests(const trace::AccessPattern& pattern, Shape& shape) {
  const auto site = static_cast<std::size_t>(pattern.site);
  layout_.lane_elements = context_.lane_elements[site];
  layout_.bound = &context_.bounds[site];
  layout_.mask = context_.masks.empty() ? nullptr : &context_.masks[site];
  layout_.most_elements = context_.vectors[site].masked;
  const trace::BlockedLayout layout = trace::blocked_layout(pattern, layout_);
  trace::append_requests(pattern, layout, 1 << line_log_, requests_);
  if (layout.parts > 1 && shape.kind == kernel::MemoryKind::write &&
      context_.gpu.vendor == config::Vendor::amd)
    repeat_stores(layout.parts);
  else if (layout.parts > 1)
    add_repeats(pattern, layout, shape);
  const auto own = static_cast<std::int64_t>(requests_.size());
  if (own > 0 && site < context_.work.lookups.size() && context_.work.lookups[site] > own) {
    shape.repeats = static_cast<std::int32_t>(context_.work.lookups[site] - own);
    shape.repeat_sectors = shape.repeats;
  }
  shape.alone = context_.is_alone(
      pattern, layout.elements[static_cast<std::size_t>(layout.order[0])] / layout.parts);
  shape.uniform = pattern.axes == 0;
}

void Recorder::find_requests_by_thread(const trace::AccessPattern& pattern, Shape& shape) {
  const config::Gpu& gpu = context_.gpu;
  const bool amd = gpu.vendor == config::Vendor::amd;
  trace::WaveOptions options;
  options.lanes = gpu.compute.wave_lanes;
  options.line_bytes = gpu.l1.shape.line_bytes;
  options.lanes_at_once =
      pattern.element_bytes >= kWideBytes ? gpu.l1.wide_lanes_at_once : gpu.l1.lanes_at_once;
  options.one_by_one = amd && shape.kind == kernel::MemoryKind::atomic;
  const trace::WaveTotals totals = trace::append_wave_requests(pattern, options, requests_);
  const auto site = static_cast<std::size_t>(pattern.site);
  const bool scalar = amd && gpu.scalar_cache && shape.kind == kernel::MemoryKind::read &&
                      context_.facts && site < context_.facts->scalar.size() &&
                      context_.facts->scalar[site] != 0;
  shape.uniform = scalar && totals.uniform;
  shape.waves = static_cast<std::int32_t>(totals.instructions);
  if (shape.uniform) return;
  shape.repeats =
      static_cast<std::int32_t>(totals.accesses) - static_cast<std::int32_t>(requests_.size());
  shape.repeat_sectors = shape.repeats;
}

/// Nothing gathers what a lane stores part by part: each part is a request of its own, in the order
/// in which a wave makes them.
void Recorder::repeat_stores(int parts) {
  std::vector<trace::Request> all;
  all.reserve(requests_.size() * static_cast<std::size_t>(parts));
  for (auto first = requests_.begin(); first != requests_.end();) {
    const auto last = std::find_if(first, requests_.end(), [&](const trace::Request& request) {
      return request.wave_instruction != first->wave_instruction;
    });
    for (int part = 0; part < parts; ++part) all.insert(all.end(), first, last);
    first = last;
  }
  requests_ = std::move(all);
}

/// A lane whose neighbours are not aligned loads them one by one: all but the first few requests
/// are for lines that were just asked for, as many as there would be if they were aligned.
void Recorder::add_repeats(const trace::AccessPattern& pattern, const trace::BlockedLayout& layout,
                           Shape& shape) {
  trace::AccessPattern aligned = pattern;
  const std::int64_t held = layout.elements[static_cast<std::size_t>(layout.order[0])];
  const std::int64_t unit = held * pattern.element_bytes;
  if (pattern.addresses == nullptr) aligned.base = (pattern.base + unit / 2) / unit * unit;
  const std::size_t own = requests_.size();
  trace::append_requests(aligned, layout, 1 << line_log_, requests_);
  std::int32_t sectors = 0;
  for (std::size_t k = own; k < requests_.size(); ++k)
    sectors += std::popcount(requests_[k].sectors);
  shape.repeats = static_cast<std::int32_t>(requests_.size() - own) * (layout.parts - 1);
  shape.repeat_sectors = sectors * (layout.parts - 1);
  requests_.resize(own);
}

/// Pointers of unknown origin may reach several tensors: every line is looked up by itself.
void Recorder::add_scattered(const trace::AccessPattern& pattern) {
  Shape shape = make_shape(pattern);
  if (shape.requests.empty()) return;
  for (std::size_t k = 0; k < shape.requests.size(); ++k)
    shape.requests[k].line =
        static_cast<std::int32_t>(context_.pages.compact(requests_[k].line) >> line_log_);
  chunk_->own_shapes.push_back(std::move(shape));
  writer_->add(&chunk_->own_shapes.back(), 0);
}

}  // namespace heddle::sim
