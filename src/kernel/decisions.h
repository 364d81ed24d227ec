// Cases of a Triton program that are the same in every block of a launch (Decision).
//
//   rows != 1183                   settled while reading: rows is known for the launch
//   tl.num_programs(0) % 8 == 0    computed of the launch's grid
#pragma once

#include <optional>
#include <vector>

#include "config/launch.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {

__extension__ using WideInteger = __int128;

/// The exact result of integer arithmetic, divisions towards zero as Triton has them; nothing where
/// there is none, or none that is cheap to know. Numbers have `bits`.
std::optional<WideInteger> exact_integer(Opcode op, WideInteger a, WideInteger b, int bits);

/// Adds what an operation on these numbers comes to; nothing for one that decides nothing.
void add_decision(std::int32_t place, Opcode op, WideInteger a, WideInteger b,
                  std::vector<Decision>& decisions);

/// All of a program, read for the launch.
std::vector<Decision> find_decisions(const KernelProgram& program, const config::Launch& launch);

}  // namespace heddle::kernel
