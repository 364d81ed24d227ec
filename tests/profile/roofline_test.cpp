#include "profile/roofline/roofline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "results/roofline_chart.h"
#include "support/error.h"

namespace heddle::profile {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kInputs = HEDDLE_TESTS_DIR "/golden/inputs/roofline/";

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A copy of an invented workload, in which one text stands for another.
std::string changed(const std::string& name, const std::string& file, const std::string& from,
                    const std::string& to) {
  const fs::path folder = fs::path(HEDDLE_WORK_DIR) / ("roofline_" + name);
  fs::remove_all(folder);
  fs::copy(kInputs + "lab/MI200", folder, fs::copy_options::recursive);
  std::string text = text_of(folder / file);
  const std::size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  if (found != std::string::npos) text.replace(found, from.size(), to);
  std::ofstream(folder / file, std::ios::binary) << text;
  return folder.string();
}

std::vector<RooflinePoint> points_of(const std::string& folder, RooflineOptions options = {},
                                     const Choice& choice = {}) {
  const Workload workload = read_workload(folder);
  return roofline_points(workload, select(workload, choice), options);
}

double bandwidth(const RooflineCeilings& ceilings, const std::string& level) {
  for (const BandwidthCeiling& one : ceilings.bandwidths) {
    if (one.level == level) return one.gb_per_s;
  }
  return 0;
}

double rate(const RooflineCeilings& ceilings, const std::string& type, bool matrix) {
  for (const ComputeCeiling& one : ceilings.rates) {
    if (one.type == type && one.matrix == matrix) return one.gflop_per_s;
  }
  return 0;
}

TEST(RooflinePoints, AreMeansOfTheCallsOfAKernel) {
  const auto points = points_of(kInputs + "lab/MI200");
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[0].kernel, "horner_series(double*, double const*, int)");
  const RooflinePoint& blend = points[1];
  EXPECT_EQ(blend.calls, 2U);
  EXPECT_DOUBLE_EQ(blend.total_ns, 195'000);
  EXPECT_DOUBLE_EQ(blend.duration_ns, 97'500);
  const double flops = 64.0 * (2 * 400'000 + 200'000 + 2 * 410'000 + 200'000) / 2;
  EXPECT_DOUBLE_EQ(blend.flops, flops);
  EXPECT_DOUBLE_EQ(blend.gflop_per_s, flops / 97'500);
  EXPECT_DOUBLE_EQ(blend.intensity_l1, flops / (64.0 * 3'000'000));
  EXPECT_DOUBLE_EQ(blend.intensity_l2, flops / (64.0 * 2'500'000));
  EXPECT_DOUBLE_EQ(blend.intensity_hbm, flops / (64.0 * 1'950'000));
}

TEST(RooflinePoints, MatrixOperationsCount512) {
  Choice choice;
  choice.kernels = {"tile_product"};
  const auto points = points_of(kInputs + "lab/MI200", {}, choice);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_DOUBLE_EQ(points[0].flops, 512.0 * 9'000'000 + 64.0 * 600'000);
}

TEST(RooflinePoints, AKernelWithoutArithmeticIsListed) {
  const auto points = points_of(kInputs + "lab/MI200");
  EXPECT_EQ(points[3].kernel, "move_cells(int*, int const*, int)");
  EXPECT_EQ(points[3].gflop_per_s, 0);
  EXPECT_TRUE(points[3].missing.empty());
  EXPECT_FALSE(is_drawn(points[3]));
  EXPECT_EQ(why_not_drawn(points[3]), "no floating-point work: not on the chart");
}

TEST(RooflinePoints, EachDispatchHasItsOwn) {
  RooflineOptions options;
  options.by_dispatch = true;
  const auto points = points_of(kInputs + "lab/MI200", options);
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[2].dispatch, 0);  // the longer call of blend_rows
  EXPECT_EQ(points[3].dispatch, 3);
  EXPECT_DOUBLE_EQ(points[3].flops, 64.0 * 1'020'000);
}

TEST(RooflinePoints, TheLongestAreKept) {
  RooflineOptions options;
  options.most_points = 2;
  EXPECT_EQ(points_of(kInputs + "lab/MI200", options).size(), 2U);
  options.most_points = 0;
  EXPECT_EQ(points_of(kInputs + "lab/MI200", options).size(), 4U);
}

TEST(RooflinePoints, LinesOfTheL1AreTwiceAsWideOnMi300) {
  const auto ours = points_of(kInputs + "lab/MI300X_A1");
  RooflineOptions options;
  options.compat = true;
  const auto theirs = points_of(kInputs + "lab/MI300X_A1", options);
  const double flops = 64.0 * 1'000'000;
  EXPECT_DOUBLE_EQ(ours[0].intensity_l1, flops / (128.0 * 3'000'000));
  EXPECT_DOUBLE_EQ(theirs[0].intensity_l1, flops / (64.0 * 3'000'000));
  // Half of the 1.3 million reads are of 128 B.
  EXPECT_DOUBLE_EQ(ours[0].intensity_hbm,
                   flops / (128.0 * 650'000 + 64.0 * 650'000 + 64.0 * 650'000));
}

TEST(RooflinePoints, AMissingCounterIsNamedAndIsNoZero) {
  const std::string folder =
      changed("missing", "pmc_perf.csv", "SQ_INSTS_VALU_MFMA_MOPS_F64", "SOMETHING_ELSE");
  for (const RooflinePoint& point : points_of(folder)) {
    EXPECT_EQ(point.missing, "SQ_INSTS_VALU_MFMA_MOPS_F64");
    EXPECT_EQ(point.calls, 0U);
    EXPECT_FALSE(is_drawn(point));
  }
}

TEST(RooflinePoints, OfMi100EveryCounterOfArithmeticIsMissing) {
  const std::string folder = changed("mi100", "pmc_perf.csv", "SQ_INSTS_VALU_ADD_F16", "X");
  std::string text = text_of(folder + "/pmc_perf.csv");
  for (std::size_t at = 0; (at = text.find("SQ_INSTS_VALU", at)) != std::string::npos;)
    text.replace(at, 13, "OTHER");
  std::ofstream(folder + "/pmc_perf.csv") << text;
  const auto points = points_of(folder);
  EXPECT_EQ(points[0].missing,
            "SQ_INSTS_VALU_ADD_F16, SQ_INSTS_VALU_ADD_F32, SQ_INSTS_VALU_ADD_F64 and 13 more");
}

TEST(RooflinePoints, ACallWithoutAValueIsLeftOut) {
  // The first call of blend_rows.
  const std::string folder =
      changed("blank", "pmc_perf.csv", ",3000000,1800000,700000,", ",,1800000,700000,");
  const auto points = points_of(folder);
  EXPECT_EQ(points[1].calls, 1U);
  EXPECT_TRUE(points[1].missing.empty());
  EXPECT_DOUBLE_EQ(points[1].flops, 64.0 * 1'020'000);
}

TEST(RooflinePoints, WithoutTimesNothingIsDrawn) {
  const std::string folder = changed("times", "pmc_perf.csv", "End_Timestamp", "Ending");
  for (const RooflinePoint& point : points_of(folder)) EXPECT_EQ(point.missing, "its duration");
}

TEST(RooflineCeilings, AreReadFromTheRowOfADevice) {
  const Workload workload = read_workload(kInputs + "lab/MI200");
  const RooflineCeilings first = measured_ceilings(workload, 0);
  EXPECT_EQ(first.source, "roofline.csv, device 0 (measured)");
  EXPECT_EQ(bandwidth(first, "HBM"), 1400);
  EXPECT_EQ(bandwidth(first, "LDS"), 18'000);
  EXPECT_EQ(rate(first, "FP64", false), 20'000);
  EXPECT_EQ(rate(first, "FP64", true), 41'500);
  EXPECT_EQ(rate(first, "INT8", true), 166'000);
  EXPECT_EQ(rate(first, "FP16", false), 0);
  EXPECT_EQ(bandwidth(measured_ceilings(workload, 1), "HBM"), 1380);
  EXPECT_THROW(measured_ceilings(workload, 2), Error);
}

TEST(RooflineCeilings, WithoutTheFileTheErrorSaysWhatToTry) {
  const Workload workload = read_workload(kInputs + "lab/MI300X_A1");
  try {
    measured_ceilings(workload, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
    EXPECT_NE(error.hint().find("--gpu"), std::string::npos);
  }
}

TEST(RooflineCeilings, ADamagedRowIsNamed) {
  const Workload workload = read_workload(changed("damaged", "roofline.csv", "\n1,", "\n1;"));
  EXPECT_EQ(bandwidth(measured_ceilings(workload, 0), "HBM"), 1400);
  try {
    measured_ceilings(workload, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("damaged"), std::string::npos) << error.message();
  }
}

TEST(RooflineCeilings, OfAGpuFileAreItsPeaks) {
  const config::Gpu gpu = config::read_gpu("mi300x");
  const RooflineCeilings ceilings = known_ceilings(gpu);
  EXPECT_EQ(
      ceilings.source,
      "GPU file mi300x:SPX (not measured here; estimated: vector FP16; heddle gpus mi300x:SPX "
      "cites the sources)");
  EXPECT_DOUBLE_EQ(bandwidth(ceilings, "HBM"), 5300);
  EXPECT_DOUBLE_EQ(bandwidth(ceilings, "L1"), gpu.l1.bytes_per_clock * 304 * 2.1);
  EXPECT_DOUBLE_EQ(bandwidth(ceilings, "L2"), gpu.l2.read_bytes_per_clock * 128 * 2.1);
  EXPECT_GT(bandwidth(ceilings, "MALL"), 5300);
  EXPECT_EQ(bandwidth(ceilings, "LDS"), 0);
  EXPECT_DOUBLE_EQ(rate(ceilings, "FP64", true), gpu.arithmetic.matrix_fp64 * 304 * 2.1);
  EXPECT_EQ(bandwidth(known_ceilings(config::read_gpu("h100")), "MALL"), 0);
}

/// sysinfo.csv of a folder without ceilings.
RooflineCeilings chosen(const std::string& fields, const std::string& values,
                        std::vector<ProfileNote>& notes, const RooflineOptions& options = {}) {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  // Each test has its own folder: tests run side by side.
  const fs::path folder = fs::path(HEDDLE_WORK_DIR) / (std::string("roofline_") + test->name());
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "pmc_perf.csv") << "Dispatch_ID,Kernel_Name,SQ_WAVES\n0,copy,5\n";
  std::ofstream(folder / "sysinfo.csv") << fields << "\n" << values << "\n";
  return choose_ceilings(read_workload(folder.string()), options, notes);
}

TEST(RooflineChoice, Mi200IsToldByItsComputeUnits) {
  std::vector<ProfileNote> notes;
  EXPECT_TRUE(
      chosen("gpu_model,cu_per_gpu", "MI200,104", notes).source.starts_with("GPU file mi210"));
  EXPECT_TRUE(
      chosen("gpu_model,cu_per_gpu", "MI200,110", notes).source.starts_with("GPU file mi250x"));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].what,
            "the file is missing; ceilings are those of mi210, since sysinfo.csv says MI200 with "
            "104 CUs; a die of an MI250 has the same");
}

TEST(RooflineChoice, WithoutAnyCeilingsThereIsANote) {
  std::vector<ProfileNote> notes;
  const RooflineCeilings none = chosen("gpu_model,cu_per_gpu", "MI100,120", notes);
  EXPECT_TRUE(none.source.empty());
  EXPECT_TRUE(none.bandwidths.empty() && none.rates.empty());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].what.find("no GPU file is called 'MI100'"), std::string::npos);
  EXPECT_NE(notes[0].what.find("--gpu NAME"), std::string::npos);
}

TEST(RooflineChoice, TheModeIsThatOfThePartition) {
  std::vector<ProfileNote> notes;
  const std::string fields = "gpu_model,compute_partition,memory_partition";
  EXPECT_TRUE(
      chosen(fields, "MI300X_A1,CPX,NPS1", notes).source.starts_with("GPU file mi300x:CPX "));
  EXPECT_TRUE(
      chosen(fields, "MI300X_A1,CPX,NPS4", notes).source.starts_with("GPU file mi300x:CPX-NPS4 "));
  EXPECT_EQ(notes.size(), 2U);
  EXPECT_TRUE(
      chosen(fields, "MI300X_A1,NA,NPS1", notes).source.starts_with("GPU file mi300x:SPX "));
  ASSERT_EQ(notes.size(), 4U);
  EXPECT_EQ(notes[3].what, "it has no compute_partition; mode SPX of mi300x is assumed");
  chosen(fields, "MI300X_A1,TPX,NPS1", notes);
  EXPECT_EQ(notes.back().what,
            "mi300x has no mode 'TPX', its compute_partition; mode SPX is assumed");
  RooflineOptions options;
  options.gpu = "mi300x:DPX";
  chosen(fields, "MI300X_A1,CPX,NPS1", notes, options);
  EXPECT_EQ(notes.back().what, "its compute_partition is CPX, the ceilings are of mode DPX");
}

TEST(RooflineChoice, TheFirstRowStandsInForDevice0) {
  const Workload workload = read_workload(changed("first_row", "roofline.csv", "\n0,", "\n4,"));
  std::vector<ProfileNote> notes;
  EXPECT_EQ(choose_ceilings(workload, {}, notes).source, "roofline.csv, device 4 (measured)");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].what, "it has no row of device 0; ceilings are those of device 4, its first");
  RooflineOptions options;
  options.device = 0;
  EXPECT_THROW(choose_ceilings(workload, options, notes), Error);
}

// What rocprofiler-compute computes of its own recorded folders.

const std::string kShared = HEDDLE_SHARED_DIR "/rocprof-compute/";

struct Recorded {
  std::string folder;
  std::string expected;
};
const Recorded kRecorded[] = {{"vcopy/MI200", "roofline_vcopy_MI200.json"},
                              {"multikernel/MI200", "roofline_multikernel_MI200.json"},
                              {"path/MI300X_A1", "roofline_path_MI300X_A1.json"}};

void expect_close(double actual, double expected, const std::string& what) {
  EXPECT_LE(std::abs(actual - expected), 1e-9 * std::abs(expected)) << what;
}

TEST(RooflineRecorded, PointsAreThoseOfTheOriginal) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "no recorded folders in " << kShared;
  for (const Recorded& recorded : kRecorded) {
    const json expected = json::parse(text_of(kShared + "expected/" + recorded.expected));
    for (const bool by_dispatch : {false, true}) {
      RooflineOptions options;
      options.by_dispatch = by_dispatch;
      options.compat = true;
      const auto points = points_of(kShared + "workloads/" + recorded.folder, options);
      const json& theirs = expected[by_dispatch ? "ai_dispatches" : "ai_kernels"];
      ASSERT_EQ(points.size(), theirs.size()) << recorded.folder;
      for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].kernel, theirs[i]["kernel"].get<std::string>());
        EXPECT_TRUE(points[i].missing.empty()) << points[i].missing;
        expect_close(points[i].gflop_per_s, theirs[i]["gflops"], recorded.folder);
        expect_close(points[i].intensity_l1, theirs[i]["ai_l1"], recorded.folder);
        expect_close(points[i].intensity_l2, theirs[i]["ai_l2"], recorded.folder);
        expect_close(points[i].intensity_hbm, theirs[i]["ai_hbm"], recorded.folder);
      }
    }
  }
}

