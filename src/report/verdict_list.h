// Checks with their verdicts, as lines for people and as JSON for programs.
//
//   order   PROVED   each of the 65,536 blocks computes one tile of the original, ...
//                    the order is xcd(8)
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/style.h"
#include "results/check.h"

namespace heddle::report {

/// A check by its id.
struct ShownCheck {
  std::string_view id;
  const CheckResult* result;
};

std::string verdict_list(const std::vector<ShownCheck>& checks, const Style& style);
/// The same as a table.
Table verdict_table(const std::vector<ShownCheck>& checks);
/// "4 PROVED, 1 REFUTED".
std::string verdict_counts(const std::vector<ShownCheck>& checks);
/// By their ids.
nlohmann::json verdicts_json(const std::vector<ShownCheck>& checks);

std::vector<ShownCheck> shown(const std::vector<NamedCheck>& checks);

}  // namespace heddle::report
