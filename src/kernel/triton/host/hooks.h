// The pre_hook of a kernel's configs: it runs before a launch and may set the blocks of descriptors.
//
//   def set_blocks(nargs): nargs["a_desc"].block_shape = [nargs["BLOCK_M"], nargs["BLOCK_K"]]
//   @triton.autotune(configs=[triton.Config({...}, pre_hook=set_blocks)], ...)
//
// Rules
//   1. It is looked for in the decorators, and in the lists and functions of the file that they name.
//      The first that is found counts for all configs.
#pragma once

#include "kernel/triton/host/interpreter.h"

namespace heddle::kernel::triton::host {

/// Where pre_hook= is given a function of the file; null: nowhere.
const Node* find_pre_hook(const Module& module, const Node& kernel);

}  // namespace heddle::kernel::triton::host
