// The names in a Python file: which are given a value, and which words it holds at all.
//
//   GROUP = 8                      module_bindings  GROUP: 1, swizzle: 1
//   def swizzle(pid, n): ...       words            GROUP swizzle pid n ...
//
// Rules
//   1. module_bindings counts, for each name of the module's own scope, the places that give it a
//      value: assignments in whatever form, def, class, import, except, with, `global` below.
//   2. words are all identifiers in the tree, and all words of its texts: what code could ever
//      call by name. Comments hold none. free_names are those among them that a new name of the
//      module would stand for.
#pragma once

#include <map>
#include <set>
#include <string>

#include "kernel/triton/syntax.h"

namespace heddle::kernel::triton {

std::map<std::string, int> module_bindings(const Node& root);

std::set<std::string> words(const Node& root);

/// Names that code looks up in the module or in Python: not those of a function's own variables.
std::set<std::string> free_names(const Node& root);

/// The names that a function or a lambda gives a value, its parameters among them.
std::set<std::string> locals_of(const Node& function);

/// A name that Python or a test runner gives a meaning: `len`, `__all__`, `test_matmul`.
bool has_meaning(const std::string& name);

}  // namespace heddle::kernel::triton
