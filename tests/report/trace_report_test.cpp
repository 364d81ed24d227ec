#include "report/trace_report.h"

#include <gtest/gtest.h>

#include "report/figures.h"
#include "report/independence_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

TraceReport trace_sample() {
  TraceReport report;
  report.kernel = "kernels/stencil.py";
  report.function = "stencil_kernel";
  report.grid = {256, 256};
  report.warps = 4;
  report.wave_lanes = 64;
  report.line_bytes = 128;
  report.tiles = report.tiles_traced = 65536;
  report.neighbours_sampled = 12;
  AccessSummary access;
  access.kind = AccessKind::read;
  access.place = {14, 12, "stencil_kernel", "centre = tl.load(here, mask=inside, other=0.0)"};
  access.tensor = "x";
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
  access.wave_instructions = 65536 * 4;
  access.requests = 65536 * 32;
  access.sectors = 65536 * 64;
  access.distinct_lines = 65536 * 16;
  access.neighbours = {{0, 1, 0.0625}, {0, 2, 0},    {0, 4, 0},
                       {1, 1, 0.5},    {1, 2, 0.25}, {1, 4, 0.1}};
  report.accesses.push_back(access);
  access.kind = AccessKind::write;
  access.place = {20, 4, "stencil_kernel", ""};
  access.tensor = "";
  access.hint = "evict_first";
  access.tiles = 60000;
  access.instructions = {2, 3.5, 4};
  access.bytes = {0, 1024, 2048};
  access.active = {0, 512, 1024};
  access.elements = 60000 * 1024;
  access.distinct_lines = std::nullopt;
  access.neighbours = {{0, 1, 1}, {0, 2, 1}};
  report.accesses.push_back(access);
  report.tensors.push_back(
      {"x", "fp16", {8192, 8192}, 1 << 27, 1 << 27, 0, 65536 * 32, 65536 * 16});
  report.arithmetic.push_back({"fused", "fp32", 65536 * 4096});
  FaultSummary fault;
  fault.kind = "out of bounds";
  fault.place.line = 14;
  fault.tensor = "x";
  fault.tile = {3, 5};
  fault.count = 2;
  fault.tiles = 1;
  fault.detail = "reads byte 64 of 64";
  report.faults.push_back(fault);
  return report;
}

IndependenceReport dependent() {
  IndependenceReport report;
  report.verdict = Verdict::refuted;
  report.traced_on = "grid 256x256; M = 8192";
  TileConflict conflict;
  conflict.kind = TileConflict::Kind::read_after_write;
  conflict.first_tile = {1, 0};
  conflict.second_tile = {0, 0};
  conflict.first.line = 17;
  conflict.second.line = 14;
  conflict.tensor = "x";
  conflict.byte = 65536;
  conflict.granules = 8064;
  conflict.granule_bytes = 2;
  report.conflicts.push_back(conflict);
  return report;
}

bool holds_text(const std::string& text, const std::string& part) {
  // Sentences are wrapped, so line breaks count as blanks.
  std::string flat;
  for (const std::string_view word : split(text, ' ')) {
    for (const std::string_view piece : split(word, '\n')) {
      if (piece.empty()) continue;
      flat += flat.empty() ? "" : " ";
      flat += piece;
    }
  }
  return flat.find(part) != std::string::npos;
}

