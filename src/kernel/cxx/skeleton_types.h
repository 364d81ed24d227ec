// How the types of index code are called.
#pragma once

#include <optional>
#include <string>

#include "config/dtype.h"

namespace heddle::kernel::cxx {

inline constexpr const char* kDim3 = "dim3";

/// The type of a whole number; nothing for any other.
std::optional<config::DType> number_type(const std::string& type);
/// Without const, references and the like.
std::string plain_type(std::string type);

}  // namespace heddle::kernel::cxx
