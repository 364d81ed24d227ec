// How the accesses of lanes become instructions of a block: the runner's observer (linked in, with
// a stand-in for its process) against an interpreter that runs all lanes in step.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>

#include "runner/lanes.h"
#include "runner/observer.h"
#include "runner/output.h"
#include "runner/regular.h"

namespace heddle::runner {
namespace {

std::vector<Lane> stand_in_lanes;
std::vector<char> said;

}  // namespace

// What the observer asks of the rest of the runner.
std::uint32_t lane_count() {
  return static_cast<std::uint32_t>(stand_in_lanes.size());
}
const Lane& lane(std::uint32_t number) {
  return stand_in_lanes[number];
}
void wait_for_room() {
  throw std::runtime_error("a lane's list is full");
}
std::uint64_t barriers_passed() {
  return 0;
}
std::uint32_t current_number() {
  return 0;
}
void put(const void* bytes, std::size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  said.insert(said.end(), from, from + count);
}
void fail(FaultKind, std::string_view text, std::uint32_t, std::uint64_t) {
  throw std::runtime_error(std::string(text));
}

extern "C" void heddle_load4(const volatile void* pointer, std::uint32_t site);

namespace {

/// A site and the lanes that are there together, with their addresses.
struct Step {
  std::uint32_t site = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> lanes;
  friend bool operator==(const Step&, const Step&) = default;
};

void PrintTo(const Step& step, std::ostream* out) {
  *out << step.site << ':';
  for (const auto& [lane, address] : step.lanes) *out << ' ' << lane << "@" << address;
}

/// Takes what the observer said apart: the reader's half of protocol.h.
std::vector<Step> steps_said(const std::array<std::uint32_t, 3>& threads) {
  std::vector<Step> steps;
  for (std::size_t at = 0; at < said.size();) {
    Access access;
    std::memcpy(&access, said.data() + at, sizeof access);
    at += sizeof access;
    std::vector<std::uint64_t> words(access.bytes / 8);
    std::memcpy(words.data(), said.data() + at, access.bytes);
    at += access.bytes;
    const std::size_t mask_words = access.mask == Mask::bits ? (lane_count() + 63) / 64 : 0;
    std::size_t next = mask_words;
    Step step{access.site, {}};
    for (std::uint32_t lane = 0; lane < lane_count(); ++lane) {
      if (access.mask == Mask::range && (lane < access.first || lane >= access.last)) continue;
      if (access.mask == Mask::bits && (words[lane / 64] >> lane % 64 & 1) == 0) continue;
      const std::int64_t regular = access.base +
                                   access.stride[0] * std::int64_t{lane % threads[0]} +
                                   access.stride[1] * std::int64_t{lane / threads[0] % threads[1]} +
                                   access.stride[2] * std::int64_t{lane / threads[0] / threads[1]};
      const std::uint64_t address =
          access.regular != 0 ? static_cast<std::uint64_t>(regular) : words.at(next++);
      step.lanes.emplace_back(lane, address - kWindow);
    }
    EXPECT_EQ(step.lanes.size(), access.active);
    EXPECT_EQ(next, access.regular != 0 ? mask_words : words.size());
    steps.push_back(std::move(step));
  }
  return steps;
}

/// A structured program: accesses, branches and loops, whose courses depend on the lane.
struct Node {
  enum class Kind { access, branch, loop };
  Kind kind = Kind::access;
  std::uint32_t site = 0;
  unsigned key = 0;  ///< which lanes go which way, how often round
  std::vector<Node> body;
  std::vector<Node> other;
};

using Random = std::mt19937;

int pick(Random& random, int count) {
  return static_cast<int>(random() % static_cast<unsigned>(count));
}

/// Sites are numbered as the code lies. Every round of a loop makes an access, as nearly all loops
/// of kernels do: rounds that touch nothing cannot be seen.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::vector<Node> nodes(int depth, bool has_access) {
    std::vector<Node> list;
    const int count = 1 + pick(random_, 3);
    const int access_at = has_access ? pick(random_, count) : -1;
    for (int k = 0; k < count; ++k) {
      if (k == access_at) list.push_back(access());
      const int what = depth == 0 ? 0 : pick(random_, 3);
      list.push_back(what == 0 ? access() : what == 1 ? branch(depth) : loop(depth));
    }
    return list;
  }
  std::vector<Loop> loops;
  std::uint32_t sites = 0;

 private:
  Node access() {
    Node node;
    node.site = sites++;
    return node;
  }
  Node branch(int depth) {
    Node node;
    node.kind = Node::Kind::branch;
    node.key = static_cast<unsigned>(random_());
    node.body = nodes(depth - 1, false);
    if (pick(random_, 2) == 0) node.other = nodes(depth - 1, false);
    return node;
  }
  Node loop(int depth) {
    Node node;
    node.kind = Node::Kind::loop;
    node.key = static_cast<unsigned>(random_());
    const std::uint32_t first = sites;
    node.body = nodes(depth - 1, true);
    loops.push_back({first, sites - 1});
    return node;
  }

