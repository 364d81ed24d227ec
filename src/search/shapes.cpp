#include "search/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "order/evaluate.h"
#include "search/ranking.h"
#include "search/variants.h"
#include "sim/effects.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::search {
namespace {

TunedName read_size(std::string_view text) {
  const std::size_t equals = text.find('=');
  TunedName size;
  if (equals != std::string_view::npos) {
    size.name = trim(text.substr(0, equals));
    for (const std::string_view value : split_outside_brackets(text.substr(equals + 1), ','))
      size.values.emplace_back(trim(value));
  }
  const auto is_bad = [](const std::string& value) {
    return value.empty() || value.find('=') != std::string::npos;
  };
  if (size.name.empty() || size.values.empty() || std::ranges::any_of(size.values, is_bad))
    throw Error(fmt::format("--shapes cannot read '{}'", text),
                "write --shapes \"M=4096,8192;N=4096\"");
  return size;
}

/// The attempt with this very formula and a proof of its own.
std::optional<int> find_formula(const Attempts& attempts, const std::string& formula) {
  for (const OrderAttempt& attempt : attempts.all())
    if (attempt.formula == formula && attempts.has_proof(attempt.iteration) && attempt.predicted)
      return attempt.iteration;
  return std::nullopt;
}

}  // namespace

std::vector<std::vector<std::string>> read_shapes(const std::vector<std::string>& texts) {
  std::vector<std::vector<std::string>> shapes;
  for (const std::string& text : texts) {
    std::vector<TunedName> sizes;
    std::size_t count = 1;
    for (const std::string_view part : split_outside_brackets(text, ';')) {
      if (trim(part).empty()) continue;
      sizes.push_back(read_size(part));
      count *= sizes.back().values.size();
      if (count > kMostShapes) break;
    }
    if (sizes.empty()) throw Error("--shapes names no size", "write --shapes \"M=4096,8192\"");
    if (count + shapes.size() > kMostShapes)
      throw Error(fmt::format("--shapes asks for more than {} shapes", kMostShapes),
                  "give fewer values");
    for (auto& shape : combinations(sizes))
      if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(std::move(shape));
  }
  return shapes;
}

void add_common_orders(const Prepared& prepared, const SearchOptions& options,
                       const Attempts& attempts, std::vector<CommonOrder>& orders) {
  std::vector<const OrderAttempt*> all;
  for (const int number : finalists(prepared, options, attempts)) {
    const OrderAttempt& attempt = attempts.at(number);
    if (attempt.finalist && attempt.sizes == ProvedSizes::all && attempts.has_proof(number))
      all.push_back(&attempt);
  }
  for (const OrderAttempt* attempt : ranked(std::move(all), kOrdersOfAShape)) {
    const auto is_known = [&](const CommonOrder& one) { return one.formula == attempt->formula; };
    if (std::ranges::any_of(orders, is_known)) continue;
    orders.push_back({attempts.proven(attempt->iteration).order, attempt->formula, attempt->idea,
                      attempt->origin});
  }
}

order::Map map_on(const Prepared& prepared, const CommonOrder& order) {
  return order::materialize(order.order.order(), prepared.subject.space, order.order.bindings());
}

std::optional<double> time_of(const Prepared& prepared, const CommonOrder& order) {
  try {
    const order::Map map = map_on(prepared, order);
    if (map == prepared.subject.own_map()) return prepared.baseline.time_us;
    const int operations = tiles::added_operations(prepared.subject.launch, order.order.order(),
                                                   prepared.subject.space, order.order.bindings());
    SimResult result = prepared.scorer.replay({&map, false, operations}, Purpose::answer);
    sim::put_beside(result, prepared.baseline.time_us, prepared.subject.gpu);
    return result.time_us;
  } catch (const Error&) {
    return std::nullopt;  // tiles of other axes
  }
}

double least_common_gain(Risk risk) {
  return risk == Risk::high ? kWorthwhile : kSureGain;
}

std::optional<std::size_t> best_common(const std::vector<std::vector<double>>& speedups,
                                       double least) {
  std::optional<std::size_t> best;
  double most = 1 + least;
  for (std::size_t i = 0; i < speedups.size(); ++i) {
    double sum = 0;
    for (const double speedup : speedups[i]) sum += std::log(speedup);
    const double mean = std::exp(sum / static_cast<double>(speedups[i].size()));
    if (std::ranges::min(speedups[i]) < 1 - kWorthwhile) continue;
    if (mean < (best ? most * (1 + kSameCost) : most)) continue;
    best = i;
    most = mean;
  }
  return best;
}

void take_common(const Prepared& prepared, const Session& session, const CommonOrder& order,
                 Chosen& chosen) {
  Searched& searched = chosen.searched;
  auto number = find_formula(searched.attempts, order.formula);
  if (!number) {
    // Neither time nor a limit of attempts may keep out what is chosen already.
    SearchOptions options = session.options;
    options.iterations = 0;
    options.budget = std::chrono::milliseconds(0);
    const Session unlimited{options, {options, prepared.subject.since}, session.record};
    searched.waiting.clear();
    searched.waiting.push_front(
        {"shapes", order.formula, order.order.order(), "", order.idea, order.origin, false});
    searched = resume(prepared, unlimited, std::move(searched), 1);
    number = find_formula(searched.attempts, order.formula);
  }
  if (!number) return take_none(chosen);
  OrderAttempt& best = searched.attempts.at(*number);
  if (!best.finalist || best.from_history || !best.predicted->causes)
    searched.predictor.replay_for_answer(map_of(prepared, searched.attempts, *number), best);
  best.finalist = true;
  chosen.best = *number;
  chosen.answer = Answer::improved;
}

void take_none(Chosen& chosen) {
  chosen.best = kLaunchOrder;
  if (chosen.answer == Answer::improved) chosen.answer = Answer::already_best;
}

}  // namespace heddle::search
