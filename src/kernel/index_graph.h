// How the scalars of a program are made of one another, from the block's index to its work. Unlike
// index_code.h it follows them everywhere: into loops, through loads of integers and through
// pointers. For index_probe.cpp.
//
// Rules
//   1. A transparent instruction makes scalars of scalars: arithmetic, scalar pointers, loads of
//      single integers. All others are work, but for loops and branches.
//   2. A loop's counter is made of the loop's first bound and of its step, not of its end.
//   3. A value that a branch chooses depends on the branch's condition; one that is merely computed
//      inside does not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/tile_program.h"

namespace heddle::kernel {

class IndexGraph {
 public:
  /// The program must outlive this.
  explicit IndexGraph(const KernelProgram& program);

  struct Writer {
    const Instruction* instruction = nullptr;
    BlockId block = 0;
    std::int64_t position = 0;  ///< in the order of the text
  };
  const std::vector<Writer>& writers(ValueId value) const {
    return writers_[static_cast<std::size_t>(value)];
  }
  bool is_scalar(ValueId value) const;
  /// A scalar integer, no boolean.
  bool is_number(ValueId value) const;
  bool is_from_block(ValueId value) const { return at(from_block_, value); }
  bool is_loaded(ValueId value) const { return at(loaded_, value); }

  /// Scalars of the block's index that work takes, in the order of the text.
  const std::vector<ValueId>& at_work() const { return at_work_; }
  /// Scalars of the block's index that a scalar is made of; nothing behind work.
  std::vector<ValueId> made_of(ValueId value) const;
  /// Rule 1.
  bool is_transparent(const Instruction& one) const;
  /// A sum, product or copy, a loop's counter, or loaded.
  bool is_linear(ValueId value) const;
  /// A select or a branch on the block's index chooses it.
  bool is_choice(ValueId value) const;
  /// The tensor that a loaded value comes from; empty: not known.
  std::string loaded_from(ValueId value) const;

  /// A store or atomic.
  const std::vector<Writer>& anchors() const { return anchors_; }
  /// What a value of the index is divided by, if that alone is loaded; else kNoValue.
  ValueId loaded_divisor(ValueId value) const;
  /// The value is written before the program gets to the anchor.
  bool is_known_at(ValueId value, const Writer& anchor) const;

  /// The body of the n-th scope around a block, counted from 1; the kernel's, if there are fewer.
  BlockId scope_around(BlockId block, std::int64_t n) const;

  /// "pid // 5", with the names of the source.
  std::string text(ValueId value, int depth = 0) const;
  /// The last name of a value, of the kernel itself if there is one; null: it has none.
  const ValueName* name(ValueId value) const;
  bool is_of_kernel(const ValueName& name) const;

 private:
  static bool at(const std::vector<char>& flags, ValueId value) {
    return value >= 0 && flags[static_cast<std::size_t>(value)] != 0;
  }
  void collect(BlockId block);
  bool is_chosen_in(BlockId block) const;
  bool spread(BlockId block, bool by_block, bool by_data);
  void find_work(BlockId block);
  std::string operand_text(ValueId value, int depth) const;

  struct Owner {
    BlockId parent = kNoBlock;
    Opcode op = Opcode::scope;
    ValueId condition = kNoValue;  ///< of a branch
  };

  const KernelProgram& program_;
  const TileProgram& code_;
  std::vector<std::vector<Writer>> writers_;
  std::vector<char> from_block_;
  std::vector<char> loaded_;
  std::vector<char> is_at_work_;
  std::vector<ValueId> at_work_;
  std::vector<Writer> anchors_;
  std::vector<Owner> owners_;  ///< per block
  std::vector<int> names_;     ///< per value: index into names, -1
  std::int64_t position_ = 0;
};

}  // namespace heddle::kernel
