// A YAML file as a plain tree, as far as configurations of rocprofiler-compute use the language.
//
//   Panel Config:                 map
//     id: 200                       Panel Config (map): id "200", data source (list)
//     data source:
//     - metric_table:                 (map): metric_table (map) ...
//
// Rules
//   1. Maps and lists by indentation; scalars plain, in quotes, folded (>) or literal (|), over
//      several lines; {} and []; comments. Scalars stay texts; null and ~ are empty ones.
//   2. Anchors, tags, flow collections that are not empty, several documents: an Error with its line.
//   3. A text has at most 1 MiB and 32 levels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::profile {

struct YamlNode {
  enum class Kind { text, map, list };
  Kind kind = Kind::text;
  std::string key;  ///< in its map
  std::string text;
  std::vector<YamlNode> items;
  int line = 0;

  /// Null if a map has no such key.
  const YamlNode* find(std::string_view wanted) const;
  /// The text under the key; empty if there is none.
  std::string text_of(std::string_view wanted) const;
};

/// `shown` is what messages call the file.
YamlNode parse_yaml(std::string_view text, const std::string& shown);

}  // namespace heddle::profile
