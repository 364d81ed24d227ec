// The whole simulated GPU, wired together.
//
//   dispatcher ─▶ compute units with L1 and scalar cache ─▶ L2 ─▶ last-level cache ─▶ memory
//   └──────────────────── a die, several times ───────────────┘   └─── shared by all dies ───┘
//
// Rules
//   1. run() replays the launch to its end; afterwards the counts are final.
//   2. Time advances in epochs. In an epoch dies run by themselves, on as many threads as asked
//      for. Between epochs their fabric events reach the last-level cache and the memory, die by
//      die. The result does not depend on the number of threads.
//   3. Memory held depends on the machine and on the lines the tensors have, not on the trace.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/gpu.h"
#include "sim/causes.h"
#include "sim/die.h"
#include "sim/sample.h"
#include "sim/sampled_parts.h"
#include "sim/units/last_level.h"
#include "sim/units/line_map.h"
#include "sim/units/memory.h"
#include "sim/units/pages.h"

namespace heddle::sim {

/// What a machine is built for.
struct MachineSetup {
  const config::Gpu& gpu;
  const Pages& pages;
  const order::Map& map;
  int places = 1;                 ///< blocks of a compute unit at a time
  std::int64_t shared_bytes = 0;  ///< of all its blocks together
  int sites = 0;                  ///< of the kernel
  int depth = 1;                  ///< rounds of a loop's loads that may be under way
  SamplePlan plan;
  bool why = false;         ///< find out the causes of misses
  std::int64_t blocks = 0;  ///< of a persistent launch; 0: one per entry of the map
  BlockStart start = {};
  bool in_turn = true;                    ///< blocks work in turn; else the oldest first
  bool record_tiles = false;              ///< what each turn does
  SampledParts* sampled_parts = nullptr;  ///< kept for other replays of the sample; may be nullptr
  std::int64_t kept_bytes = 0;  ///< of what the dies wrote, what nobody waits for at the end
};

class Machine {
 public:
  /// `traces[d]` hands out traces to die d; they are called from different threads.
  Machine(const MachineSetup& setup, std::vector<TraceSource> traces);

  void run(int threads);

  const std::vector<std::unique_ptr<Die>>& dies() const { return dies_; }
  const std::optional<LastLevel>& last_level() const { return last_level_; }
  const Memory& memory() const { return memory_; }
  const Sample& sample() const { return sample_; }
  /// Every distinct sector that moved, once.
  std::int64_t bound_bytes() const { return moved_.bytes(); }
  std::int64_t tensor_bytes() const { return tensor_bytes_; }
  /// Misses that no order could avoid: first touches that were counted as misses.
  std::int64_t first_misses() const { return first_misses_; }
  const std::vector<MissCauses>& causes() const { return causes_; }
  MemoryTraffic traffic() const { return total_; }  ///< of the whole run, not scaled
  std::int64_t end_ticks() const { return end_; }
  int places() const { return places_; }
  /// Of those below the plan's last launch id; empty unless recorded.
  const std::vector<TurnRecord>& turns() const { return turns_; }
  /// Why their requests missed in the L2; empty unless recorded, and without `why`.
  const std::vector<MissCauses>& turn_causes() const { return turn_causes_; }

 private:
  void take_events(std::int64_t ticks, std::int64_t kept_bytes = 0);
  void sort_by_kind(const std::vector<FabricEvent>& events,
                    const std::vector<std::uint32_t>& turns);
  template <class Visit>
  void for_each(FabricEvent::Kind kind, Visit visit);
  MissCauses judge(std::size_t die, const FabricEvent& event, int fresh) const;

  const config::Gpu& gpu_;
  LineMap map_;
  Sample sample_;
  SampledParts sampled_parts_;     ///< where none are kept for other replays
  std::vector<TurnRecord> turns_;  ///< dies write to it
  std::vector<std::unique_ptr<Die>> dies_;
  std::optional<LastLevel> last_level_;
  Memory memory_;
  FirstTouches first_touches_;
  FirstTouches moved_;  ///< in sectors
  std::int64_t tensor_bytes_ = 0;
  std::int64_t kept_bytes_ = 0;
  std::vector<MissCauses> causes_;  ///< per die; empty without `why`
  std::vector<MissCauses> turn_causes_;
  std::int64_t first_misses_ = 0;
  std::array<std::vector<FabricEvent>, 3> by_kind_;
  std::array<std::size_t, 3> counts_by_kind_{};
  std::array<std::vector<std::uint32_t>, 3> turns_by_kind_;  ///< of those events
  MemoryTraffic total_;
  std::int64_t end_ = 0;
  /// Lines that were asked of memory lately, and until which epoch they are on their way.
  struct Arrival {
    std::uint32_t line = 0;
    std::int64_t epoch = 0;
  };
  static constexpr int kArrivalsLog = 16;
  std::vector<Arrival> arrivals_;
  std::int64_t arrival_epochs_ = 1;
  std::int64_t epoch_ = 0;
  int places_ = 1;
};

}  // namespace heddle::sim