  Random random_;
};

unsigned mix(unsigned key, std::uint32_t lane, unsigned round) {
  unsigned value = key ^ (lane + 1) * 0x9e3779b9U ^ (round + 1) * 0x85ebca6bU;
  value ^= value >> 15;
  value *= 0x2c1b3c6dU;
  return value ^ value >> 13;
}

/// Runs lanes in step: those that part meet again behind the branch or the loop.
class LockStep {
 public:
  using Lanes = std::vector<std::uint32_t>;

  explicit LockStep(std::uint32_t lanes) : streams(lanes), rounds_(lanes, 0) {}

  void run(const std::vector<Node>& nodes, const Lanes& lanes) {
    if (lanes.empty()) return;
    for (const Node& node : nodes) {
      switch (node.kind) {
        case Node::Kind::access:
          access(node, lanes);
          break;
        case Node::Kind::branch:
          run(node.body, those(lanes, [&](auto lane) { return takes(node, lane); }));
          run(node.other, those(lanes, [&](auto lane) { return !takes(node, lane); }));
          break;
        case Node::Kind::loop:
          loop(node, lanes);
          break;
      }
    }
  }

  std::vector<Step> steps;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> streams;  ///< of each lane

 private:
  template <class Test>
  static Lanes those(const Lanes& lanes, Test test) {
    Lanes some;
    std::copy_if(lanes.begin(), lanes.end(), std::back_inserter(some), test);
    return some;
  }
  bool takes(const Node& node, std::uint32_t lane) const {
    return mix(node.key, lane, rounds_[lane]) % 2 == 0;
  }
  void access(const Node& node, const Lanes& lanes) {
    Step step{node.site, {}};
    for (const std::uint32_t lane : lanes) {
      const bool regular = node.site % 2 == 0;
      const std::uint64_t address =
          regular ? 4096 + 8 * lane : mix(node.site, lane, rounds_[lane]) % 4096;
      step.lanes.emplace_back(lane, address);
      streams[lane].emplace_back(node.site, address);
    }
    steps.push_back(std::move(step));
  }
  void loop(const Node& node, Lanes lanes) {
    std::vector<unsigned> before = rounds_;
    std::vector<unsigned> trips(rounds_.size());
    for (const std::uint32_t lane : lanes) trips[lane] = mix(node.key, lane, rounds_[lane]) % 4;
    for (unsigned round = 0; round < 4; ++round) {
      lanes = those(lanes, [&](std::uint32_t lane) { return round < trips[lane]; });
      for (const std::uint32_t lane : lanes) rounds_[lane] = before[lane] * 5 + round + 1;
      run(node.body, lanes);
    }
    rounds_ = before;
  }

  std::vector<unsigned> rounds_;  ///< where a lane stands in all loops around it
};

void set_up(const std::array<std::uint32_t, 3>& threads, const std::vector<Loop>& loops,
            std::size_t site_count) {
  stand_in_lanes.assign(std::size_t{threads[0]} * threads[1] * threads[2], Lane{});
  said.clear();
  const std::vector<Site> sites(site_count, Site{SiteKind::read, 4});
  static std::array<char, 16> shared;
  const auto begin = reinterpret_cast<std::uint64_t>(shared.data());
  set_up_sections(begin, begin + shared.size(), begin, begin);
  set_up_observer({sites, loops, std::uint64_t{1} << 30, {threads[0], threads[1], threads[2]}});
  begin_tile(true);
}

void note(std::uint32_t lane, const std::pair<std::uint32_t, std::uint64_t>& access) {
  select_lane(lane);
  heddle_load4(reinterpret_cast<const void*>(kWindow + access.second), access.first);
}

TEST(Grouping, LanesThatPartMeetAgainAsInLockStep) {
  std::size_t steps = 0;
  std::size_t partial = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Writer writer(seed);
    const std::vector<Node> program = writer.nodes(3, true);
    const std::array<std::uint32_t, 3> threads = {1 + seed % 7, 1 + seed % 3, 1};
    const std::uint32_t lanes = threads[0] * threads[1];
    LockStep expected(lanes);
    std::vector<std::uint32_t> all(lanes);
    std::iota(all.begin(), all.end(), 0U);
    expected.run(program, all);
    const auto longest =
        std::max_element(expected.streams.begin(), expected.streams.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (longest->size() >= 1000) continue;  // more than a list holds: the next test
    set_up(threads, writer.loops, writer.sites);
    for (const std::uint32_t lane : all)
      for (const auto& access : expected.streams[lane]) note(lane, access);
    group_accesses(true);
    const TileEnd end = end_tile();
    ASSERT_EQ(steps_said(threads), expected.steps);
    std::uint64_t accesses = 0;
    for (const Step& step : expected.steps) {
      accesses += step.lanes.size();
      partial += step.lanes.size() < lanes ? 1U : 0U;
    }
    ASSERT_EQ(end.accesses, accesses);
    steps += expected.steps.size();
  }
  EXPECT_GT(steps, 5000U);
  EXPECT_GT(partial, 2000U) << "the programs must part lanes, or this shows nothing";
}

