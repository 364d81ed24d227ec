// Runs Clang, bounded in time and memory, and turns what it refuses into Errors with places.
//
//   run_clang({"-S", "-o", "-", "kernel.cpp"}, source)   -> what it printed
//
// Rules
//   1. Clang is clang-19, or what the environment variable HEDDLE_CLANG names.
//   2. An error in the kernel's text, which is called kMainFile in what Clang sees, has the place
//   in
//      the user's file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace heddle::kernel::cxx {

inline constexpr const char* kMainFile = "heddle_kernel_source";

struct ClangOutput {
  bool good = false;
  std::string output;
  std::string errors;
};

/// Throws Error if there is no Clang, or if it takes too long or too much memory.
ClangOutput run_clang(const std::vector<std::string>& arguments);

/// The first error of Clang's messages, as one of the kernel's file.
Error clang_error(const std::string& errors, const std::string& source_path);

/// The header that Clang did not find, "cublas_v2.h", or nothing.
std::string missing_header(const std::string& errors);

/// Blanks the lines of `text` that include it; false if there are none.
bool drop_include(std::string& text, const std::string& header);

}  // namespace heddle::kernel::cxx
