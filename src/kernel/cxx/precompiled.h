// Precompiled headers of this process. They are kept as bytes: no file outlives the place it is at.
//
//   const std::string header = put_header(text, place);
//   put_precompiled(header, language, place, source_path)
//     -> precompiled_path(place), for -include-pch with the same `language`
//
// Rules
//   1. `text` is preprocessed. Where its line markers name a file of the place, the place's folder
//      is left out, so that texts of two places are equal.
//   2. Equal texts are compiled once by a Clang with equal flags; the last few are kept.
//   3. Clang validates what it gets as ever: its version, the flags, and the header's size and time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/cxx/clang.h"

namespace heddle::kernel::cxx {

std::string precompiled_path(const ClangPlace& place);

/// Writes header_path(place), and gives back what it holds: the text as rule 1 says.
std::string put_header(std::string_view text, const ClangPlace& place);

/// `header` is what put_header() has written. Throws where Clang refuses it; `source_path` is the
/// kernel's file.
void put_precompiled(const std::string& header, const std::vector<std::string>& language,
                     const ClangPlace& place, const std::string& source_path);

}  // namespace heddle::kernel::cxx
