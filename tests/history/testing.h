// A folder that goes away, attempts with every field set, and their comparison field by field.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "folder.h"
#include "history/history.h"

namespace heddle::history {

using Folder = TestFolder;

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline RunKey sample_key() {
  return {"examples/stencil_2d.toml", "stencil_kernel", "256x256", "00ff", "mi300x", "abcd", "1"};
}

inline SimResult sample_result(double time_us) {
  SimResult result;
  result.time_us = time_us;
  result.limited_by = "latency";
  result.utilization = {{"compute", 14.1}, {"L1", 1.0 / 3}};
  result.permutation = false;
  result.blocks = 65'536;
  result.blocks_idle = 3;
  result.l1 = {{10, 7, 3}, 11, 12, 13, 14, 15, 16, 17};
  result.scalar = ScalarCounts{{20, 18, 2}, 4};
  result.l2 = {{30, 21, 9}, 31, 32, 33, 34, 35, 36, 37, 38, 39};
  result.causes = MissCauses{1, 2, 3, 4};
  result.last_level = CacheCounts{40, 30, 10};
  result.hbm_read_bytes = std::int64_t{1} << 60;
  result.hbm_write_bytes = 51;
  result.far_sectors = 52;
  result.bound_hit_rate_pct = 69.5;
  result.bound_bytes = 53;
  result.sample = {true, 0.25, 0.5, 2'000'000, 0.125};
  return result;
}

/// Every field is set, and differs from its default.
inline OrderAttempt full_attempt(int iteration) {
  OrderAttempt attempt;
  attempt.iteration = iteration;
  attempt.proposer = "walks";
  attempt.formula = "xcd(8) | columns " + std::to_string(iteration);
  attempt.title = "title " + std::to_string(iteration);
  attempt.idea = "an idea";
  attempt.verdict = Verdict::refuted;
  attempt.reason = "a reason";
  attempt.counterexample = Counterexample{
      Counterexample::Kind::outside, {256, 255}, LaunchId{1}, LaunchId{8}, TileId{-4}, {3, -5},
      "launch ids 1 and 8"};
  attempt.distinct_tiles = 65'535;
  attempt.sizes = ProvedSizes::grid;
  attempt.scope = "grid 256x256";
  attempt.same_as = 2;
  attempt.identity = true;
  attempt.map_hash = "hash" + std::to_string(iteration);
  attempt.triton = "tile = p0\n";
  attempt.operations = 9;
  attempt.predicted = sample_result(100.1 + iteration);
  attempt.fidelity = "sampled 2000000";
  attempt.speedup = 1.144;
  attempt.from_history = true;
  attempt.finalist = true;
  return attempt;
}

/// Only what is never absent.
inline OrderAttempt plain_attempt(int iteration, const std::string& formula) {
  OrderAttempt attempt;
  attempt.iteration = iteration;
  attempt.formula = formula;
  attempt.title = formula;
  return attempt;
}

inline OrderAttempt predicted_attempt(int iteration, const std::string& formula, double time_us,
                                      const std::string& fidelity) {
  OrderAttempt attempt = plain_attempt(iteration, formula);
  attempt.verdict = Verdict::proved;
  attempt.sizes = ProvedSizes::all;
  attempt.map_hash = "map of " + formula;
  attempt.predicted = SimResult{};
  attempt.predicted->time_us = time_us;
  attempt.fidelity = fidelity;
  return attempt;
}

inline void expect_equal(const CacheCounts& a, const CacheCounts& b) {
  EXPECT_EQ(a.requests, b.requests);
  EXPECT_EQ(a.hits, b.hits);
  EXPECT_EQ(a.misses, b.misses);
}

inline void expect_equal(const L1Counts& a, const L1Counts& b) {
  expect_equal(a.cache, b.cache);
  EXPECT_EQ(a.writes, b.writes);
  EXPECT_EQ(a.atomics, b.atomics);
  EXPECT_EQ(a.written_sectors, b.written_sectors);
  EXPECT_EQ(a.atomic_sectors, b.atomic_sectors);
  EXPECT_EQ(a.reads_to_l2, b.reads_to_l2);
  EXPECT_EQ(a.writes_to_l2, b.writes_to_l2);
  EXPECT_EQ(a.atomics_to_l2, b.atomics_to_l2);
}

inline void expect_equal(const L2Counts& a, const L2Counts& b) {
  expect_equal(a.cache, b.cache);
  EXPECT_EQ(a.reads, b.reads);
  EXPECT_EQ(a.writes, b.writes);
  EXPECT_EQ(a.atomics, b.atomics);
  EXPECT_EQ(a.fabric_reads_128, b.fabric_reads_128);
  EXPECT_EQ(a.fabric_reads_64, b.fabric_reads_64);
  EXPECT_EQ(a.fabric_reads_32, b.fabric_reads_32);
  EXPECT_EQ(a.fabric_writes_64, b.fabric_writes_64);
  EXPECT_EQ(a.fabric_writes_32, b.fabric_writes_32);
  EXPECT_EQ(a.writebacks, b.writebacks);
}

/// The totals, which are what is kept.
inline void expect_equal(const SimResult& a, const SimResult& b) {
  EXPECT_EQ(a.time_us, b.time_us);
  EXPECT_EQ(a.limited_by, b.limited_by);
  ASSERT_EQ(a.utilization.size(), b.utilization.size());
  for (std::size_t i = 0; i < a.utilization.size(); ++i) {
    EXPECT_EQ(a.utilization[i].resource, b.utilization[i].resource);
    EXPECT_EQ(a.utilization[i].percent, b.utilization[i].percent);
  }
  EXPECT_EQ(a.permutation, b.permutation);
  EXPECT_EQ(a.blocks, b.blocks);
  EXPECT_EQ(a.blocks_idle, b.blocks_idle);
  expect_equal(a.l1, b.l1);
  ASSERT_EQ(a.scalar.has_value(), b.scalar.has_value());
  if (a.scalar) {
    expect_equal(a.scalar->cache, b.scalar->cache);
    EXPECT_EQ(a.scalar->duplicate_misses, b.scalar->duplicate_misses);
  }
  expect_equal(a.l2, b.l2);
  ASSERT_EQ(a.causes.has_value(), b.causes.has_value());
  if (a.causes) {
    EXPECT_EQ(a.causes->first_touch, b.causes->first_touch);
    EXPECT_EQ(a.causes->capacity, b.causes->capacity);
    EXPECT_EQ(a.causes->conflict, b.causes->conflict);
    EXPECT_EQ(a.causes->other_die, b.causes->other_die);
  }
  ASSERT_EQ(a.last_level.has_value(), b.last_level.has_value());
  if (a.last_level) expect_equal(*a.last_level, *b.last_level);
  EXPECT_EQ(a.hbm_read_bytes, b.hbm_read_bytes);
  EXPECT_EQ(a.hbm_write_bytes, b.hbm_write_bytes);
  EXPECT_EQ(a.far_sectors, b.far_sectors);
  EXPECT_EQ(a.bound_hit_rate_pct, b.bound_hit_rate_pct);
  EXPECT_EQ(a.bound_bytes, b.bound_bytes);
  EXPECT_EQ(a.sample.sampled, b.sample.sampled);
  EXPECT_EQ(a.sample.share_of_sets, b.sample.share_of_sets);
  EXPECT_EQ(a.sample.share_of_blocks, b.sample.share_of_blocks);
  EXPECT_EQ(a.sample.requests, b.sample.requests);
  EXPECT_EQ(a.sample.hit_rate_error_pct, b.sample.hit_rate_error_pct);
}

inline void expect_equal(const Counterexample& a, const Counterexample& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.grid, b.grid);
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.second, b.second);
  EXPECT_EQ(a.tile, b.tile);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.message, b.message);
}

