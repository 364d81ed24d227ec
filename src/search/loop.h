// The loop of a search: propose, prove, replay, report back.
//
//   Searched searched = search(prepared, session, {});     every attempt, until there is a reason
//   to searched = resume(prepared, session, searched, 16);    stop; some more, after a measurement
//
// Rules
//   1. Attempt 1 is the launch order. Given formulas come next, then heddle's own proposers.
//   2. Nothing that is not PROVED is replayed. Up to kBatch new orders are replayed at a time; what
//      has settled together is recorded together.
//   3. A search ends at its limits (iterations, budget, Ctrl-C), when no proposer has more to say,
//      or where the best moves no more bytes than any order must. Where tiles are not independent
//      it does not begin, and the launch order is the only attempt.
//   4. A given text that is not a digit permutation by name but by its map is tried again as that.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "search/attempts.h"
#include "search/judge.h"
#include "search/predictor.h"
#include "search/prepare.h"
#include "search/search.h"

namespace heddle::search {

/// What all steps of one search share; options and record must outlive it.
struct Session {
  const SearchOptions& options;
  Pace pace;
  /// Keeps attempts for later searches.
  std::function<void(const std::vector<OrderAttempt>&)> record;
};

/// What a search tried, and all that it needs to go on.
struct Searched {
  Attempts attempts = {};
  SearchSummary summary = {};
  std::vector<std::string> notes = {};
  int best = kLaunchOrder;  ///< at the search's fidelity; only orders that may be handed back
  Judge judge;
  Predictor predictor;
  Search turns;
  std::deque<Proposal> waiting = {};  ///< given ones, before the proposers' own
  std::set<std::string> said = {};    ///< formulas that were given
  std::vector<Proposal> spare = {};   ///< outlined, and not replayed yet
  bool is_cut_short = false;          ///< not all orders were outlined
};

/// `known`: attempts of earlier searches for the same work.
Searched search(const Prepared& prepared, const Session& session, std::vector<OrderAttempt> known);

/// Tells the proposers what was measured, and tries about `most` proposals more.
Searched resume(const Prepared& prepared, const Session& session, Searched searched, int most);

/// Whether an attempt may become the answer.
bool is_eligible(const OrderAttempt& attempt, const SearchOptions& options);

/// How far it is, for those who watch.
OptimizeProgress progress_of(const Searched& searched, int best, const std::string& step);

/// The launch order and the given ones, proved or not, without a replay.
Attempts judge_given(const Subject& subject, const SearchOptions& options,
                     std::vector<std::string>& notes);

}  // namespace heddle::search
