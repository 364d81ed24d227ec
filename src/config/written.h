// Expressions of a job, and where they are written.
//
//   placed(Error("'M' is not known", ...), written).full_text()
//     gemm.toml:7:9: 'M' is not known, in "cdiv(M, 2)"
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/expression.h"
#include "support/error.h"

namespace heddle::config {

struct Written {
  Expression expression;
  std::string text;    ///< as written, for messages
  std::string source;  ///< the job's path, or "--set NAME"
  Position position;
};

/// `["M", 4]`, or one expression that may give a list: "a_ptr.shape".
struct WrittenList {
  std::vector<Written> items;
  bool is_array = false;
  std::string source;
  Position position;
};

/// The most entries of a list of extents.
inline constexpr std::size_t kRankLimit = 16;

/// The error with the place of what is written, quoting it. One that has a place keeps it.
Error placed(const Error& error, const Written& written);

}  // namespace heddle::config
