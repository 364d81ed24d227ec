// Times of candidates in rounds, with cold and with warm caches.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "check.h"
#include "splitmix.h"
#include "statistics.h"
#include "tasks.h"
#include "words.h"

namespace heddle::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpSeconds = 3;
constexpr double kStable = 0.01;
constexpr std::size_t kGroup = 10;
constexpr double kWarmTime_us = 200;
constexpr int kMostWarmLaunches = 50;
constexpr long long kDelayCycles = 60'000;
constexpr long long kMostDelayCycles = 20'000'000;
constexpr double kLooks = 3;  ///< of each candidate at its outputs, about, in all rounds
constexpr int kMostTries = 5;

// Keeps the device busy while the host queues what is timed: else the host's own time would be
// seen.
constexpr const char* kDelaySource =
    "extern \"C\" __global__ void heddle_delay(long long cycles) {\n"
    "  const long long begin = clock64();\n"
    "  while (clock64() - begin < cycles) {}\n"
    "}\n";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

/// What is timed, and how.
class Timing {
 public:
  Timing(Task& task, LaunchMemory& memory)
      : task_(task),
        memory_(memory),
        check_(task, memory, task.bundle_.seeds.front()),
        secret_((std::uint64_t{std::random_device{}()} << 32) ^ std::random_device{}()),
        driver_(task.driver_),
        flush_bytes_(flush_bytes(task.driver_.facts())),
        flush_(driver_.allocate(flush_bytes_)),
        delay_(driver_.compile({kDelaySource, "delay", "heddle_delay", {}, ""})),
        begin_(driver_.create_event()),
        end_(driver_.create_event()) {
    delay_launch_.grid = {1, 1, 1};
    delay_launch_.threads = {1, 1, 1};
  }

  /// What outputs are compared with between timings.
  void make_reference() {
    check_.run_original(false);
    memory_.prepare(kFirstPattern);
    memory_.keep_updates();
  }

  /// Launches the original until two groups of times in a row are alike.
  void warm_up() {
    const Run run = named("0");
    task_.begin(run);
    const auto began = Clock::now();
    double before = 0;
    bool stable = false;
    std::uint64_t launches = 0;
    while (!stable && seconds_since(began) < kWarmUpSeconds) {
      std::vector<double> times;
      for (std::size_t i = 0; i < kGroup; ++i) times.push_back(launches_us(run, 1));
      launches += kGroup;
      usual_us_ = median(times);
      stable = before > 0 && std::abs(usual_us_ - before) <= kStable * before;
      before = usual_us_;
    }
    const double wanted = std::ceil(kWarmTime_us / std::max(usual_us_, 0.001));
    warm_launches_ = static_cast<int>(std::clamp(wanted, 1.0, double{kMostWarmLaunches}));
    task_.speaker_.say("warmed " + std::to_string(launches) + (stable ? " stable" : " unstable"));
  }

  /// One launch that is not timed: code is loaded, and what is wrong shows.
  void try_out(const std::string& candidate) {
    const Run run = named(candidate);
    task_.begin(run);
    task_.launch(run, memory_);
  }

  void round(std::uint32_t number, const std::vector<std::string>& order) {
    for (std::size_t position = 0; position < order.size(); ++position) {
      const Run run = named(order[position]);
      task_.begin(run);
      sample(number, position + 1, run, "cold", 1, cold_us(run));
      // Which launches are looked at, no candidate can know.
      if (secret_.unit() * task_.bundle_.rounds < kLooks)
        check_.look(run, memory_.restores_updates());
      if (task_.bundle_.lean) continue;
      sample(number, position + 1, run, "warm", warm_launches_, warm_us(run));
    }
  }

  /// As in a round, but for the time.
  void look_once_more(const std::string& candidate) {
    const Run run = named(candidate);
    task_.begin(run);
    cold_us(run);
    check_.look(run, memory_.restores_updates());
  }

 private:
  Run named(const std::string& candidate) const {
    return {candidate, memory_.launch().name, std::to_string(task_.bundle_.seeds.front())};
  }

  void sample(std::uint32_t number, std::size_t position, const Run& run, const char* cache,
              int launches, double time_us) const {
    task_.speaker_.say("sample " + std::to_string(number) + " " + std::to_string(position) + " " +
                       run.candidate + " " + cache + " " + std::to_string(launches) + " " +
                       number_text(time_us, 7));
  }

  double cold_us(const Run& run) {
    memory_.restore_updates();
    memory_.poison_queued(kFirstPattern);
    driver_.fill_queued(flush_, static_cast<unsigned char>(++flushes_), flush_bytes_);
    return launches_us(run, 1);
  }

  double warm_us(const Run& run) {
    task_.launch(run, memory_);
    return launches_us(run, warm_launches_) / warm_launches_;
  }

  /// The time between two events around so many launches, all of them queued behind a delay.
  double launches_us(const Run& run, int count) {
    // Warm launches may be repeated; a cold one is cold only once, and needs little time to queue.
    for (int tries = count > 1 ? kMostTries : 1;; --tries) {
      bool queued_in_time = true;
      const double time_us = queued_us(run, count, queued_in_time);
      if (queued_in_time || tries <= 1 || delay_cycles_ >= kMostDelayCycles) return time_us;
      delay_cycles_ *= 2;
    }
  }

  double queued_us(const Run& run, int count, bool& queued_in_time) {
    const Kernel kernel = task_.kernel(run.candidate);
    std::vector<void*> delay_parameters = {&delay_cycles_};
    try {
      driver_.launch(delay_, delay_launch_, delay_parameters);
      driver_.record(begin_);
      for (int i = 0; i < count; ++i)
        driver_.launch(kernel, memory_.launch(), memory_.parameters());
      driver_.record(end_);
      queued_in_time = !driver_.is_past(begin_);
    } catch (const DriverError& error) {
      reject(run, "launch", error.what());
    }
    try {
      return driver_.elapsed_us(begin_, end_);
    } catch (const DriverError& error) {
      reject(run, "fault", error.what());
    }
  }

  Task& task_;
  LaunchMemory& memory_;
  Check check_;
  Splitmix secret_;
  Driver& driver_;
  std::uint64_t flush_bytes_;
  Address flush_;
  Kernel delay_;
  Launch delay_launch_;
  void* begin_;
  void* end_;
  double usual_us_ = 0;
  int warm_launches_ = 1;
  unsigned flushes_ = 0;
  long long delay_cycles_ = kDelayCycles;
};

void Task::time(std::uint64_t seed, const std::vector<std::string>& candidates) {
  compile(candidates);
  LaunchMemory memory(driver_, bundle_.launches.front(), folder_);
  memory.set_seed(bundle_.seeds.front());
  Timing timing(*this, memory);
  timing.make_reference();
  timing.warm_up();
  for (const std::string& candidate : candidates) timing.try_out(candidate);
  Splitmix random(seed);
  std::vector<std::string> order = candidates;
  const auto began = Clock::now();
  for (std::uint32_t round = 1; round <= bundle_.rounds; ++round) {
    if (round > kLeastRounds && seconds_since(began) > bundle_.budget_s) break;
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
    timing.round(round, order);
  }
  for (const std::string& candidate : candidates) timing.look_once_more(candidate);
}

}  // namespace heddle::agent
