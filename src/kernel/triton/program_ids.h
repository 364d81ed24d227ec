// Where a Triton kernel takes its program ids.
//
//   pid = tl.program_id(axis=0)              axis 0, a statement of its own
//   row = tl.program_id(1) * BLOCK + ...     axis 1
//
// Rules
//   1. Refused are: an axis that is not a number, a use in a helper that the kernel calls, in a
//      nested function or in a text, and a program_id that is passed on rather than called.
//   2. Calls of functions whose file is not at hand could hide one: they are listed. They do not
//      matter where the kernel was read for a launch: there every call that is reached is known.
//   3. Only a @triton.jit function is a kernel; one that another kernel calls, or that the file
//      defines twice, is refused.
//   4. An order's code stands before the first statement that uses a program id. A new text is
//      parsed again and compared with the old, statement by statement.
//
// Does not see: names that are made at run time (getattr, exec).
#pragma once

#include <string>
#include <vector>

#include "kernel/index_uses.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

/// What ProgramIds knows of IndexUses::uses besides, one each.
struct ProgramId {
  int axis = 0;
  const Node* call = nullptr;
  std::size_t statement = 0;  ///< index into the function's body
  bool is_whole = false;      ///< the statement only gives it a name: pid = tl.program_id(0)
};

/// A call of a function whose code is not at hand.
struct UnseenCall {
  std::string name;
  std::string path;
  Position position;
};

/// Throws Error unless it is a kernel that can be rewritten (rule 3).
void check_kernel(const TritonSource& source, const Node& function);

/// How triton.language is called in a function with names of its own. Throws Error at the position.
std::string language_name(const Module& module, const std::set<std::string>& own, Position at);

class ProgramIds final : public IndexUses {
 public:
  /// `function` may be empty where the file has one kernel. Throws Error where rule 1 or 3 says so.
  ProgramIds(TritonSource& source, const std::string& function);

  CodePlace place() const override;
  void refuse_unseen() const override;
  void check_program(const KernelProgram& program) const override;
  void check_rewritten(const std::string& after,
                       const std::vector<std::string>& names) const override;

 private:
  std::size_t first_statement() const { return calls_.front().statement; }
  void find_names();
  bool may_take_index(const ProgramId& call) const;

  const Module* module_ = nullptr;
  const Node* function_ = nullptr;
  std::vector<ProgramId> calls_;
  std::vector<UnseenCall> unseen_;
};

}  // namespace heddle::kernel::triton
