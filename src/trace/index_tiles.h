// Blocks that show their index (kernel/index_values.h): one write of a byte per number.
#pragma once

#include "kernel/index_values.h"
#include "trace/interpreter/fault_log.h"
#include "trace/tile_runner.h"

namespace heddle::trace {

class IndexTiles final : public TileRunner {
 public:
  IndexTiles(const kernel::KernelProgram& program, const config::Launch& launch)
      : program_(program), launch_(launch), body_(*kernel::index_values_of(program)) {}

  void run(std::array<std::int64_t, 3> tile, AccessSink& sink) override;
  void watch_reads(const std::optional<std::vector<bool>>&) override {}
  std::vector<kernel::ArithmeticCount> arithmetic() const override { return {}; }
  std::int64_t steps() const override { return steps_; }
  std::vector<Fault> faults() const override { return faults_.sorted(program_); }

 private:
  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  const kernel::IndexBody& body_;
  interpreter::FaultLog faults_;
  std::int64_t steps_ = 0;
};

}  // namespace heddle::trace
