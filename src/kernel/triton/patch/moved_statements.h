// Statements of a kernel that stand elsewhere in the new file and do the same there.
//
//   offsets = tl.arange(0, BLOCK)        before or behind `total = tl.zeros(...)`: moved
//   rows = first + tl.arange(0, BLOCK)   `first` is given a value in between: not moved
//
// Rules
//   1. A moved statement has the same text in both and gives one name a value, by arithmetic and
//      functions that only make values. The name is no scalar, and no index name is read.
//   2. Statements that mention the name, or give a value to a name that is read, stand in the same
//      order in both: as many in front of it, as many behind it.
#pragma once

#include "kernel/triton/patch/change_list.h"

namespace heddle::kernel::triton {

/// Takes pairs of moved statements out of both lists, and gives them back.
std::vector<std::pair<const Node*, const Node*>> take_moved(const ComparedSide& before,
                                                            const ComparedSide& after,
                                                            Statements& olds, Statements& news);

}  // namespace heddle::kernel::triton
