#include "calibrate/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/testing.h"
#include "config/gpu_write.h"
#include "support/error.h"

namespace heddle::calibrate {
namespace {

Parameter only(const config::Gpu& gpu, const std::string& key) {
  return parameters_of(gpu, {key}).front();
}

std::string error_of(const config::Gpu& gpu, const std::vector<std::string>& named) {
  try {
    parameters_of(gpu, named);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(Parameters, files_value_comes_first) {
  for (const std::string& name : config::known_gpus()) {
    const config::Gpu gpu = config::read_gpu(name);
    for (const Parameter& parameter : parameters_of(gpu, {})) {
      const config::GpuKey& key = *config::find_gpu_key(parameter.key);
      EXPECT_EQ(parameter.values.front(), config::gpu_value_text(gpu, key));
      EXPECT_GE(parameter.values.size(), 2U) << parameter.key;
      EXPECT_FALSE(parameter.why.empty());
      std::vector<std::string> sorted = parameter.values;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end()) << parameter.key;
      for (const std::string& value : parameter.values) {
        config::Gpu changed = gpu;
        EXPECT_NO_THROW(config::set_gpu_value_text(changed, key, value))
            << parameter.key << " " << value;
      }
    }
  }
}

TEST(Parameters, defaults_are_what_the_file_estimates) {
  const config::Gpu gpu = config::read_gpu("mi300x");
  for (const Parameter& parameter : parameters_of(gpu, {})) {
    const auto fact = std::find_if(gpu.facts.begin(), gpu.facts.end(),
                                   [&](const auto& known) { return known.key == parameter.key; });
    ASSERT_NE(fact, gpu.facts.end()) << parameter.key;
    EXPECT_TRUE(fact->source == "estimated" || fact->source.starts_with(kCalibrated));
    EXPECT_NE(parameter.key, "pages.seed") << "a placement is no property of a GPU";
  }
  EXPECT_NE(error_of(small_gpu(), {}).find("nothing of"), std::string::npos);
}

TEST(Parameters, numbers_form_a_grid) {
  const Parameter cycles = only(small_gpu(), "compute.dispatch_cycles");
  EXPECT_EQ(cycles.values, (std::vector<std::string>{"4", "1", "2", "3", "6", "8", "16"}));
  EXPECT_EQ(cycles.order, (std::vector<std::size_t>{1, 2, 3, 0, 4, 5, 6}));
  const Parameter share = only(small_gpu(), "arithmetic.vector_share");
  EXPECT_EQ(share.values, (std::vector<std::string>{"0.8", "0.2", "0.4", "0.5657"}));
  const Parameter frame = only(small_gpu(), "pages.frame_bytes");
  EXPECT_EQ(frame.values, (std::vector<std::string>{"65536", "131072", "262144"}));
  EXPECT_EQ(only(small_gpu(), "arithmetic.matrix_fp64").values.front(), "0");
}

TEST(Parameters, words_switches_and_folds) {
  EXPECT_EQ(
      only(small_gpu(), "l2.replacement").values,
      (std::vector<std::string>{"\"lru\"", "\"tree_plru\"", "\"random\"", "\"sampled_lru\""}));
  EXPECT_EQ(only(small_gpu(), "l1.hashed_sets").values,
            (std::vector<std::string>{"false", "true"}));
  const Parameter bits =
      only(small_gpu({{"l2.channel_bits", "[[8, 20], [9]]"}}), "l2.channel_bits");
  EXPECT_EQ(bits.values[0], "[[8, 20], [9]]");
  EXPECT_EQ(bits.values[1], "[[8], [9]]");
  EXPECT_EQ(bits.values[2], "[[8, 12], [9, 13]]");
  EXPECT_TRUE(bits.order.empty());
}

TEST(Parameters, channels_have_uneven_folds) {
  const config::Gpu gpu = config::read_gpu("mi300x");
  const std::vector<std::string> values = only(gpu, "l2.channel_bits").values;
  for (const char* wanted :
       {"[[8], [9], [10], [11]]", "[[8, 14], [9, 15], [10, 16], [11, 17]]",
        "[[8, 23], [9, 24], [10], [11]]", "[[8, 14, 23], [9], [10], [11]]",
        "[[8, 14, 23], [9, 24], [10], [11]]", "[[8, 14, 23], [9, 15], [10, 16, 24], [11, 17]]",
        "[[8, 14, 23], [9, 15, 24], [10, 16], [11, 17]]", "[[8, 21], [9, 22], [10, 23], [11]]",
        "[[8, 14, 18], [9, 15, 19], [10, 16, 20], [11, 17, 21]]"})
    EXPECT_NE(std::find(values.begin(), values.end(), wanted), values.end()) << wanted;
  for (const char* key : {"l1.pending", "l1.allocates_writes", "arithmetic.integer_multiply",
                          "pages.placement", "compute.dispatch_cycles"})
    EXPECT_NE(only(gpu, key).why, "named by the user") << key;
}

TEST(Parameters, names_are_checked) {
  EXPECT_NE(error_of(small_gpu(), {"l2.replacment"}).find("did you mean 'l2.replacement'?"),
            std::string::npos);
  EXPECT_NE(error_of(small_gpu(), {"last_level.slices"}).find("has no [last_level]"),
            std::string::npos);
  EXPECT_NE(error_of(small_gpu(), {"l2.ways", "l2.ways"}).find("named twice"), std::string::npos);
  const std::string bits =
      error_of(small_gpu({{"l2.channel_bits", "[]"}, {"l2.set_bits", "[]"}}), {"l2.channel_bits"});
  EXPECT_NE(bits.find("nothing else can be tried"), std::string::npos) << bits;
}

}  // namespace
}  // namespace heddle::calibrate
