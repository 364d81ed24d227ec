#include "config/gpu_write.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/gpu_testing.h"

namespace heddle::testing {
namespace {

/// Every number, every fact, every word.
std::string description(const Gpu& gpu) {
  std::string text = fmt::format("{}|{}|{}|{}|{}|{}\n", gpu.title, gpu.target, gpu.mode,
                                 gpu.vendor == Vendor::amd, gpu.calibrated, gpu.remarks);
  for (const GpuKey& key : gpu_keys()) {
    if (has_section(gpu, key.section))
      text += fmt::format("{} = {}\n", key.text(), gpu_value_text(gpu, key));
  }
  for (const GpuFact& fact : gpu.facts)
    text += fmt::format("{} {} {} {}\n", fact.key, fact.value, fact.source, fact.note);
  return text + fmt::format("{}", fmt::join(gpu.modes, " "));
}

std::vector<std::string> modes_of(const std::string& name) {
  std::vector<std::string> names = {name};
  for (const std::string& mode : read_gpu(name).modes) names.push_back(name + ":" + mode);
  return names;
}

TEST(GpuWrite, known_gpus_read_back_as_they_are) {
  for (const std::string& name : known_gpus()) {
    const std::string path = write_file("_" + name + ".toml", gpu_text(gpu_document(name), {}));
    for (const std::string& mode : modes_of(name)) {
      const std::string copy = path + mode.substr(name.size());
      EXPECT_EQ(description(read_gpu(copy)), description(read_gpu(mode))) << mode;
    }
    EXPECT_EQ(gpu_text(gpu_document(path), {}), gpu_text(gpu_document(name), {})) << name;
  }
}

TEST(GpuWrite, values_can_be_set_to_what_they_are) {
  for (const std::string& name : known_gpus()) {
    const Gpu gpu = read_gpu(name);
    Gpu copy = gpu;
    for (const GpuKey& key : gpu_keys()) {
      if (!has_section(gpu, key.section)) continue;
      set_gpu_value_text(copy, key, gpu_value_text(gpu, key));
    }
    EXPECT_EQ(description(copy), description(gpu)) << name;
  }
}

TEST(GpuWrite, changes_go_where_the_number_of_the_mode_stands) {
  const std::string path = write_file("_before.toml", gpu_file());
  const auto changed = [&](const std::string& mode, const GpuChange& change) {
    TomlNode root = gpu_document(path);
    change_gpu(root, mode, change);
    return write_file("_after.toml", gpu_text(root, "a remark"));
  };
  std::string file = changed("ONE", {"compute.dies", "4", "estimated", "a guess"});
  EXPECT_EQ(read_gpu(file).compute.dies, 4);
  EXPECT_EQ(read_gpu(file + ":TWO").compute.dies, 2);
  file = changed("TWO", {"compute.dies", "4", "estimated", "a guess"});
  EXPECT_EQ(read_gpu(file).compute.dies, 1);
  EXPECT_EQ(read_gpu(file + ":TWO").compute.dies, 4);
  file = changed("TWO", {"l2.replacement", "\"random\"", "estimated", "a \"guess\"\nof two lines"});
  EXPECT_EQ(read_gpu(file).l2.shape.replacement, Replacement::random);
  const Gpu gpu = read_gpu(file + ":TWO");
  const auto fact = std::find_if(gpu.facts.begin(), gpu.facts.end(), [](const GpuFact& known) {
    return known.key == "l2.replacement";
  });
  EXPECT_EQ(fact->note, "a \"guess\" of two lines");
}

TEST(GpuWrite, absent_numbers_are_added) {
  const std::string path =
      write_file("_before.toml", gpu_file({{"l2.channel_bits", ""}, {"l2.set_bits", ""}}));
  TomlNode root = gpu_document(path);
  change_gpu(root, "ONE", {"l2.channel_bits", "[[8], [9, 20]]", "new", ""});
  change_gpu(root, "ONE", {"l2.set_bits", "[[7], [10], [11], [12]]", "new", ""});
  set_gpu_source(root, "new", std::string(300, 'x') + " and \\ more");
  set_gpu_source(root, "new", "a new source");
  set_gpu_calibrated(root, true);
  const Gpu gpu = read_gpu(write_file("_after.toml", gpu_text(root, {})));
  EXPECT_EQ(gpu.l2.channel_bits, (IndexBits{{8}, {9, 20}}));
  EXPECT_TRUE(gpu.calibrated);
}

TEST(GpuWrite, lines_keep_to_a_hundred_columns) {
  for (const std::string& name : known_gpus()) {
    const std::string text = gpu_text(gpu_document(name), {});
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string line = text.substr(start, end - start);
      const bool is_array = line.find(" = [[") != std::string::npos;
      EXPECT_TRUE(line.size() <= 100 || is_array) << name << ": " << line;
      start = end + 1;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
