// Asks Z3 whether an order is a permutation for all sizes.
//
// The program is turned into integer formulas over the extents and the block index. Products in
// which one side takes few values (die * per_die) become case distinctions, so that most published
// remaps end up linear.
//
// Does not encode: loops, blocks that do nothing, shifts by variable amounts. Those give `unknown`
// with the reason.
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
  std::string reason;                 ///< unknown: why
  bool plain = false;                 ///< proved: all values fit int32, no dividend is negative
  std::vector<std::int64_t> extents;  ///< candidate: a grid on which to look for a counterexample
  std::vector<std::int64_t> tile_extents;  ///< candidate: its tile space, where it has its own
};

inline SmtAnswer unknown(std::string reason) {
  SmtAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}
inline SmtAnswer proved() {
  SmtAnswer answer;
  answer.kind = SmtAnswer::Kind::proved;
  return answer;
}

SmtAnswer ask_z3(const order::Program& program, const order::Shape& shape,
                 const order::Bindings& bindings, std::chrono::milliseconds time_limit);

}  // namespace heddle::proof
