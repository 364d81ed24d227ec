// Works backwards from what is kept: accesses need their pointers and masks, those need what they
// are made of, and whatever encloses something needed needs its bounds and conditions.
#include <algorithm>
#include <set>

#include "kernel/tile_program.h"

namespace heddle::kernel {
namespace {

class Slice {
 public:
  Slice(const KernelProgram& program, Keep keep)
      : program_(program),
        keep_(keep),
        needed_(code_of(program).values.size(), false),
        from_data_(code_of(program).values.size(), false),
        live_(code_of(program).blocks.size(), false),
        scope_of_(code_of(program).blocks.size(), 0) {
    find_scopes(0, 0);
    while (find_data_dependence(0, false)) {
    }
    find_written();
  }

  KernelProgram run() {
    while (mark_once()) {
    }
    KernelProgram result = program_;
    for (std::size_t b = 0; b < code_of(result).blocks.size(); ++b) {
      Block& block = code_of(result).blocks[b];
      std::erase_if(block.code,
                    [&](const Instruction& one) { return !stays(one, static_cast<BlockId>(b)); });
      for (Instruction& one : block.code) lighten(one);
      if (keep_ == Keep::writes) block.counts.clear();
    }
    return result;
  }

 private:
  const Site& site(const Instruction& one) const {
    return program_.sites[static_cast<std::size_t>(one.integers[0])];
  }

  void find_scopes(BlockId block, BlockId scope) {
    scope_of_[static_cast<std::size_t>(block)] = scope;
    for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
      const BlockId inner = one.op == Opcode::scope ? one.body : scope;
      for (const BlockId nested : {one.body, one.other})
        if (nested != kNoBlock) find_scopes(nested, inner);
    }
  }

  /// Which values depend on what memory holds, through operands or through the branch they are
  /// computed in. In the order of the program; true if some were new.
  bool find_data_dependence(BlockId block, bool decided_by_data) {
    bool changed = false;
    for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
      bool data = decided_by_data || is_memory(one.op) || one.op == Opcode::unknown;
      for (const ValueId operand : one.operands)
        data = data || (operand >= 0 && from_data_[static_cast<std::size_t>(operand)]);
      for (const BlockId inner : {one.other, one.body})
        if (inner != kNoBlock) changed = find_data_dependence(inner, data) || changed;
      for (const ValueId result : one.results) {
        if (!data || from_data_[static_cast<std::size_t>(result)]) continue;
        from_data_[static_cast<std::size_t>(result)] = true;
        changed = true;
      }
    }
    return changed;
  }

  void find_written() {
    for (const Site& one : program_.sites) {
      if (one.kind == MemoryKind::read) continue;
      if (one.parameters.empty()) anything_written_ = true;
      written_.insert(one.parameters.begin(), one.parameters.end());
    }
  }

  bool touches_written(const Site& one) const {
    if (anything_written_ || one.parameters.empty()) return !written_.empty() || anything_written_;
    return std::any_of(one.parameters.begin(), one.parameters.end(),
                       [&](int parameter) { return written_.count(parameter) != 0; });
  }

  bool is_kept(const Instruction& one) const {
    if (!is_memory(one.op)) return false;
    return keep_ == Keep::all || one.op != Opcode::load || touches_written(site(one));
  }

  bool result_needed(const Instruction& one) const {
    return std::any_of(one.results.begin(), one.results.end(),
                       [&](ValueId result) { return needed_[static_cast<std::size_t>(result)]; });
  }

  bool any_live(const Instruction& one) const {
    return (one.body != kNoBlock && live_[static_cast<std::size_t>(one.body)]) ||
           (one.other != kNoBlock && live_[static_cast<std::size_t>(one.other)]);
  }

  /// Counted arithmetic keeps a loop or branch alive, unless deciding it needs memory's contents.
  bool alive_by_counts(const Instruction& one) const {
    if (keep_ != Keep::all) return false;
    for (const ValueId operand : one.operands)
      if (operand >= 0 && from_data_[static_cast<std::size_t>(operand)]) return false;
    return has_counts(one.body) || has_counts(one.other);
  }

  bool has_counts(BlockId block) const {
    if (block == kNoBlock) return false;
    const Block& inside = code_of(program_).blocks[static_cast<std::size_t>(block)];
    if (!inside.counts.empty()) return true;
    return std::any_of(inside.code.begin(), inside.code.end(), [&](const Instruction& one) {
      return is_control(one.op) && alive_by_counts(one);
    });
  }

