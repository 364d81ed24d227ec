#include "kernel/provenance.h"

#include <algorithm>
#include <set>

namespace heddle::kernel {
namespace {

struct Origin {
  std::set<int> parameters;
  bool unknown = false;

  /// True if something was new.
  bool add(const Origin& more) {
    const std::size_t before = parameters.size();
    parameters.insert(more.parameters.begin(), more.parameters.end());
    const bool changed = parameters.size() != before || (more.unknown && !unknown);
    unknown = unknown || more.unknown;
    return changed;
  }
};

class Search {
 public:
  explicit Search(KernelProgram& program)
      : program_(program),
        origins_(code_of(program).values.size()),
        read_(code_of(program).values.size(), false) {
    // In program order, so that one pass is enough but for what loops carry.
    while (visit(0)) {
    }
    for (const Block& block : code_of(program).blocks)
      for (const Instruction& one : block.code)
        for (const ValueId operand : one.operands)
          if (operand >= 0) read_[static_cast<std::size_t>(operand)] = true;
  }

  void fill(const Instruction& one) const {
    if (one.op != Opcode::load && one.op != Opcode::store && one.op != Opcode::atomic) return;
    Site& site = program_.sites[static_cast<std::size_t>(one.integers[0])];
    const Origin& origin = origins_[static_cast<std::size_t>(one.operands[0])];
    site.parameters.assign(origin.parameters.begin(), origin.parameters.end());
    if (origin.unknown) site.parameters.clear();
    site.commutes = one.op == Opcode::atomic && commutes(one);
  }

 private:
  bool is_pointer(ValueId value) const {
    return value >= 0 && code_of(program_).values[static_cast<std::size_t>(value)].pointer;
  }

  /// True if something was new. Ends: origins only grow.
  bool visit(BlockId block) {
    bool changed = false;
    for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
      for (const BlockId inner : {one.other, one.body})
        if (inner != kNoBlock) changed = visit(inner) || changed;
      if (one.results.empty() || !is_pointer(one.results[0])) continue;
      const Origin from = origin_of(one);
      for (const ValueId result : one.results)
        changed = origins_[static_cast<std::size_t>(result)].add(from) || changed;
    }
    return changed;
  }

  Origin origin_of(const Instruction& one) const {
    Origin from;
    if (one.op == Opcode::parameter) from.parameters.insert(static_cast<int>(one.integers[0]));
    for (const ValueId operand : one.operands)
      if (is_pointer(operand)) from.add(origins_[static_cast<std::size_t>(operand)]);
    const bool from_number =
        one.op == Opcode::cast && !one.operands.empty() && !is_pointer(one.operands[0]);
    from.unknown =
        from.unknown || from_number || one.op == Opcode::unknown || one.op == Opcode::bitcast;
    return from;
  }

  bool commutes(const Instruction& one) const {
    const auto function = static_cast<AtomicFunction>(one.integers[1]);
    if (function == AtomicFunction::exchange || function == AtomicFunction::compare_exchange)
      return false;
    return std::none_of(one.results.begin(), one.results.end(),
                        [&](ValueId result) { return read_[static_cast<std::size_t>(result)]; });
  }

  KernelProgram& program_;
  std::vector<Origin> origins_;
  std::vector<bool> read_;
};

}  // namespace

void find_provenance(KernelProgram& program) {
  const Search search(program);
  for (const Block& block : code_of(program).blocks)
    for (const Instruction& one : block.code) search.fill(one);
}

}  // namespace heddle::kernel
