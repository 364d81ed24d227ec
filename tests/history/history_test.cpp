#include "history/history.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "history/testing.h"

namespace heddle::history {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> formulas(const std::vector<OrderAttempt>& attempts) {
  std::vector<std::string> texts;
  for (const OrderAttempt& attempt : attempts)
    texts.push_back(attempt.formula + ", " + attempt.fidelity);
  return texts;
}

TEST(History, gives_back_every_field) {
  const Folder folder;
  const OrderAttempt full = full_attempt(1);
  const OrderAttempt plain = plain_attempt(2, "t = p0");
  {
    History history(folder.file("h.db"));
    const std::int64_t run = history.begin_run(sample_key());
    history.record(run, full);
    history.record(run, plain);
  }
  const std::vector<OrderAttempt> known = History(folder.file("h.db")).known(sample_key());
  ASSERT_EQ(known.size(), 2U);
  expect_equal(known[0], full);
  expect_equal(known[1], plain);
  EXPECT_TRUE(known[0].from_history);
  EXPECT_TRUE(known[1].from_history);
  EXPECT_EQ(folder.files(), 1U);  // no journal stays behind
}

TEST(History, gives_back_absent_parts_and_odd_numbers) {
  const Folder folder;
  History history(folder.file("h.db"));
  const std::int64_t run = history.begin_run(sample_key());
  OrderAttempt attempt = predicted_attempt(1, "a", 5.0, "exact");  // a whole number as a real one
  attempt.counterexample = Counterexample{};
  attempt.predicted->bound_hit_rate_pct = std::numeric_limits<double>::infinity();
  attempt.predicted->hbm_read_bytes = std::numeric_limits<std::int64_t>::min();
  attempt.speedup = 1e-300;
  history.record(run, attempt);
  expect_equal(history.known(sample_key()).at(0), attempt);
  attempt.predicted->time_us = std::nan("");
  history.record(run, attempt);
  EXPECT_TRUE(std::isnan(history.known(sample_key()).at(0).predicted->time_us));
}

TEST(History, gives_back_hostile_texts) {
  const Folder folder;
  const std::vector<std::string> texts = {
      "'; DROP TABLE attempts; --",
      "\"quoted\" `ticks` [brackets] ?1 :name @name $name %s %n {}",
      std::string("zero\0inside", 11),
      std::string("\0", 1),
      "\xff\xfe broken \xc3( UTF-8 \xed\xa0\x80",
      "line\nline\r\n\ttab \x1b[31m",
      std::string(1 << 20, 'x'),
  };
  History history(folder.file("h.db"));
  RunKey key = sample_key();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    key.job = key.kernel = key.gpu = key.work_hash = key.model = texts[i];
    const std::int64_t run = history.begin_run(key);
    OrderAttempt attempt = full_attempt(static_cast<int>(i));
    attempt.formula = attempt.title = attempt.idea = attempt.proposer = texts[i];
    attempt.map_hash = attempt.fidelity = attempt.counterexample->message = texts[i];
    history.record(run, attempt);
    history.end_run(run, Answer::improved, texts[i], 1, SearchEnd::budget);
    const std::vector<OrderAttempt> known = history.known(key);
    ASSERT_EQ(known.size(), 1U) << i;
    expect_equal(known[0], attempt);
    EXPECT_EQ(history.runs().runs.front().job, texts[i]);
    EXPECT_EQ(history.runs().runs.front().best_title, texts[i]);
  }
  EXPECT_EQ(History(folder.file("h.db")).runs().runs.size(), texts.size());
}

TEST(History, knows_each_map_once_per_fidelity_in_the_order_recorded) {
  const Folder folder;
  History history(folder.file("h.db"));
  const std::int64_t first = history.begin_run(sample_key());
  history.record(first, predicted_attempt(1, "identity", 167, "sampled"));
  history.record(first, predicted_attempt(2, "xcd(8)", 150, "sampled"));
  history.record(first, plain_attempt(3, "refuted text"));
  history.record(first, predicted_attempt(2, "xcd(8)", 151, "exact"));
  const std::int64_t second = history.begin_run(sample_key());
  OrderAttempt same_map = predicted_attempt(1, "another name", 999, "sampled");
  same_map.map_hash = "map of xcd(8)";
  history.record(second, same_map);
  history.record(second, plain_attempt(2, "refuted text"));
  history.record(second, predicted_attempt(3, "columns", 140, "exact"));
  const std::vector<OrderAttempt> known = history.known(sample_key());
  EXPECT_THAT(formulas(known), ElementsAre("identity, sampled", "xcd(8), sampled", "refuted text, ",
                                           "xcd(8), exact", "columns, exact"));
  EXPECT_EQ(known[1].predicted->time_us, 150);
}

