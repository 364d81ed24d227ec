// Inline assembly of GPUs as calls of the device headers, so that what it reads and writes is
// observed like all else.
//
//   asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(v) : "l"(p));
//     -> do { auto& heddle_0 = (v); const auto heddle_1 = (p);
//             ::heddle_ptx::load<float, 1>(::heddle_ptx::at<false>(heddle_1, 0), heddle_0); } while (0)
//
// Rules
//   1. Every instruction of a statement is known (gpu_instructions.h), or the statement is one that
//      Clang accepts, whose text is the first instruction that is not. The compile step refuses it by
//      that name if the kernel reaches it (unseen.h).
//   2. Lines stay what they are; what stands behind a statement on its line may move.
//   3. Operands are evaluated once, inputs before anything is written. Bodies of macros are read too.
//   4. Assembly of other processors, and assembly that cannot be parsed, stays as it is.
//
// Does not model: branches and labels of assembly, strings that macros make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::kernel::cxx {

struct AssemblyOperand {
  std::string name;        ///< of %[name]; may be empty
  std::string expression;  ///< C++
  bool is_output = false;
};

struct AssemblyStatement {
  std::string text;  ///< the strings, joined
  std::vector<AssemblyOperand> operands;
};

/// The device headers that a text needs beside those that every kernel gets.
std::vector<std::string> headers_for(std::string_view text);

/// Where a statement's text is a GPU's, what stands for it.
std::string without_gpu_assembly(std::string_view text);

}  // namespace heddle::kernel::cxx
