#include "sim/recorder.h"

#include <bit>
#include <cstring>
#include <initializer_list>

#include "support/error.h"

namespace heddle::sim {
namespace {

using kernel::Opcode;

/// Bounds what the shapes of one recorder take; beyond it every instruction has its own.
constexpr std::size_t kMostSharedBytes = std::size_t{64} << 20;

template <class T>
void append(std::string& key, const T& value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  key.append(bytes, sizeof(T));
}

template <class T>
void append_array(std::string& key, const T* values, std::int64_t count) {
  append(key, values != nullptr);
  if (values == nullptr) return;
  key.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(T));
}

/// The first of these rates that the GPU has: what it lacks is done by the next wider unit.
double first_rate(std::initializer_list<double> rates) {
  for (const double rate : rates)
    if (rate > 0) return rate;
  throw Error("the GPU has no unit for the kernel's arithmetic",
              "give vector_fp32 in its file under [arithmetic]");
}

/// Operations a cycle; a multiply-add is one.
double rate_of(const kernel::ArithmeticCount& count, const config::GpuArithmetic& rates) {
  using kernel::ArithmeticKind;
  const int bytes = config::byte_width(count.type);
  const double wide = rates.vector_fp64 * rates.vector_share;
  const double single = rates.vector_fp32 * rates.vector_share;
  const double half = rates.vector_fp16 * rates.vector_share;
  if (count.kind == ArithmeticKind::transcendental)
    return first_rate({rates.transcendental, single / 8});
  const double vector = bytes >= 8   ? first_rate({wide, single / 2})
                        : bytes == 4 ? first_rate({single, wide})
                                     : first_rate({half, single, wide});
  if (count.kind != ArithmeticKind::dot) return vector / 2;
  const double share = rates.matrix_share;
  const double fp64 = rates.matrix_fp64 * share;
  const double fp32 = rates.matrix_fp32 * share;
  const double fp16 = rates.matrix_fp16 * share;
  const double fp8 = rates.matrix_fp8 * share;
  return (bytes >= 8   ? first_rate({fp64, vector})
          : bytes == 4 ? first_rate({fp32, fp64, vector})
          : bytes == 2 ? first_rate({fp16, fp32, vector})
                       : first_rate({fp8, fp16, fp32, vector})) /
         2;
}

}  // namespace

double arithmetic_cycles(const std::vector<kernel::ArithmeticCount>& counts,
                         const config::GpuArithmetic& rates) {
  double cycles = 0;
  for (const kernel::ArithmeticCount& count : counts)
    cycles += static_cast<double>(count.count) / rate_of(count, rates);
  return cycles;
}

RecordContext::RecordContext(const kernel::KernelProgram& reduced, const config::Launch& its_launch,
                             const config::Gpu& its_gpu, const Pages& its_pages)
    : program(reduced), launch(its_launch), gpu(its_gpu), pages(its_pages) {
  awaited.resize(reduced.sites.size());
  for (const kernel::Block& block : reduced.blocks)
    for (const kernel::Instruction& instruction : block.code)
      if ((instruction.op == Opcode::load || instruction.op == Opcode::atomic) &&
          !instruction.results.empty())
        awaited[static_cast<std::size_t>(instruction.integers[0])] = 1;
}

Recorder::Recorder(const RecordContext& context)
    : context_(context),
      tracer_(context.program, context.launch, {}),
      line_log_(std::countr_zero(static_cast<unsigned>(context.gpu.l1.shape.line_bytes))),
      last_of_site_(context.program.sites.size()) {
  layout_.waves = context.launch.warps;
  layout_.wave_lanes = context.gpu.compute.wave_lanes;
}

TileTrace Recorder::record(std::array<std::int64_t, 3> tile, TraceChunk& chunk) {
  TraceWriter writer(chunk);
  chunk_ = &chunk;
  writer_ = &writer;
  writer.begin();
  tracer_.run(tile, *this);
  TileTrace trace = writer.finish();
  trace.arithmetic_cycles = arithmetic_cycles(tracer_.arithmetic(), context_.gpu.arithmetic);
  return trace;
}

void Recorder::access(const trace::AccessPattern& pattern) {
  if (!pattern.scalar_active || pattern.elements() <= 0) return;
  if (pattern.tensor < 0) return add_scattered(pattern);
  const std::int64_t base = pattern.addresses == nullptr ? pattern.base : 0;
  const std::int64_t compact = base + context_.pages.shift_of(pattern.tensor);
  const auto line = static_cast<std::uint32_t>(compact >> line_log_);
  const bool dense = pattern.addresses != nullptr || pattern.active != nullptr;
  const Shape* shape = nullptr;
  if (!dense) {
    shape = shared_shape(pattern, base);
  } else {
    chunk_->own_shapes.push_back(make_shape(pattern));
    shape = &chunk_->own_shapes.back();
  }
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
  key_.clear();
  append(key_, pattern.site);
  append(key_, pattern.element_bytes);
  append(key_, base & ((std::int64_t{1} << line_log_) - 1));
  for (int k = 0; k < pattern.axes; ++k) {
    const trace::PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
    append(key_, axis.extent);
    append(key_, axis.stride);
    append(key_, axis.first);
    append(key_, axis.last);
    append_array(key_, axis.table, axis.extent);
    append_array(key_, axis.flags, axis.extent);
  }
}

/// Lines are relative to the line that the base (0 where addresses are dense) lies in.
Shape Recorder::make_shape(const trace::AccessPattern& pattern) {
  requests_.clear();
  trace::append_requests(pattern, trace::blocked_layout(pattern, layout_), 1 << line_log_,
                         requests_);
  const auto site = static_cast<std::size_t>(pattern.site);
  Shape shape;
  shape.kind = context_.program.sites[site].kind;
  shape.uniform = pattern.axes == 0;
  shape.awaited = context_.awaited[site] != 0;
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
