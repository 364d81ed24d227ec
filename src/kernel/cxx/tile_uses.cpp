#include "kernel/cxx/tile_uses.h"

namespace heddle::kernel::cxx {

CxxTileUses::CxxTileUses(const CxxSource& source, const KernelProgram&,
                         const std::vector<TileVariable>&) {
  throw Error("orders of a C++ kernel's own tiles are not put into it yet", "").in(source.path());
}
std::vector<ScopeNumber> CxxTileUses::numbers(std::size_t, const config::Launch&) const {
  return {};
}
std::string CxxTileUses::rewritten(const std::vector<std::string>&,
                                   const std::vector<std::string>&) const {
  return {};
}

}  // namespace heddle::kernel::cxx
