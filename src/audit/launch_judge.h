// Whether the blocks of one launch compute its tiles, each once: rules 1 and 2 of kernel_check.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "audit/written_elements.h"
#include "config/launch.h"
#include "kernel/program.h"
#include "results/check.h"
#include "tiles/find.h"
#include "tiles/same_work.h"

namespace heddle::audit {

/// Two blocks that compute one tile, by what work sees of the index: "blocks 0 and 5 compute one
/// tile (pid_m = 0)". Empty: none, or memory takes part in it.
std::string repeated_tile(const kernel::KernelProgram& program, const config::Launch& launch);

class LaunchJudge {
 public:
  /// `lifted` is of this program on this launch.
  LaunchJudge(const kernel::KernelProgram& program, const config::Launch& launch,
              tiles::Lifted lifted)
      : program_(program), launch_(launch), lifted_(std::move(lifted)) {}

  CheckResult run();
  const TileSpace& space() const { return lifted_.space; }
  /// Whole numbers that the index is divided by.
  const std::vector<std::int64_t>& divisors() const { return lifted_.probe.divisors; }
  /// The blocks fill a box, but what they write was not looked at.
  bool has_box_alone() const { return is_too_large_ && lifted_.space.is_found() && !twins_of(); }

 private:
  bool has_all(bool (*test)(const WrittenTensor&)) const;
  void judge(CheckResult& result);
  /// Blocks alone do not say which comes first, a store or another block's atomic: that neither
  /// proves nor refutes.
  bool has_mixed() const;
  /// Memory takes part in numbers that work sees.
  bool is_loaded() const;
  std::optional<tiles::SameWork> twins_of() const;
  void prove(CheckResult& result) const;
  void refute_twins(const tiles::SameWork& twins, CheckResult& result) const;
  void refute(CheckResult& result) const;
  void add_evidence(CheckResult& result) const;
  void say_unknown(CheckResult& result) const;

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  const tiles::Lifted lifted_;
  WrittenElements written_;
  bool is_too_large_ = false;
};

}  // namespace heddle::audit