  bool stays(const Instruction& one, BlockId block) const {
    if (one.op == Opcode::leave) {
      const BlockId scope = scope_of_[static_cast<std::size_t>(block)];
      return scope == 0 || live_[static_cast<std::size_t>(scope)];
    }
    if (is_control(one.op)) return any_live(one) || alive_by_counts(one);
    return is_kept(one) || result_needed(one);
  }

  bool need(ValueId value) {
    if (value < 0 || needed_[static_cast<std::size_t>(value)]) return false;
    return needed_[static_cast<std::size_t>(value)] = true;
  }

  /// A stored value matters if a needed load may read it back. A store through a pointer that was
  /// itself loaded is taken not to overwrite what addresses depend on; the tracer reports it if so.
  bool stored_value_needed(const Instruction& one) const {
    const Site& to = site(one);
    if (reads_anything_ && !to.parameters.empty()) return true;
    return std::any_of(to.parameters.begin(), to.parameters.end(),
                       [&](int parameter) { return read_.count(parameter) != 0; });
  }

  /// Remembers where a load that matters reads from.
  bool mark_reader(const Site& from) {
    const std::size_t before = read_.size();
    read_.insert(from.parameters.begin(), from.parameters.end());
    const bool changed = read_.size() != before || (from.parameters.empty() && !reads_anything_);
    reads_anything_ = reads_anything_ || from.parameters.empty();
    return changed;
  }

  bool mark_memory(const Instruction& one) {
    bool changed = need(one.operands[0]);
    if (one.op != Opcode::store && result_needed(one)) changed = mark_reader(site(one)) || changed;
    const bool is_store = one.op == Opcode::store;
    const bool is_load = one.op == Opcode::load;
    changed = need(one.operands[is_load ? 1 : 2]) || changed;  // the mask
    if (is_load && result_needed(one)) changed = need(one.operands[2]) || changed;
    if (is_store && stored_value_needed(one)) changed = need(one.operands[1]) || changed;
    if (one.op == Opcode::atomic && stored_value_needed(one)) {
      changed = need(one.operands[1]) || changed;
      changed = need(one.operands[3]) || changed;
    }
    return changed;
  }

  bool mark_once() {
    const bool changed = mark_block(0);
    // A branch that may leave a scope that matters decides what comes after it.
    return mark_leaving_branches() || changed;
  }

  /// Against the order of the program, so that one pass is enough but for what loops carry.
  bool mark_block(BlockId block) {
    bool changed = false;
    const auto b = static_cast<std::size_t>(block);
    const std::vector<Instruction>& code = code_of(program_).blocks[b].code;
    for (std::size_t i = code.size(); i-- > 0;) {
      const Instruction& one = code[i];
      for (const BlockId inner : {one.body, one.other})
        if (inner != kNoBlock) changed = mark_block(inner) || changed;
      if (!stays(one, block)) continue;
      if (one.op != Opcode::leave && !live_[b]) {
        live_[b] = true;
        changed = true;
      }
      if (is_memory(one.op)) {
        changed = mark_memory(one) || changed;
        continue;
      }
      for (const ValueId operand : one.operands) changed = need(operand) || changed;
    }
    return changed;
  }

  bool mark_leaving_branches() {
    bool changed = false;
    for (std::size_t b = 0; b < code_of(program_).blocks.size(); ++b) {
      for (const Instruction& one : code_of(program_).blocks[b].code) {
        if (one.op != Opcode::leave || !stays(one, static_cast<BlockId>(b)) || live_[b]) continue;
        live_[b] = true;
        changed = true;
      }
    }
    return changed;
  }

  /// Takes from an access what nobody asks for.
  void lighten(Instruction& one) const {
    const auto drop = [&](std::size_t operand) {
      ValueId& value = one.operands[operand];
      if (value >= 0 && !needed_[static_cast<std::size_t>(value)]) value = kNoValue;
    };
    if (is_memory(one.op) && !result_needed(one)) one.results.clear();
    if (one.op == Opcode::load) drop(2);
    if (one.op == Opcode::store) drop(1);
    if (one.op == Opcode::atomic) {
      drop(1);
      drop(3);
    }
  }

  const KernelProgram& program_;
  Keep keep_;
  std::vector<bool> needed_;
  std::vector<bool> from_data_;
  std::vector<bool> live_;
  std::vector<BlockId> scope_of_;
  std::set<int> written_;
  bool anything_written_ = false;
  std::set<int> read_;  ///< parameters that needed loads read from
  bool reads_anything_ = false;
};

}  // namespace

KernelProgram TileProgram::reduced(const KernelProgram& program, Keep keep) const {
  return Slice(program, keep).run();
}

}  // namespace heddle::kernel
