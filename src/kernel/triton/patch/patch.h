// Two Triton files behind kernel::Patch.
//
// Rules
//   1. Texts may differ in nothing but index arithmetic (code_changes.h), and the programs of the
//      launch are the same but for it (program_match.h).
//   2. What the texts differ in is found once: other sizes give the same.
#pragma once

#include <memory>

#include "kernel/patch.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

std::unique_ptr<Patch> make_patch(TritonSource& before, TritonSource& after);

}  // namespace heddle::kernel::triton
