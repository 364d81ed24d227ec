// Conditions (#if, #ifdef) that a header which was not found could turn the other way.
//
//   #include <lib/config.h>      not found
//   #if LIB_FAST                 LIB_FAST is nobody's macro here: 0, or what lib/config.h says
//   x[i] = 2 * x[i];
//   #endif
//
// Rules
//   1. Only conditions around something count: code, or a macro that some text names.
//   2. A name is open if no text defines it, the job neither defines nor undefines it, and it is not
//      of the compiler's own (_MSC_VER, __GNUC__).
//   3. The macros of libraries that are for the host, or well known, begin with the library's name:
//      CUBLAS_VERSION, MPI_VERSION. Of those that are not found, only these names are open.
//   4. __has_include of a header that is not found is open as well, whatever else is missing.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace heddle::kernel::cxx {

/// What conditions ask for and the texts do not settle.
class Conditions {
 public:
  explicit Conditions(const std::vector<std::string>& texts);

  /// Names that no text defines.
  const std::set<std::string>& macros() const { return macros_; }
  /// Headers of __has_include, as they are written: <a.h>, "b.h".
  const std::set<std::string>& headers() const { return headers_; }

 private:
  std::set<std::string> macros_;
  std::set<std::string> headers_;
};

/// Whether a header is one of a well-known library, by its whole name: "cublas_v2.h", "cub/cub.cuh",
/// and not "cuda_helpers.h". Such a header keeps to names of its own.
bool is_library(const std::string& header);

/// Whether a header that was not found may define a macro.
bool may_define(const std::string& header, const std::string& macro);

}  // namespace heddle::kernel::cxx
