// Writes a proven order as source code.
//
//   emit_order(proven, {Dialect::triton})        emit_order(proven, {Dialect::hip})
//     p0 = tl.program_id(0)                        const int p0 = blockIdx.x;
//     g0 = tl.num_programs(0)                      const int g0 = gridDim.x;
//     q = p0 // 8                                  const int q = p0 / 8;
//     die = p0 - q * 8                             const int die = p0 - q * 8;
//     tile = die * (g0 // 8) + ...                 const int tile = die * (g0 / 8) + ...;
//
// Rules
//   1. Only a ProvenOrder can be written; the first line says what it was proved for.
//   2. The code computes the same tile as the order for every block of that scope, in int32.
//   3. No value is computed twice, and nothing is divided twice.
//   4. Names of the order that were bound with --let stay names: the kernel has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proof/proven_order.h"

namespace heddle::emit {

enum class Dialect { triton, hip, cuda, opencl, cpp };

/// By its name ("triton", "c++") or the ending of its files ("py", "cu"), in lower case.
std::optional<Dialect> find_dialect(std::string_view name);

struct EmitOptions {
  Dialect dialect = Dialect::triton;
  std::vector<std::string>
      tile_extents;  ///< texts for the extents of an own tile space; may be empty
};

std::string emit_order(const proof::ProvenOrder& proven, const EmitOptions& options);

/// What the tile index is called in that code, axis 0 first: the order's own names, with an
/// underscore behind a name that the languages or the code itself need.
std::vector<std::string> emitted_results(const proof::ProvenOrder& proven);

}  // namespace heddle::emit
