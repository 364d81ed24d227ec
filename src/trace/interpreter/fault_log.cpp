#include "trace/interpreter/fault_log.h"

#include <algorithm>
#include <tuple>

namespace heddle::trace::interpreter {

std::vector<Fault> FaultLog::sorted(const kernel::KernelProgram& program) const {
  std::vector<Fault> result;
  for (const auto& [key, entry] : entries_) result.push_back(entry.fault);
  const auto where = [&](const Fault& fault) {
    const Position position = program.places[static_cast<std::size_t>(fault.place)].position;
    return std::tuple(position.line, position.column, fault.place, fault.kind);
  };
  std::ranges::sort(result, [&](const Fault& a, const Fault& b) { return where(a) < where(b); });
  return result;
}

}  // namespace heddle::trace::interpreter
