#include "tiles/families.h"

#include <fmt/format.h>

#include <algorithm>

#include "order/compact.h"
#include "order/evaluate.h"
#include "support/error.h"

namespace heddle::tiles {
namespace {

constexpr std::int64_t kMostParameter = 4096;

std::vector<std::int64_t> parameters(const std::vector<std::int64_t>& hints,
                                     const std::vector<std::int64_t>& usual) {
  std::vector<std::int64_t> result;
  for (const auto* list : {&hints, &usual})
    for (const std::int64_t one : *list)
      if (one > 1 && one <= kMostParameter &&
          std::find(result.begin(), result.end(), one) == result.end())
        result.push_back(one);
  return result;
}

/// Of xcd(n) and the like.
std::vector<std::int64_t> die_parameters(const FamilyNumbers& numbers,
                                         const std::vector<std::int64_t>& usual) {
  return numbers.of_dies ? parameters(*numbers.of_dies, {}) : parameters(numbers.given, usual);
}

std::vector<std::string> walk_texts(std::size_t axes, const std::vector<std::int64_t>& hints) {
  std::vector<std::string> texts = {"identity"};
  if (axes < 2) return texts;
  for (const char* name : {"columns", "snake", "morton", "hilbert"}) texts.emplace_back(name);
  const std::vector<std::int64_t> sizes = parameters(hints, {8, 4, 2, 16, 3, 5, 6, 7, 12, 32, 64});
  for (const char* name : {"group", "group_columns", "group_snake", "group_columns_snake"})
    for (const std::int64_t size : sizes) texts.push_back(fmt::format("{}({})", name, size));
  return texts;
}

/// Walks that are the same as a line family on many boxes: asked for last.
std::vector<std::string> head_texts(std::size_t axes, const FamilyNumbers& numbers) {
  std::vector<std::string> texts;
  if (axes < 2) return texts;
  for (const char* name : {"block_first", "head_first"})
    for (const std::int64_t dies : die_parameters({{}, numbers.of_dies}, {8, 4, 2, 6, 16}))
      texts.push_back(fmt::format("{}({})", name, dies));
  return texts;
}

}  // namespace

/// A family on the space; its map is computed as far as somebody asks.
class FamilyNames::Known {
 public:
  Known(std::string name, const order::Space& space) : text(std::move(name)), space_(space) {}

  /// -1: the family is none for this space.
  std::int64_t at(std::size_t turn) {
    if (failed_) return -1;
    try {
      while (map_.size() <= turn) extend();
    } catch (const Error&) {
      failed_ = true;
      return -1;
    }
    return map_[turn];
  }

  const TileMap* inverse() {
    const auto count = static_cast<std::size_t>(space_.block_count());
    if (inverse_.empty()) {
      if (at(count - 1) < 0) return nullptr;
      const std::optional<order::Map> undone = order::invert(map_);
      if (!undone) return nullptr;
      inverse_ = *undone;
    }
    return &inverse_;
  }

  const std::string text;

 private:
  void extend() {
    if (!evaluator_) {
      program_ = order::read_compact(text).program(order::Shape::of(space_), {});
      evaluator_ = std::make_unique<order::Evaluator>(
          program_, space_, order::Bindings{}.values(program_.names, space_));
    }
    const std::size_t first = map_.size();
    const auto all = static_cast<std::size_t>(space_.block_count());
    const std::size_t count = std::min<std::size_t>(order::kLanes, all - first);
    map_.resize(first + count);
    evaluator_->run(LaunchId{static_cast<std::int64_t>(first)}, {map_.data() + first, count});
  }

  order::Space space_;
  order::Program program_;
  std::unique_ptr<order::Evaluator> evaluator_;
  TileMap map_;
  TileMap inverse_;
  bool failed_ = false;
};

std::vector<std::string> FamilyNames::lines(std::int64_t blocks, const FamilyNumbers& numbers) {
  std::vector<std::string> texts = {"identity", "reverse"};
  const std::vector<std::int64_t> dies = die_parameters(numbers, {8, 2, 3, 4, 6, 7, 16, 32});
  const std::vector<std::int64_t> chunks = die_parameters(numbers, {4, 8, 2, 16, 32, 64, 3, 5, 6});
  for (const char* name : {"xcd", "xcd_tail"})
    for (const std::int64_t one : dies)
      if (one < blocks) texts.push_back(fmt::format("{}({})", name, one));
  for (const std::int64_t one : dies)
    for (const std::int64_t chunk : chunks)
      if (one * chunk <= blocks) texts.push_back(fmt::format("xcd_chunk({}, {})", one, chunk));
  return texts;
}

FamilyNames::FamilyNames(std::vector<std::int64_t> extents, const FamilyNumbers& numbers) {
  std::erase(extents, 1);
  if (extents.empty()) extents = {1};
  while (extents.size() > 3) {
    extents[1] *= extents[0];
    extents.erase(extents.begin());
  }
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  space_.launch = Grid({count});
  if (extents.size() > 1) space_.tiles = Grid(extents);
  for (const std::string& text : lines(count, numbers))
    lines_.push_back(std::make_unique<Known>(text, space_));
  for (const std::string& text : walk_texts(extents.size(), numbers.given))
    walks_.push_back(std::make_unique<Known>(text, space_));
  for (const std::string& text : head_texts(extents.size(), numbers))
    heads_.push_back(std::make_unique<Known>(text, space_));
}

FamilyNames::~FamilyNames() = default;

bool FamilyNames::gives(Known& known, const TileMap& map) {
  for (std::size_t turn = 0; turn < map.size(); ++turn)
    if (known.at(turn) != map[turn]) return false;
  return true;
}

std::string FamilyNames::find_walk(const TileMap& map) {
  for (const auto& walk : walks_)
    if (gives(*walk, map)) return walk->text;
  return {};
}

std::string FamilyNames::find(const TileMap& map) {
  if (const std::string walk = find_walk(map); !walk.empty()) return walk;
  for (const auto& line : lines_)
    if (gives(*line, map)) return line->text;
  for (const auto& walk : heads_)
    if (gives(*walk, map)) return walk->text;
  for (const auto& walk : walks_) {
    if (walk->text == "identity") continue;
    const TileMap* undo = walk->inverse();
    if (undo == nullptr) continue;
    TileMap before(map.size());
    for (std::size_t turn = 0; turn < map.size(); ++turn)
      before[turn] = (*undo)[static_cast<std::size_t>(map[turn])];
    for (const auto& line : lines_)
      if (gives(*line, before)) return line->text + " | " + walk->text;
  }
  return {};
}

TileMap line_map(const std::string& text, std::int64_t blocks) {
  order::Space space;
  space.launch = Grid({blocks});
  return order::materialize(order::read_compact(text), space, {});
}

}  // namespace heddle::tiles
