#include "kernel/index_program.h"

#include <map>

#include "kernel/shown_numbers.h"

namespace heddle::kernel {
namespace {

class IndexProgramBuilder {
 public:
  IndexProgramBuilder(const KernelProgram& program, const config::Launch& launch, Turns turns)
      : program_(program), index_(program, turns), result_{program, launch, {}} {}

  IndexProgram run(const std::vector<ValueId>& values, const std::vector<ReadValue>& in_turns) {
    for (const ReadValue& one : in_turns) reads_[one.position].push_back(one.value);
    result_.program.sites.clear();
    std::vector<Instruction> code;
    ShownNumbers shown(result_.program, result_.launch, code);
    shown_ = &shown;
    collect(0, code, true);
    // Of a block that does not return; what turns show says that itself.
    if (in_turns.empty()) shown.show_zero(code);
    for (const ValueId value : values) shown.show(value, code);
    if (index_.has_guards()) code = {scope_of(std::move(code))};
    body().blocks[0].code = std::move(code);
    drop_other_blocks();
    return std::move(result_);
  }

 private:
  TileProgram& body() { return code_of(result_.program); }

  /// What guards leave; they stand in no other one now.
  Instruction scope_of(std::vector<Instruction> code) {
    for (const Instruction& one : code) {
      if (one.op != Opcode::if_else) continue;
      for (Instruction& inner : body().blocks[static_cast<std::size_t>(one.body)].code)
        if (inner.op == Opcode::leave) inner.integers = {1};
    }
    body().blocks.emplace_back();
    body().blocks.back().code = std::move(code);
    Instruction scope = made_instruction(Opcode::scope, {}, {});
    scope.body = static_cast<BlockId>(body().blocks.size()) - 1;
    return scope;
  }

  /// Constants, parameters and index code, wherever they stand.
  void collect(BlockId block, std::vector<Instruction>& code, bool is_outer) {
    for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
      collect_one(one, code, is_outer);
      const auto reads = reads_.find(is_outer ? index_.position(one) : -1);
      if (reads == reads_.end() || one.op == Opcode::scope) continue;
      for (const ValueId value : reads->second) shown_->show(value, code);
    }
  }

  void collect_one(const Instruction& one, std::vector<Instruction>& code, bool is_outer) {
    const bool is_index = index_.is_index_code(one);
    if (one.op == Opcode::constant_int || one.op == Opcode::constant_float ||
        one.op == Opcode::parameter || (is_index && (is_outer || one.body == kNoBlock))) {
      code.push_back(one);
    } else if (is_outer && index_.is_tile_loop(one)) {
      std::vector<Instruction> turn;
      show_turn(turn);
      collect(one.body, turn, true);
      body().blocks[static_cast<std::size_t>(one.body)].code = std::move(turn);
      code.push_back(one);
    } else {
      for (const BlockId inner : {one.other, one.body})
        if (inner != kNoBlock) collect(inner, code, is_outer && one.op == Opcode::scope);
    }
  }

  /// A turn begins, of the next loop.
  void show_turn(std::vector<Instruction>& code) {
    const auto loop = static_cast<std::int64_t>(result_.turns.size());
    body().values.push_back({DType::int64, false, {}});
    const auto number = static_cast<ValueId>(body().values.size()) - 1;
    code.push_back(made_instruction(Opcode::constant_int, {number}, {}, {loop}));
    result_.turns.push_back(static_cast<std::int32_t>(result_.program.sites.size()));
    shown_->show(number, code);
  }

  void keep(BlockId block, std::vector<bool>& kept) {
    if (block == kNoBlock) return;
    kept[static_cast<std::size_t>(block)] = true;
    for (const Instruction& one : body().blocks[static_cast<std::size_t>(block)].code) {
      keep(one.body, kept);
      keep(one.other, kept);
    }
  }

  void drop_other_blocks() {
    std::vector<bool> kept(body().blocks.size(), false);
    keep(0, kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      body().blocks[i].counts.clear();
      if (!kept[i]) body().blocks[i].code.clear();
    }
  }

  const KernelProgram& program_;
  IndexCode index_;
  IndexProgram result_;
  std::map<std::int64_t, std::vector<ValueId>> reads_;
  ShownNumbers* shown_ = nullptr;
};

}  // namespace

IndexProgram index_program(const KernelProgram& program, const config::Launch& launch,
                           const std::vector<ValueId>& values) {
  return IndexProgramBuilder(program, launch, Turns::together).run(values, {});
}

IndexProgram index_program(const KernelProgram& program, const config::Launch& launch,
                           const std::vector<ValueId>& values,
                           const std::vector<ReadValue>& in_turns) {
  return IndexProgramBuilder(program, launch, Turns::apart).run(values, in_turns);
}

}  // namespace heddle::kernel
