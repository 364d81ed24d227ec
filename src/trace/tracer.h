// Runs a kernel program on the CPU, one tile at a time, and hands every memory instruction to a
// sink. Integer and pointer blocks stay affine, or a sum of one table per axis, wherever the code
// is; dense blocks are made only where it is not.
//
//   Tracer tracer(program, launch, {});
//   tracer.run({3, 5, 0}, sink);          // the accesses of tile (3, 5)
//   tracer.faults()                       // int32 overflow, out-of-bounds accesses, with places
//
// Rules
//   1. A tile's accesses depend on nothing but the program, the launch and the tile: the same call
//      gives the same stream. Every tile reads the contents that the job describes, overlaid with
//      what the tile itself has written where an address depends on it.
//   2. Steps and memory are bounded (TraceLimits); beyond them run throws Error.
//   3. An access outside its tensor is a fault and is left out of the stream handed on (its
//      in-bounds elements are kept); `strict` makes it an Error.
//
// Does not model: what other tiles write before this one reads; that a wrapped offset does no harm
// where a mask switches its element off (it is a fault all the same).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"
#include "trace/pattern.h"

namespace heddle::trace {

struct TraceLimits {
  std::int64_t steps = 100'000'000;        ///< instructions executed in one tile
  std::int64_t block_elements = 1 << 20;   ///< elements of one block, Triton's own limit
  std::int64_t content_bytes = 256 << 20;  ///< tensor contents held in memory
};

class ArithmeticSink;  // arithmetic_sink.h

struct TraceOptions {
  TraceLimits limits;
  bool strict = false;
  std::string target = "gfx90a";  ///< of C++ kernels: the chip whose compiler counts arithmetic
  ArithmeticSink* arithmetic = nullptr;  ///< Triton: sees arithmetic on whole numbers; slower
};

/// Something the kernel does that it should not. One per source place and kind; counted.
struct Fault {
  enum class Kind {
    out_of_bounds,
    overflow,          ///< int32 arithmetic that reaches an address wrapped
    division_by_zero,  ///< the value is 0 then
    uninitialized,     ///< an address depends on what was never given a value
  };
  Kind kind = Kind::out_of_bounds;
  std::int32_t place = 0;              ///< index into KernelProgram::places
  std::int32_t site = -1;              ///< out_of_bounds: the access
  std::int32_t tensor = -1;            ///< out_of_bounds: index into Launch::tensors, if known
  std::array<std::int64_t, 3> tile{};  ///< the first tile it was seen in
  std::int64_t count = 0;              ///< how often (instructions)
  std::int64_t tiles = 0;              ///< in how many tiles
  std::int64_t end_byte = 0;           ///< out_of_bounds: as long the tensor would have to be
  std::string detail;                  ///< e.g. "reads byte 134217728 of 134217728", "2147483648"
};

class TileRunner;  // tile_runner.h

class Tracer {
 public:
  /// Both must outlive the tracer. The program should have passed remove_unneeded.
  Tracer(const kernel::KernelProgram& program, const config::Launch& launch, TraceOptions options);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// One tile; throws Error where a limit is passed or a value cannot be computed.
  void run(std::array<std::int64_t, 3> tile, AccessSink& sink);

  /// From now on only reads of these tensors need be handed on, one flag for each of the launch;
  /// nothing: all reads, as at first. Others may be handed on all the same.
  void watch_reads(const std::optional<std::vector<bool>>& tensors);

  /// Arithmetic of the last run, merged by kind and type, in a fixed order.
  std::vector<kernel::ArithmeticCount> arithmetic() const;

  /// Steps of the last run, as TraceLimits counts them: what the tile cost.
  std::int64_t steps() const;

  /// Everything since construction, ordered by place.
  std::vector<Fault> faults() const;

 private:
  std::unique_ptr<TileRunner> runner_;
};

}  // namespace heddle::trace
