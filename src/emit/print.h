// Prints simplified code in one of the dialects, as a text of its own or for a kernel that has
// names of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emit/emit.h"
#include "emit/expression.h"
#include "emit/simplify.h"
#include "order/order.h"

namespace heddle::emit {

struct PrintOptions {
  Dialect dialect = Dialect::triton;
  std::string title;
  std::string scope;
  order::Shape shape;
  bool plain_division = true;  ///< no division meets a negative operand
  std::vector<std::string> tile_extents;
  std::string turn;   ///< the text of p0, where it is not the launch's
  std::string turns;  ///< and of g0
  Spelling spelling;
  std::set<std::string> taken;       ///< names that belong to somebody else
  std::vector<std::string> remarks;  ///< comments below the first
  std::size_t columns = 100;         ///< for comments
};

std::vector<std::string> result_names(const Code& code, const PrintOptions& options);
std::string print_code(const Code& code, const PrintOptions& options);

/// The code without its last lines, which give the results their names.
struct PrintedParts {
  std::string lines;                 ///< comments and statements
  std::vector<std::string> results;  ///< the tile's index as expressions, axis 0 first
  std::vector<std::string> names;    ///< free names for them
};
PrintedParts print_parts(const Code& code, const PrintOptions& options);

}  // namespace heddle::emit
