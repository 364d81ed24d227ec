// From a pointer block and a mask to an access pattern, checked against the tensors.
//
//   pointer 4096 + 16384 i + 2 j, mask window [0, 100) on axis 0
//     -> base 4096, axes {extent 128, stride 16384, 0..100} {extent 64, stride 2, 0..64}
//
// Rules
//   1. Affine patterns and tables are checked by the range of their active part, in time per axis;
//      only what fails that is checked element by element.
//   2. Elements outside their tensor are recorded as a fault and taken out of the pattern
//      (`active` is set then); with TraceOptions::strict they are an Error.
//   3. A pointer whose tensor is not known belongs to the tensor that holds its address.
#pragma once

#include "trace/interpreter/context.h"
#include "trace/interpreter/lanes.h"

namespace heddle::trace::interpreter {

/// Scratch slots of an access; the families share them, so each operand has its own.
inline constexpr int kPointerSlot = 0;
inline constexpr int kMaskSlot = 1;
inline constexpr int kValueSlot = 2;
inline constexpr int kCompareSlot = 3;
inline constexpr int kOldSlot = 5;   ///< what an atomic finds
inline constexpr int kKeptSlot = 5;  ///< flags: what lies inside

/// Fills memory.pattern, checks it and hands it to the sink. True if elements were taken out.
bool touch(Context& context, MemoryStep& memory);

}  // namespace heddle::trace::interpreter
