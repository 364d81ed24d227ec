// A kernel's file as a machine with a GPU takes it: the kernel and what it needs, and nothing else.
//
//   @triton.autotune(configs=get_configs(), key=["M"])      import triton
//   @triton.jit                                             import triton.language as tl
//   def matmul(a_ptr, M, GROUP: tl.constexpr):              GROUP_SIZE = tl.constexpr(8)
//       pid = swizzle(tl.program_id(0), M)                  @triton.jit
//   torch.manual_seed(0)                             ──▶    def swizzle(pid, M): ...
//   benchmark.run(show_plots=True)                          @triton.jit
//                                                           def matmul(a_ptr, M, GROUP: tl.constexpr): ...
//
// Rules
//   1. Needed is what the kernel's code names, and what that names in turn: functions, statements
//      of the module that give a name its value, imports. Names of files that `TritonSource` finds
//      are taken from there; other modules are imported by name.
//   2. A kernel keeps nothing of its decorators but @triton.jit and whether arguments are
//      specialized. Other functions keep theirs.
//   3. Names of the file that the job sets have the job's value.
//   4. Two files may call different things by one name: the second gets a new one.
//   5. Blocks under `if __name__ == "__main__"` are never needed.
//   6. A file without such a kernel, or that Python cannot parse, is not changed.
#pragma once

#include <string>

#include "config/launch.h"

namespace heddle::kernel::triton {

std::string runtime_module(const std::string& path, const std::string& text,
                           const config::Launch& launch);

}  // namespace heddle::kernel::triton
