// Removes what does not reach a result, and counts how often the rest is used.
#pragma once

#include "emit/simplify.h"

namespace heddle::emit {

/// Drops unused values, cells, branches and loops; fills in CodeNode::uses and by_quotient.
void remove_dead_code(Code& code);

}  // namespace heddle::emit
