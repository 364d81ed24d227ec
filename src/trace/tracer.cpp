#include "trace/tracer.h"

#include "kernel/native.h"
#include "trace/index_tiles.h"
#include "trace/interpreter/machine.h"
#include "trace/native/tiles.h"

namespace heddle::trace {

namespace {

std::unique_ptr<TileRunner> make_runner(const kernel::KernelProgram& program,
                                        const config::Launch& launch, const TraceOptions& options) {
  if (kernel::native_of(program) != nullptr)
    return std::make_unique<native::NativeTiles>(program, launch, options);
  if (kernel::index_values_of(program) != nullptr)
    return std::make_unique<IndexTiles>(program, launch);
  return std::make_unique<Machine>(program, launch, options);
}

}  // namespace

Tracer::Tracer(const kernel::KernelProgram& program, const config::Launch& launch,
               TraceOptions options)
    : runner_(make_runner(program, launch, options)) {}

Tracer::~Tracer() = default;

void Tracer::run(std::array<std::int64_t, 3> tile, AccessSink& sink) {
  runner_->run(tile, sink);
}

void Tracer::watch_reads(const std::optional<std::vector<bool>>& tensors) {
  runner_->watch_reads(tensors);
}

std::vector<kernel::ArithmeticCount> Tracer::arithmetic() const {
  return runner_->arithmetic();
}

std::int64_t Tracer::steps() const {
  return runner_->steps();
}

std::vector<Fault> Tracer::faults() const {
  return runner_->faults();
}

}  // namespace heddle::trace
