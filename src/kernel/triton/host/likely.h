// Likely values by name, where nothing else is known.
#pragma once

#include <string>

#include "kernel/triton/host/value.h"

namespace heddle::kernel::triton::host {

/// "dim", "n": names that say less than any other.
bool is_vague_name(const std::string& name);
/// "head_dim", "D": how wide a head of attention is.
bool is_head_size_name(const std::string& name);
/// A tensor that holds where each sequence of a batch begins, and the end: one more than sequences.
bool is_bounds_name(const std::string& name);
/// The likely value of a size of that name, or of another number.
Number likely_number(const std::string& name);
/// Whether a tensor of that name holds integers: "cu_seqlens", "block_table".
bool is_index_name(const std::string& name);

}  // namespace heddle::kernel::triton::host