TEST(Grouping, IsTheSameWhereListsAreGroupedNowAndThen) {
  // Lanes hand over some accesses at a time, and grouping goes as far as it is sure of.
  Random random(11);
  for (unsigned seed = 1000; seed < 1200; ++seed) {
    SCOPED_TRACE(seed);
    Writer writer(seed);
    const std::vector<Node> program = writer.nodes(3, true);
    const std::array<std::uint32_t, 3> threads = {5, 1, 1};
    LockStep expected(5);
    expected.run(program, {0, 1, 2, 3, 4});
    set_up(threads, writer.loops, writer.sites);
    std::array<std::size_t, 5> next{};
    bool left = true;
    while (left) {
      left = false;
      for (std::uint32_t lane = 0; lane < 5; ++lane) {
        const auto& stream = expected.streams[lane];
        for (int some = pick(random, 60); some > 0 && next[lane] < stream.size(); --some) {
          if (!has_room(lane)) break;
          note(lane, stream[next[lane]++]);
        }
        stand_in_lanes[lane].done = next[lane] == stream.size();
        left = left || !stand_in_lanes[lane].done;
      }
      group_accesses(false);
    }
    group_accesses(true);
    end_tile();
    ASSERT_EQ(steps_said(threads), expected.steps);
  }
}

TEST(Grouping, AFullListIsNotOverrun) {
  set_up({1024, 1, 1}, {}, 1);
  const auto fill = [] {
    for (int k = 0; k < 100'000; ++k) note(3, {0, 64});
  };
  EXPECT_THROW(fill(), std::runtime_error);
  EXPECT_FALSE(has_room(3));
  EXPECT_TRUE(has_room(4));
  group_accesses(true);
  EXPECT_TRUE(has_room(3));
  end_tile();
}

/// Strides by definition; nothing where no strides fit.
bool fits(const Regular::Found& found, const std::array<std::uint32_t, 3>& threads,
          std::uint32_t lane, std::uint64_t address) {
  return static_cast<std::int64_t>(address) ==
         found.base + found.stride[0] * std::int64_t{lane % threads[0]} +
             found.stride[1] * std::int64_t{lane / threads[0] % threads[1]} +
             found.stride[2] * std::int64_t{lane / threads[0] / threads[1]};
}

TEST(Regular, FindsStridesOfWholeBlocksAndClaimsNoOthers) {
  Random random(3);
  int regular = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::array<std::uint32_t, 3> threads = {
        1 + static_cast<std::uint32_t>(pick(random, 9)),
        round % 3 > 0 ? 1 + static_cast<std::uint32_t>(pick(random, 4)) : 1,
        round % 3 > 1 ? 1 + static_cast<std::uint32_t>(pick(random, 3)) : 1};
    const std::uint32_t count = threads[0] * threads[1] * threads[2];
    std::array<std::int64_t, 3> stride{};
    for (auto& one : stride) one = pick(random, 2000) - 1000;
    const bool is_far = pick(random, 10) == 0;  // farther than a record can say
    if (is_far) stride[0] = std::int64_t{1} << 33;
    const bool is_whole = pick(random, 2) == 0;
    std::vector<std::uint32_t> lanes;
    std::vector<std::uint64_t> addresses;
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      if (!is_whole && pick(random, 3) == 0 && !(lanes.empty() && lane + 1 == count)) continue;
      lanes.push_back(lane);
      addresses.push_back(static_cast<std::uint64_t>((std::int64_t{1} << 40) +
                                                     stride[0] * (lane % threads[0]) +
                                                     stride[1] * (lane / threads[0] % threads[1]) +
                                                     stride[2] * (lane / threads[0] / threads[1])));
    }
    const bool is_changed = pick(random, 3) == 0;
    if (is_changed)
      addresses[static_cast<std::size_t>(pick(random, static_cast<int>(lanes.size())))] += 4;
    Regular subject;
    subject.set_up(threads.data());
    const Regular::Found found = subject.find(lanes, addresses);
    if (is_whole && !is_changed && !(is_far && threads[0] > 1)) {
      ASSERT_TRUE(found.is_regular) << round;
    }
    if (!found.is_regular) continue;
    ++regular;
    for (std::size_t k = 0; k < lanes.size(); ++k)
      ASSERT_TRUE(fits(found, threads, lanes[k], addresses[k])) << round;
  }
  EXPECT_GT(regular, 1000);
}

}  // namespace
}  // namespace heddle::runner
