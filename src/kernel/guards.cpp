#include "kernel/guards.h"

#include <algorithm>

#include "kernel/index_code.h"
#include "kernel/shown_numbers.h"

namespace heddle::kernel {
namespace {

class Rewriting {
 public:
  explicit Rewriting(const KernelProgram& program) : result_(program), index_(program) {}

  KernelProgram run() {
    rewrite(0, 0);
    return std::move(result_);
  }

 private:
  const std::vector<Instruction>& code(BlockId block) const {
    return code_of(index_.program()).blocks[static_cast<std::size_t>(block)].code;
  }

  /// Nothing happens in it.
  bool is_idle(const Instruction& one) const {
    return is_source(one.op) || is_pure(one.op) || index_.is_index_code(one);
  }

  void rewrite(BlockId block, std::int64_t scopes) {
    const auto& all = code(block);
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const Instruction& one) { return !is_idle(one); });
    if (first == all.end() ||
        !std::all_of(first + 1, all.end(), [&](const Instruction& one) { return is_idle(one); }))
      return;
    if (first->op == Opcode::scope) return rewrite(first->body, scopes + 1);
    if (is_around_all(*first)) wrap(block, first - all.begin(), scopes);
  }

  bool is_around_all(const Instruction& one) const {
    if (one.op != Opcode::if_else || !one.results.empty()) return false;
    const ValueId condition = one.operands.front();
    const Type& type = code_of(index_.program()).values[static_cast<std::size_t>(condition)];
    const bool has_other = one.other != kNoBlock && !code(one.other).empty();
    return !has_other && type.element == DType::boolean && index_.is_index(condition) &&
           index_.is_from_block(condition);
  }

  /// scope: if not condition: leave; the branch's body and what follows it.
  void wrap(BlockId block, std::ptrdiff_t at, std::int64_t scopes) {
    TileProgram& program = code_of(result_);
    auto& outer = program.blocks[static_cast<std::size_t>(block)].code;
    const Instruction branch = outer[static_cast<std::size_t>(at)];
    program.values.push_back({DType::boolean, false, {}});
    const auto opposite = static_cast<ValueId>(program.values.size()) - 1;
    const auto inside = static_cast<BlockId>(program.blocks.size());
    Instruction negation = made_instruction(Opcode::bit_not, {opposite}, branch.operands);
    Instruction guard = made_instruction(Opcode::if_else, {}, {opposite});
    Instruction scope = made_instruction(Opcode::scope, {}, {});
    negation.place = guard.place = scope.place = branch.place;
    guard.body = inside + 1;
    scope.body = inside;
    Block body;
    body.code = {std::move(negation), std::move(guard)};
    const auto& work = program.blocks[static_cast<std::size_t>(branch.body)].code;
    body.code.insert(body.code.end(), work.begin(), work.end());
    body.code.insert(body.code.end(), outer.begin() + at + 1, outer.end());
    outer.erase(outer.begin() + at, outer.end());
    outer.push_back(std::move(scope));
    Block end;
    end.code = {made_instruction(Opcode::leave, {}, {}, {scopes + 1})};
    program.blocks[static_cast<std::size_t>(branch.body)].code.clear();
    program.blocks.push_back(std::move(body));
    program.blocks.push_back(std::move(end));
  }

  KernelProgram result_;
  IndexCode index_;
};

}  // namespace

KernelProgram with_guards(const KernelProgram& program) {
  return Rewriting(program).run();
}

}  // namespace heddle::kernel
