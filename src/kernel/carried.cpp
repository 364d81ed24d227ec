#include "kernel/carried.h"

#include <algorithm>
#include <set>

namespace heddle::kernel {
namespace {

using Values = std::set<ValueId>;

class CarriedSearch {
 public:
  CarriedSearch(const KernelProgram& program, const IndexCode& index, const Instruction& loop)
      : program_(program), index_(index), loop_(loop) {}

  const Instruction* run() {
    for (const BlockId block : {loop_.other, loop_.body}) add_written(block);
    written_.insert(loop_.results.begin(), loop_.results.end());
    Values known(loop_.results.begin(), loop_.results.end());
    for (const BlockId block : {loop_.other, loop_.body})
      if (const Instruction* found = first_in(block, known)) return found;
    return first_outside(0);
  }

 private:
  const std::vector<Instruction>& code(BlockId block) const {
    static const std::vector<Instruction> kNone;
    return block == kNoBlock ? kNone
                             : code_of(program_).blocks[static_cast<std::size_t>(block)].code;
  }

  void add_written(BlockId block) {
    for (const Instruction& one : code(block)) {
      for (const ValueId result : one.results)
        if (!index_.is_index(result) || index_.is_written_once(result)) written_.insert(result);
      add_written(one.other);
      add_written(one.body);
    }
  }

  bool has_leave(BlockId block) const {
    return std::any_of(code(block).begin(), code(block).end(), [&](const Instruction& one) {
      return one.op == Opcode::leave || has_leave(one.other) || has_leave(one.body);
    });
  }

  bool reads(const Instruction& one, const Values& known) const {
    return std::any_of(one.operands.begin(), one.operands.end(), [&](ValueId value) {
      return written_.count(value) > 0 && known.count(value) == 0;
    });
  }

  /// `known` have been written in this turn, whatever way it took.
  const Instruction* first_in(BlockId block, Values& known) const {
    for (const Instruction& one : code(block)) {
      const bool is_while = one.op == Opcode::while_loop;
      // A while loop computes its condition first, at least once.
      if (is_while)
        if (const Instruction* found = first_in(one.other, known)) return found;
      if (reads(one, known)) return &one;
      known.insert(one.results.begin(), one.results.end());
      if (const Instruction* found = first_inside(one, known)) return found;
    }
    return nullptr;
  }

  const Instruction* first_inside(const Instruction& one, Values& known) const {
    Values in_body = known;
    if (const Instruction* found = first_in(one.body, in_body)) return found;
    if (one.op == Opcode::scope && !has_leave(one.body)) known = in_body;
    if (one.op != Opcode::if_else) {
      // The loop variable of a loop that does not run has no value.
      if (one.op == Opcode::for_range)
        for (const ValueId result : one.results) known.erase(result);
      return nullptr;
    }
    Values in_other = known;
    if (const Instruction* found = first_in(one.other, in_other)) return found;
    std::set_intersection(in_body.begin(), in_body.end(), in_other.begin(), in_other.end(),
                          std::inserter(known, known.end()));
    return nullptr;
  }

  const Instruction* first_outside(BlockId block) const {
    for (const Instruction& one : code(block)) {
      if (&one == &loop_) continue;
      if (reads(one, {})) return &one;
      for (const BlockId inner : {one.other, one.body})
        if (const Instruction* found = first_outside(inner)) return found;
    }
    return nullptr;
  }

  const KernelProgram& program_;
  const IndexCode& index_;
  const Instruction& loop_;
  Values written_;
};

}  // namespace

const Instruction* find_carried(const KernelProgram& program, const IndexCode& index,
                                const Instruction& loop) {
  return CarriedSearch(program, index, loop).run();
}

}  // namespace heddle::kernel
