// Tables of a profile, as plain data: what `analyze` prints, in any format.
//
//   Panel 16 "Vector L1 Data Cache"
//     PanelTable 16.3 "L1D Cache Accesses"
//       columns  Metric_ID  Metric      Avg     Min     Max     Unit
//       row      16.3.0     Total Req   128.0   128.0   128.0   Req per wave
//
// Rules
//   1. A cell is blank, a number or a text. A blank cell may say why it is.
//   2. A number that was divided by zero is infinite; it is not blank.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct PanelCell {
  enum class Kind { blank, number, whole, text };
  Kind kind = Kind::blank;
  double number = 0;  ///< number, whole
  std::string text;   ///< text; blank: why, or empty

  static PanelCell of_number(double value) { return {Kind::number, value, {}}; }
  /// A count or an id: printed without decimals.
  static PanelCell of_whole(double value) { return {Kind::whole, value, {}}; }
  static PanelCell of_text(std::string value) { return {Kind::text, 0, std::move(value)}; }
  static PanelCell blank(std::string why = {}) { return {Kind::blank, 0, std::move(why)}; }
  bool is_number() const { return kind == Kind::number || kind == Kind::whole; }
};

struct PanelColumn {
  std::string title;
  bool compared = false;  ///< holds numbers that a second run is compared in
};

struct PanelTable {
  std::string id;     ///< "16.3"
  std::string title;  ///< may be empty
  std::vector<PanelColumn> columns;
  std::vector<std::vector<PanelCell>> rows;  ///< each as long as columns
  std::string footnote;                      ///< a line below the table; may be empty
  bool is_list = false;  ///< kernels, dispatches, ceilings: rows have no metric id
};

struct Panel {
  int id = 0;
  std::string title;
  std::vector<PanelTable> tables;
};

/// Something about the input that the reader should know: a file that is missing, a damaged line.
struct ProfileNote {
  std::string where;  ///< "pmc_perf.csv:3"
  std::string what;
};

}  // namespace heddle
