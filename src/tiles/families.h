// The name of the family that gives a map, if heddle has one.
//
//   FamilyNames names({7, 5}, {{4}});
//   names.find({0, 5, 10, 15, 1, ...})          "group(4)"
//
// Rules
//   1. `extents` is the box, slowest first; beyond three axes the slowest are taken together.
//   2. Tried are line families (xcd, xcd_chunk, reverse), walks (columns, group, ...) and a line
//      family before a walk, with small parameters and the given ones. One stage wins over two.
//   3. A name is the very map: every tile was compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "order/order.h"
#include "order/space.h"

namespace heddle::tiles {

/// A permutation of the box: per turn the tile.
using TileMap = std::vector<std::int64_t>;

/// Numbers that families are tried with.
struct FamilyNumbers {
  std::vector<std::int64_t> given;  ///< the kernel is compiled with them
  /// Of dies and of chunks, and no others; nothing: the given ones and some usual ones.
  std::optional<std::vector<std::int64_t>> of_dies = std::nullopt;
};

class FamilyNames {
 public:
  FamilyNames(std::vector<std::int64_t> extents, const FamilyNumbers& numbers);
  ~FamilyNames();
  FamilyNames(const FamilyNames&) = delete;
  FamilyNames& operator=(const FamilyNames&) = delete;

  /// Empty: no family gives it.
  std::string find(const TileMap& map);
  /// Of walks of one stage alone.
  std::string find_walk(const TileMap& map);
  /// Line families on so many blocks, as texts: "identity" first.
  static std::vector<std::string> lines(std::int64_t blocks, const FamilyNumbers& numbers);

 private:
  class Known;
  bool gives(Known& known, const TileMap& map);

  order::Space space_;
  std::vector<std::unique_ptr<Known>> lines_;
  std::vector<std::unique_ptr<Known>> walks_;
  std::vector<std::unique_ptr<Known>> heads_;
};

/// The map of a line family on so many blocks.
TileMap line_map(const std::string& text, std::int64_t blocks);

}  // namespace heddle::tiles
