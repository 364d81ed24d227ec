// Verdicts on an order, as text for people and as JSON for programs.
//
//   REFUTED  remap.py on grid 256x256
//     tiles          256 of 65,536 computed, 65,280 never
//     counterexample launch ids 0 and 1 both compute tile 0 at (0, 0)
//     dies           8 x 8,192 blocks
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/verdict.h"

namespace heddle::report {

/// What goes beside a verdict: the order's name and a comparison with another order.
struct CheckContext {
  std::string order;
  std::optional<std::string> compared_with;
  std::optional<std::string> difference;  ///< empty where the two are the same map
};

Document check_view(const GridReport& report, const CheckContext& context);
Document check_view(const RangeReport& report, const CheckContext& context);
Document check_view(const AllSizesReport& report, const CheckContext& context);
/// A view as text.
std::string check_text(const Document& page, Verdict verdict, const Style& style);
template <class Report>
std::string check_text(const Report& report, const CheckContext& context, const Style& style) {
  return check_text(check_view(report, context), report.verdict, style);
}

nlohmann::json check_json(const GridReport& report, const CheckContext& context);
nlohmann::json check_json(const RangeReport& report, const CheckContext& context);
nlohmann::json check_json(const AllSizesReport& report, const CheckContext& context);

/// Null without one.
nlohmann::json counterexample_json(const std::optional<Counterexample>& example);

}  // namespace heddle::report
