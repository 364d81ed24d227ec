// trace --addresses: every active element of every access, one JSON object per access and line.
//
//   {"tile":[3,5,0],"line":22,"kind":"read","tensor":"x","element_bytes":2,"offsets":[0,2,4]}
//
// Rules
//   1. Offsets are bytes from the tensor's address, row-major in the block, inactive elements left
//      out; where the tensor is not known, "tensor" is null and they are addresses.
//   2. Accesses come in program order, tiles in launch order. An access without an active element
//      has no offsets, but its line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "pipeline.h"
#include "trace/tracer.h"

namespace heddle::tool {

/// To a file, or to standard output for "-". Throws Error beyond a fixed number of elements.
void write_addresses(const LoadedKernel& loaded, std::optional<std::array<std::int64_t, 3>> tile,
                     const trace::TraceOptions& options, const std::string& path);

}  // namespace heddle::tool
