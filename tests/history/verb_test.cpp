// `heddle history` as a user runs it, on a file that the test makes.
#include <gmock/gmock.h>

#include "history/testing.h"
#include "support/child_process.h"

namespace heddle::history {
namespace {

using ::testing::HasSubstr;

ChildResult heddle(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {HEDDLE_PROGRAM, "history"});
  return run_child(arguments, "", {});
}

void make_runs(const std::string& path) {
  History history(path);
  for (const char* gpu : {"mi300x", "h200"}) {
    RunKey key = sample_key();
    key.gpu = gpu;
    const std::int64_t run = history.begin_run(key, "2026-11-15T14:03:22Z");
    history.record(run, predicted_attempt(1, "identity", 167, "exact"));
    history.record(run, predicted_attempt(2, "columns", 146, "exact"));
    history.end_run(run, Answer::improved, "columns", 1.144, SearchEnd::budget);
  }
}

TEST(HistoryVerb, lists_shows_and_compares) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  make_runs(path);
  const std::string before = bytes_of(path);
  const ChildResult list = heddle({path});
  EXPECT_EQ(list.exit_code, 0) << list.errors;
  EXPECT_THAT(list.output, HasSubstr("2 runs\n"));
  EXPECT_THAT(list.output, HasSubstr("1.144  faster\n"));
  const ChildResult filtered = heddle({path, "--gpu", "h200", "--job", "stencil"});
  EXPECT_THAT(filtered.output, HasSubstr("1 run\n"));
  EXPECT_THAT(heddle({path, "--job", "gemm"}).output, HasSubstr("no runs\n"));
  const ChildResult one = heddle({"--history", path, "--run", "2"});
  EXPECT_EQ(one.exit_code, 0) << one.errors;
  EXPECT_LT(one.output.find("146.0"), one.output.find("167.0"));  // ranked
  const ChildResult both = heddle({path, "--compare", "1", "2"});
  EXPECT_THAT(both.output, HasSubstr("+0.0  best of both"));
  EXPECT_THAT(heddle({path, "--json"}).output, HasSubstr("\"version\": 1"));
  EXPECT_EQ(bytes_of(path), before);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(HistoryVerb, says_what_is_wrong) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  ChildResult said = heddle({path});
  EXPECT_EQ(said.exit_code, 4);
  EXPECT_EQ(said.errors,
            "heddle: no history yet at '" + path +
                "'\n  try: run heddle optimize, which creates one, or name another file\n");
  EXPECT_EQ(folder.files(), 0U);
  make_runs(path);
  said = heddle({path, "--run", "9"});
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.errors, HasSubstr("there is no run 9 in"));
  EXPECT_EQ(heddle({path, "--compare", "1"}).exit_code, 2);
  EXPECT_EQ(heddle({path, "--run", "1", "--compare", "1", "2"}).exit_code, 2);
  write_bytes(path, "text");
  said = heddle({path});
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.errors, HasSubstr("is not a history of heddle: it is not a database"));
}

}  // namespace
}  // namespace heddle::history
