// What an audit of two recorded runs found, as plain data.
//
//   recording  PROVED   no value of either run contradicts another
//   same-work  REFUTED  the second run does less: ...
//
// Rules
//   1. Figures are those of one dispatch: of several of a kernel, the mean; `least` of those that
//      say how much was done, since every launch has to do all of it.
//   2. Absent is std::optional, never a zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/check.h"

namespace heddle {

/// A figure of all dispatches that were looked at.
struct RunFigure {
  double mean = 0;
  double least = 0;
};

/// What one run did, read from its counters.
struct RunFigures {
  std::string path;      ///< the folder, as the user named it
  std::string file;      ///< of its counters
  std::string gpu;       ///< "MI200", as recorded; empty if it is not
  std::string hardware;  ///< "104 CUs, 1700 MHz, 1638.4 GB/s": two of them are compared
  std::string kernel;    ///< as recorded
  std::int64_t dispatches = 0;
  std::optional<RunFigure> duration_ns;
  std::optional<RunFigure> cycles;         ///< of a die, while the GPU was busy
  std::optional<RunFigure> operations;     ///< of floating point, vector and matrix units
  std::optional<RunFigure> lane_requests;  ///< of lanes to the L1
  std::optional<RunFigure> lookups;        ///< of the L1
  std::optional<RunFigure> written;        ///< requests of the L1 to write
  std::optional<RunFigure> written_bytes;  ///< the most that those can write
  std::optional<RunFigure> read_bytes;     ///< that the L2 asked the fabric for
  std::optional<RunFigure> stored_bytes;   ///< that the L2 wrote to the fabric
  std::optional<RunFigure> moved_bytes;    ///< both together, or what is known of them
  std::optional<double> hit_rate_pct;      ///< of the L2
  double cache_bytes = 0;                  ///< of all L2s together: what may be there already
  std::optional<double> peak_gb_per_s;     ///< of the memory, or of the cache in front of it
  std::optional<double> clock_mhz;
};

/// What a launch cannot do without, found by tracing the job.
struct NecessaryWork {
  std::string job;                 ///< the file
  std::string traced_on;           ///< "grid 2048; n = 4096, m = 4096"
  bool whole = true;               ///< all blocks were traced; else these are lower bounds
  std::int64_t read_bytes = 0;     ///< distinct sectors of 32 B that are read
  std::int64_t written_bytes = 0;  ///< distinct sectors that are written, atomics left out
  double operations = 0;           ///< of floating point
};

struct ProfileAudit {
  RunFigures before;
  RunFigures after;
  std::optional<NecessaryWork> work_before;
  std::optional<NecessaryWork> work_after;
  std::vector<NamedCheck> checks;
  std::vector<std::string> not_checked;  ///< "work (no --job says what has to be done)"

  Verdict verdict() const { return worst_verdict(checks); }
};

}  // namespace heddle
