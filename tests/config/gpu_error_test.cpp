// Every refusal of a GPU file, with its place and its text.
#include <limits>
#include <random>
#include <set>

#include "config/gpu_check.h"
#include "config/gpu_keys.h"
#include "config/gpu_testing.h"

namespace heddle::testing {
namespace {

/// `text` with the first `old_text` replaced.
std::string replaced(std::string text, const std::string& old_text, const std::string& new_text) {
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return text.replace(at, old_text.size(), new_text);
}

std::string without(const std::string& line) {
  return gpu_error(replaced(gpu_file(), line, ""));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GpuErrors, UnknownKeys) {
  EXPECT_EQ(gpu_error(replaced(gpu_file(), "target", "targets")),
            "job.toml:2:1: 'targets' is not a key of a GPU file\n"
            "  try: did you mean 'target'? the keys are: title target vendor calibrated remarks "
            "compute l1 scalar_cache l2 partitions last_level memory rows link arithmetic pages "
            "modes sources");
  EXPECT_EQ(gpu_error("link.speed", "3"),
            "job.toml:50:1: 'speed' is not a key of [link]\n"
            "  try: the keys are: read_bytes_per_clock write_bytes_per_clock");
  EXPECT_EQ(gpu_error(replaced(gpu_file(), "is = 4, from", "value = 4, from")),
            "job.toml:10:19: 'value' is not a key of compute.compute_units\n"
            "  try: the keys are: is from why");
  EXPECT_TRUE(
      has(gpu_error(gpu_file({}, "[modes.THREE]\ndies = 3\n")), "'dies' is not a key of a mode\n"));
  EXPECT_TRUE(has(gpu_error(gpu_file({}, "[modes.THREE]\nlink.speed = 3\n")),
                  "'speed' is not a key of [link]\n"));
}

TEST(GpuErrors, MissingKeys) {
  EXPECT_EQ(without("title = \"A GPU\"\n"),
            "job.toml: the file has no 'title'\n  try: add title = \"AMD Instinct MI300X\"");
  EXPECT_EQ(without("vendor = \"amd\"\n"),
            "job.toml: the file has no 'vendor'\n  try: add vendor = \"amd\" or \"nvidia\"");
  EXPECT_EQ(gpu_error("l2.ways", ""),
            "job.toml:32:2: [l2] has no 'ways'\n"
            "  try: add ways = { is = ..., from = \"SOURCE\" }");
  EXPECT_EQ(
      gpu_error(gpu_file({{"link.read_bytes_per_clock", ""}, {"link.write_bytes_per_clock", ""}})),
      "job.toml: the file has no [link]\n"
      "  try: add it, with read_bytes_per_clock write_bytes_per_clock");
  EXPECT_TRUE(has(gpu_error("partitions.count", "2"), "[partitions] has no 'replication'"));
  EXPECT_TRUE(has(gpu_error(gpu_file({}, "[partitions]\n")), "[partitions] is empty\n"));
}

TEST(GpuErrors, Sources) {
  EXPECT_EQ(gpu_error(replaced(gpu_file(), "{ is = 4, from = \"test\" }", "4")),
            "job.toml:10:17: compute.compute_units has no source\n"
            "  try: write compute_units = { is = ..., from = \"SOURCE\" }, or from = \"estimated\" "
            "with why = \"...\"");
  EXPECT_EQ(gpu_error(replaced(gpu_file(), "{ is = 4, from = \"test\" }", "{ is = 4 }")),
            "job.toml:10:17: compute.compute_units has no source\n"
            "  try: add from = \"SOURCE\", a key of [sources], or from = \"estimated\" with why = "
            "\"...\"");
  EXPECT_EQ(gpu_error(replaced(gpu_file(), "from = \"test\"", "from = \"tests\"")),
            "job.toml:9:25: 'tests' is not in [sources]\n"
            "  try: did you mean 'test'? add it there, or use one of: estimated test");
  EXPECT_EQ(gpu_error(replaced(gpu_file(), "from = \"test\"", "from = \"estimated\"")),
            "job.toml:9:8: compute.dies is estimated, but does not say why\n"
            "  try: add why = \"...\": what the number was taken from");
  EXPECT_TRUE(has(gpu_error(gpu_file() + "estimated = \"me\"\n"), "'estimated' is not a source\n"));
  EXPECT_TRUE(
      has(gpu_error(gpu_file() + "empty = \"\"\n"), "'empty' must be a text, not an empty"));
  EXPECT_TRUE(has(gpu_error(replaced(gpu_file(), "is = 4, from", "from")), "has no 'is'\n"));
}

TEST(GpuErrors, WrongTypes) {
  EXPECT_EQ(gpu_error("compute.dies", "\"one\""),
            "job.toml:9:15: compute.dies must be a number, not a text\n"
            "  try: write a number without quotes");
  EXPECT_EQ(gpu_error("compute.dies", "1.5"),
            "job.toml:9:15: compute.dies is 1.5, but must be whole\n"
            "  try: write a number without quotes");
  EXPECT_EQ(gpu_error("memory.bytes", "\"1 GB\""),
            "job.toml:51:16: '1 GB' is not a number with a unit\n"
            "  try: write a number of bytes, or \"4 MiB\" (KiB, MiB, GiB)");
  EXPECT_TRUE(has(gpu_error("memory.read_bytes_per_second", "\"1 TiB/s\""), "(GB/s, TB/s)"));
  EXPECT_TRUE(has(gpu_error("memory.bytes", "true"), "must be a number, not a boolean"));
  EXPECT_TRUE(has(gpu_error("l1.sectored", "1"), "l1.sectored must be true or false, not an int"));
  EXPECT_TRUE(has(gpu_error("l2.replacement", "1"), "l2.replacement must be a word, not an int"));
  EXPECT_TRUE(has(gpu_error("l2.replacement", "\"plru\""),
                  "'plru' is not a replacement\n"
                  "  try: did you mean 'lru'? use one of: lru tree_plru random sampled_lru"));
  EXPECT_TRUE(has(gpu_error("l2.set_bits", "[7, 10]"),
                  "l2.set_bits must be an array of arrays, not an integer"));
  EXPECT_TRUE(has(gpu_error("l2.set_bits", "[[7.5]]"), "must be whole"));
  EXPECT_TRUE(has(gpu_error(replaced(gpu_file(), "\"amd\"", "\"intel\"")),
                  "'intel' is not a vendor that heddle knows"));
  EXPECT_TRUE(has(gpu_error(replaced(gpu_file(), "false", "0")), "'calibrated' is true or false"));
  EXPECT_TRUE(has(gpu_error(replaced(gpu_file(), "\"A GPU\"", "3")), "'title' must be a text"));
  EXPECT_TRUE(has(gpu_error("sources = 3\n"), "the file has no 'title'"));
  EXPECT_TRUE(has(gpu_error("title = \"\n"), "not TOML"));
  EXPECT_TRUE(has(gpu_error("title = \"\n"), "docs/add-a-gpu.md has an example"));
}

TEST(GpuErrors, NumbersOutOfBounds) {
  EXPECT_EQ(gpu_error("compute.dies", "-1"),
            "job.toml:9:15: compute.dies must be from 1 to 64, not -1\n"
            "  try: write a number without quotes");
  EXPECT_EQ(gpu_error("l2.ways", "65"),
            "job.toml:34:15: l2.ways must be from 1 to 64, not 65\n"
            "  try: write a number without quotes");
  EXPECT_TRUE(has(gpu_error("compute.dies", "65"), "from 1 to 64, not 65"));
  EXPECT_TRUE(has(gpu_error("compute.compute_units", "1025"), "from 1 to 1024, not 1025"));
  EXPECT_TRUE(has(gpu_error("compute.clock_mhz", "nan"), "from 100 to 10000, not nan"));
  EXPECT_TRUE(has(gpu_error("compute.clock_mhz", "inf"), "not inf"));
  EXPECT_TRUE(has(gpu_error("memory.bytes", "9223372036854775807"), "from 64 KiB to 65536 GiB"));
  EXPECT_TRUE(has(gpu_error("memory.bytes", "\"1e300 GiB\""), "from 64 KiB to 65536 GiB"));
  EXPECT_TRUE(has(gpu_error("memory.peak_bytes_per_second", "0"), "from 0.001 TB/s to 1000 TB/s"));
  EXPECT_TRUE(has(gpu_error("arithmetic.matrix_share", "1.5"), "from 0.01 to 1, not 1.5"));
  EXPECT_TRUE(has(gpu_error("l2.set_bits", "[[7], [10], [11], [48]]"), "from 0 to 47, not 48"));
  EXPECT_TRUE(has(gpu_error("pages.frame_bytes", "4096"), "from 64 KiB to"));
  EXPECT_TRUE(has(gpu_error("l2.line_bytes", "256"), "from 32 B to 128 B, not 256 B"));
}

TEST(GpuErrors, GeometryOfCaches) {
  EXPECT_EQ(gpu_error("l2.line_bytes", "64"),
            "job.toml:35:21: l2.line_bytes is 64; it can be 128\n"
            "  try: write l2.line_bytes = { is = 128, from = \"...\" }");
  EXPECT_TRUE(has(gpu_error("l1.line_bytes", "32"), "l1.line_bytes is 32; it can be 64 or 128"));
  EXPECT_EQ(
      gpu_error("l2.bytes", "130000"),
      "job.toml:33:16: l2.bytes is 130000: not a whole number of sets of 4 channels x 16 ways x "
      "128 B = 8192 B\n"
      "  try: bytes = channels x sets x ways x line_bytes");
  EXPECT_EQ(
      gpu_error("l1.bytes", "\"24 KiB\""),
      "job.toml:21:16: l1.bytes is 24576: with 16 ways x 128 B that makes 12 sets, not a power "
      "of two\n"
      "  try: change bytes or ways until the sets are a power of two");
  EXPECT_TRUE(has(
      gpu_error(gpu_file(
          {{"l1.replacement", "\"tree_plru\""}, {"l1.ways", "12"}, {"l1.bytes", "\"12 KiB\""}})),
      "l1.ways is 12, but a tree needs a power of two"));
  EXPECT_TRUE(
      has(gpu_error("l2.interleave_bytes", "384"), "l2.interleave_bytes is 384: not a power"));
  EXPECT_TRUE(has(gpu_error("l2.interleave_bytes", "64"), "at least a line of 128"));
  EXPECT_TRUE(has(gpu_error("l2.write_bytes", "48"), "l2.write_bytes is 48; it can be 32 or 64"));
  EXPECT_TRUE(has(gpu_error("l2.fill_bytes", "96"), "l2.fill_bytes is 96; it can be 32 or 64"));
  EXPECT_TRUE(has(gpu_error("compute.wave_lanes", "48"), "it can be 32 or 64"));
  EXPECT_TRUE(has(gpu_error("compute.shader_engines", "5"),
                  "a die of 4 compute units cannot have 5 shader engines"));
  EXPECT_TRUE(
      has(gpu_error(gpu_file({{"compute.registers", "1024"}, {"compute.register_granule", "32"}})),
          "1024 registers do not hold one wave of 64 lanes x 32"));
  EXPECT_TRUE(has(gpu_error("l1.holds_shared_memory", "true"),
                  "shared memory of 65536 B does not fit an L1 of 16384 B"));
  EXPECT_TRUE(has(gpu_error("memory.read_bytes_per_second", "\"2 TB/s\""),
                  "memory.read_bytes_per_second is 2 TB/s, above the peak of 1 TB/s"));
  EXPECT_TRUE(
      has(gpu_error("pages.frame_bytes", "\"96 KiB\""), "no power of two within the memory"));
}

TEST(GpuErrors, LanesOfALookupAndScalarCaches) {
  EXPECT_TRUE(has(gpu_error("l1.lanes_at_once", "12"),
                  "l1.lanes_at_once is 12: not a power of two up to the 64 lanes of a wave"));
  EXPECT_TRUE(has(gpu_error("l1.wide_lanes_at_once", "128"),
                  "l1.wide_lanes_at_once must be from 0 to 64, not 128"));
  config::Gpu gpu = config::read_gpu("mi210");
  EXPECT_FALSE(config::find_fault(gpu));
  for (const int count : {51, 105}) {  // of 104 compute units, two for each at most
    gpu.scalar_cache->count = count;
    const auto fault = config::find_fault(gpu);
    ASSERT_TRUE(fault) << count;
    EXPECT_EQ(fault->key, "scalar_cache.count");
  }
  gpu.scalar_cache->count = 52;
  EXPECT_FALSE(config::find_fault(gpu));
}

TEST(GpuErrors, IndexBits) {
  EXPECT_EQ(gpu_error("l2.set_bits", "[[7], [10], [11], [8, 9]]"),
            "job.toml:40:19: two lines would share one place: addresses 0 and 0x1000 have the same "
            "channel, set and tag\n"
            "  try: together the groups must tell address bits 7 to 12 apart");
  EXPECT_TRUE(has(gpu_error("l2.set_bits", "[[7], [10], [11], [13]]"), "0 and 0x1000 have"));
  EXPECT_TRUE(has(gpu_error("l2.set_bits", "[[7], [10], [11]]"),
                  "l2.set_bits has 3 groups, but 16 sets of a channel need 4"));
  EXPECT_TRUE(has(gpu_error("l2.channel_bits", "[[8]]"),
                  "l2.channel_bits has 1 groups, but 4 channels need 2"));
  EXPECT_TRUE(
      has(gpu_error("l2.channel_bits", "[[6], [9]]"), "l2.channel_bits names address bit 6"));
  EXPECT_TRUE(has(gpu_error("l2.channel_bits", "[[8, 20, 8], [9]]"), "has bit 8 twice in a group"));
  EXPECT_TRUE(has(gpu_error("l2.channel_bits", "[[8], []]"), "has a group without bits"));
  EXPECT_TRUE(has(gpu_error("l2.channel_bits", ""), "l2.channel_bits and l2.set_bits go together"));
  const GpuChanges three = {{"l2.channels", "3"}, {"l2.bytes", "\"96 KiB\""}};
  EXPECT_TRUE(has(gpu_error(gpu_file(three)), "3 channels have no index bits: no power of two"));
  GpuChanges modulo = three;
  modulo["l2.channel_bits"] = modulo["l2.set_bits"] = "";
  EXPECT_EQ(gpu_of(gpu_file(modulo)).sets_of_channel(), 16);
  EXPECT_NO_THROW(gpu_of(gpu_file({{"l2.channel_bits", "[[8, 13, 30], [9, 12]]"}})));
}

TEST(GpuErrors, Partitions) {
  GpuChanges changes = {{"partitions.count", "2"},
                        {"partitions.replication", "\"full\""},
                        {"partitions.far_latency_cycles", "200"},
                        {"partitions.far_bytes_per_clock", "0"}};
  EXPECT_EQ(gpu_of(gpu_file(changes)).partitions->replication, Replication::full);
  changes["partitions.count"] = "3";
  EXPECT_TRUE(has(gpu_error(gpu_file(changes)), "partitions.count must be 2, not 3"));
  changes["partitions.count"] = "2";
  changes["l2.channels"] = "3";
  changes["l2.bytes"] = "\"96 KiB\"";
  changes["l2.channel_bits"] = changes["l2.set_bits"] = "";
  EXPECT_TRUE(has(gpu_error(gpu_file(changes)), "3 channels cannot be split between 2 partitions"));
}

TEST(GpuErrors, LastLevel) {
  GpuChanges changes = {{"last_level.bytes", "\"1 MiB\""},
                        {"last_level.ways", "16"},
                        {"last_level.line_bytes", "64"},
                        {"last_level.replacement", "\"lru\""},
                        {"last_level.slices", "8"},
                        {"last_level.interleave_bytes", "256"},
                        {"last_level.allocates_writes", "true"},
                        {"last_level.bytes_per_second", "\"2 TB/s\""},
                        {"last_level.latency_cycles", "400"}};
  EXPECT_EQ(gpu_of(gpu_file(changes)).last_level->shape.bytes, 1 << 20);
  changes["last_level.slices"] = "7";
  EXPECT_TRUE(
      has(gpu_error(gpu_file(changes)), "not a whole number of sets of 7 slices x 16 ways"));
  changes["last_level.slices"] = "8";
  changes["last_level.line_bytes"] = "96";
  EXPECT_TRUE(has(gpu_error(gpu_file(changes)), "last_level.line_bytes is 96, not a power of two"));
}

TEST(GpuErrors, Modes) {
  EXPECT_TRUE(has(gpu_error(gpu_file({}, "[modes.two]\n")),
                  "modes 'TWO' and 'two' differ in capitals alone"));
  EXPECT_TRUE(
      has(gpu_error(gpu_file({}, "[modes.\"a b\"]\n")), "'a b' cannot be the name of a mode"));
  EXPECT_TRUE(has(gpu_error(gpu_file({}, "[modes]\nX = 1\n")),
                  "'modes.X' must be a table, not an integer"));
  const std::string wrong = "[modes.THREE]\nl2.ways = { is = 8, from = \"test\" }\n";
  EXPECT_TRUE(has(gpu_error(gpu_file({}, wrong)), "in mode THREE: l2.set_bits has 4 groups"));
  const std::string path = write_file(".toml", gpu_file());
  EXPECT_EQ(error_text(thrown_by([&] { read_gpu(path + ":FOUR"); })),
            "job.toml has no mode 'FOUR'\n  try: its modes are: ONE TWO");
}

TEST(GpuErrors, NamesThatAreNot) {
  EXPECT_EQ(error_text(thrown_by([] { read_gpu("mi300y"); })),
            "no GPU is called 'mi300y'\n"
            "  try: did you mean 'mi300a'? use one of: a100 b200 h100 h200 mi210 mi250x mi300a "
            "mi300x mi325x mi355x; or a path to a file of yours (docs/add-a-gpu.md)");
  EXPECT_TRUE(has(error_text(thrown_by([] { read_gpu(""); })), "no GPU is called ''"));
  EXPECT_TRUE(has(error_text(thrown_by([] { read_gpu("mi300x:"); })), "names no mode"));
  EXPECT_TRUE(has(error_text(thrown_by([] { read_gpu("h200:SPX"); })), "h200 has no modes"));
  EXPECT_TRUE(has(error_text(thrown_by([] { read_gpu("mi300x:XPC"); })), "its modes are: SPX DPX"));
  EXPECT_TRUE(has(error_text(thrown_by([] { read_gpu("./none.toml"); })), "none.toml"));
}

TEST(GpuErrors, GpusMadeInCode) {
  Gpu gpu = sample_gpu();
  EXPECT_NO_THROW(check_gpu(gpu));
  gpu.l2.shape.ways = 0;
  EXPECT_EQ(error_text(thrown_by([&] { check_gpu(gpu); })),
            "l2.ways must be from 1 to 64, not 0\n"
            "  try: docs/add-a-gpu.md says what the key means");
  gpu = sample_gpu();
  gpu.memory.read_bytes_per_second = std::numeric_limits<double>::infinity();
  EXPECT_THROW(check_gpu(gpu), Error);
  gpu = sample_gpu();
  gpu.compute.dies = 64;
  gpu.compute.compute_units = 1024;
  EXPECT_TRUE(has(error_text(thrown_by([&] { check_gpu(gpu); })), "are more than 8192"));
  gpu = sample_gpu();
  gpu.l2.channel_bits = {{-1}, {9}};
  EXPECT_THROW(check_gpu(gpu), Error);
  gpu.l2.channel_bits = {{8}, {1000}};
  EXPECT_THROW(check_gpu(gpu), Error);
}

/// Whether two of the lines that differ in the lowest bits get the same groups, by trying all.
bool shares_by_trying(const IndexBits& groups, int first_bit) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t line = 0; line < std::uint64_t{1} << groups.size(); ++line) {
    std::uint64_t place = 0;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (const int bit : groups[group]) place ^= (line << first_bit >> bit & 1) << group;
    }
    if (!seen.insert(place).second) return true;
  }
  return false;
}

