// How C++ code names a kernel: with its namespace, its template arguments, and among its overloads.
//
//   full_name(gemm, "gemm<16>", "k.cu")     "kernels::gemm<16>", where gemm stands in that namespace
//   name_callee(scale, native)              callee: "static_cast<HeddleOverload>(&scale)", if there
//                                           are two kernels of that name
#pragma once

#include <string>

#include "kernel/cxx/source.h"
#include "kernel/native.h"

namespace heddle::kernel::cxx {

/// `asked` is the job's name for it. Throws Error at its place where template arguments are missing.
std::string full_name(const CxxFunction& function, const std::string& asked,
                      const std::string& path);

/// Sets callee, signature and overload of `native`, whose function is full_name().
void name_callee(const CxxFunction& function, NativeCode& native);

}  // namespace heddle::kernel::cxx
