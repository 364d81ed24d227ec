// What runs tiles: the interpreter of Triton programs, or a compiled C++ kernel. See tracer.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/program.h"
#include "trace/tracer.h"

namespace heddle::trace {

class TileRunner {
 public:
  TileRunner() = default;
  virtual ~TileRunner() = default;
  TileRunner(const TileRunner&) = delete;
  TileRunner& operator=(const TileRunner&) = delete;

  virtual void run(std::array<std::int64_t, 3> tile, AccessSink& sink) = 0;
  virtual void watch_reads(const std::optional<std::vector<bool>>& tensors) = 0;
  virtual std::vector<kernel::ArithmeticCount> arithmetic() const = 0;
  virtual std::int64_t steps() const = 0;
  virtual std::vector<Fault> faults() const = 0;
};

}  // namespace heddle::trace
