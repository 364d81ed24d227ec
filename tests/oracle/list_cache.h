// The slow twin of sim's caches: every set is a vector of ways, every policy what a textbook says.
//
//   ListCache cache(4, 16, ListCache::Policy::lru, seed);
//   cache.access(set, tag, 0x3, 0x0)      a read that brings sectors 0 and 1
//
// Rules
//   1. LRU is a list of ways, the most recent first. Tree-PLRU is a tree of nodes, each of which
//      points to the side that was not used last; at first all point left. Random draws from a
//      linear congruential generator (Knuth's MMIX constants) whose start is (seed + set) times the
//      golden ratio, plus 1; the upper 32 bits are scaled to the ways. Sampled LRU draws four ways so,
//      and takes the one that stands last in the list, of equal ones the first.
//   2. The lowest free way is taken first. Where there is none, copies (tags with bit 31) go before
//      other lines, the copy in the lowest way first.
//   3. A line on probation stands at the end of the list, and the tree points at it; among several
//      none is older than the other for sampled LRU.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::oracle {

class ListCache {
 public:
  enum class Policy { lru, tree_plru, random, sampled_lru };
  struct Line {
    std::uint32_t tag = 0;
    std::uint32_t valid = 0;  ///< sectors
    std::uint32_t dirty = 0;  ///< sectors
    friend bool operator==(const Line&, const Line&) = default;
  };
  struct Outcome {
    std::optional<Line> before;  ///< nothing: a miss
    std::optional<Line> victim;
  };

  ListCache(std::int64_t sets, int ways, Policy policy, std::uint64_t seed);

  Outcome access(std::uint32_t set, std::uint32_t tag, std::uint32_t valid, std::uint32_t dirty);
  /// The same; a line that was not there is the next to go.
  Outcome access_on_probation(std::uint32_t set, std::uint32_t tag, std::uint32_t valid,
                              std::uint32_t dirty);
  /// Brings in a copy where no other line has to go for it. A copy that is there gets the sectors
  /// and is as old as before.
  void offer(std::uint32_t set, std::uint32_t tag, std::uint32_t valid);
  std::optional<Line> find(std::uint32_t set, std::uint32_t tag) const;
  /// By tag, ascending.
  std::vector<Line> lines(std::uint32_t set) const;

 private:
  struct Node {
    std::unique_ptr<Node> left;
    std::unique_ptr<Node> right;
    int way = 0;  ///< of a leaf
    bool victim_is_right = false;
  };
  struct Set {
    std::vector<std::optional<Line>> ways;
    std::list<int> recent;   ///< ways, the most recent first
    std::vector<bool> cold;  ///< ways that were not used since they came in
    std::unique_ptr<Node> root;
    std::uint64_t random = 0;
  };
  static std::unique_ptr<Node> make_tree(int first, int count);
  static bool point_away(Node& node, int way);
  static bool point_at(Node& node, int way);
  static int draw(Set& set);
  void use(Set& set, int way) const;
  int choose_victim(Set& set) const;
  static std::optional<int> free_way(const Set& set);
  static std::optional<int> copy_way(const Set& set);
  static std::optional<int> way_of(const Set& set, std::uint32_t tag);

  Policy policy_;
  std::vector<Set> sets_;
};

}  // namespace heddle::oracle
