// Where a C++ file launches its kernel, and with what between <<< and >>>.
//
//   dim3 grid(n / 16, n / 16);
//   scale<float><<<grid, 256, 0, stream>>>(x, n)       grid: n / 16, n / 16   others: 256, 0, ...
//   hipLaunchKernelGGL(scale<float>, grid, dim3(256), 0, 0, x, n)
//
// Rules
//   1. A name as the grid is followed to its one definition in the file.
//   2. Nothing is evaluated: expressions are compared as tokens. The same ones are PROVED for the
//      job's grid, others are UNKNOWN unless the user says the grid.
//   3. `ignored` of a side are the tokens of its grids: compared here, not with the code. So a grid
//      that differs may hold nothing but names, numbers, + - * / %, dim3 and calls that the other
//      has too; `grid_doubt` names anything else.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "audit/cxx_files.h"
#include "audit/host_launch.h"

namespace heddle::audit {

struct CxxLaunch {
  int line = 0;
  std::string grid;                 ///< its tokens
  std::string quoted;               ///< the grid as written
  std::vector<std::string> others;  ///< threads, shared memory, stream
  std::set<std::size_t> grid_tokens;
};

std::vector<CxxLaunch> find_cxx_launches(const kernel::cxx::CxxSource& source,
                                         const kernel::cxx::CxxFunction& function);

/// Of `given`, names and tensors are not looked at. Fills in `ignored` of both sides.
LaunchJudgement judge_cxx_launch(CxxCodeSide& before, CxxCodeSide& after, const LaunchGiven& given);

/// "the new kernel is launched on 8 instead of 16, 8 fewer (as you say)": UNKNOWN until `bytes`
/// says whether that is enough.
void judge_other_grid(LaunchJudgement& judgement, const Grid& before, const Grid& after,
                      const std::string& source);

}  // namespace heddle::audit
