// A memory analysis in plain sentences with figures, and as JSON.
//
//   line 23  reads input_ptr, fp16 [32, 32]
//     centre = tl.load(here, mask=inside, other=0.0)
//     2 KiB per tile: 32 runs of 64 B on 32 lines of 128 B, 50 % of each.
//     A wave requests 8 lines at a time and uses 50 % of their bytes (100 % of their 32 B sectors).
//     Shared lines: along axis 0, 3 % with the next tile, none at distance 2 or more; along axis 1,
//     ... 1,048,576 distinct lines, each touched 2 times.
//
// Rules
//   1. Every figure is the trace's own; means are called so ("about").
//   2. Text keeps to text_columns().
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/style.h"
#include "results/trace.h"

namespace heddle::report {

std::string trace_text(const TraceReport& report, const IndependenceReport& independence,
                       const std::string& job, const Style& style);
nlohmann::json trace_json(const TraceReport& report, const IndependenceReport& independence,
                          const std::string& job);
/// One access of it.
nlohmann::json access_json(const TraceReport& report, const AccessSummary& access);

/// "reads", "writes" or "changes atomically".
std::string verb_of(AccessKind kind);
/// What an access touches a tile, which lines neighbouring tiles share, how often lines are
/// touched: the sentences of trace_text without what waves ask for.
std::vector<std::string> access_sentences(const TraceReport& report, const AccessSummary& access);

/// One tile's accesses in program order, a line each.
std::string tile_text(const TileReport& report, const std::string& job, const Style& style);
nlohmann::json tile_json(const TileReport& report, const std::string& job);

}  // namespace heddle::report
