// What panels hold: the files of panels/, as they were when heddle was built, or of a folder.
//
//   panels/gfx90a/16.toml ──▶ PanelDefinition 16 ─▶ TableDefinition 16.3 ─▶ MetricDefinition
//   panels/gfx942/16.toml     "like" gfx90a, with the rows that differ
//
// Rules
//   1. A file that says something the format does not have is an Error with its line.
//   2. An architecture that is like another one has its panels; a table of the same id replaces the
//      other's, a [[row]] changes keys of one row.
//   3. Architectures of NVIDIA ("sm_90") that have no files of their own have those of "nvidia".
//   4. A folder may also be analysis_configs of rocprofiler-compute (yaml_panels.h).
//   5. Definitions are kept as texts; an expression is parsed when its panel is evaluated.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"

namespace heddle::profile {

struct MetricDefinition {
  std::string metric;
  std::string unit;                           ///< "{denom}" stands for wave, cycle, second, kernel
  std::map<std::string, std::string> words;   ///< column -> text
  std::map<std::string, std::string> values;  ///< "value", "peak", or a column -> expression
  std::string blank;                          ///< always blank, and why
  std::map<std::string, std::string>
      compat;          ///< "value", "peak", "metric", "unit", "blank", "keeps"
  std::string note;    ///< why it differs from the original
  std::string source;  ///< the file, for messages
  Position position;
};

struct TableDefinition {
  int id = 0;
  std::string title;
  std::vector<std::string> columns;  ///< after Metric_ID and Metric
  std::vector<std::string> words;    ///< those of them that hold words
  bool per_channel = false;
  std::vector<MetricDefinition> rows;
};

struct PanelDefinition {
  int id = 0;
  std::string title;
  std::map<std::string, std::string> let;
  std::vector<TableDefinition> tables;
};

struct ArchitectureDefinition {
  std::string name;                                          ///< "gfx942"
  std::vector<std::pair<std::string, std::string>> renamed;  ///< prefixes of counters
  std::vector<PanelDefinition> panels;                       ///< by id
};

/// The architectures there are definitions for.
std::vector<std::string> known_architectures(const std::string& folder = {});

/// From a folder as `panels/` where one is given. An Error names the architectures there are.
ArchitectureDefinition read_architecture(const std::string& name, const std::string& folder = {});

}  // namespace heddle::profile
