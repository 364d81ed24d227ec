#include "trace/tracer.h"

#include "trace/interpreter/machine.h"

namespace heddle::trace {

Tracer::Tracer(const kernel::KernelProgram& program, const config::Launch& launch,
               TraceOptions options)
    : machine_(std::make_unique<Machine>(program, launch, options)) {}

Tracer::~Tracer() = default;

void Tracer::run(std::array<std::int64_t, 3> tile, AccessSink& sink) {
  machine_->run(tile, sink);
}

std::vector<kernel::ArithmeticCount> Tracer::arithmetic() const {
  return machine_->arithmetic();
}

std::int64_t Tracer::steps() const {
  return machine_->steps();
}

std::vector<Fault> Tracer::faults() const {
  return machine_->faults();
}

}  // namespace heddle::trace
