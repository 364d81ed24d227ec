#include "trace/atomics.h"

#include <algorithm>

#include "kernel/native.h"

namespace heddle::trace {

bool AtomicUse::is_lock() const {
  return function == kernel::AtomicFunction::exchange ||
         function == kernel::AtomicFunction::compare_exchange;
}

std::vector<AtomicUse> atomic_uses(const kernel::KernelProgram& program) {
  if (program.native) {
    std::vector<AtomicUse> uses;
    for (const kernel::NativeAtomic& atomic : program.native->atomics)
      uses.push_back({atomic.function, atomic.result_used});
    return uses;
  }
  std::vector<bool> is_used(program.values.size(), false);
  for (const kernel::Block& block : program.blocks) {
    for (const kernel::Instruction& instruction : block.code) {
      for (const kernel::ValueId operand : instruction.operands) {
        if (operand != kernel::kNoValue) is_used[static_cast<std::size_t>(operand)] = true;
      }
    }
  }
  std::vector<AtomicUse> uses(program.sites.size());
  for (const kernel::Block& block : program.blocks) {
    for (const kernel::Instruction& instruction : block.code) {
      if (instruction.op != kernel::Opcode::atomic) continue;
      AtomicUse& use = uses[static_cast<std::size_t>(instruction.integers[0])];
      use.function = static_cast<kernel::AtomicFunction>(instruction.integers[1]);
      use.result_used =
          std::any_of(instruction.results.begin(), instruction.results.end(),
                      [&](kernel::ValueId id) { return is_used[static_cast<std::size_t>(id)]; });
    }
  }
  return uses;
}

}  // namespace heddle::trace
