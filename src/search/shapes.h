// One order for several shapes of a job.
//
//   read_shapes({"M=4096,8192;N=4096"})      {"M=4096", "N=4096"}, {"M=8192", "N=4096"}
//   common_orders(...)                       the best few of each shape, proved for all sizes
//   best_common({{1.10, 0.97}, {1.05, 1.03}})     1: the first makes a shape slower
//
// Rules
//   1. Only orders that are proved for all sizes stand for several shapes.
//   2. An order that makes a shape slower, by more than kWorthwhile, is out. Of the others the one
//      with the best geometric mean of its speedups is taken, if that is more than kWorthwhile
//      above 1; means within kSameCost are the same, and the first of those wins.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/decision.h"
#include "search/choose.h"

namespace heddle::search {

inline constexpr std::size_t kMostShapes = 16;
inline constexpr std::size_t kOrdersOfAShape = 4;

/// The overrides of each shape: `texts` are those of `--shapes`. Throws Error.
std::vector<std::vector<std::string>> read_shapes(const std::vector<std::string>& texts);

struct CommonOrder {
  proof::ProvenOrder order;
  std::string formula;
  std::string idea;
  Origin origin = Origin::heddle;
};

/// Adds the best few of a shape, those that are not there yet.
void add_common_orders(const Prepared& prepared, const SearchOptions& options,
                       const Attempts& attempts, std::vector<CommonOrder>& orders);

/// Its tiles on a shape. Throws Error where it has no meaning there.
order::Map map_on(const Prepared& prepared, const CommonOrder& order);
/// What the order takes on a shape, at the answer's fidelity; nothing where it has no meaning.
std::optional<double> time_of(const Prepared& prepared, const CommonOrder& order);

/// Rule 2; one row per order, one speedup per shape. `least` is the mean gain that counts as one.
std::optional<std::size_t> best_common(const std::vector<std::vector<double>>& speedups,
                                       double least = kSureGain);
/// As for one shape: who takes risks takes any gain.
double least_common_gain(Risk risk);

/// Makes the order the answer of a search, tried before or not.
void take_common(const Prepared& prepared, const Session& session, const CommonOrder& order,
                 Chosen& chosen);
/// No order: the launch order is the answer.
void take_none(Chosen& chosen);

}  // namespace heddle::search