TEST(History, knows_a_formula_that_looks_like_a_hash_apart) {
  const Folder folder;
  History history(folder.file("h.db"));
  const std::int64_t run = history.begin_run(sample_key());
  OrderAttempt mapped = predicted_attempt(1, "xcd(8)", 5, "");
  mapped.map_hash = "abc";
  history.record(run, mapped);
  history.record(run, plain_attempt(2, "abc"));
  EXPECT_EQ(history.known(sample_key()).size(), 2U);
}

TEST(History, replaces_the_same_attempt_at_the_same_fidelity) {
  const Folder folder;
  History history(folder.file("h.db"));
  const std::int64_t run = history.begin_run(sample_key());
  OrderAttempt attempt = plain_attempt(1, "xcd(8)");
  attempt.map_hash = "map of xcd(8)";
  history.record(run, attempt);
  history.record(run, predicted_attempt(2, "columns", 140, "exact"));
  history.record(run, predicted_attempt(1, "xcd(8)", 150, "exact"));
  history.record(run, predicted_attempt(1, "xcd(8)", 149, "exact"));
  history.record(run, attempt);  // without a prediction: says less than what is there
  const std::vector<OrderAttempt> known = history.known(sample_key());
  EXPECT_THAT(formulas(known), ElementsAre("xcd(8), exact", "columns, exact"));
  EXPECT_EQ(known[0].predicted->time_us, 149);
  EXPECT_EQ(history.runs().runs.at(0).attempts, 2);
}

TEST(History, knows_nothing_of_other_work) {
  const Folder folder;
  History history(folder.file("h.db"));
  history.record(history.begin_run(sample_key()), full_attempt(1));
  RunKey people = sample_key();
  people.job = people.kernel = people.gpu = "other";  // for people
  EXPECT_EQ(history.known(people).size(), 1U);
  for (std::string RunKey::*field :
       {&RunKey::work_hash, &RunKey::gpu_hash, &RunKey::model, &RunKey::grid}) {
    RunKey other = sample_key();
    other.*field = "other";
    EXPECT_TRUE(history.known(other).empty());
  }
}

TEST(History, knows_the_same_whatever_the_clock_says) {
  const Folder folder;
  History one(folder.file("1.db"));
  History two(folder.file("2.db"));
  for (int i = 1; i <= 3; ++i) {
    one.record(one.begin_run(sample_key()), full_attempt(i));
    two.record(two.begin_run(sample_key(), "19" + std::to_string(90 - i)), full_attempt(i));
  }
  EXPECT_EQ(formulas(one.known(sample_key())), formulas(two.known(sample_key())));
}

TEST(History, lists_runs_newest_first) {
  const Folder folder;
  History history(folder.file("h.db"));
  EXPECT_TRUE(history.runs().runs.empty());
  EXPECT_EQ(history.begin_run(sample_key(), "2026-11-15T14:03:22Z"), 1);
  history.record(1, full_attempt(1));
  history.end_run(1, Answer::already_best, "identity", 1, SearchEnd::exhausted);
  history.end_run(1, Answer::improved, "columns", 1.25, SearchEnd::at_bound);
  EXPECT_EQ(history.begin_run(sample_key()), 2);
  const HistoryListing listing = history.runs();
  ASSERT_EQ(listing.runs.size(), 2U);
  EXPECT_EQ(listing.path, folder.file("h.db"));
  EXPECT_EQ(listing.runs[0].id, 2);
  EXPECT_FALSE(listing.runs[0].answer);
  EXPECT_EQ(listing.runs[0].started.size(), 20U);
  const HistoryRun& run = listing.runs[1];
  EXPECT_EQ(run.started, "2026-11-15T14:03:22Z");
  EXPECT_EQ(run.job, sample_key().job);
  EXPECT_EQ(run.kernel, sample_key().kernel);
  EXPECT_EQ(run.grid, sample_key().grid);
  EXPECT_EQ(run.work_hash, sample_key().work_hash);
  EXPECT_EQ(run.gpu, sample_key().gpu);
  EXPECT_EQ(run.gpu_hash, sample_key().gpu_hash);
  EXPECT_EQ(run.model, sample_key().model);
  EXPECT_EQ(run.attempts, 1);
  EXPECT_EQ(run.answer, Answer::improved);
  EXPECT_EQ(run.best_title, "columns");
  EXPECT_EQ(run.speedup, 1.25);
  EXPECT_EQ(run.end, SearchEnd::at_bound);
}

