// What a kernel does with other values of its knobs: orders that need no patch.
//
//   for (const KnobSetting& one : knob_settings(launch, "gemm.toml", {}, 8))
//     one.text()         "GROUP_SIZE_M = 16"
//     one.own            the order that the kernel has with it
//
// Rules
//   1. The same tiles, the same launch: a value that changes anything else is left out.
//   2. Powers of two up to 32, and the number of dies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "order/order.h"
#include "tiles/launch.h"

namespace heddle::tiles {

struct KnobSetting {
  std::string knob;
  std::int64_t value = 0;
  order::Map own;         ///< per turn: the tile of the box
  std::string own_order;  ///< compact; empty: no family gives it

  std::string text() const;
};

/// `launch` is lifted, of the job with these overrides, and has its knobs. Throws nothing.
std::vector<KnobSetting> knob_settings(const TileLaunch& launch, const std::string& job_path,
                                       const std::vector<std::string>& overrides, int dies);

}  // namespace heddle::tiles
