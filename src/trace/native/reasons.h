// Arguments for a runner, and what it says when a kernel cannot go on, in words.
#pragma once

#include <string>

#include "config/launch.h"
#include "kernel/program.h"
#include "runner/protocol.h"
#include "support/error.h"
#include "trace/native/memory.h"

namespace heddle::trace::native {

runner::Slot slot_of(const config::Launch& launch, const config::Argument& argument,
                     const NativeMemory& memory);

/// `where` is "tile (3, 5)".
Error fault_error(const kernel::KernelProgram& program, const config::Launch& launch,
                  const runner::Fault& fault, const std::string& text, const std::string& where);

/// A process that ended without a word: its status, or -1.
Error end_error(const kernel::KernelProgram& program, int status, const std::string& where);

}  // namespace heddle::trace::native