TEST(SharedPlace, AgreesWithTryingAllLines) {
  std::mt19937_64 random(7);
  int shared = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    const int width = 1 + static_cast<int>(random() % 9);
    const int first_bit = 5 + static_cast<int>(random() % 3);
    IndexBits groups(static_cast<std::size_t>(width));
    for (std::vector<int>& group : groups) {
      for (int bit = first_bit; bit < first_bit + width + 3; ++bit) {
        if (random() % 3 == 0) group.push_back(bit);
      }
    }
    const std::optional<std::uint64_t> distance = shared_place(groups, first_bit);
    ASSERT_EQ(distance.has_value(), shares_by_trying(groups, first_bit)) << turn;
    if (!distance) continue;
    ++shared;
    // The example is right: it changes no group, and only the bits in question.
    ASSERT_NE(*distance, 0u);
    ASSERT_EQ(*distance >> (first_bit + width), 0u);
    ASSERT_EQ(*distance & ((std::uint64_t{1} << first_bit) - 1), 0u);
    for (const std::vector<int>& group : groups) {
      std::uint64_t parity = 0;
      for (const int bit : group) parity ^= *distance >> bit & 1;
      ASSERT_EQ(parity, 0u);
    }
  }
  EXPECT_GT(shared, 500);
  EXPECT_LT(shared, 2900);
}

TEST(GpuErrors, DamagedFilesNeverCrash) {
  const std::string whole = gpu_file();
  std::mt19937_64 random(11);
  for (int turn = 0; turn < 400; ++turn) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random() % text.size();
      const std::size_t length = std::min<std::size_t>(random() % 12, text.size() - at);
      static const std::vector<std::string> pieces = {"",  "\"",    "9",    "[",  "]", "{",
                                                      "-", "1e999", "true", "\n", ".", "[[7]]"};
      text.replace(at, length, pieces[random() % pieces.size()]);
    }
    try {
      check_gpu(gpu_of(text));
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty());
    }
  }
}

}  // namespace
}  // namespace heddle::testing
