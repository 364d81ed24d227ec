// GPU files: those that come with heddle, reading, modes, names and paths.
#include "config/gpu.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "config/gpu_keys.h"
#include "config/gpu_testing.h"
#include "support/file.h"

namespace heddle::testing {
namespace {

TEST(Gpus, EveryShippedFileReadsInEveryMode) {
  const std::vector<std::string> names = known_gpus();
  EXPECT_EQ(names, (std::vector<std::string>{"a100", "b200", "h100", "h200", "mi210", "mi250x",
                                             "mi300a", "mi300x", "mi325x", "mi355x"}));
  for (const std::string& name : names) {
    const Gpu usual = read_gpu(name);
    EXPECT_EQ(usual.name, name);
    EXPECT_EQ(usual.path, "gpus/" + name + ".toml");
    EXPECT_FALSE(usual.remarks.empty());
    EXPECT_EQ(usual.mode, usual.modes.empty() ? "" : usual.modes.front());
    for (const std::string& mode : usual.modes) {
      const Gpu gpu = read_gpu(name + ":" + mode);
      EXPECT_EQ(gpu.mode, mode);
      EXPECT_NO_THROW(check_gpu(gpu));
    }
  }
}

TEST(Gpus, EveryNumberOfAShippedFileHasASourceAndEstimatesAReason) {
  for (const std::string& name : known_gpus()) {
    const Gpu gpu = read_gpu(name);
    std::set<std::string> keys;
    for (const GpuFact& fact : gpu.facts) {
      EXPECT_TRUE(keys.insert(fact.key).second) << name << " " << fact.key;
      EXPECT_FALSE(fact.value.empty()) << name << " " << fact.key;
      EXPECT_FALSE(fact.source.empty()) << name << " " << fact.key;
      if (fact.source == "estimated") {
        EXPECT_FALSE(fact.note.empty()) << name << " " << fact.key;
      }
    }
    for (const GpuKey& key : gpu_keys()) {
      if (has_section(gpu, key.section) && !key.is_optional) {
        EXPECT_TRUE(keys.contains(key.text())) << name << " " << key.text();
      }
    }
  }
}

TEST(Gpus, TheMi300x) {
  const Gpu gpu = read_gpu("mi300x");
  EXPECT_EQ(gpu.title, "AMD Instinct MI300X");
  EXPECT_EQ(gpu.target, "gfx942");
  EXPECT_EQ(gpu.vendor, Vendor::amd);
  EXPECT_TRUE(gpu.calibrated);
  EXPECT_EQ(gpu.mode, "SPX");
  EXPECT_EQ(gpu.compute.dies, 8);
  EXPECT_EQ(gpu.compute.compute_units, 38);
  EXPECT_EQ(gpu.compute.registers, 131'072);
  EXPECT_EQ(gpu.l1.shape.sets(), 4);
  EXPECT_EQ(gpu.l2.shape.bytes, 4 << 20);
  EXPECT_EQ(gpu.sets_of_channel(), 128);
  EXPECT_EQ(gpu.l2.channel_bits.size(), 4U);
  EXPECT_EQ(gpu.l2.set_bits.size(), 7U);
  EXPECT_EQ(gpu.l2.set_bits[1], (std::vector<int>{12, 16, 18, 26, 27}));
  EXPECT_EQ(gpu.l2.shape.replacement, Replacement::lru);
  EXPECT_FALSE(gpu.l2.counts_sectors);
  ASSERT_TRUE(gpu.last_level);
  EXPECT_EQ(gpu.last_level->shape.bytes, 256 << 20);
  ASSERT_TRUE(gpu.scalar_cache);
  EXPECT_FALSE(gpu.partitions);
  EXPECT_DOUBLE_EQ(gpu.memory.peak_bytes_per_second, 5.3e12);
  // Peaks of the data sheet come out of the operations a clock.
  const double units = gpu.compute.dies * gpu.compute.compute_units * gpu.compute.clock_mhz * 1e6;
  EXPECT_NEAR(units * gpu.arithmetic.matrix_fp16, 1307.4e12, 0.1e12);
  EXPECT_NEAR(units * gpu.arithmetic.matrix_fp8, 2614.9e12, 0.1e12);
  EXPECT_NEAR(units * gpu.arithmetic.vector_fp32, 163.4e12, 0.1e12);
}

TEST(Gpus, PeaksOfTheDataSheets) {
  const auto peak = [](const std::string& name) {
    const Gpu gpu = read_gpu(name);
    const double clock =
        gpu.compute.product_clock_mhz > 0 ? gpu.compute.product_clock_mhz : gpu.compute.clock_mhz;
    return gpu.compute.dies * gpu.compute.compute_units * clock * 1e6 * gpu.arithmetic.matrix_fp16 /
           1e12;
  };
  EXPECT_NEAR(peak("mi210"), 181, 0.2);
  EXPECT_NEAR(peak("mi250x"), 191.5, 0.2);
  EXPECT_NEAR(peak("mi300a"), 980.6, 0.2);
  EXPECT_NEAR(peak("mi355x"), 2516.6, 0.2);
  EXPECT_NEAR(peak("a100"), 312, 0.2);
  EXPECT_NEAR(peak("h200"), 989, 1);
}

TEST(Gpus, TheH200) {
  const Gpu gpu = read_gpu("h200");
  EXPECT_EQ(gpu.vendor, Vendor::nvidia);
  EXPECT_EQ(gpu.mode, "");
  EXPECT_TRUE(gpu.modes.empty());
  EXPECT_EQ(gpu.compute.dies, 1);
  EXPECT_EQ(gpu.l2.shape.bytes, 50 << 20);
  EXPECT_EQ(gpu.l2.channels * 512 * 1024, 50 << 20);
  EXPECT_TRUE(gpu.l2.channel_bits.empty());
  EXPECT_TRUE(gpu.l2.counts_sectors);
  EXPECT_TRUE(gpu.l1.holds_shared_memory);
  EXPECT_TRUE(gpu.l1.sectored);
  ASSERT_TRUE(gpu.partitions);
  EXPECT_EQ(gpu.partitions->replication, Replication::probation);
  EXPECT_FALSE(gpu.last_level);
  EXPECT_FALSE(gpu.scalar_cache);
}

TEST(Gpus, AModeChangesTheNumbersItNames) {
  const Gpu whole = read_gpu("mi300x");
  const Gpu one = read_gpu("mi300x:CPX");
  EXPECT_EQ(one.mode, "CPX");
  EXPECT_EQ(one.name, "mi300x");
  EXPECT_EQ(one.compute.dies, 1);
  EXPECT_EQ(one.memory.bytes, whole.memory.bytes / 8);
  EXPECT_EQ(one.l2.shape.bytes, whole.l2.shape.bytes);
  EXPECT_NE(one.remarks, whole.remarks);
  ASSERT_EQ(one.facts.size(), whole.facts.size());
  for (std::size_t i = 0; i < one.facts.size(); ++i) {
    EXPECT_EQ(one.facts[i].key, whole.facts[i].key);
  }
  EXPECT_EQ(one.facts[0].key, "compute.dies");
  EXPECT_EQ(one.facts[0].value, "1");
  EXPECT_EQ(whole.facts[0].value, "8");
}

TEST(Gpus, NamesAndModesInAnyCase) {
  EXPECT_EQ(read_gpu("MI300X").name, "mi300x");
  EXPECT_EQ(read_gpu("mi300x:cpx-nps4").mode, "CPX-NPS4");
}

TEST(Gpus, AFileOfOnesOwn) {
  const std::string path = write_file(".toml", gpu_file());
  const Gpu gpu = read_gpu(path);
  EXPECT_EQ(gpu.path, path);
  EXPECT_EQ(gpu.name, std::filesystem::path(path).stem().string());
  EXPECT_EQ(gpu.mode, "ONE");
  EXPECT_EQ(read_gpu(path + ":two").compute.dies, 2);
  EXPECT_EQ(gpu.facts.front().source, "a test");
  EXPECT_EQ(gpu.remarks, "Made for a test.");
}

TEST(Gpus, AFolderOfOnesOwn) {
  const std::string folder = work_path("_folder");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/mine.toml") << gpu_file();
  const std::string before = error_text(thrown_by([] { read_gpu("mine"); }));
  EXPECT_NE(before.find("no GPU is called 'mine'"), std::string::npos);
  ::setenv("HEDDLE_GPUS", folder.c_str(), 1);
  EXPECT_EQ(read_gpu("mine").name, "mine");
  EXPECT_EQ(read_gpu("mine:TWO").compute.dies, 2);
  EXPECT_EQ(read_gpu("mi300x").path, "gpus/mi300x.toml");
  ::unsetenv("HEDDLE_GPUS");
}

TEST(Gpus, SizesAndRatesMayHaveUnits) {
  const auto gpu = [](const std::string& key, const std::string& value) {
    return gpu_of(gpu_file({{key, value}}));
  };
  EXPECT_EQ(gpu("memory.bytes", "\"1.5 GiB\"").memory.bytes, 3 << 29);
  EXPECT_EQ(gpu("memory.bytes", "\"65536 B\"").memory.bytes, 65536);
  EXPECT_EQ(gpu("memory.bytes", "1048576").memory.bytes, 1 << 20);
  EXPECT_DOUBLE_EQ(gpu("memory.read_bytes_per_second", "\"500 GB/s\"").memory.read_bytes_per_second,
                   5e11);
  EXPECT_DOUBLE_EQ(gpu("memory.read_bytes_per_second", "2.5e11").memory.read_bytes_per_second,
                   2.5e11);
  EXPECT_EQ(gpu("l2.replacement", "\"tree_plru\"").l2.shape.replacement, Replacement::tree_plru);
  EXPECT_EQ(gpu("pages.placement", "\"contiguous\"").pages.placement, Placement::contiguous);
}

TEST(Gpus, WordsForChoices) {
  EXPECT_EQ(replacement_text(Replacement::lru), "lru");
  EXPECT_EQ(replacement_text(Replacement::tree_plru), "tree_plru");
  EXPECT_EQ(replacement_text(Replacement::random), "random");
  EXPECT_EQ(replication_text(Replication::none), "none");
  EXPECT_EQ(replication_text(Replication::opportunistic), "opportunistic");
  EXPECT_EQ(replication_text(Replication::full), "full");
  EXPECT_EQ(replication_text(Replication::probation), "probation");
  EXPECT_EQ(replacement_text(Replacement::sampled_lru), "sampled_lru");
}

TEST(Gpus, EveryKeyIsInTheDocumentation) {
  const std::string text =
      read_text(std::string(HEDDLE_TESTS_DIR) + "/../docs/add-a-gpu.md", 1 << 20);
  for (const GpuKey& key : gpu_keys()) {
    EXPECT_NE(text.find("`" + std::string(key.name) + "`"), std::string::npos) << key.text();
  }
  for (const GpuSection& section : gpu_sections()) {
    EXPECT_NE(text.find("[" + std::string(section.name) + "]"), std::string::npos) << section.name;
  }
}

}  // namespace
}  // namespace heddle::testing