TEST(History, ranks_the_attempts_of_a_run) {
  const Folder folder;
  History history(folder.file("h.db"));
  const std::int64_t run = history.begin_run(sample_key());
  OrderAttempt refuted = plain_attempt(1, "refuted");
  refuted.verdict = Verdict::refuted;
  history.record(run, refuted);
  history.record(run, plain_attempt(2, "unknown"));
  history.record(run, predicted_attempt(3, "slow", 200, "sampled"));
  history.record(run, predicted_attempt(4, "fast", 90, "sampled"));
  OrderAttempt finalist = predicted_attempt(5, "final", 100, "exact");
  finalist.finalist = true;
  history.record(run, predicted_attempt(5, "final", 80, "sampled"));
  history.record(run, finalist);
  OrderAttempt duplicate = plain_attempt(6, "duplicate");
  duplicate.verdict = Verdict::proved;
  history.record(run, duplicate);
  EXPECT_THAT(formulas(history.run(run).attempts),
              ElementsAre("final, exact", "fast, sampled", "slow, sampled", "duplicate, ",
                          "unknown, ", "refuted, "));
  try {
    history.run(7);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_text(), ::testing::HasSubstr("there is no run 7 in"));
  }
}

TEST(History, compares_two_runs) {
  const Folder folder;
  History history(folder.file("h.db"));
  const std::int64_t before = history.begin_run(sample_key());
  history.record(before, predicted_attempt(1, "identity", 200, "exact"));
  history.record(before, predicted_attempt(2, "xcd(8)", 100, "sampled"));
  history.record(before, predicted_attempt(3, "gone", 150, "exact"));
  history.record(before, plain_attempt(4, "never predicted"));
  RunKey key = sample_key();
  key.model = "2";
  const std::int64_t after = history.begin_run(key);
  OrderAttempt renamed = predicted_attempt(1, "the launch order", 190, "exact");
  renamed.map_hash = "map of identity";
  history.record(after, renamed);
  OrderAttempt another_grid = predicted_attempt(2, "xcd(8)", 90, "exact");
  another_grid.map_hash = "another map";
  history.record(after, another_grid);
  history.record(after, predicted_attempt(3, "new", 95, "exact"));
  const HistoryComparison comparison = history.compare(before, after);
  EXPECT_THAT(comparison.differ, ElementsAre("model"));
  ASSERT_EQ(comparison.orders.size(), 4U);
  EXPECT_EQ(comparison.orders[0].title, "xcd(8)");
  EXPECT_FALSE(comparison.orders[0].change_pct);  // of another fidelity
  EXPECT_TRUE(comparison.orders[0].before);
  EXPECT_EQ(comparison.orders[1].title, "new");
  EXPECT_FALSE(comparison.orders[1].before);
  EXPECT_EQ(comparison.orders[2].title, "the launch order");
  EXPECT_NEAR(*comparison.orders[2].change_pct, -5, 1e-9);
  EXPECT_EQ(comparison.orders[3].title, "gone");
  EXPECT_FALSE(comparison.orders[3].after);
}

TEST(History, refuses_to_record_for_a_run_that_never_began) {
  const Folder folder;
  History history(folder.file("h.db"));
  EXPECT_THROW(history.record(1, full_attempt(1)), Error);
  EXPECT_THROW(history.end_run(1, Answer::improved, "", 1, SearchEnd::budget), Error);
  EXPECT_TRUE(history.known(sample_key()).empty());
}

}  // namespace
}  // namespace heddle::history