TEST(TraceText, SaysWhatEachAccessDoes) {
  const std::string text = trace_text(trace_sample(), dependent(), "job.toml", {});
  EXPECT_EQ(text.rfind("job.toml  stencil_kernel on grid 256x256, 4 warps of 64 lanes\n", 0), 0U);
  EXPECT_TRUE(holds_text(text, "all 65,536 tiles"));
  EXPECT_TRUE(holds_text(text, "line 14 reads x, fp16 [32, 32]"));
  EXPECT_TRUE(holds_text(text, "centre = tl.load(here, mask=inside, other=0.0)"));
  EXPECT_TRUE(
      holds_text(text, "2 KiB per tile: 32 runs of 64 B on 32 lines of 128 B, 50 % of each."));
  EXPECT_TRUE(holds_text(text,
                         "A wave requests 8 lines at a time and uses 50 % of their bytes (100 % of "
                         "their 32 B sectors)."));
  EXPECT_TRUE(holds_text(text, "along axis 0, 6 % with the next tile, none at distance 2 or more"));
  EXPECT_TRUE(holds_text(
      text, "along axis 1, 50 % with the next tile, 25 % at distance 2, 10 % at distance 4"));
  EXPECT_TRUE(holds_text(text, "1,048,576 distinct lines, each touched 2 times."));
  EXPECT_TRUE(holds_text(text, "line 20 writes unknown memory, fp16 [32, 32] (evict_first)"));
  EXPECT_TRUE(holds_text(text, "about 1 KiB per tile (0 B to 2 KiB), in 2 to 4 turns"));
  EXPECT_TRUE(holds_text(text, "Only 60,000 of 65,536 tiles get there."));
  EXPECT_TRUE(holds_text(text, "along axis 0, all at any distance"));
  EXPECT_TRUE(holds_text(text, "128 MiB: 128 MiB read"));
  EXPECT_TRUE(holds_text(text, "4,096 fp32 fused"));
  EXPECT_TRUE(
      holds_text(text, "out of bounds on line 14, x: reads byte 64 of 64 (first in tile (3, 5)"));
}

TEST(TraceText, SaysWhenTilesWereSampled) {
  TraceReport report = trace_sample();
  report.tiles_traced = 500;
  report.sampled_because = "all of them would take about 5e+09 steps, more than 5e+08";
  const std::string text = trace_text(report, dependent(), "job.toml", {});
  EXPECT_TRUE(holds_text(text, "500 of 65,536 tiles: all of them would take"));
  EXPECT_TRUE(holds_text(text, "these tiles request"));
  EXPECT_FALSE(holds_text(text, "the least that any order moves"));
}

TEST(TraceText, KeepsTo100Columns) {
  const std::string text = trace_text(trace_sample(), dependent(), "job.toml", {});
  for (const std::string_view line : split_lines(text)) EXPECT_LE(line.size(), 100U) << line;
}

TEST(TraceJson, Fields) {
  const json result = trace_json(trace_sample(), dependent(), "job.toml");
  EXPECT_EQ(result.at("version"), 1);
  EXPECT_EQ(result.at("job"), "job.toml");
  EXPECT_EQ(result.at("grid"), json({256, 256}));
  EXPECT_EQ(result.at("tiles_traced"), 65536);
  EXPECT_EQ(result.at("sampled_because"), nullptr);
  const json& access = result.at("accesses").at(0);
  EXPECT_EQ(access.at("kind"), "read");
  EXPECT_EQ(access.at("place").at("line"), 14);
  EXPECT_EQ(access.at("tensor"), "x");
  EXPECT_EQ(access.at("per_tile").at("bytes").at("mean"), 2048);
  EXPECT_EQ(access.at("line_efficiency"), 0.5);
  EXPECT_EQ(access.at("sector_efficiency"), 1.0);
  EXPECT_EQ(access.at("reuse"), 2.0);
  EXPECT_EQ(access.at("neighbours").at(3), json({{"axis", 1}, {"distance", 1}, {"share", 0.5}}));
  EXPECT_EQ(result.at("accesses").at(1).at("tensor"), nullptr);
  EXPECT_EQ(result.at("accesses").at(1).at("distinct_lines"), nullptr);
  EXPECT_EQ(result.at("faults").at(0).at("tile"), json({3, 5}));
  EXPECT_EQ(result.at("independence").at("verdict"), "REFUTED");
  EXPECT_EQ(result.at("independence").at("conflicts").at(0).at("kind"), "read-after-write");
  EXPECT_EQ(result.at("independence").at("conflicts").at(0).at("first").at("tile"), json({1, 0}));
}

