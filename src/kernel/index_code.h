// The part of a program that computes where a block works: scalar arithmetic on its index.
//
//   %1 = program_id 0          index, of the block
//   %3 = divide %1, %2         index, of the block
//   %4 = num_programs 0        index, the same in every block
//   %6 = add_pointer ...       not index: a pointer
//
// Rules
//   1. Index code is integer arithmetic on scalars: constants, scalars of the launch, program ids,
//      and what is made of them, also by loops and branches that hold nothing else. No memory.
//   2. An index value has one value in a block wherever it is looked at: it is written once, or by
//      index code that runs before the rest looks at it (`last_write`).
//   3. `from_block`: a program id takes part in it.
//   4. With Turns::apart, a loop over tiles is looked into: a loop of the entry block that index code
//      alone starts, steps and ends. Its body is then like the entry block, and its index values
//      differ from turn to turn; what a turn may change is marked `from_block`, too.
//   5. Guards (guards.h) count as index code.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "kernel/tile_program.h"

namespace heddle::kernel {

enum class Turns { together, apart };

class IndexCode {
 public:
  /// The program must outlive this.
  explicit IndexCode(const KernelProgram& program, Turns turns = Turns::together);

  bool is_index(ValueId value) const { return at(is_index_, value); }
  bool is_from_block(ValueId value) const { return at(from_block_, value); }
  /// Loops over tiles are looked into.
  bool has_turns() const { return !loops_.empty(); }
  /// Some blocks may return at once (guards.h).
  bool has_guards() const { return !guards_.empty(); }
  /// A scope that nothing but guards leaves early: what is in it may as well stand around it.
  bool is_plain_scope(const Instruction& instruction) const;
  const KernelProgram& program() const { return program_; }
  /// The instruction that writes the value, if one does alone; else null.
  const Instruction* writer(ValueId value) const {
    return writers_[static_cast<std::size_t>(value)] == 1 ? writer_[static_cast<std::size_t>(value)]
                                                          : nullptr;
  }
  bool is_written_once(ValueId value) const {
    return writers_[static_cast<std::size_t>(value)] == 1;
  }
  /// Nothing but index code: not needed to compare the rest.
  bool is_index_code(const Instruction& instruction) const;
  /// A loop over tiles, with other code in it (rule 4).
  bool is_tile_loop(const Instruction& instruction) const;
  /// Counts the instructions of the entry block, of scopes in it and of loops over tiles, from 0;
  /// -1: it is inside another one.
  std::int64_t position(const Instruction& instruction) const;
  /// The position of the last write of a value.
  std::int64_t last_write(ValueId value) const {
    return last_write_[static_cast<std::size_t>(value)];
  }

 private:
  static bool at(const std::vector<char>& flags, ValueId value) {
    return value >= 0 && flags[static_cast<std::size_t>(value)] != 0;
  }
  bool is_scalar(ValueId value) const;
  bool are_index(const std::vector<ValueId>& values) const;
  bool stays_outer(const Instruction& one) const;
  void find_loops(BlockId block);
  void find_writers(BlockId block, bool is_outer, std::int64_t& position);
  bool strike_out(BlockId block, bool is_outer);
  bool mark_from_block(BlockId block, bool decided, bool is_turn);
  bool is_pure_body(BlockId block, std::int64_t scopes) const;
  void find_guards(BlockId block, std::int64_t scopes);
  bool is_guard(const Instruction& one, std::int64_t scopes) const;
  bool is_left_early(BlockId block, std::int64_t scopes) const;

  const KernelProgram& program_;
  std::set<const Instruction*> guards_;
  std::set<const Instruction*> loops_;  ///< that may be over tiles
  std::map<const Instruction*, std::int64_t> positions_;
  std::vector<char> is_index_;
  std::vector<char> from_block_;
  std::vector<int> writers_;
  std::vector<const Instruction*> writer_;
  std::vector<std::int64_t> last_write_;
};

}  // namespace heddle::kernel
