#include "search/outline.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "search/judge.h"
#include "support/error.h"
#include "support/parallel.h"

namespace heddle::search {
namespace {

constexpr std::size_t kPublishedKept = 4;
constexpr std::size_t kSpare = 64;
constexpr std::size_t kCounted = 128;  ///< orders whose operations are counted

struct Sketched {
  Proposal proposal;
  bool is_map = false;  ///< the order can be used here
  std::uint64_t hash = 0;
  int operations = 0;  ///< counted at the end, of the best
  bool is_counted = false;
  sim::SketchFigures figures = {};
  double time_us = 0;
};

class OutlineSearch {
 public:
  OutlineSearch(const Prepared& prepared, const order::Bindings& bindings)
      : subject_(prepared.subject),
        bindings_(bindings),
        sketch_(*prepared.sketch),
        clock_(prepared.baseline, figures_of(subject_.own_map()), sketch_.us_of_operation()) {
    seen_.insert(hash_of(subject_.own_map()));
  }

  /// Fills in what a proposal comes to.
  void look_at(Sketched& one) const {
    try {
      const order::Map map = order::materialize(*one.proposal.order, subject_.space, bindings_);
      one.hash = hash_of(map);
      one.figures = figures_of(map);
      one.time_us = clock_.time_us(one.figures, 0);
      one.is_map = true;
    } catch (const Error&) {
      // A walk needs a plane: the order is not for this space.
    }
  }

  void keep(std::vector<Sketched> batch, Search& turns) {
    for (Sketched& one : batch) {
      if (!one.is_map || !seen_.insert(one.hash).second) continue;
      turns.report({one.proposal.formula, one.time_us, false});
      all_.push_back(std::move(one));
    }
  }

  int count() const { return static_cast<int>(all_.size()); }

  /// Rule 3.
  void choose(std::size_t most, Outlined& outlined) {
    count_operations();
    std::ranges::stable_sort(all_, [](const Sketched& a, const Sketched& b) {
      return std::tuple(!a.is_counted, rounded(a.time_us), a.operations) <
             std::tuple(!b.is_counted, rounded(b.time_us), b.operations);
    });
    std::vector<bool> is_taken(all_.size());
    std::size_t published = 0;
    for (std::size_t i = 0; i < all_.size() && published < kPublishedKept; ++i) {
      if (all_[i].proposal.origin != Origin::published) continue;
      is_taken[i] = true;
      ++published;
    }
    std::size_t taken = published;
    std::int64_t last = -1;
    int alike = 0;
    for (std::size_t i = 0; i < all_.size() && taken < most; ++i) {
      const std::int64_t time = rounded(all_[i].time_us);
      alike = time == last ? alike + 1 : 1;
      last = time;
      if (is_taken[i] || alike > kAlike) continue;
      is_taken[i] = true;
      ++taken;
    }
    // The published ones first: others are replayed only where those or the best gain something.
    for (const bool published_turn : {true, false}) {
      for (std::size_t i = 0; i < all_.size(); ++i) {
        const bool is_published = all_[i].proposal.origin == Origin::published;
        if (is_taken[i] && is_published == published_turn)
          outlined.kept.push_back(all_[i].proposal);
      }
    }
    for (std::size_t i = 0; i < all_.size() && outlined.spare.size() < kSpare; ++i)
      if (!is_taken[i]) outlined.spare.push_back(std::move(all_[i].proposal));
  }

 private:
  /// Of the published orders and of the best without operations: those that are written shortest
  /// where times are alike.
  void count_operations() {
    std::ranges::stable_sort(all_, [](const Sketched& a, const Sketched& b) {
      return std::tuple(rounded(a.time_us), a.proposal.formula.size()) <
             std::tuple(rounded(b.time_us), b.proposal.formula.size());
    });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Sketched& one = all_[i];
      if (i >= kCounted && one.proposal.origin != Origin::published) continue;
      one.operations =
          tiles::added_operations(subject_.launch, *one.proposal.order, subject_.space, bindings_);
      one.time_us = clock_.time_us(one.figures, one.operations);
      one.is_counted = true;
    }
  }
  sim::SketchFigures figures_of(const order::Map& map) const {
    return sketch_.run(subject_.launch.schedule(map), subject_.launch.blocks);
  }
  /// Logarithms, in steps of kAlikeTime.
  static std::int64_t rounded(double time_us) {
    return std::llround(std::log(std::max(time_us, 1e-9)) / kAlikeTime);
  }

  const Subject& subject_;
  const order::Bindings& bindings_;
  const sim::Sketch& sketch_;
  sim::SketchTime clock_;
  std::set<std::uint64_t> seen_;
  std::vector<Sketched> all_;
};

}  // namespace

Outlined outline(const Prepared& prepared, const order::Bindings& bindings, Search& turns,
                 const Pace& pace, const Work& work, int threads) {
  Outlined outlined;
  OutlineSearch search(prepared, bindings);
  const auto lanes = static_cast<std::size_t>(thread_count(threads));
  while (search.count() < work.outlined) {
    if (pace.interrupted() || pace.out_of_time(kFinalReplays, prepared.answer_seconds)) {
      outlined.is_cut_short = true;
      break;
    }
    std::vector<Sketched> batch;
    while (batch.size() < kOutlinedAtOnce) {
      auto proposal = turns.next();
      if (!proposal) break;
      ++outlined.proposed;
      batch.push_back({std::move(*proposal)});
    }
    if (batch.empty()) break;
    parallel_for(batch.size(), lanes,
                 [&](std::size_t i, std::size_t) { search.look_at(batch[i]); });
    search.keep(std::move(batch), turns);
    OptimizeProgress progress;
    progress.step = "outlining orders";
    progress.attempts = search.count();
    pace.show(std::move(progress));
  }
  outlined.tried = search.count();
  search.choose(static_cast<std::size_t>(work.replayed), outlined);
  return outlined;
}

}  // namespace heddle::search
