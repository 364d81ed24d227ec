// What a first job for a C++ kernel can say: the launch as the host code has it, sizes, structs'
// members, contents of integers. Everything is a guess that a person checks.
//
//   gemm<32><<<dim3(CEIL_DIV(N, 32), CEIL_DIV(M, 32)), dim3(32, 32)>>>(M, N, K, dA, dB, dC)
//     function = "gemm<32>"   grid = ["cdiv(N, 32)", "cdiv(M, 32)"]   threads = [32, 32]
//
// Rules
//   1. Launches are looked for in the kernel's file, then in the other files of its folder and of
//      the folder above. The first one whose grid and threads can be read counts (host_values.h).
//   2. Without one, the axes of threadIdx and blockIdx that the kernel uses say how many extents
//      there are.
//   3. A tensor has the size that the host code allocates, or one that is large enough for most
//      kernels. A tensor of integers gets contents, since addresses may depend on them.
//   4. Of several kernels of one name the launches tell by the number of arguments which is meant.
//   5. Nothing is compiled or run, and nothing is an Error.
#pragma once

#include "config/skeleton.h"
#include "kernel/cxx/source.h"
#include "kernel/cxx/type_book.h"

namespace heddle::kernel::cxx {

/// The kernel of that name; throws Error where rule 4 does not tell.
const CxxFunction& launched_kernel(const CxxSource& source, const std::string& name);

void guess_launch(const CxxSource& source, const CxxFunction& function, const TypeBook& types,
                  config::SkeletonInput& input);

}  // namespace heddle::kernel::cxx
