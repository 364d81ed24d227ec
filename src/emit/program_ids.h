// Where a Triton kernel takes its program ids: what a rewriting replaces.
//
//   pid = tl.program_id(axis=0)              axis 0, a statement of its own
//   row = tl.program_id(1) * BLOCK + ...     axis 1
//
// Rules
//   1. Every use is found, or the kernel is refused with the place and the reason: an axis that is
//      not a number, a use in a helper that the kernel calls, in a nested function or in a text,
//      and a program_id that is passed on rather than called.
//   2. Calls of functions that are in no file at hand, which could hide one, are listed. They do
//   not
//      matter where the kernel was read for a launch: there every call that is reached is known.
//   3. Only a @triton.jit function is a kernel; one that another kernel calls, or that the file
//      defines twice, is refused.
//
// Does not see: names that are made at run time (getattr, exec).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/program.h"
#include "kernel/triton/source.h"

namespace heddle::emit {

struct ProgramId {
  int axis = 0;
  const kernel::triton::Node* call = nullptr;
  std::size_t statement = 0;  ///< index into the function's body
  bool is_whole = false;      ///< the statement only gives it a name: pid = tl.program_id(0)
};

/// A call of a function whose code is not at hand.
struct UnseenCall {
  std::string name;
  std::string path;
  Position position;
};

/// Points into the source it was found in, which must outlive it.
struct ProgramIds {
  const kernel::triton::Module* module = nullptr;
  const kernel::triton::Node* function = nullptr;
  std::vector<ProgramId> uses;  ///< in the order of the text; never empty
  std::vector<UnseenCall> unseen;
  int axes = 1;                 ///< the last axis used, plus one
  std::string language;         ///< how the file calls triton.language: "tl"
  bool own_minimum = false;     ///< min or max are something else here than Python's
  std::set<std::string> names;  ///< of the function, its parameters and the file
  std::set<std::string> known;  ///< parameters and globals that have a value before the first use
  std::set<std::string> constant;  ///< parameters that are tl.constexpr

  std::size_t first_statement() const { return uses.front().statement; }
};

/// `function` may be empty where the file has one kernel. Throws Error where rule 1 or 3 says so.
ProgramIds find_program_ids(kernel::triton::TritonSource& source, const std::string& function);

/// Throws Error where a function that is not at hand could take a program id.
void refuse_unseen(const ProgramIds& ids);

/// Throws Error if the kernel, as read for a launch, takes a program id that was not found.
void check_program(const ProgramIds& ids, const kernel::KernelProgram& program);

}  // namespace heddle::emit