TEST(IndependenceText, Refuted) {
  EXPECT_TRUE(
      holds_text(independence_text(dependent(), {}),
                 "REFUTED: read-after-write: tile (0, 0) reads byte 65,536 of x on line 14, "
                 "which tile (1, 0) writes on line 17; 8,064 pieces of 2 B in all"));
}

TEST(IndependenceText, ProvedAndCommuting) {
  IndependenceReport report = dependent();
  report.verdict = Verdict::proved;
  report.conflicts.clear();
  EXPECT_TRUE(holds_text(independence_text(report, {}),
                         "PROVED: no tile reads or writes what another tile writes"));
  EXPECT_TRUE(holds_text(independence_text(report, {}), "traced on grid 256x256; M = 8192"));
  report.commuting = dependent().conflicts[0];
  report.commuting->first_access = report.commuting->second_access = AccessKind::atomic;
  EXPECT_TRUE(
      holds_text(independence_text(report, {}), "atomics that commute: tile (0, 0) changes"));
  EXPECT_FALSE(holds_text(independence_text(report, {}), "round differently"));
  report.rounding_may_differ = true;
  EXPECT_TRUE(holds_text(independence_text(report, {}), "round differently"));
}

TEST(IndependenceText, Unknown) {
  IndependenceReport report;
  report.reason = "too large to look at every tile";
  EXPECT_TRUE(
      holds_text(independence_text(report, {}), "UNKNOWN: too large to look at every tile"));
  EXPECT_EQ(independence_json(report).at("reason"), "too large to look at every tile");
}

TileReport tile_sample() {
  TileReport report;
  report.function = "stencil_kernel";
  report.grid = {256, 256};
  report.tile = {3, 5};
  report.line_bytes = 128;
  report.total = 5;
  TileAccess access;
  access.place.line = 14;
  access.tensor = "x";
  access.element_bytes = 2;
  access.elements = access.active = 1024;
  access.bytes = 2048;
  access.lines = access.requests = access.runs = 32;
  access.first_runs = {{1572864, 64}, {1589248, 64}};
  report.accesses.push_back(access);
  return report;
}

TEST(TileText, OneLineAnAccess) {
  const std::string text = tile_text(tile_sample(), "job.toml", {});
  EXPECT_EQ(text.rfind("job.toml  stencil_kernel, tile (3, 5) of grid 256x256\n", 0), 0U) << text;
  EXPECT_TRUE(holds_text(text, "14 read x 1024/1024 2048 32 32 1572864+64 1589248+64 and 30 more"));
  EXPECT_TRUE(holds_text(text, "... and 4 more"));
}

TEST(TileJson, Fields) {
  const json result = tile_json(tile_sample(), "job.toml");
  EXPECT_EQ(result.at("version"), 1);
  EXPECT_EQ(result.at("tile"), json({3, 5}));
  EXPECT_EQ(result.at("total"), 5);
  EXPECT_EQ(result.at("accesses").at(0).at("first_runs").at(1), json({1589248, 64}));
}

TEST(Figures, AsPeopleReadThem) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(2048), "2 KiB");
  EXPECT_EQ(bytes_text(1610612736), "1.5 GiB");
  EXPECT_EQ(bytes_text(1048575), "1,024 KiB");
  EXPECT_EQ(share_text(0.5), "50 %");
  EXPECT_EQ(share_text(0.004), "0.4 %");
  EXPECT_EQ(share_text(0.0001), "under 0.1 %");
  EXPECT_EQ(share_text(0.9999), "99.9 %");
  EXPECT_EQ(share_text(1), "100 %");
  EXPECT_EQ(number_text(12345.6), "12,346");
  EXPECT_EQ(number_text(2.5), "2.5");
  EXPECT_EQ(index_text({3, 5}), "(3, 5)");
}

}  // namespace
}  // namespace heddle::report
