// Reading order texts as people and language models write them: finding the language, undoing
// Markdown fences, and choosing between a file, standard input, the compact form and a formula.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "order/lower.h"
#include "order/order.h"

namespace heddle::order {

/// Triton unless the text (or the file's ending) says C.
Language find_language(std::string_view text, std::string_view source);

/// The code of a text with Markdown fences: what stands inside them, on its own lines.
std::string without_fences(std::string_view text);

/// Parses and lowers; a text with fences is tried both with and without what stands outside them.
Program lower_formula(std::string_view text, std::string_view source,
                      std::optional<Language> language, const LowerOptions& options);

/// The argument ORDER of a verb: a file, "-", the compact form, or a one-line formula.
Order read_order(const std::string& argument, const ReadOptions& options);

/// Launch ids of a table at most, where the grid is not known: 1 GiB.
inline constexpr std::int64_t kMostListed = std::int64_t{1} << 27;

/// --order-table: one tile per launch id, as text (white space or commas) or .npy (1-D integers).
/// Read as a stream: a table that lists more than `most` is refused before it is held.
Order read_table(const std::string& file, std::int64_t most = kMostListed);

}  // namespace heddle::order
