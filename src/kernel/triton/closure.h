// Every file beside a kernel file that importing it reads.
//
//   gemm.py          import helpers; from pkg.tools import cdiv
//   files_read       helpers.py  pkg/__init__.py  pkg/tools.py  and what those import in turn
//
// Rules
//   1. Imports count wherever they stand: in functions, branches and classes too.
//   2. `a.b.c` reads a, a.b and a.b.c, as modules and as packages; so may the names after `from`.
//   3. Absolute imports are looked for beside the kernel file and beside the importing file,
//      relative ones where their dots point. Of the folders that hold the kernel file, the
//      __init__.py are read, up to the first folder without one.
//   4. Compiled modules are in the list; their imports are not known. Installed packages are not.
//   5. More than 256 files are an Error, and so is a file that Python cannot parse.
//
// Does not see: imports that are made at run time (importlib, exec).
#pragma once

#include <map>
#include <string>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

/// Names relative to the folder of the kernel file -> paths. The kernel file is not in it.
std::map<std::string, std::string> files_read(const Module& main);

}  // namespace heddle::kernel::triton
