// The launches that `shapes` tries: other sizes of the job, other numbers, other configs.
//
//   tiled   M, N          a tile is 64 of them          3 x 5 tiles, 17 x 3, 70,001 x 1
//   loose   H, W          the height of an image        values that give grids of their own
//
// Rules
//   1. Tile counts are chosen by heddle (config/other_sizes.h), few tiles first.
//   2. Sizes that the new index code may know by heart are tried at, below and above them: numbers
//      of its lines, and distances that its blocks' tiles have.
//   3. Strides are not tied to sizes, whatever the job says; nor is a number that the job writes as
//      one, and that new lines leave out, to those they name. Work need not fit such launches: they
//      are judged by index values alone.
//   4. Where the original is not defined for few tiles, as a group of no heads, a size of which each
//      is a tile is a multiple of the job's own, or of the number that varies.
//   5. Loose sizes vary one by one, with one tile along the others; where tiled ones vary, they are
//      as the job has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/patch.h"
#include "config/other_sizes.h"

namespace heddle::audit {

struct ShapeLaunch {
  std::vector<std::string> sizes;        ///< overrides
  std::vector<std::int64_t> tiles = {};  ///< along each tiled size; empty: not known
  bool is_large = false;                 ///< not traced
  bool has_others = false;  ///< other numbers than sizes differ: host code may have its own
  bool is_guess = false;    ///< perhaps no launch has these: a misfit says nothing
  std::optional<std::int64_t> config = {};
  std::string varied = {};  ///< the number that has another value; empty: sizes alone differ
};

inline constexpr std::int64_t kTracedBlocks = 8192;  ///< of a launch that is traced

class ShapeLaunches {
 public:
  static constexpr std::size_t kMostConstants = 16;  ///< that are tried

  ShapeLaunches(const PatchRequest& request, PatchJudge& judge);

  /// Numbers that the grid depends on.
  const std::vector<config::VaryingSize>& varying() const { return varying_; }
  const std::vector<config::VaryingSize>& tiled() const { return tiled_; }
  bool has_tiles() const { return !tiled_.empty(); }
  bool is_size(const std::string& name) const;
  std::optional<Grid> grid_with(const std::vector<std::string>& more) const;

  ShapeLaunch of_tiles(const std::vector<std::int64_t>& tiles, bool is_large = false) const;
  /// As many tiles, or multiples where the original is not defined for so few; `more` are other
  /// overrides, `number` is a value among them.
  std::vector<std::string> defined_sizes(const std::vector<std::int64_t>& tiles,
                                         const std::vector<std::string>& more,
                                         std::int64_t number) const;
  /// Few tiles in all combinations, ragged and grown ones.
  std::vector<ShapeLaunch> few() const;
  std::vector<ShapeLaunch> of_constants() const;
  std::vector<ShapeLaunch> of_strides() const;
  /// Other values of the numbers that new lines name, one by one.
  std::vector<ShapeLaunch> of_names() const;
  /// Other strides of tensors, and other values of numbers that new lines leave out: what was the
  /// same in the job need not be.
  std::vector<ShapeLaunch> of_relations() const;
  /// The other configs that the kernel's decorators list.
  std::vector<ShapeLaunch> of_configs() const;
  /// Many tiles along each size, one along the others.
  std::vector<ShapeLaunch> of_many() const;

 private:
  ShapeLaunch of_rest(std::int64_t rest) const;
  std::vector<std::string> few_tiles(std::int64_t tiles) const;
  ShapeLaunch of_number(std::int64_t tiles, const std::string& name, std::int64_t value) const;
  bool is_defined(const std::vector<std::string>& sizes) const;

  const PatchRequest& request_;
  PatchJudge& judge_;
  std::vector<config::VaryingSize> varying_;
  std::vector<config::VaryingSize> tiled_;
};

}  // namespace heddle::audit
