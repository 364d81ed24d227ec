// Where a C++ kernel gives its tile coordinates their values.
#pragma once

#include "kernel/cxx/source.h"
#include "kernel/tile_uses.h"

namespace heddle::kernel::cxx {

class CxxTileUses final : public TileUses {
 public:
  CxxTileUses(const CxxSource& source, const KernelProgram& program,
              const std::vector<TileVariable>& variables);

  std::vector<ScopeNumber> numbers(std::size_t site, const config::Launch& launch) const override;
  bool keeps_type(std::size_t) const override { return true; }
  std::string rewritten(const std::vector<std::string>& code,
                        const std::vector<std::string>& values) const override;
};

}  // namespace heddle::kernel::cxx
