// Arithmetic of C++ on whole numbers that are not negative, as texts have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::kernel::cxx {

/// "64", "64u": a decimal literal of ten digits at most.
std::optional<std::int64_t> plain_literal(std::string_view text);

/// How tightly a binary operator binds: 3 * / %, 2 + -, 1 << >>; 0: it is none of these.
int operator_level(std::string_view op);

/// Operands from 0 to 2^31; nothing for others, or where the result is not defined.
std::optional<std::int64_t> applied(std::string_view op, std::int64_t a, std::int64_t b);

}  // namespace heddle::kernel::cxx
