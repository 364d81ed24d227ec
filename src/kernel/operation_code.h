// How many operations compilers make of what takes more than one.
//
//   function_code(erf)   1 special operation, 20 multiply-adds
#pragma once

#include "kernel/tile_program.h"

namespace heddle::kernel {

/// Simple (of functions: special) and multiplying operations that something takes, per element.
struct Operations {
  double simple = 0;
  double multiply = 0;
};

// What compilers make of them, roughly: a reciprocal, two corrections; a product and a shift.
inline constexpr Operations kDivision = {10, 5};
// Counted in what Clang 19 makes for a gfx942; the reciprocal takes as long as a product.
inline constexpr Operations kDivisionOfAmd = {20, 5};
inline constexpr Operations kDivisionByConstant = {4, 2};
inline constexpr Operations kDivisionByPower = {2, 0};
// Philox: ten rounds of two wide products, two sums and four exclusive ors; then a conversion.
inline constexpr Operations kRandom = {45, 20};
inline constexpr Operations kFloatDivision = {1, 3};  // a reciprocal, scaled
inline constexpr Operations kRoot = {1, 1};
inline constexpr Operations kPolynomial = {1, 20};  // and an exponential or a reciprocal
inline constexpr Operations kPointer = {1, 0};
inline constexpr Operations kWidePointer = {2, 0};  // both halves of 64 bits

/// What compilers make of a function or a quotient of floating-point numbers.
Operations function_code(const Instruction& one);

/// The same of numbers of so many bytes for AMD's GPUs, where no two operations go together: quotients are rounded
/// right, and denormal numbers are scaled. Counted in what Clang 19 makes for a gfx942; Triton leaves
/// out the corrections of a root.
Operations function_code_of_amd(const Instruction& one, int bytes);

/// Of floating-point numbers too, done by the pipe for integers.
bool compares(Opcode op);

}  // namespace heddle::kernel
