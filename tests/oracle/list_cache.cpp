#include "oracle/list_cache.h"

#include <algorithm>

namespace heddle::oracle {
namespace {

constexpr std::uint32_t kCopyBit = 1U << 31;

std::size_t at(int way) {
  return static_cast<std::size_t>(way);
}

}  // namespace

ListCache::ListCache(std::int64_t sets, int ways, Policy policy, std::uint64_t seed)
    : policy_(policy), sets_(static_cast<std::size_t>(sets)) {
  for (std::size_t k = 0; k < sets_.size(); ++k) {
    sets_[k].ways.resize(at(ways));
    sets_[k].cold.resize(at(ways));
    if (policy == Policy::tree_plru) sets_[k].root = make_tree(0, ways);
    sets_[k].random = (seed + k) * 0x9e3779b97f4a7c15 + 1;
  }
}

std::unique_ptr<ListCache::Node> ListCache::make_tree(int first, int count) {
  auto node = std::make_unique<Node>();
  node->way = first;
  if (count > 1) {
    node->left = make_tree(first, count / 2);
    node->right = make_tree(first + count / 2, count / 2);
  }
  return node;
}

/// Whether the way is below this node; if so, every node on the way there points elsewhere.
bool ListCache::point_away(Node& node, int way) {
  if (!node.left) return node.way == way;
  if (point_away(*node.left, way)) {
    node.victim_is_right = true;
    return true;
  }
  if (point_away(*node.right, way)) {
    node.victim_is_right = false;
    return true;
  }
  return false;
}

bool ListCache::point_at(Node& node, int way) {
  if (!node.left) return node.way == way;
  for (const bool right : {false, true}) {
    if (!point_at(right ? *node.right : *node.left, way)) continue;
    node.victim_is_right = right;
    return true;
  }
  return false;
}

int ListCache::draw(Set& set) {
  set.random = set.random * 6364136223846793005U + 1442695040888963407U;
  return static_cast<int>((set.random >> 32) * set.ways.size() >> 32);
}

void ListCache::use(Set& set, int way) const {
  set.cold[at(way)] = false;
  set.recent.remove(way);
  set.recent.push_front(way);
  if (set.root) point_away(*set.root, way);
}

int ListCache::choose_victim(Set& set) const {
  if (policy_ == Policy::lru) return set.recent.back();
  if (policy_ == Policy::tree_plru) {
    const Node* node = set.root.get();
    while (node->left) node = node->victim_is_right ? node->right.get() : node->left.get();
    return node->way;
  }
  int chosen = draw(set);
  if (policy_ == Policy::random) return chosen;
  const auto age = [&](int way) {
    if (set.cold[at(way)]) return static_cast<std::ptrdiff_t>(set.ways.size());
    return std::distance(set.recent.begin(), std::find(set.recent.begin(), set.recent.end(), way));
  };
  for (int drawn = 1; drawn < 4; ++drawn) {
    const int way = draw(set);
    if (age(way) > age(chosen)) chosen = way;
  }
  return chosen;
}

std::optional<int> ListCache::free_way(const Set& set) {
  for (std::size_t k = 0; k < set.ways.size(); ++k)
    if (!set.ways[k]) return static_cast<int>(k);
  return std::nullopt;
}

std::optional<int> ListCache::copy_way(const Set& set) {
  for (std::size_t k = 0; k < set.ways.size(); ++k)
    if (set.ways[k] && (set.ways[k]->tag & kCopyBit) != 0) return static_cast<int>(k);
  return std::nullopt;
}

std::optional<int> ListCache::way_of(const Set& set, std::uint32_t tag) {
  for (std::size_t k = 0; k < set.ways.size(); ++k)
    if (set.ways[k] && set.ways[k]->tag == tag) return static_cast<int>(k);
  return std::nullopt;
}

ListCache::Outcome ListCache::access(std::uint32_t set_index, std::uint32_t tag,
                                     std::uint32_t valid, std::uint32_t dirty) {
  Set& set = sets_[set_index];
  Outcome outcome;
  std::optional<int> way = way_of(set, tag);
  if (way) {
    Line& line = *set.ways[at(*way)];
    outcome.before = line;
    line.valid |= valid;
    line.dirty |= dirty;
  } else {
    way = free_way(set);
    if (!way) {
      way = copy_way(set);
      if (!way) way = choose_victim(set);
      outcome.victim = set.ways[at(*way)];
    }
    set.ways[at(*way)] = Line{tag, valid, dirty};
  }
  use(set, *way);
  return outcome;
}

ListCache::Outcome ListCache::access_on_probation(std::uint32_t set_index, std::uint32_t tag,
                                                  std::uint32_t valid, std::uint32_t dirty) {
  const Outcome outcome = access(set_index, tag, valid, dirty);
  Set& set = sets_[set_index];
  const int way = *way_of(set, tag);
  if (outcome.before || policy_ == Policy::random) return outcome;
  set.recent.remove(way);
  set.recent.push_back(way);
  set.cold[at(way)] = true;
  if (set.root) point_at(*set.root, way);
  return outcome;
}

void ListCache::offer(std::uint32_t set_index, std::uint32_t tag, std::uint32_t valid) {
  Set& set = sets_[set_index];
  if (const std::optional<int> there = way_of(set, tag)) {
    set.ways[at(*there)]->valid |= valid;
    return;
  }
  std::optional<int> way = free_way(set);
  if (!way) way = copy_way(set);
  if (!way) return;
  set.ways[at(*way)] = Line{tag, valid, 0};
  use(set, *way);
}

std::optional<ListCache::Line> ListCache::find(std::uint32_t set, std::uint32_t tag) const {
  const std::optional<int> way = way_of(sets_[set], tag);
  return way ? sets_[set].ways[at(*way)] : std::nullopt;
}

std::vector<ListCache::Line> ListCache::lines(std::uint32_t set) const {
  std::vector<Line> result;
  for (const std::optional<Line>& line : sets_[set].ways)
    if (line) result.push_back(*line);
  std::sort(result.begin(), result.end(),
            [](const Line& a, const Line& b) { return a.tag < b.tag; });
  return result;
}

}  // namespace heddle::oracle