/// All but from_history, which says how an attempt was come by.
inline void expect_equal(const OrderAttempt& a, const OrderAttempt& b) {
  EXPECT_EQ(a.iteration, b.iteration);
  EXPECT_EQ(a.proposer, b.proposer);
  EXPECT_EQ(a.formula, b.formula);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.idea, b.idea);
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.reason, b.reason);
  ASSERT_EQ(a.counterexample.has_value(), b.counterexample.has_value());
  if (a.counterexample) expect_equal(*a.counterexample, *b.counterexample);
  EXPECT_EQ(a.distinct_tiles, b.distinct_tiles);
  EXPECT_EQ(a.sizes, b.sizes);
  EXPECT_EQ(a.scope, b.scope);
  EXPECT_EQ(a.same_as, b.same_as);
  EXPECT_EQ(a.identity, b.identity);
  EXPECT_EQ(a.map_hash, b.map_hash);
  EXPECT_EQ(a.triton, b.triton);
  EXPECT_EQ(a.operations, b.operations);
  ASSERT_EQ(a.predicted.has_value(), b.predicted.has_value());
  if (a.predicted) expect_equal(*a.predicted, *b.predicted);
  EXPECT_EQ(a.fidelity, b.fidelity);
  EXPECT_EQ(a.speedup, b.speedup);
  EXPECT_EQ(a.finalist, b.finalist);
}

}  // namespace heddle::history
