// Where a kernel takes its block's index: what a rewriting replaces, and where it adds code.
//
//   pid = tl.program_id(axis=0)                      axis 0
//   const int x = blockIdx.x * 16 + threadIdx.x;     axis 0
//   int row = hipBlockIdx_y;                         axis 1
//
// Rules
//   1. Every use of the kernel is found, or the kernel is refused with the place and the reason.
//   2. Code that is not at hand could hide one: refuse_unseen says so. That does not matter where
//      the kernel is traced before and after.
//   3. Offsets are into the text of the source, which must outlive this.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "kernel/program.h"
#include "support/error.h"

namespace heddle::kernel {

struct IndexUse {
  int axis = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  Position position;
};

/// Where an order's code goes, and how lines look there.
struct CodePlace {
  std::size_t begin = 0;          ///< the code stands here
  std::size_t end = 0;            ///< and the old text goes on here: only blanks lie in between
  bool breaks_line = false;       ///< begin is in the middle of a line
  std::string margin;             ///< blanks in front of every line
  std::string level;              ///< one more level of indentation
  std::string ending = "\n";      ///< of a line
  std::vector<bool> takes_index;  ///< per use: it may hold the index's expression itself
};

/// How the kernel says what an order's code needs.
struct CodeSpelling {
  std::string dialect;       ///< of emit: "triton", "hip", "cuda"
  std::string language;      ///< how a Triton kernel calls triton.language: "tl"
  bool own_minimum = false;  ///< min or max mean something else there
  std::string declares;      ///< in front of the name of an index: "const unsigned int "
  std::string ends;          ///< behind its value: ";"
};

class IndexUses {
 public:
  IndexUses() = default;
  virtual ~IndexUses() = default;
  IndexUses(const IndexUses&) = delete;
  IndexUses& operator=(const IndexUses&) = delete;

  std::string path;
  Position position;                ///< of the function
  std::vector<IndexUse> uses;       ///< in the order of the text; never empty
  int axes = 1;                     ///< the last axis used, plus one
  std::set<std::string> names;      ///< that new ones must differ from
  std::set<std::string> known;      ///< that have a value where the code goes
  std::string known_are;            ///< what those are: "an int of the kernel with a value ..."
  Position known_at;                ///< where a name that is none of them is refused
  std::set<std::string> constants;  ///< names that are known when the kernel is compiled
  CodeSpelling spelling;

  /// Throws Error where there is no place for code.
  virtual CodePlace place() const = 0;
  /// Throws Error where code that is not at hand could take an index.
  virtual void refuse_unseen() const = 0;
  /// Throws Error if the kernel, as read for a launch, takes an index that was not found.
  virtual void check_program(const KernelProgram& program) const = 0;
  /// Throws Error unless `after` is the text with code added at place(), and with the uses
  /// replaced, by names[axis] where they do not take the index itself.
  virtual void check_rewritten(const std::string& after,
                               const std::vector<std::string>& names) const = 0;
};

}  // namespace heddle::kernel
