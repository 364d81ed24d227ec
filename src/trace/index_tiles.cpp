#include "trace/index_tiles.h"

namespace heddle::trace {
namespace {

Fault::Kind kind_of(kernel::IndexFault fault) {
  return fault == kernel::IndexFault::overflow           ? Fault::Kind::overflow
         : fault == kernel::IndexFault::division_by_zero ? Fault::Kind::division_by_zero
                                                         : Fault::Kind::uninitialized;
}

}  // namespace

void IndexTiles::run(std::array<std::int64_t, 3> tile, AccessSink& sink) {
  faults_.start_tile(tile);
  const kernel::IndexValues index = body_.values(launch_, tile);
  steps_ = index.steps;
  if (index.fault) {
    Fault fault;
    fault.kind = kind_of(*index.fault);
    faults_.record(fault, [] { return std::string(); });
    return;
  }
  for (const std::int64_t value : index.values) {
    AccessPattern pattern;
    pattern.base = value;
    sink.access(pattern);
  }
}

}  // namespace heddle::trace
