// What a sweep found: one row a unit, and what the rows add up to.
//
//   verb      job                   shape    GPU      answer     speedup
//   optimize  examples/gemm.toml    M=4096   mi300x   leave it     1.000
//   check     examples/spmv.toml                      failed: the file 'rows.npy' cannot be read
//
// Rules
//   1. A unit is one job, in one shape, on one GPU, under one verb. `check` and `audit` depend on no
//      GPU, `validate` takes tables of measurements.
//   2. A unit without a result is a row as well: `failed`, with the reason.
//   3. A row holds nothing of the machine or the time that it was made on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/fields.h"

namespace heddle {

struct SweepRow {
  std::string verb;      ///< "check", "audit", "simulate", "optimize", "validate"
  std::string job;       ///< the file: a job, a kernel or a table, from the sweep's root
  std::string function;  ///< the kernel of the file, where that is no job; may be empty
  std::string shape;     ///< as --set takes it; empty: the job's own
  std::string gpu;       ///< may be empty
  bool at_base = false;  ///< of the base revision, not of the working tree
  bool failed = false;
  int exit_code = 0;              ///< of the verb by itself
  std::string answer;             ///< "PROVED", "faster", "leave it", "simulated"
  std::string order;              ///< the best one
  std::optional<double> time_us;  ///< predicted, as the kernel is
  std::optional<double> best_us;  ///< predicted, with that order
  std::optional<double> speedup;
  std::optional<double> speedup_low;
  std::optional<double> speedup_high;
  std::optional<double> l2_hit_pct;
  std::optional<std::int64_t> hbm_bytes;
  std::string limited_by;
  std::string checks;  ///< of audit: "order PROVED, bytes PROVED, code REFUTED"
  std::string reason;  ///< failed: why; else what a reader should know
  std::string patch;   ///< a unified diff; may be empty

  /// "gemm.py:matmul M=4096": the job, its kernel and its shape.
  std::string subject() const;

  /// All but the patch, which is not a cell.
  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("verb", all.verb...);
    visit("job", all.job...);
    visit("function", all.function...);
    visit("shape", all.shape...);
    visit("gpu", all.gpu...);
    visit("at_base", all.at_base...);
    visit("failed", all.failed...);
    visit("exit_code", all.exit_code...);
    visit("answer", all.answer...);
    visit("order", all.order...);
    visit("time_us", all.time_us...);
    visit("best_us", all.best_us...);
    visit("speedup", all.speedup...);
    visit("speedup_low", all.speedup_low...);
    visit("speedup_high", all.speedup_high...);
    visit("l2_hit_pct", all.l2_hit_pct...);
    visit("hbm_bytes", all.hbm_bytes...);
    visit("limited_by", all.limited_by...);
    visit("checks", all.checks...);
    visit("reason", all.reason...);
  }
};

/// The rows of a sweep, added up as they come.
struct SweepSummary {
  std::string name;  ///< the spec or the folder
  std::int64_t planned = 0;
  std::int64_t done = 0;          ///< with a result
  std::int64_t failed = 0;        ///< without one
  std::int64_t inconclusive = 0;  ///< with a result that is UNKNOWN
  std::int64_t missing() const { return planned - done - failed; }

  std::vector<std::string> gpus;  ///< in the order of the plan
  std::map<std::pair<std::string, std::string>, std::int64_t> answers;  ///< verb, answer -> units

  /// A kernel in a shape, and its rows in the order of `gpus`.
  struct OnGpus {
    std::string subject;
    std::vector<std::optional<SweepRow>> rows;
    double best = 0;  ///< the largest speedup of an order that is faster; 0: none is
  };
  struct GpuTable {
    std::vector<OnGpus> subjects;  ///< kMostSubjects at most
    std::int64_t left_out = 0;
  };
  GpuTable gains;                  ///< of optimize
  GpuTable times;                  ///< of simulate
  std::vector<SweepRow> failures;  ///< kMostFailures at most
  std::vector<SweepRow> refuted;   ///< of check and audit, kMostFailures at most

  static constexpr std::size_t kMostSubjects = 5'000;
  static constexpr std::size_t kMostFailures = 200;

  void add(const SweepRow& row);

 private:
  void add_to(GpuTable& table, const SweepRow& row) const;
};

}  // namespace heddle
