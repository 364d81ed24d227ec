#include "search/judge.h"

#include <fmt/format.h>

#include <array>

#include "order/digits.h"
#include "search/arrangements.h"
#include "support/error.h"

namespace heddle::search {
namespace {

constexpr std::int64_t kMostKept = std::int64_t{1} << 27;  ///< entries of maps: 1 GiB
constexpr std::chrono::seconds kGridLimit{20};

}  // namespace

std::uint64_t hash_of(const order::Map& map) {
  // Four at a time: one chain of multiplications would take four times as long.
  constexpr std::size_t kLanes = 4;
  std::array<std::uint64_t, kLanes> lanes;
  for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = 0x9e3779b97f4a7c15U * (k + 1) + map.size();
  const auto mix = [](std::uint64_t& hash, std::uint64_t value) {
    hash ^= value;
    hash *= 0xff51afd7ed558ccdU;
    hash ^= hash >> 32;
  };
  const std::size_t whole = map.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) mix(lanes[k], static_cast<std::uint64_t>(map[i + k]));
  for (std::size_t i = whole; i < map.size(); ++i)
    mix(lanes[0], static_cast<std::uint64_t>(map[i]));
  for (std::size_t k = 1; k < kLanes; ++k) mix(lanes[0], lanes[k]);
  return lanes[0];
}

Judged Judge::judge(const Proposal& proposal, int iteration) {
  Judged judged;
  judged.own = proposal.own;
  OrderAttempt& attempt = judged.attempt;
  attempt.iteration = iteration;
  attempt.proposer = proposal.proposer;
  attempt.origin = proposal.origin;
  attempt.formula = proposal.formula;
  attempt.title = proposal.order ? proposal.order->title() : proposal.proposer;
  attempt.idea = proposal.idea;
  attempt.said = proposal.said;
  if (!proposal.order) {
    attempt.reason = proposal.unreadable;
    return judged;
  }
  try {
    prove(*proposal.order, judged);
    if (attempt.verdict == Verdict::proved) find_same(judged);
  } catch (const Error& error) {
    attempt.verdict = Verdict::unknown;
    attempt.reason = error.message();
    judged.proven.reset();
    judged.map.clear();
  }
  return judged;
}

void Judge::prove(const order::Order& order, Judged& judged) const {
  OrderAttempt& attempt = judged.attempt;
  const proof::CheckOptions on_grid{options_.dies, kGridLimit};
  const GridReport report = proof::check_grid(order, options_.space, options_.bindings, on_grid);
  attempt.verdict = report.verdict;
  attempt.reason = report.reason;
  attempt.counterexample = report.counterexample;
  attempt.distinct_tiles = report.distinct_tiles;
  attempt.identity = report.identity;
  if (report.verdict != Verdict::proved) return;
  if (report.idle > 0) {
    attempt.verdict = Verdict::unknown;
    attempt.reason = "some blocks do nothing: the launch would have to change";
    return;
  }
  judged.map = order::materialize(order, options_.space, options_.bindings);
  if (!options_.own.empty()) attempt.identity = judged.map == options_.own;
  if (order.origin() == order::Order::Origin::table && attempt.identity) {
    attempt.sizes = ProvedSizes::all;  // whatever sizes the kernel is for
    attempt.scope = "as the kernel has it";
    return;
  }
  const order::Shape shape = order::Shape::of(options_.space);
  const bool is_family = order.origin() == order::Order::Origin::family;
  const bool has_names = !is_family && !order.program(shape, options_.bindings).names.empty();
  if (is_family || (!has_names && !options_.fixed_grid)) {
    AllSizesReport all;
    judged.proven =
        proof::prove_all_sizes(order, shape, options_.bindings,
                               {options_.dies, std::chrono::seconds(options_.time_limit_s)}, all);
    judged.argument = all.argument;
    if (judged.proven) attempt.sizes = ProvedSizes::all;
  }
  if (!judged.proven) {
    RangeReport range;
    const auto& tiles = options_.space.tiles;
    const order::SpaceRange grid(options_.space.launch.text(), tiles ? tiles->text() : "",
                                 options_.bindings);
    judged.proven = proof::prove_range(order, grid, options_.bindings, on_grid, range);
    if (judged.proven) attempt.sizes = ProvedSizes::grid;
  }
  if (!judged.proven) {
    attempt.verdict = Verdict::unknown;
    attempt.reason = "the proof did not finish in time";
    judged.map.clear();
    return;
  }
  attempt.scope = judged.proven->scope();
}

void Judge::find_same(Judged& judged) {
  const std::uint64_t hash = hash_of(judged.map);
  judged.attempt.map_hash = fmt::format("{:016x}", hash);
  const bool all_sizes = judged.attempt.sizes == ProvedSizes::all;
  const auto [first, last] = seen_.equal_range(hash);
  for (auto seen = first; seen != last; ++seen) {
    if (!seen->second.map.empty() && seen->second.map != judged.map) continue;
    // The same map with a better proof is a new attempt.
    if (all_sizes && !seen->second.all_sizes) continue;
    judged.attempt.same_as = seen->second.iteration;
    return;
  }
  const auto size = static_cast<std::int64_t>(judged.map.size());
  const bool fits = kept_ + size <= kMostKept;
  if (fits) kept_ += size;
  seen_.insert({hash, {fits ? judged.map : order::Map{}, judged.attempt.iteration, all_sizes}});
}

std::optional<Proposal> Judge::generalized(const Judged& judged) const {
  if (judged.attempt.verdict != Verdict::proved || judged.attempt.sizes == ProvedSizes::all)
    return std::nullopt;
  const auto arrangement = recognize(judged.map, options_.space.columns_first());
  if (!arrangement || arrangement->launch.size() > order::kMostDigits) return std::nullopt;
  const order::DigitOrder digits = digit_order(*arrangement, options_.dies);
  Proposal proposal =
      propose(judged.attempt.proposer, order::Order::from_stages({order::digit_stage(digits)}),
              judged.attempt.origin);
  proposal.said = judged.attempt.said;
  proposal.idea = fmt::format("iteration {} on this grid, written for all sizes: {}",
                              judged.attempt.iteration, proposal.idea);
  return proposal;
}

}  // namespace heddle::search
