// What takes the place of a function that has to go, so that no other one answers in its stead.
//
//   float by(lib::real x);   ->   template <class H0> void by(H0&&) = delete;
//
// Rules
//   1. A call that another overload takes without a conversion is that overload's. Any other call,
//      which by(lib::real) might have taken, meets the deleted function, and Clang refuses it.
//   2. A template may be chosen where nothing needs a conversion, too. So no stand-in is put for
//      one, nor where another function of the name is one; nor for specialisations, members, functions
//      with `...`, and operators without a sign.
#pragma once

#include <optional>
#include <string>

#include "kernel/cxx/reach.h"

namespace heddle::kernel::cxx {

std::optional<std::string> stand_in(const Reach& reach, std::size_t unit);

}  // namespace heddle::kernel::cxx
