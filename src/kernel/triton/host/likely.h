// Likely values by name, where nothing else is known: sizes, numbers, constexprs, dtypes, contents.
#pragma once

#include <string>

#include "kernel/triton/host/value.h"

namespace heddle::kernel::triton::host {

/// Whether a tensor of that name holds integers: "cu_seqlens", "block_table".
bool is_index_name(const std::string& name);
/// As a job writes it: what an index of that name holds. `bound` is an expression that its values
/// stay below; empty: not known.
std::string likely_contents(const std::string& name, const std::string& elements,
                            const std::string& bound);

}  // namespace heddle::kernel::triton::host
