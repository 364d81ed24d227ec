#include "trace/interpreter/context.h"

#include <fmt/format.h>

#include "support/text.h"

namespace heddle::trace::interpreter {
namespace {

/// For tables, dense blocks and scratch memory of one tracer.
constexpr std::int64_t kStorageBytes = std::int64_t{1} << 28;

}  // namespace

Context::Context(const kernel::KernelProgram& kernel_program, const config::Launch& job_launch,
                 const TraceOptions& trace_options)
    : program(kernel_program),
      launch(job_launch),
      options(trace_options),
      budget(kStorageBytes),
      scratch(budget),
      memory(kernel_program, job_launch, trace_options.limits.content_bytes) {}

void Context::record_note(const ArithmeticNote& note) {
  if (note.overflowed) {
    record(Fault::Kind::overflow, [&] { return fmt::format("{}", note.true_value); });
  }
  if (note.divided_by_zero) {
    record(Fault::Kind::division_by_zero, [] { return "the value is taken as 0"; });
  }
}

void Context::out_of_steps() const {
  throw Error(fmt::format("more than {} steps in one tile", with_separators(options.limits.steps)),
              "is the loop endless, or does it wait for another tile?", ExitCode::inconclusive)
      .because({Cause::Kind::size});
}

}  // namespace heddle::trace::interpreter
