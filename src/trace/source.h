// The kernel's source, for reports: a place with its line of text.
//
//   SourceText source(program);
//   source.at(program.sites[3].place)   // {22, 14, "stencil_2d_kernel", "centre = tl.load(...)"}
#pragma once

#include <string>
#include <vector>

#include "kernel/program.h"
#include "results/trace.h"

namespace heddle::trace {

class SourceText {
 public:
  /// Reads the program's file; without it the texts are empty.
  explicit SourceText(const kernel::KernelProgram& program);

  SourcePlace at(std::int32_t place) const;

 private:
  const kernel::KernelProgram& program_;
  std::vector<std::string> lines_;
};

AccessKind access_kind(kernel::MemoryKind kind);

/// As many coordinates as the grid has axes.
std::vector<std::int64_t> tile_index(const Grid& grid, const std::array<std::int64_t, 3>& tile);

}  // namespace heddle::trace
