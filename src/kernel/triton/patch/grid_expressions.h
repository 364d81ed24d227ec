// Expressions of host code that may make a grid: numbers, and nothing else.
//
//   (triton.cdiv(M, 128), 4)      lambda META: (triton.cdiv(M, META["BLOCK"]),)      on the list
//   (next(counter),)                                                                 not on it
//
// The list is rule 3 of host_launch.h.
#pragma once

#include <set>
#include <string>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

/// Whether an expression does nothing but give numbers; null: it does. Else the part that may do
/// more.
const Node* unlisted_in_grid(const Module& module, const Node& node);
/// What `def grid(META): return (cdiv(M, META["BM"]),)` returns: such a function is as good as a
/// lambda. Null: it may do more.
const Node* returned_grid(const Module& module, const Node& node);
/// def tiles(M, N): return cdiv(M, 128) * cdiv(N, 128), once in the file.
bool is_number_function(const Module& module, const Node& function);
/// x.shape, x.size(0), x.numel() in it.
bool asks_for_sizes(const Node& node);
/// Tensors whose size is asked for.
void collect_sized(const Node& node, std::set<std::string>& names);

}  // namespace heddle::kernel::triton
