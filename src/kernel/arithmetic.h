// Counts the arithmetic of every block, element by element, from its instructions.
//
//   acc += a * b   on [128, 64] fp32   ->   8192 fused fp32   (one multiply-add each)
//
// Rules
//   1. A multiplication whose only use is an addition or subtraction beside it is fused with it,
//      as GPU compilers do.
//   2. Division, square roots, exponentials and their like are transcendental; min, max, compare,
//      select and logic count as add; casts and address arithmetic on pointers do not count.
//   3. A dot counts its multiply-adds, under the type of its first operand.
#pragma once

#include <optional>

#include "config/gpu.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {

void count_arithmetic(KernelProgram& program);

/// What one instruction counts; nothing if it is no arithmetic. Products are not fused here.
std::optional<ArithmeticCount> count_of(const KernelProgram& program,
                                        const Instruction& instruction);

/// Adds a count to a list, merging equal kinds and types; the list stays ordered.
void add_count(std::vector<ArithmeticCount>& counts, const ArithmeticCount& more);

/// Operations a cycle; a multiply-add is one.
double rate_of(ArithmeticKind kind, config::DType type, const config::GpuArithmetic& rates);

}  // namespace heddle::kernel
