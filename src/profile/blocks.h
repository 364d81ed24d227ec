// What -b names: panels, tables and metrics.
//
//   16   16.3   16.3.5   and any mixture of them
#pragma once

#include <string>
#include <vector>

#include "profile/metric/definition.h"

namespace heddle::profile {

class Blocks {
 public:
  /// An Error if a text is none, or the architecture has no such block. No texts: everything.
  /// Without a definition only the panels 0, 1 and 4 are there.
  Blocks(const std::vector<std::string>& texts, const ArchitectureDefinition* definition);

  bool all() const { return wanted_.empty(); }
  bool panel(int id) const;
  /// `metric` is "16.3.5", in table "16.3".
  bool metric(const std::string& table, const std::string& metric) const;

 private:
  std::vector<std::string> wanted_;
};

}  // namespace heddle::profile
