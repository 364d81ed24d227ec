// Names in Python's syntax trees.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

/// Names that a function or statement gives a value: parameters, assigned names, loop variables.
void collect_bound(const Node& node, std::set<std::string>& names);

/// Every name that occurs, parameters and names of functions included; no attributes.
void collect_all(const Node& node, std::set<std::string>& names);

/// The names that a file binds at its top level.
std::set<std::string> names_of(const Module& module);

/// How often these statements define a function of that name; `nested`: also inside functions
/// and classes.
int count_definitions(const std::vector<Node>& statements, const std::string& name, bool nested);

/// min, range, ValueError, ...
bool is_python_function(const std::string& name);

}  // namespace heddle::kernel::triton
