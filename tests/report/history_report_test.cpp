#include "report/history_report.h"

#include <gmock/gmock.h>

#include "support/text.h"

namespace heddle::report {
namespace {

using ::testing::HasSubstr;

HistoryRun sample_run(std::int64_t id) {
  HistoryRun run;
  run.id = id;
  run.started = "2026-11-15T14:03:22Z";
  run.job = "examples/stencil_2d.toml";
  run.kernel = "stencil_kernel";
  run.grid = "256x256";
  run.gpu = "mi300x";
  run.model = "1";
  run.attempts = 1212;
  run.answer = Answer::improved;
  run.best_title = "xcd(8) | columns";
  run.speedup = 1.144;
  run.end = SearchEnd::budget;
  return run;
}

OrderAttempt sample_attempt(int iteration, const std::string& title, double time_us) {
  OrderAttempt attempt;
  attempt.iteration = iteration;
  attempt.title = attempt.formula = title;
  attempt.verdict = Verdict::proved;
  attempt.sizes = ProvedSizes::all;
  attempt.predicted = SimResult{};
  attempt.predicted->time_us = time_us;
  attempt.predicted->l2.cache = {1000, 676, 324};
  attempt.fidelity = "exact";
  attempt.speedup = 167 / time_us;
  return attempt;
}

void expect_narrow(const std::string& text) {
  for (const std::string_view line : split_lines(text)) EXPECT_LE(line.size(), 100U) << line;
}

TEST(HistoryReport, lists_runs) {
  HistoryRun killed = sample_run(12);
  killed.answer.reset();
  killed.speedup.reset();
  killed.best_title.clear();
  killed.attempts = 7;
  EXPECT_EQ(history_list_text({"history.db", {killed, sample_run(3)}}, {}),
            R"(history.db  2 runs
  run  started     job              GPU     grid     attempts  best              speedup  answer
   12  2026-11-15  stencil_2d.toml  mi300x  256x256         7  -                       -  unfinished
    3  2026-11-15  stencil_2d.toml  mi300x  256x256     1,212  xcd(8) | columns    1.144  faster
)");
  EXPECT_EQ(history_list_text({"history.db", {}}, {}), "history.db  no runs\n");
}

TEST(HistoryReport, shows_a_run) {
  HistoryRunReport report{"history.db", sample_run(3), {}};
  report.attempts.push_back(sample_attempt(4, "xcd(8) | columns", 146));
  report.attempts.back().finalist = true;
  report.attempts.push_back(sample_attempt(1, "identity", 167));
  report.attempts.back().identity = true;
  OrderAttempt refuted;
  refuted.iteration = 3;
  refuted.title = "t = p0//8 + p0%8*g0";
  refuted.verdict = Verdict::refuted;
  refuted.counterexample = Counterexample{};
  refuted.counterexample->message = "launch ids 1 and 8 both compute tile 256";
  report.attempts.push_back(refuted);
  const std::string text = history_run_text(report, {});
  expect_narrow(text);
  EXPECT_EQ(text, R"(run 3  history.db
  started        2026-11-15 14:03 UTC
  job            examples/stencil_2d.toml, kernel stencil_kernel, grid 256x256
  GPU            mi300x
  predicted by   1
  answer         faster: xcd(8) | columns, speedup 1.144; stopped by --budget
  attempts       3: 2 proved, 1 refuted, 0 unknown; 2 predicted

  attempt  order                verdict           L2 hit %  time us  speedup  fidelity
        4  xcd(8) | columns     PROVED all sizes      67.6    146.0    1.144  exact
        1  identity             PROVED all sizes      67.6    167.0    1.000  exact
        3  t = p0//8 + p0%8*g0  REFUTED: launch ids 1 and 8 both compute tile 256
)");
}

TEST(HistoryReport, compares_runs) {
  HistoryComparison comparison{"history.db", sample_run(1), sample_run(3), {"model"}, {}};
  comparison.orders.push_back({"xcd(8) | columns", sample_attempt(4, "xcd(8) | columns", 146),
                               sample_attempt(9, "xcd(8) | columns", 143), -2.05});
  comparison.orders.push_back({"new", {}, sample_attempt(2, "new", 150), {}});
  comparison.orders.push_back(
      {"identity", sample_attempt(1, "identity", 167), sample_attempt(1, "identity", 168), {}});
  const std::string text = history_comparison_text(comparison, {});
  expect_narrow(text);
  EXPECT_EQ(text, R"(runs 1 and 3  history.db
  before         run 1, 2026-11-15 14:03: examples/stencil_2d.toml on mi300x, grid 256x256; faster:
                 xcd(8) | columns, speedup 1.144; stopped by --budget
  after          run 3, 2026-11-15 14:03: examples/stencil_2d.toml on mi300x, grid 256x256; faster:
                 xcd(8) | columns, speedup 1.144; stopped by --budget
  differ         model

  order             before us  after us  change %  remark
  xcd(8) | columns      146.0     143.0      -2.0  best of both
  new                       -     150.0         -
  identity              167.0     168.0         -  another fidelity
)");
}

TEST(HistoryReport, cuts_and_tames_what_others_wrote) {
  HistoryRun run = sample_run(1);
  run.job = run.gpu = run.best_title = std::string(1 << 20, 'x') + "\x1b[31m";
  run.grid = "\x1b[31m\x7f";
  const std::string list = history_list_text({"h.db", {run}}, {});
  expect_narrow(list);
  EXPECT_EQ(list.find('\x1b'), std::string::npos);
  OrderAttempt attempt = sample_attempt(1, "", 1);
  attempt.formula = "line\nline\t\x1b]0;title\a" + std::string(1 << 20, 'y');
  const std::string text = history_run_text({"h.db", sample_run(1), {attempt}}, {});
  expect_narrow(text);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("?]0;title?yy"));
}

TEST(HistoryReport, json_has_a_version_and_every_figure) {
  HistoryRun killed = sample_run(2);
  killed.answer.reset();
  killed.end.reset();
  const nlohmann::json list = history_list_json({"h.db", {killed, sample_run(1)}});
  EXPECT_EQ(list["version"], 1);
  EXPECT_TRUE(list["runs"][0]["answer"].is_null());
  EXPECT_EQ(list["runs"][1]["answer"], "faster");
  EXPECT_EQ(list["runs"][1]["search_end"], "budget");
  OrderAttempt refuted;
  refuted.verdict = Verdict::refuted;
  refuted.counterexample = Counterexample{};
  refuted.counterexample->first = LaunchId{1};
  const nlohmann::json run =
      history_run_json({"h.db", sample_run(1), {sample_attempt(1, "a", 5), refuted}});
  EXPECT_EQ(run["version"], 1);
  EXPECT_EQ(run["attempts"][0]["predicted"]["time_us"], 5);
  EXPECT_EQ(run["attempts"][0]["sizes"], "all");
  EXPECT_TRUE(run["attempts"][1]["predicted"].is_null());
  EXPECT_EQ(run["attempts"][1]["counterexample"]["first"], 1);
  EXPECT_TRUE(run["attempts"][1]["counterexample"]["second"].is_null());
  const nlohmann::json compared = history_comparison_json(
      {"h.db", sample_run(1), sample_run(2), {"GPU"}, {{"a", {}, sample_attempt(1, "a", 5), {}}}});
  EXPECT_EQ(compared["version"], 1);
  EXPECT_EQ(compared["differ"][0], "GPU");
  EXPECT_TRUE(compared["orders"][0]["before"].is_null());
  EXPECT_TRUE(compared["orders"][0]["change_pct"].is_null());
}

}  // namespace
}  // namespace heddle::report
