// Where a C++ kernel takes its block's index.
//
//   const int x = blockIdx.x * 16 + threadIdx.x;     axis 0
//   int row = hipBlockIdx_y;                         axis 1
//
// Rules
//   1. Every use in the kernel's body is found, in every branch of #if. What hides one is refused
//      with its place: blockIdx as a whole, a function or macro of the file that uses it and that
//      the kernel reaches, a lambda or local class that could not see a variable of the kernel,
//      cooperative groups, and what compilers call the index themselves.
//   2. A name counts as reached wherever it stands in code that is reached.
//   3. Files that the kernel includes by "name" are not read, and words that macros glue together
//      are not put together: refuse_unseen says so.
//   4. An order's code stands at the beginning of the kernel's body. An index is unsigned, as
//      blockIdx is. A new text is read again and compared with the old, token by token.
//
// Does not see: macros that the compiler is given, functions of <headers>.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/cxx/source.h"
#include "kernel/index_uses.h"

namespace heddle::kernel::cxx {

/// The tokens of one of IndexUses::uses; `last` is the last one.
struct BlockUse {
  int axis = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

class BlockUses final : public IndexUses {
 public:
  /// `macros` are those that the compiler is given: "TILE". Throws Error where rule 1 says so.
  BlockUses(const CxxSource& source, const std::string& function,
            const std::vector<std::string>& macros);

  CodePlace place() const override;
  void refuse_unseen() const override;
  /// Nothing of a compiled kernel says where it takes its index; comparing traces does.
  void check_program(const KernelProgram&) const override {}
  void check_rewritten(const std::string& after,
                       const std::vector<std::string>& names) const override;

 private:
  friend class BlockFinder;
  const CxxSource& source_;
  const CxxFunction& function_;
  std::vector<BlockUse> tokens_;
  std::optional<Token> unseen_;  ///< the first #include "..." or ## of a macro
};

}  // namespace heddle::kernel::cxx
