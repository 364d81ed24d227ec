// Reports of searches made by hand: a stencil that improves on eight dies, and what else can
// happen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/optimization.h"
#include "support/text.h"

namespace heddle::report {

inline constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

/// Totals of a replay on an MI300X.
inline SimResult mi300x_result(const std::string& order, std::int64_t requests, std::int64_t hits,
                               MissCauses causes, std::int64_t read_bytes, double time_us) {
  SimResult result;
  result.gpu = "mi300x";
  result.gpu_title = "AMD Instinct MI300X";
  result.mode = "SPX";
  result.counter_names = CounterNames::gfx942;
  result.order = order;
  result.kernel = "stencil_2d_kernel";
  result.grid = {256, 256};
  result.blocks = 65536;
  result.occupancy = {8, "waves", 40, 0, true};
  result.l1.cache = {25148928, 20709885, 4439043};
  result.l1.writes = 2097152;
  result.l2.cache = {requests, hits, requests - hits};
  result.l2.fabric_reads_128 = read_bytes / 128;
  result.l2.fabric_writes_64 = 128 * kMebibyte / 64;
  result.causes = causes;
  result.last_level = CacheCounts{5268362, 3171210, 2097152};
  result.hbm_read_bytes = result.hbm_write_bytes = 128 * kMebibyte;
  result.time_us = time_us;
  result.limited_by = "latency";
  result.utilization = {{"compute", 17}, {"L1", 26}, {"memory", 38}};
  result.bound_bytes = 256 * kMebibyte;
  result.bound_hit_rate_pct =
      requests > 0 ? 100 - 100 * 2097152.0 / static_cast<double>(requests) : 0;
  result.sample.requests = 27246080;
  for (int i = 0; i < 8; ++i) {
    DieResult die;
    die.blocks = 8192;
    die.time_us = time_us - i;
    result.dies.push_back(die);
  }
  return result;
}

inline SimResult launch_order_result() {
  return mi300x_result("identity", 6540451, 2087468, {2097152, 29080, 2290439, 36312},
                       322 * kMebibyte, 167.2);
}
inline SimResult xcd_result() {
  return mi300x_result("xcd(8)", 7191788, 346153, {2097152, 107632, 4633683, 7168}, 580 * kMebibyte,
                       182.1);
}
inline SimResult columns_result() {
  SimResult result = mi300x_result("xcd(8) | columns", 6821254, 4722198, {2097152, 1904, 0, 0},
                                   128 * kMebibyte, 149.0);
  result.limited_by = "memory";
  result.utilization = {{"compute", 20}, {"L1", 29}, {"memory", 62}};
  return result;
}

inline OrderAttempt attempt_of(int iteration, const std::string& formula, const SimResult& result,
                               double speedup) {
  OrderAttempt attempt;
  attempt.iteration = iteration;
  attempt.proposer = "published";
  attempt.formula = attempt.title = formula;
  attempt.verdict = Verdict::proved;
  attempt.distinct_tiles = 65536;
  attempt.sizes = ProvedSizes::all;
  attempt.scope = "every grid under 2^31 blocks";
  attempt.triton = "# " + formula +
                   ": proved a permutation for every grid under 2^31 blocks\n"
                   "p0 = tl.program_id(0)\ntile = p0 + " +
                   std::to_string(iteration) + " * 0\n";
  attempt.operations = 6;
  attempt.predicted = result;
  attempt.fidelity = "exact";
  attempt.speedup = speedup;
  return attempt;
}

inline OrderAttempt refuted_attempt(int iteration, const std::string& formula) {
  OrderAttempt attempt;
  attempt.iteration = iteration;
  attempt.proposer = "answers.txt";
  attempt.formula = formula;
  attempt.title = "answers.txt:3";
  attempt.verdict = Verdict::refuted;
  attempt.distinct_tiles = 256;
  Counterexample example;
  example.grid = {256, 256};
  example.first = LaunchId{1};
  example.second = LaunchId{8};
  example.tile = TileId{256};
  example.message = "launch ids 1 and 8 both compute tile 256";
  attempt.counterexample = example;
  return attempt;
}

inline OrderAttempt unknown_attempt(int iteration) {
  OrderAttempt attempt;
  attempt.iteration = iteration;
  attempt.proposer = "command";
  attempt.formula = "pid = load(table, p0)";
  attempt.title = "command, round 1";
  attempt.reason = "line 1: 'load' is called but not defined";
  return attempt;
}

inline TraceReport stencil_memory() {
  TraceReport memory;
  memory.kernel = "examples/kernels/stencil_2d.py";
  memory.function = "stencil_2d_kernel";
  memory.grid = {256, 256};
  memory.warps = 4;
  memory.wave_lanes = 64;
  memory.line_bytes = 128;
  memory.tiles = memory.tiles_traced = 65536;
  AccessSummary access;
  access.place.line = 23;
  access.tensor = "input_ptr";
  access.element = "fp16";
  access.shape = {32, 32};
  access.tiles = 65536;
  access.instructions = {1, 1, 1};
  access.bytes = {2048, 2048, 2048};
  access.lines = {32, 32, 32};
  access.active = {1024, 1024, 1024};
  access.elements = 65536 * 1024;
  access.runs = 65536 * 32;
  access.total_bytes = 65536 * 2048;
  access.total_lines = 65536 * 32;
  access.distinct_lines = 1048576;
  access.neighbours = {{0, 1, 0}, {0, 2, 0}, {1, 1, 0.5}, {1, 2, 0}};
  memory.accesses = {access};
  TensorSummary tensor;
  tensor.name = "input_ptr";
  tensor.read_bytes = access.total_bytes;
  tensor.distinct_lines = 1048576;
  memory.tensors = {tensor};
  return memory;
}

/// Improved: launch order, a worse one, a refuted, the best, an unknown and a repeated one.
inline OptimizationReport improved_report() {
  OptimizationReport report;
  report.job = "examples/stencil_2d.toml";
  report.kernel_path = "examples/kernels/stencil_2d.py";
  report.kernel = "stencil_2d_kernel";
  report.grid = {256, 256};
  report.gpu = {"mi300x",      "",  "AMD Instinct MI300X", "SPX",   8, 38,
                4 * kMebibyte, 128, 256 * kMebibyte,       "c0ffee"};
  report.answer = Answer::improved;
  report.memory = stencil_memory();
  report.independence.verdict = Verdict::proved;
  report.independence.traced_on = "grid 256x256; rows = 8192, columns = 8192";
  report.baseline = launch_order_result();
  report.attempts = {attempt_of(1, "identity", launch_order_result(), 1),
                     attempt_of(2, "xcd(8)", xcd_result(), 167.2 / 182.1),
                     refuted_attempt(3, "pid = p0 // 8 + p0 % 8 * g0"),
                     attempt_of(4, "xcd(8) | columns", columns_result(), 167.2 / 149.0),
                     unknown_attempt(5),
                     attempt_of(6, "xcd(8) | rows", {}, 1)};
  report.attempts[0].identity = true;
  report.attempts[3].idea = "each die walks one run of whole columns";
  report.attempts[5].same_as = 2;
  report.attempts[5].predicted.reset();
  report.attempts[5].speedup.reset();
  BestOrder& best = report.best;
  best.iteration = 4;
  best.title = best.formula = "xcd(8) | columns";
  best.idea = report.attempts[3].idea;
  best.scope = "every grid under 2^31 blocks";
  best.argument = {"xcd(8): die d owns the ids d, d+dies, ..."};
  best.triton = report.attempts[3].triton;
  best.hip = "const int p0 = blockIdx.x;\n";
  best.predicted = columns_result();
  best.speedup = 167.2 / 149.0;
  report.search = {SearchEnd::at_bound, 6, 0, 0, 3, 1, 1, 1, 0, {"published", "answers.txt"}};
  report.patch = "--- a/k.py\n+++ b/k.py\n@@ -1 +1 @@\n-pid = 0\n+pid = 1\n";
  report.agreement = "64 of 65,536 blocks traced before and after: the same accesses";
  report.notes = {"registers are estimated"};
  return report;
}

/// Nothing helps: the launch order is at the bound, and held up by its L1.
inline OptimizationReport already_best_report() {
  OptimizationReport report = improved_report();
  report.answer = Answer::already_best;
  report.baseline.l2.fabric_reads_128 = 136 * kMebibyte / 128;
  report.baseline.limited_by = "L1";
  report.baseline.utilization = {{"L1", 98}};
  report.attempts[0].predicted = report.baseline;
  report.attempts[3].speedup = 0.998;
  report.attempts[3].predicted->time_us = 167.2 / 0.998;
  report.best = {};
  report.best.title = report.best.formula = "identity";
  report.best.predicted = report.baseline;
  report.search.end = SearchEnd::exhausted;
  report.patch.clear();
  report.agreement.clear();
  return report;
}

inline OptimizationReport not_independent_report() {
  OptimizationReport report;
  report.job = "examples/in_place.toml";
  report.kernel = "in_place_kernel";
  report.grid = {64, 64};
  report.gpu = {"mi300x", "", "AMD Instinct MI300X", "SPX", 8, 38, 4 * kMebibyte, 128, 0, ""};
  report.answer = Answer::not_independent;
  report.independence.verdict = Verdict::refuted;
  report.independence.traced_on = "grid 64x64; rows = 4096";
  TileConflict conflict;
  conflict.first_tile = {1, 0};
  conflict.second_tile = {0, 0};
  conflict.first.line = 17;
  conflict.second.line = 14;
  conflict.tensor = "x_ptr";
  conflict.byte = 1048580;
  conflict.granules = 1031688;
  conflict.granule_bytes = 4;
  report.independence.conflicts = {conflict};
  report.best.title = report.best.formula = "identity";
  return report;
}

inline OptimizationReport unknown_report() {
  OptimizationReport report = not_independent_report();
  report.answer = Answer::unknown;
  report.independence.verdict = Verdict::unknown;
  report.independence.conflicts.clear();
  report.reason = report.independence.reason = "the trace was cut after 60 s";
  return report;
}

/// One die without a last-level cache, as an H200, on another number of axes.
inline OptimizationReport nvidia_report(const std::vector<std::int64_t>& grid) {
  OptimizationReport report = improved_report();
  report.grid = report.memory.grid = grid;
  report.gpu = {"h200", "", "NVIDIA H200", "", 1, 132, 50 * kMebibyte, 128, 0, ""};
  const auto change = [&](SimResult& result) {
    result.gpu = "h200";
    result.counter_names = CounterNames::nvidia;
    result.mode.clear();
    result.grid = grid;
    result.last_level.reset();
    if (!result.dies.empty()) result.dies.resize(1);
  };
  change(report.baseline);
  change(report.best.predicted);
  for (OrderAttempt& attempt : report.attempts) {
    if (attempt.predicted) change(*attempt.predicted);
  }
  return report;
}

/// Nothing was asked for: every figure is 0.
inline OptimizationReport empty_replay_report() {
  OptimizationReport report = improved_report();
  report.memory = {};
  report.baseline = report.best.predicted = SimResult{};
  report.best.speedup = 1;
  report.answer = Answer::already_best;
  report.attempts = {attempt_of(1, "identity", SimResult{}, 1)};
  return report;
}

/// Texts that break a careless page.
inline std::vector<std::string> hostile_formulas() {
  return {
      "Iteration 9:\nSwizzling formula:\npid = 7\n--- PROFILING ITERATION 9 ---\n"
      "Achieved 9.00x speedup.",
      "```\npid = p0\n```\n```",
      "# one hash\n## Iteration 3:\n---\n=== END ===",
      "pid\x1b[2J\x07 = p0\xff\xfe\r\n\x9b",
      std::string("a\0b", 3),
      "<script>alert(1)</script> | [x](y) `a` ``b`` @someone #1",
      std::string(100000, 'x'),
      std::string(100000, '`'),
      "\n\n  \n",
      ""};
}

inline std::vector<OptimizationReport> all_reports() {
  std::vector<OptimizationReport> reports = {improved_report(),           already_best_report(),
                                             not_independent_report(),    unknown_report(),
                                             nvidia_report({65536}),      nvidia_report({256, 256}),
                                             nvidia_report({8, 64, 128}), empty_replay_report(),
                                             OptimizationReport{}};
  for (const std::string& formula : hostile_formulas()) {
    OptimizationReport report = improved_report();
    report.attempts[2].formula = report.attempts[2].title = formula;
    report.attempts[3].formula = report.attempts[3].title = report.attempts[3].idea = formula;
    report.attempts[3].proposer = report.attempts[4].reason = formula;
    report.attempts[2].counterexample->message = formula;
    report.best.title = report.best.formula = report.best.idea = formula;
    report.best.scope = report.best.triton = report.patch = report.agreement = formula;
    report.best.argument = report.notes = report.search.proposers = {formula};
    report.kernel = report.job = report.gpu.title = report.reason = formula;
    report.independence.traced_on = formula;
    reports.push_back(report);
  }
  return reports;
}

/// White space of any width counts as one blank.
inline std::string flat(const std::string& text) {
  std::string result;
  for (const std::string_view line : split_lines(text)) {
    for (const std::string_view word : split(line, ' ')) {
      if (word.empty()) continue;
      result += result.empty() ? "" : " ";
      result += word;
    }
  }
  return result;
}

inline bool contains(const std::string& text, const std::string& part) {
  return flat(text).find(part) != std::string::npos;
}

/// Neither "nan" nor "inf" as a word, and no negative zero.
inline bool has_broken_figure(const std::string& text) {
  for (const std::string_view line : split_lines(text)) {
    for (const std::string_view word : split(line, ' ')) {
      for (const std::string_view broken :
           {"nan", "-nan", "inf", "-inf", "nan%", "infms", "nanms"}) {
        if (word == broken || word.starts_with(std::string(broken) + ".")) return true;
      }
    }
  }
  return false;
}

}  // namespace heddle::report
