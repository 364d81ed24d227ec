// How many tiles each axis has, as an order's text counts them. Not for other folders: include
// order/tile_reading.h.
//
//   num_pid_m = tl.cdiv(M, BLOCK_M)    ==>    axis m: num_pid_m
//   x = pid // tl.cdiv(N, BLOCK_N)     ==>    axis n: tl.cdiv(N, BLOCK_N), called "tiles of N"
//
// Rules
//   1. Taken are, the first kind that an axis has: quotients under a name of that axis; quotients
//      whose dividend has a name of that axis; other names that count (axis_name.h), and quotients
//      of those.
//   2. All are the same in every block.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "order/bindings.h"
#include "order/flow.h"
#include "order/program.h"

namespace heddle::order {

struct TileCount {
  std::string name;  ///< as a message calls it
  int node = -1;     ///< of the program; -1: the value of `slot`
  int slot = -1;
};

class TileCounts {
 public:
  TileCounts(const Program& program, const Flow& flow, const Bindings& bindings);

  bool has(const std::string& axis) const { return by_axis_.count(axis) > 0; }
  const std::vector<TileCount>& of(const std::string& axis) const { return by_axis_.at(axis); }
  /// Its value on a space; nothing where the arithmetic fails or is not positive.
  std::optional<std::int64_t> value(const TileCount& count, const Space& space) const;

 private:
  void add(std::string_view axis_name, TileCount count);
  bool is_quotient(int node) const;
  std::string dividend_name(int node) const;
  std::optional<int> resolved(int node) const;

  const Program& program_;
  const Flow& flow_;
  const Bindings& bindings_;
  Program uniform_;  ///< the steps that are the same in every block, and nothing else
  std::map<std::string, std::vector<TileCount>> by_axis_;
};

}  // namespace heddle::order
