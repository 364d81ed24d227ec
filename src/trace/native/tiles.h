// Tiles of a C++ kernel, run by a runner: its accesses as patterns of the launch's addresses.
//
// Rules
//   1. A pattern has one element for each thread of the block (pattern.h).
//   2. What lies outside every tensor is a fault and is left out, as in tracer.h; strict makes
//   it
//      an Error.
//   3. A tensor of integers that is read has to have contents: addresses may depend on them. One of
//      floating numbers without contents holds zeros.
//   4. Faults of shared memory (runner/shared.h) have no tensor: an index beyond an array is out of
//      bounds and has no site, what holds no certain value is uninitialized and has one.
//   5. A kernel that writes __device__ variables is refused: its tiles may speak to one another
//   there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/native.h"
#include "trace/interpreter/fault_log.h"
#include "trace/native/memory.h"
#include "trace/native/session.h"
#include "trace/tile_runner.h"

namespace heddle::trace::native {

class NativeTiles final : public TileRunner, private Listener {
 public:
  NativeTiles(const kernel::KernelProgram& program, const config::Launch& launch,
              const TraceOptions& options);

  void run(std::array<std::int64_t, 3> tile, AccessSink& sink) override;
  void watch_reads(const std::optional<std::vector<bool>>& tensors) override;
  std::vector<kernel::ArithmeticCount> arithmetic() const override;
  std::int64_t steps() const override { return steps_; }
  std::vector<Fault> faults() const override { return faults_.sorted(program_); }

 private:
  /// A tensor in the runner's memory.
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int32_t tensor = -1;
    std::int64_t shift = 0;  ///< from the runner's address to the launch's
  };

  void access(const runner::Access& access, std::span<const std::uint64_t> mask,
              std::span<const std::uint64_t> addresses) override;
  void add_gaps(std::vector<Session::Range>& ranges) const;
  void set_axes(AccessPattern& pattern) const;
  bool take_regular(const runner::Access& access, AccessPattern& pattern);
  void take_each(const runner::Access& access, std::span<const std::uint64_t> mask,
                 std::span<const std::uint64_t> addresses, AccessPattern& pattern);
  const Span* span_at(std::uint64_t first, std::uint64_t last) const;
  void note_outside(std::uint32_t site, std::uint64_t address);
  void note_shared();
  void check_contents(const AccessPattern& pattern);

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  TraceOptions options_;
  NativeMemory memory_;
  Session session_;
  std::shared_ptr<const kernel::TargetFacts> facts_;
  std::vector<Span> spans_;                ///< by address
  std::vector<int> bytes_;                 ///< per site
  mutable std::vector<const Span*> last_;  ///< per site: the span of its last access
  AccessSink* sink_ = nullptr;
  std::int64_t steps_ = 0;
  interpreter::FaultLog faults_;
  std::vector<std::uint8_t> active_;
  std::vector<std::int64_t> addresses_;
};

}  // namespace heddle::trace::native
