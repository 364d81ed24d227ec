// How much one dispatch moved and computed, from its counters.
//
// Rules
//   1. Nothing where a counter that it is made of was not recorded.
//   2. Operations are those of all 64 lanes of an instruction, whatever its mask.
#pragma once

#include <optional>

#include "profile/plausibility/checks.h"

namespace heddle::profile {

struct FabricBytes {
  double read = 0;
  double written = 0;
};
/// What the L2s read from beyond themselves and write there.
std::optional<FabricBytes> fabric_bytes(const Recording& recording, const Dispatch& dispatch);

/// Of floating point; a fused one counts two.
std::optional<double> vector_operations(const Recording& recording, const Dispatch& dispatch);
std::optional<double> matrix_operations(const Recording& recording, const Dispatch& dispatch);

}  // namespace heddle::profile
