// Which names a piece of code mentions.
#pragma once

#include <set>
#include <string>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton::host {

/// Whether any of the names stands in it, by itself or behind a dot.
bool mentions(const Node& node, const std::set<std::string>& names);
/// A function or a class.
bool opens_scope(const Node& node);
void collect_mentions(const Node& node, std::set<std::string>& names);
/// What a file calls the kernel: its name, and those that it is imported as.
std::set<std::string> names_of(const Module& module, const std::string& kernel);
/// The kernel, and the functions, classes and globals of a file that lead to it.
std::set<std::string> names_that_lead_to(const Module& module, const Node& kernel);

}  // namespace heddle::kernel::triton::host
