// Where a C++ file launches its kernel, and with what between <<< and >>>.
//
//   dim3 grid(n / 16, n / 16);
//   scale<float><<<grid, 256, 0, stream>>>(x, n)       grid: n / 16, n / 16   others: 256, 0, ...
//   hipLaunchKernelGGL(scale<float>, grid, dim3(256), 0, 0, x, n)
//
// Rules
//   1. A name as the grid is followed to its declaration in the function, and to the members of a dim3
//      that are set behind it, where nothing but launches of the kernel uses it. What is done to any
//      other name is a part of the grid.
//   2. Expressions are compared as tokens, with the numbers that they name (host_numbers.h). The same
//      ones are PROVED for the job's grid. Extents that are the original's in another order, or
//      products of them, have the values of the job's grid. Others are computed, where the original's
//      come to the job's grid; else they are UNKNOWN unless the user says the grid.
//   3. `ignored` of a side are the tokens of its grids, with the statements of rule 1: compared here, not with the code. So a grid
//      that differs may hold nothing but names, numbers, + - * / %, dim3, macros of arithmetic and
//      calls that the other has too; `grid_doubt` names anything else.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/patch/files.h"
#include "kernel/patch.h"

namespace heddle::kernel::cxx {

struct CxxLaunch {
  int line = 0;
  std::string grid;                  ///< its tokens
  std::vector<std::string> extents;  ///< the tokens of each; empty: it is not a list of extents
  std::string quoted;                ///< the grid as written
  std::vector<std::string> others;   ///< threads, shared memory, stream
  std::set<std::size_t> grid_tokens;
  std::set<std::size_t> number_tokens;  ///< of the declarations of numbers that the grid names
  std::string numbers;                  ///< those declarations
  std::vector<TokenRange> values;       ///< of those numbers
  std::vector<TokenRange> ranges;       ///< of the extents
  std::vector<TokenRange> handed;       ///< to the kernel
  std::size_t at = 0;                   ///< a token of it
  std::string kernel;                   ///< its name with template arguments; empty: not seen
};

std::vector<CxxLaunch> find_cxx_launches(const CxxSource& source, const CxxFunction& function);

/// A side of a comparison of code: its launches' grids are `ignored`.
CxxCodeSide code_side(const CxxSource& source, const CxxFunction& function);
/// Whether the file uses the kernel in no way but launches of the job's: "transpose<32, 8>", also
/// by names of those numbers.
bool is_only_instance(const CxxSource& source, const CxxFunction& function,
                      const config::Launch& job);
/// Fills in `grid_doubt` of the new side.
void doubt_grids(const CxxCodeSide& before, CxxCodeSide& after);

LaunchComparison judge_launch(const CxxCodeSide& before, const CxxCodeSide& after,
                              const PatchSide& old_side, const PatchSide& new_side,
                              const std::optional<Grid>& given);

}  // namespace heddle::kernel::cxx
