// A TOML file as a plain tree: tables keep the order of the file, every node its place.
//
//   [tensors.b]                     table                              line 1
//   shape = ["M", 4]                  tensors (table)
//                                       b (table)                      line 1
//                                         shape (array: "M", 4)        line 2
//
// Rules
//   1. The text may have 1 MiB, nesting is bounded; an Error otherwise, and for anything that is
//      not TOML, with its line.
//   2. Dates and times are refused: nothing of heddle takes one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace heddle::config {

struct TomlNode {
  enum class Kind { table, array, text, integer, real, boolean };
  Kind kind = Kind::table;
  std::string key;              ///< in its table; empty in an array
  Position key_position;        ///< of the key; of an array's element: of the element
  Position position;            ///< of the value
  std::string text;             ///< text
  std::int64_t integer = 0;     ///< integer
  double real = 0;              ///< real
  bool boolean = false;         ///< boolean
  std::vector<TomlNode> items;  ///< of a table or an array

  /// Null if a table has no such key.
  const TomlNode* find(std::string_view wanted) const;
  /// "a table", "an array", "a text", ...
  std::string_view kind_text() const;
};

/// The root is a table. `path` may be "-" (standard input). Messages send the user to `document`.
TomlNode read_toml(const std::string& path, std::string_view document = "docs/jobs.md");

/// The same for a text; `shown` is what messages call it.
TomlNode parse_toml(std::string_view text, const std::string& shown, std::string_view document);

}  // namespace heddle::config
