// Asks Z3 whether an order is a permutation for all sizes.
//
// The program is turned into integer formulas over the extents and the block index. Products in
// which one side takes few values (die * per_die) become case distinctions, so that most published
// remaps end up linear.
//
// Does not encode: loops, blocks that do nothing, bit operations other than shifts by constants
// and masks 2^k-1. Those give `unknown` with the reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "order/bindings.h"
#include "order/order.h"
#include "order/program.h"

namespace heddle::proof {

struct SmtAnswer {
  enum class Kind { proved, candidate, unknown };
  Kind kind = Kind::unknown;
  std::string reason;                      ///< unknown: why
  std::vector<std::int64_t> extents;       ///< candidate: a grid on which to look for a counterexample
  std::vector<std::int64_t> tile_extents;  ///< candidate: its tile space, where it has its own
};

SmtAnswer ask_z3(const order::Program& program, const order::Shape& shape, const order::Bindings& bindings,
                 std::chrono::milliseconds time_limit);

}  // namespace heddle::proof