const RooflineLine* find_line(const std::vector<RooflineLine>& lines, const std::string& name) {
  for (const RooflineLine& line : lines) {
    const bool is_it = name == "valu"   ? line.kind == RooflineLine::Kind::vector
                       : name == "mfma" ? line.kind == RooflineLine::Kind::matrix
                       : name == "hbm"  ? line.name == "HBM"
                       : name == "l2"   ? line.name == "L2"
                       : name == "l1"   ? line.name == "L1"
                                        : line.name == "LDS";
    if (is_it) return &line;
  }
  return nullptr;
}

TEST(RooflineRecorded, LinesAreThoseOfTheOriginal) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "no recorded folders in " << kShared;
  std::size_t compared = 0;
  for (const Recorded& recorded : kRecorded) {
    const json expected = json::parse(text_of(kShared + "expected/" + recorded.expected));
    if (!expected.contains("ceilings_device0")) continue;
    const Workload workload = read_workload(kShared + "workloads/" + recorded.folder);
    const RooflineCeilings ceilings = measured_ceilings(workload, 0);
    for (const auto& [type, theirs] : expected["ceilings_device0"].items()) {
      const auto lines = roofline_lines(ceilings, type == "I8" ? "INT8" : type, {});
      for (const auto& [name, line] : theirs.items()) {
        const RooflineLine* ours = find_line(lines, name);
        const std::string what = recorded.folder + " " + type + " " + name;
        ASSERT_EQ(ours != nullptr, !line.empty()) << what;
        if (ours == nullptr) continue;
        expect_close(ours->x_from, line[0][0], what);
        expect_close(ours->x_to, line[0][1], what);
        expect_close(ours->y_from, line[1][0], what);
        expect_close(ours->y_to, line[1][1], what);
        expect_close(ours->ceiling, line[2], what);
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 44U);
}

}  // namespace
}  // namespace heddle::profile
