// Which tokens of a C++ file are read where #if offers several branches.
//
//   #if A          read                 #if A            read
//   int f() {      read                 int f() { }      read
//   #else                               #else
//   int f(int) {   left out             int f(int) { }   read: each branch is complete
//   #endif                              #endif
//
// Rules
//   1. Where each branch is complete (brackets closed, ; or } at its end), all are read.
//   2. Else the first is, or the second where the first is `#if 0`.
//   3. Directives themselves are not read.
#pragma once

#include <vector>

#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

std::vector<bool> tokens_read(const std::vector<Token>& tokens);

}  // namespace heddle::kernel::cxx
