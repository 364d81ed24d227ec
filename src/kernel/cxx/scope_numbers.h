// Whole numbers of a C++ kernel's text, for one launch.
//
//   (N + TILE - 1) / TILE        6, where N = 96 and TILE = 16
//   gridDim.x                    24
//
// Rules
//   1. Known are literals, parameters, macros and template arguments of the launch, constants of the
//      file, blockDim and gridDim; + - * / % >> << of them, min and max, and casts to whole numbers.
//   2. Anything else is not known; nothing is guessed. Negative operands are none of its matters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

class CxxNumbers {
 public:
  CxxNumbers(const CxxSource& source, const CxxFunction& function,
             const std::vector<std::string>& template_values, const config::Launch& launch);

  void add(const std::string& name, std::int64_t value) { values_[name] = value; }
  /// A parameter that the kernel does not change.
  void add_parameter(const std::string& name);
  /// Parameters, macros and template arguments.
  const std::map<std::string, std::int64_t>& given() const { return given_; }
  /// Of an expression, from its first to its last token.
  std::optional<std::int64_t> value(std::size_t first, std::size_t last) const;

 private:
  using Number = std::optional<std::int64_t>;
  struct Cursor {
    std::size_t at, end;  ///< end: just behind
  };
  Number sum(Cursor& cursor, int level) const;
  Number atom(Cursor& cursor) const;
  Number bracket(Cursor& cursor) const;
  Number name(Cursor& cursor) const;
  void find_constants();
  std::string_view text(std::size_t i) const;

  const CxxSource& source_;
  const config::Launch& launch_;
  std::map<std::string, std::int64_t> values_;
  std::map<std::string, std::int64_t> given_;
};

}  // namespace heddle::kernel::cxx
