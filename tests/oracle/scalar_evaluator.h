// The slow twin of order::Evaluator: one launch id at a time, straight down the program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "order/program.h"
#include "order/space.h"

namespace heddle::oracle {

/// The tile of one launch id: as order::Evaluator::run gives it (tile, kIdle, kOutside, kFailed).
std::int64_t tile_of(const order::Program& program, const order::Space& space,
                     const std::vector<std::int64_t>& name_values, LaunchId launch);

}  // namespace heddle::oracle
