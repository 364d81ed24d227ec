// What a simulated MI210 counts of the two kernels whose counters were measured, by formula.
#include "order/read.h"
#include "subject.h"

namespace heddle::test {
namespace {

SimResult simulated(const std::string& name, const std::vector<std::string>& overrides) {
  SimulationRequest request{
      example(name), overrides, "mi210", order::read_order("identity", {}), {}, "", {}};
  request.options.fidelity = sim::Fidelity::exact;
  return simulate_job(request);
}

TEST(CxxCounts, OneThreadToARow) {
  HEDDLE_NEED_CLANG();
  constexpr std::int64_t kRows = 2048;
  constexpr std::int64_t kColumns = 512;
  constexpr std::int64_t kWaves = 2048;          // launched
  constexpr std::int64_t kBusy = kRows / 64;     // with rows
  constexpr std::int64_t kLoads = kColumns + 1;  // A, and y once; x goes through the scalar cache
  const SimResult result = simulated("yax_slow", {"n=2048", "m=512"});
  EXPECT_EQ(result.waves, kWaves);
  EXPECT_EQ(result.l1.read_requests, kBusy * kLoads * 64);
  EXPECT_EQ(result.l1.cache.requests, kBusy * kLoads * 16);
  EXPECT_EQ(result.l1.reads_to_l2, kBusy * kLoads * 8);
  EXPECT_EQ(result.l1.atomics + result.l1.repeats, kWaves * 64);
  EXPECT_EQ(result.l1.atomic_requests, kWaves * 64);
  EXPECT_EQ(result.l1.write_requests, 0);
}

TEST(CxxCounts, OneBlockToARow) {
  HEDDLE_NEED_CLANG();
  const SimResult result = simulated("yax_fast", {});
  const auto a_wave = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(result.waves);
  };
  EXPECT_EQ(result.waves, 2048);
  EXPECT_EQ(a_wave(result.l1.read_requests), 16'384);
  EXPECT_EQ(a_wave(result.l1.accesses()), 4'097);
  EXPECT_EQ(a_wave(result.l1.atomics), 1);
  // Measured on the machine; which waves share a cache is not exact.
  EXPECT_NEAR(a_wave(result.l1.reads_to_l2), 1'232, 123);
  EXPECT_NEAR(a_wave(result.l2.reads), 616, 62);
  EXPECT_NEAR(a_wave(result.hbm_read_bytes), 65'689, 6'569);
}

}  // namespace
}  // namespace heddle::test
