#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/error.h"
#include "sweep/merge.h"
#include "sweep/past.h"
#include "sweep/row.h"
#include "sweep/testing.h"

namespace heddle::sweep {
namespace {

SweepRow whole_row() {
  SweepRow row;
  row.verb = "optimize";
  row.job = "a \"b\",\n.toml";
  row.function = "f";
  row.shape = "M=1,N=2";
  row.gpu = "mi300x";
  row.at_base = true;
  row.exit_code = 3;
  row.answer = "faster";
  row.order = "xcd(8) | columns";
  row.time_us = 1.0 / 3;
  row.best_us = 0.25;
  row.speedup = 1.125;
  row.speedup_low = 1.0;
  row.speedup_high = 1.5;
  row.l2_hit_pct = 12.5;
  row.hbm_bytes = std::int64_t{1} << 40;
  row.limited_by = "memory";
  row.reason = "because\x01";
  row.patch = "--- a\n+++ b\n";
  return row;
}

TEST(PastSearches, are_the_rows_of_optimize) {
  const Tree tree;
  EXPECT_FALSE(is_swept(tree.path()));
  SweepRow checked = whole_row();
  checked.verb = "check";
  SweepRow failed = whole_row();
  failed.failed = true;
  std::ofstream(tree.path("results.jsonl")) << row_json(checked) << '\n'
                                            << row_json(whole_row()) << '\n'
                                            << row_json(failed) << '\n';
  ASSERT_TRUE(is_swept(tree.path()));
  const HistoryListing listing = past_searches(tree.path());
  ASSERT_EQ(listing.runs.size(), 2U);
  EXPECT_EQ(listing.runs[0].id, 2);
  EXPECT_EQ(listing.runs[0].grid, "M=1,N=2");
  EXPECT_EQ(listing.runs[0].best_title, "xcd(8) | columns");
  EXPECT_EQ(listing.runs[0].speedup, 1.125);
  EXPECT_EQ(listing.runs[0].answer, Answer::improved);
  EXPECT_EQ(listing.runs[1].answer, Answer::unknown);
  std::ofstream(tree.path("results.jsonl")) << "[]\n";
  EXPECT_THROW(past_searches(tree.path()), Error);
}

TEST(Row, reads_what_it_wrote) {
  const std::string text = row_json(whole_row());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(row_json(read_row(text)), text);
  EXPECT_EQ(read_row(text).hbm_bytes, std::int64_t{1} << 40);
  EXPECT_EQ(csv_row(whole_row()).substr(0, 40),
            "optimize,\"a \"\"b\"\",\n.toml\",f,\"M=1,N=2\",mi");
  EXPECT_THROW(read_row("{"), Error);
  EXPECT_THROW(read_row("{\"verb\":3}"), Error);
  EXPECT_THROW(read_row("[]"), Error);
}

TEST(Row, holds_values_of_its_own_fields_only) {
  const SweepRow row =
      read_row(R"({"verb":"check","more":{"job":"inner","exit_code":7},"list":[1,{"gpu":"x"}],)"
               R"("time_us":3,"patch":"diff"})");
  EXPECT_EQ(row.verb, "check");
  EXPECT_EQ(row.job, "");
  EXPECT_EQ(row.gpu, "");
  EXPECT_EQ(row.exit_code, 0);
  EXPECT_EQ(row.time_us, 3.0);
  EXPECT_EQ(row.patch, "diff");
  for (const char* bad :
       {"3", "null", "", "{\"exit_code\":1.5}", "{\"exit_code\":4294967296}", "{\"failed\":1}",
        "{\"time_us\":true}", "{\"job\":{}}", "{\"speedup\":null}", "{\"hbm_bytes\":1e3}", "{} {}"})
    EXPECT_THROW(read_row(bad), Error) << bad;
}

TEST(Lines, a_torn_or_changed_line_is_nobodys) {
  const Tree tree;
  const std::string path = tree.path("a.lines");
  {
    LineWriter writer(path);
    writer.append({key_of("a"), false, 12, "{\"a\":1}"});
    writer.append({key_of("b"), true, 0, "{\"b\":2}"});
  }
  const std::string text = read_text(path, 1 << 20);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    std::vector<std::string> rows;
    each_line(std::string_view(text).substr(0, cut),
              [&](const StoredLine& line) { rows.emplace_back(line.row); });
    const std::size_t first = text.find('\n') + 1;
    EXPECT_EQ(rows.size(), cut < first ? 0U : cut < text.size() ? 1U : 2U) << cut;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    std::size_t same = 0;
    each_line(changed, [&](const StoredLine& line) {
      same += text.find(line.row) != std::string::npos ? 1U : 0U;
    });
    EXPECT_LE(same, 1U) << at;
  }
}

TEST(Lines, a_full_disk_is_an_error) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  LineWriter writer("/dev/full");
  EXPECT_THROW(writer.append({key_of("a"), false, 1, "{}"}), Error);
}

TEST(Store, a_result_goes_before_a_failure) {
  const Tree tree;
  make_store(tree.path());
  LineWriter(tree.path("lines/z.lines")).append({key_of("a"), false, 1, "{\"answer\":\"PROVED\"}"});
  LineWriter(tree.path("lines/a.lines")).append({key_of("a"), true, 1, "{\"failed\":true}"});
  LineWriter(tree.path("other.lines")).append({key_of("b"), false, 1, "{}"});
  const StoredRows rows(tree.path(), {tree.path("other.lines")});
  EXPECT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.line_count(), 3U);
  EXPECT_EQ(rows.find(key_of("a"))->row, "{\"answer\":\"PROVED\"}");
  EXPECT_TRUE(rows.find(key_of("b")));
  EXPECT_FALSE(rows.find(key_of("c")));
}

/// The same rows in any files, in any order: the same bytes.
TEST(Merge, does_not_depend_on_who_wrote_what) {
  const Plan plan = plain_plan(50);
  std::vector<std::string> results;
  for (const std::size_t files : {1U, 3U, 50U}) {
    const Tree tree;
    make_store(tree.path());
    for (std::size_t i = plan.units.size(); i-- > 0;) {
      SweepRow row = plan.row(plan.units[i]);
      row.answer = "PROVED";
      row.failed = i % 7 == 0;
      LineWriter(tree.path("lines/" + std::to_string(i % files) + ".lines"))
          .append(
              {plan.units[i].key, row.failed, static_cast<std::int64_t>(i * files), row_json(row)});
    }
    std::ofstream(tree.path("lines/torn.lines")) << plan.units[3].key.text() << " 0000";
    const SweepSummary summary = merge(plan, StoredRows(tree.path(), {}), tree.path());
    EXPECT_EQ(summary.done, 42);
    EXPECT_EQ(summary.failed, 8);
    EXPECT_EQ(summary.missing(), 0);
    results.push_back(read_text(tree.path("results.jsonl"), 1 << 20) +
                      read_text(tree.path("results.csv"), 1 << 20));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace heddle::sweep
