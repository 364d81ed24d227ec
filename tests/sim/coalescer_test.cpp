#include "sim/units/coalescer.h"

#include <gtest/gtest.h>

#include "sim/driving.h"

namespace heddle::sim {
namespace {

TEST(Coalescer, merges_reads_of_what_is_on_its_way) {
  Coalescer coalescer;
  coalescer.entry(7) = {7, 0b0011, 300};
  EXPECT_TRUE(coalescer.entry(7).holds(7, 0b0001, 299));
  EXPECT_FALSE(coalescer.entry(7).holds(7, 0b0100, 299));  // another sector
  EXPECT_FALSE(coalescer.entry(7).holds(7, 0b0001, 300));  // it is there already
  EXPECT_FALSE(coalescer.entry(7).holds(8, 0b0001, 299));
}

TEST(Coalescer, units_of_an_engine_that_read_together_ask_the_l2_once) {
  config::Gpu gpu = testing::one_die("h200");
  gpu.compute.compute_units = 2;
  gpu.compute.shader_engines = 1;
  const auto requests = [&](int coalescers) {
    gpu.l2.coalescers = coalescers;
    testing::Script script;
    const Shape* load = script.read(0, {{0, 0xf}});
    for (int block = 0; block < 2; ++block) {
      script.begin();
      script.add(load, 0);
      script.end();
    }
    return testing::drive(gpu, 64 << 20, script).l2.cache.requests;
  };
  EXPECT_EQ(requests(1), 4);  // the sectors of one line
  EXPECT_GE(requests(0), 2 * requests(1));
}

}  // namespace
}  // namespace heddle::sim
