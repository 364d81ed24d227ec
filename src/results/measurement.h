// What a GPU said of a kernel and its candidates, as plain data.
//
// Sample (a matrix product on an H200)
//   0  identity            cold 3,812 us                                  DRAM 3.2 GB
//   1  group(8)            cold 2,904 us   1.313 (1.309 to 1.316)  faster DRAM 0.6 GB   48 runs
//   equal 2  skips.py            rejected: unwritten, c_ptr [128, 0] confirmed: 1.312 (1.307
//   to 1.316) in a fresh process
//
// Rules
//   1. Candidate 0 is the original. A ratio is its median time over the candidate's: above 1 the
//      candidate is faster.
//   2. A rejected candidate has no times. Times of others have intervals that hold for all of them
//      together; those of the confirmation are of one candidate alone.
//   3. Cold caches decide; warm ones are shown beside them.
//   4. Absent is std::optional with a reason beside it, never a zero.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/counters.h"
#include "results/fields.h"

namespace heddle {

enum class Difference { none, faster, slower };

/// "none", "faster" or "slower".
std::string difference_text(Difference difference);

/// A candidate's times beside the original's of the same rounds.
struct MeasuredTimes {
  double original_us = 0;  ///< medians
  double time_us = 0;
  double ratio = 1;
  double low = 1;  ///< of the interval of the ratio
  double high = 1;
  double confidence = 0;  ///< 0.95: of one candidate alone
  double noise = 0;       ///< the distance of the original from itself, as a ratio
  int rounds = 0;
  Difference difference = Difference::none;

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("original_us", all.original_us...);
    visit("time_us", all.time_us...);
    visit("ratio", all.ratio...);
    visit("low", all.low...);
    visit("high", all.high...);
    visit("confidence", all.confidence...);
    visit("noise", all.noise...);
    visit("rounds", all.rounds...);
    visit("difference", all.difference...);
  }
};

/// As results of measurements have them.
template <>
struct FieldList<KernelCounters> {
  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("source", all.source...);
    visit("time_us", all.time_us...);
    visit("l2_hit_pct", all.l2_hit_pct...);
    visit("l2_hits", all.l2_hits...);
    visit("l2_lookups", all.l2_lookups...);
    visit("dram_read_bytes", all.dram_read_bytes...);
    visit("dram_write_bytes", all.dram_write_bytes...);
    visit("reasons", all.reasons...);
  }
};

/// Why a candidate is out.
struct Rejection {
  std::string kind;    ///< docs/agent.md has them: "unwritten", "guard", "hang", ...
  std::string launch;  ///< "main", "ragged"; empty: before any
  std::string seed;
  std::string detail;

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("kind", all.kind...);
    visit("launch", all.launch...);
    visit("seed", all.seed...);
    visit("detail", all.detail...);
  }
};

/// What the model said before.
struct PredictedFigures {
  double speedup = 1;
  // Absent where only a part of the launch was replayed.
  std::optional<double> time_us, l2_hit_pct, dram_read_bytes;

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("speedup", all.speedup...);
    visit("time_us", all.time_us...);
    visit("l2_hit_pct", all.l2_hit_pct...);
    visit("dram_read_bytes", all.dram_read_bytes...);
  }
};

/// What a compiler made of a candidate.
struct CompiledFigures {
  std::optional<double> registers;     ///< of a thread
  std::optional<double> shared_bytes;  ///< of a block, static and dynamic
  std::optional<double> spills;        ///< of a thread, in words of 4 bytes
};

struct MeasuredCandidate {
  int number = 0;
  std::string title;    ///< "group(8)", or a file's name
  std::string formula;  ///< of an order; empty: a file of somebody's
  std::string proof;    ///< "every grid under 2^31 blocks"; empty: not proved
  std::string file;     ///< of the bundle: "kernels/1.py"
  std::optional<Rejection> rejected;
  int runs_equal = 0;  ///< to the last bit
  int runs_close = 0;  ///< within what the original differs from itself by
  std::optional<MeasuredTimes> cold, warm;
  std::optional<KernelCounters> counters;
  std::optional<PredictedFigures> predicted;
  CompiledFigures compiled;

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("number", all.number...);
    visit("title", all.title...);
    visit("formula", all.formula...);
    visit("proof", all.proof...);
    visit("rejected", all.rejected...);
    visit("runs_equal", all.runs_equal...);
    visit("runs_close", all.runs_close...);
    visit("cold", all.cold...);
    visit("warm", all.warm...);
    visit("counters", all.counters...);
    visit("predicted", all.predicted...);
  }
};

/// Clocks and temperature while times were taken: least, median, most.
struct SpreadOf {
  double least = 0, median = 0, most = 0;

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("least", all.least...);
    visit("median", all.median...);
    visit("most", all.most...);
  }
};
struct ClockSummary {
  int readings = 0;
  std::optional<SpreadOf> sm_mhz, memory_mhz, temperature_c, power_w;
  std::vector<std::string> throttled;  ///< what the device gave as reasons, if any

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("readings", all.readings...);
    visit("sm_mhz", all.sm_mhz...);
    visit("memory_mhz", all.memory_mhz...);
    visit("temperature_c", all.temperature_c...);
    visit("power_w", all.power_w...);
    visit("throttled", all.throttled...);
  }
};

enum class MeasuredAnswer { faster, no_difference, nothing_passed, not_timed };

/// "faster", "no difference", "nothing passed", "not timed".
std::string measured_answer_text(MeasuredAnswer answer);

struct MeasurementReport {
  std::string folder;
  std::string job;
  std::string gpu;     ///< that predictions are of; may be empty
  std::string kernel;  ///< the function
  std::string device;  ///< "NVIDIA H200"
  MeasuredAnswer answer = MeasuredAnswer::no_difference;
  std::optional<int> winner;  ///< the candidate's number
  std::vector<MeasuredCandidate> candidates;
  std::optional<MeasuredTimes> confirmed_cold, confirmed_warm;
  std::string not_confirmed;    ///< why the winner of the first times is none
  std::string counters_reason;  ///< why there are none
  std::optional<ClockSummary> clocks;
  std::vector<std::pair<std::string, std::string>> machine;  ///< facts, in their order
  std::vector<std::string> launches;                         ///< that outputs were compared on
  std::vector<std::string> seeds;
  std::vector<std::string> notes;

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("job", all.job...);
    visit("gpu", all.gpu...);
    visit("kernel", all.kernel...);
    visit("device", all.device...);
    visit("answer", all.answer...);
    visit("winner", all.winner...);
    visit("candidates", all.candidates...);
    visit("confirmed_cold", all.confirmed_cold...);
    visit("confirmed_warm", all.confirmed_warm...);
    visit("not_confirmed", all.not_confirmed...);
    visit("counters_reason", all.counters_reason...);
    visit("clocks", all.clocks...);
    visit("machine", all.machine...);
    visit("launches", all.launches...);
    visit("seeds", all.seeds...);
    visit("notes", all.notes...);
  }
};

}  // namespace heddle
