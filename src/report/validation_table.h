// The figures of a compared group as rows of cells, and the sentences of a score: what text and
// Markdown share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "results/validation.h"

namespace heddle::report {

/// Three cells of a figure: measured, predicted, error.
struct FigureColumns {
  std::string title;  ///< "L2 hit rate, %"
  /// Per point; empty cells where it was not measured.
  std::vector<std::vector<std::string>> cells;
};

/// Those of which at least one point was measured.
std::vector<FigureColumns> figure_columns(const ComparedGroup& group);

struct ScoreLine {
  std::string label;  ///< "L2 hit rate"
  std::string text;
};

/// How an order stands inside a sentence.
using OrderText = std::function<std::string(const std::string&)>;

/// What there is to say about a GPU: errors, ranks, signs, the fastest orders.
std::vector<ScoreLine> score_lines(const ValidationReport& report, const GpuScore& score,
                                   const OrderText& order_text = {});

/// "mi300x: the largest error of the L2 hit rate is 12.3 points, the limit 8 (stencil_2d under
/// ...)".
std::string breach_text(const ValidationReport& report, const LimitBreach& breach,
                        const OrderText& order_text = {});

/// Whether a point of the report is so.
bool any_point(const ValidationReport& report, const std::function<bool(const ComparedPoint&)>& is);

}  // namespace heddle::report
