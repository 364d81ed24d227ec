// Prints simplified code in one of the dialects.
#pragma once

#include <string>
#include <vector>

#include "emit/emit.h"
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
};

std::vector<std::string> result_names(const Code& code, const PrintOptions& options);
std::string print_code(const Code& code, const PrintOptions& options);

}  // namespace heddle::emit
