#include "report/gpu_report.h"

#include <gtest/gtest.h>

#include "support/text.h"

namespace heddle::report {
namespace {

using config::Gpu;
using nlohmann::json;

Gpu gpu_sample() {
  Gpu gpu;
  gpu.name = "mine";
  gpu.title = "AMD Instinct Mine";
  gpu.target = "gfx0";
  gpu.mode = "ONE";
  gpu.modes = {"ONE", "TWO"};
  gpu.remarks = "Made for a test.";
  gpu.compute.dies = 2;
  gpu.compute.compute_units = 4;
  gpu.l2.shape.bytes = 128 * 1024;
  gpu.l2.channel_bits = {{8}, {9, 13}};
  gpu.memory.bytes = 1 << 30;
  gpu.memory.peak_bytes_per_second = 1.25e12;
  gpu.path = "mine.toml";
  gpu.facts = {{"compute.dies", "2", "a white paper", ""},
               {"compute.compute_units", "4", "another", "of a die"},
               {"l2.bytes", "128 KiB", "a white paper", ""},
               {"l2.replacement", "lru", "estimated", "nothing is known"},
               {"l2.channel_bits", "[[8], [9, 13]]", "estimated", "a guess"}};
  return gpu;
}

Gpu two() {
  Gpu gpu = gpu_sample();
  gpu.mode = "TWO";
  gpu.compute.dies = 1;
  gpu.facts[0].value = "1";
  return gpu;
}

TEST(GpuReport, ListText) {
  Gpu other = gpu_sample();
  other.name = "nvidia_thing";
  other.title = "NVIDIA Thing";
  other.calibrated = true;
  other.modes.clear();
  other.last_level.emplace().shape.bytes = 256 << 20;
  EXPECT_EQ(gpu_list_text({gpu_sample(), other}, {}),
            "  name          GPU    dies   L2       last     memory     calibrated  modes\n"
            "  mine          Mine   2 x 4  128 KiB  -        1.25 TB/s  no          ONE TWO\n"
            "  nvidia_thing  Thing  2 x 4  128 KiB  256 MiB  1.25 TB/s  yes         -\n");
}

TEST(GpuReport, OneGpu) {
  EXPECT_EQ(gpu_text(gpu_sample(), {gpu_sample(), two()}, {}),
            "mine  AMD Instinct Mine, gfx0, mode ONE, uncalibrated\n"
            "  Made for a test.\n"
            "\n"
            "  compute\n"
            "    dies                    2             [1]\n"
            "    compute_units           4             [2]: of a die\n"
            "\n"
            "  l2\n"
            "    bytes                   128 KiB       [1]\n"
            "    replacement             lru           estimated: nothing is known\n"
            "    channel_bits            [[8], [9, 13]]\n"
            "                                          estimated: a guess\n"
            "\n"
            "  modes\n"
            "    ONE         the usual one\n"
            "    TWO         compute.dies 1\n"
            "\n"
            "  sources\n"
            "    [1]  a white paper\n"
            "    [2]  another\n");
}

TEST(GpuReport, NoShippedGpuIsWiderThanAHundredColumns) {
  std::vector<Gpu> all;
  for (const std::string& name : config::known_gpus()) {
    all.push_back(config::read_gpu(name));
    std::vector<Gpu> modes;
    for (const std::string& mode : all.back().modes)
      modes.push_back(config::read_gpu(name + ":" + mode));
    const std::string text = gpu_text(all.back(), modes, {});
    for (const std::string_view line : split_lines(text)) EXPECT_LE(line.size(), 100u) << line;
  }
  const std::string text = gpu_list_text(all, {});
  for (const std::string_view line : split_lines(text)) EXPECT_LE(line.size(), 100u) << line;
}

TEST(GpuReport, ColourOnlyWhereAsked) {
  EXPECT_EQ(gpu_text(gpu_sample(), {}, {}).find('\x1b'), std::string::npos);
  EXPECT_NE(gpu_text(gpu_sample(), {}, {true}).find('\x1b'), std::string::npos);
}

TEST(GpuReport, ListJson) {
  const json list = gpu_list_json({gpu_sample()});
  EXPECT_EQ(list["version"], 1);
  ASSERT_EQ(list["gpus"].size(), 1u);
  const json& gpu = list["gpus"][0];
  EXPECT_EQ(gpu["name"], "mine");
  EXPECT_EQ(gpu["vendor"], "amd");
  EXPECT_EQ(gpu["calibrated"], false);
  EXPECT_EQ(gpu["l2_bytes_of_die"], 131072);
  EXPECT_TRUE(gpu["last_level_bytes"].is_null());
  EXPECT_EQ(gpu["modes"], json({"ONE", "TWO"}));
}

TEST(GpuReport, OneGpuJson) {
  const json gpu = gpu_json(gpu_sample(), {gpu_sample(), two()});
  EXPECT_EQ(gpu["version"], 1);
  EXPECT_EQ(gpu["mode"], "ONE");
  EXPECT_EQ(gpu["path"], "mine.toml");
  ASSERT_EQ(gpu["facts"].size(), 5u);
  EXPECT_EQ(gpu["facts"][2], json({{"key", "l2.bytes"},
                                   {"value", 131072},
                                   {"written", "128 KiB"},
                                   {"source", "a white paper"},
                                   {"note", nullptr}}));
  EXPECT_EQ(gpu["facts"][3]["value"], "lru");
  EXPECT_EQ(gpu["facts"][4]["value"], json::parse("[[8], [9, 13]]"));
  EXPECT_EQ(gpu["mode_changes"], json::parse(R"({"ONE": {}, "TWO": {"compute.dies": 1}})"));
}

}  // namespace
}  // namespace heddle::report
