// The files of the user that a C++ file includes, and whether two files include the same.
//
// Rules
//   1. What the compiler read counts, and so does what host code includes: #include and #embed of
//      files beside the including one, followed from file to file.
//   2. Files go by their names relative to the kernel's folder. They are the same if their tokens
//      are.
//   3. An #include whose name a macro gives cannot be followed: a doubt.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/cxx/source.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {

struct CxxHeaders {
  std::map<std::string, std::string> files;  ///< name -> text
  std::vector<std::string> doubts;
};

/// `read` are files that the compiler read.
CxxHeaders headers_of(const CxxSource& source, const std::vector<std::string>& read);

/// The name of a file that the compiler read.
std::string header_name(const CxxSource& source, const std::string& path);
/// What an #include names, without its quotes; empty: the directive is another, or a macro names it.
std::string included_name(const Token& directive);
/// The header is one of the C library's that declare integer types and numbers and nothing else, and
/// no macro of it can be in the file or in its headers. `plain` are names that are no macros.
bool is_header_of_types(const std::string& name, const CxxSource& source, const CxxHeaders& headers,
                        const std::set<std::string_view>& plain);

/// Names of headers that are not on both sides, or not the same.
std::vector<std::string> different_headers(const CxxHeaders& before, const CxxHeaders& after);

}  // namespace heddle::kernel::cxx
