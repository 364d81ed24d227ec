// Files that are no history, or no whole one: refused, and left as they are.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <random>

#include "history/testing.h"

namespace heddle::history {
namespace {

using ::testing::HasSubstr;

/// Some hundred kilobytes: several pages of every kind.
std::string whole_history(const std::string& path) {
  {
    History history(path);
    const std::int64_t run = history.begin_run(sample_key());
    for (int i = 1; i <= 12; ++i) {
      OrderAttempt attempt = full_attempt(i);
      if (i % 4 == 0) attempt.triton = std::string(9'000, 'c');
      history.record(run, attempt);
    }
    history.end_run(run, Answer::improved, "title 1", 1.1, SearchEnd::budget);
  }
  return bytes_of(path);
}

/// The message, after checking that nothing has changed on the disk.
std::string refusal(const Folder& folder, const std::string& path, ExitCode code) {
  const std::string before = bytes_of(path);
  const std::size_t files = folder.files();
  std::string message;
  for (const History::Access access : {History::Access::record, History::Access::read}) {
    try {
      const History history(path, access);
      ADD_FAILURE() << path << " was opened";
    } catch (const Error& error) {
      message = error.full_text();
      EXPECT_EQ(error.code(), code) << message;
      EXPECT_FALSE(error.hint().empty());
    }
  }
  EXPECT_EQ(bytes_of(path), before);
  EXPECT_EQ(folder.files(), files);
  return message;
}

TEST(HistoryFile, makes_folders) {
  const Folder folder;
  const std::string path = folder.file("a/b/c/h.db");
  EXPECT_EQ(History(path).begin_run(sample_key()), 1);
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
}

TEST(HistoryFile, says_where_a_folder_cannot_be_made) {
  const Folder folder;
  write_bytes(folder.file("text"), "x");
  try {
    const History history(folder.file("text/h.db"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
  }
  EXPECT_EQ(bytes_of(folder.file("text")), "x");
}

TEST(HistoryFile, starts_in_an_empty_file) {
  const Folder folder;
  write_bytes(folder.file("h.db"), "");
  EXPECT_EQ(History(folder.file("h.db")).begin_run(sample_key()), 1);
}

TEST(HistoryFile, takes_names_that_mean_something_to_sqlite_as_names) {
  const Folder folder;
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.file(""));
  for (const char* name : {":memory:", "file:h.db?mode=memory", "with blank"}) {
    EXPECT_EQ(History(name).begin_run(sample_key()), 1);
    EXPECT_EQ(History(name).runs().runs.size(), 1U);
    EXPECT_TRUE(std::filesystem::is_regular_file(name)) << name;
  }
  std::filesystem::current_path(here);
}

TEST(HistoryFile, is_not_made_for_a_reader) {
  const Folder folder;
  for (const bool empty : {false, true}) {
    if (empty) write_bytes(folder.file("h.db"), "");
    try {
      const History history(folder.file("h.db"), History::Access::read);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::missing);
      EXPECT_THAT(error.full_text(), HasSubstr("no history yet at"));
    }
    EXPECT_EQ(folder.files(), empty ? 1U : 0U);
  }
}

TEST(HistoryFile, refuses_what_is_no_database) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  for (const std::string& text : {std::string("x"), std::string("some text\n"),
                                  std::string(5'000, '\0'), std::string(200'000, 'x')}) {
    write_bytes(path, text);
    EXPECT_THAT(refusal(folder, path, ExitCode::usage),
                HasSubstr("a history of heddle: it is not a database"));
  }
}

TEST(HistoryFile, refuses_folders_and_pipes) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("folder"));
  EXPECT_THROW(History(folder.file("folder")), Error);
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_THROW(History(folder.file("pipe")), Error);
  EXPECT_EQ(folder.files(), 2U);
}

TEST(HistoryFile, refuses_what_may_not_be_read) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const Folder folder;
  whole_history(folder.file("h.db"));
  std::filesystem::permissions(folder.file("h.db"), std::filesystem::perms::none);
  EXPECT_THROW(History(folder.file("h.db")), Error);
}

TEST(HistoryFile, refuses_the_database_of_another_program) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  std::string bytes = whole_history(path);
  bytes[71] = 'x';  // the last byte of the application's id
  write_bytes(path, bytes);
  EXPECT_THAT(refusal(folder, path, ExitCode::usage), HasSubstr("another program"));
}

TEST(HistoryFile, refuses_a_newer_version) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  std::string bytes = whole_history(path);
  bytes[63] = 2;
  write_bytes(path, bytes);
  EXPECT_THAT(refusal(folder, path, ExitCode::missing), HasSubstr("by a newer heddle: version 2"));
  bytes[63] = 0;
  write_bytes(path, bytes);
  EXPECT_THAT(refusal(folder, path, ExitCode::usage), HasSubstr("is damaged"));
}

TEST(HistoryFile, refuses_write_ahead_mode) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  std::string bytes = whole_history(path);
  bytes[18] = bytes[19] = 2;
  write_bytes(path, bytes);
  EXPECT_THAT(refusal(folder, path, ExitCode::usage), HasSubstr("write-ahead mode"));
}

TEST(HistoryFile, refuses_a_truncated_file) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  const std::string bytes = whole_history(path);
  std::vector<std::size_t> lengths = {1, 15, 16, 99, 100, 101, 4'095, 4'096, 4'097};
  lengths.push_back(bytes.size() / 2);
  lengths.push_back(bytes.size() - 4'096);
  lengths.push_back(bytes.size() - 1);
  for (const std::size_t length : lengths) {
    write_bytes(path, bytes.substr(0, length));
    EXPECT_THAT(refusal(folder, path, ExitCode::usage), HasSubstr("is damaged")) << length;
  }
}

/// Whether both hold the same attempts, to the last field.
void expect_same_attempts(const std::vector<OrderAttempt>& a, const std::vector<OrderAttempt>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_equal(a[i], b[i]);
}

TEST(HistoryFile, never_believes_a_flipped_bit) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  const std::string bytes = whole_history(path);
  const std::vector<OrderAttempt> expected = History(path).known(sample_key());
  std::mt19937 random(7);
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < 100; ++place) places.push_back(place);  // the header
  for (int i = 0; i < 500; ++i) places.push_back(random() % bytes.size());
  int refused = 0;
  for (const std::size_t place : places) {
    std::string flipped = bytes;
    flipped[place] = static_cast<char>(flipped[place] ^ (1 << (random() % 8)));
    write_bytes(path, flipped);
    try {
      const History history(path);  // where no row lives: space that SQLite keeps free
      expect_same_attempts(history.known(sample_key()), expected);
    } catch (const Error& error) {
      ++refused;
    }
    ASSERT_EQ(bytes_of(path), flipped) << place;
    ASSERT_EQ(folder.files(), 1U) << place;
  }
  EXPECT_GT(refused, 200);
  RecordProperty("refused", refused);
}

TEST(HistoryFile, reads_what_it_may_not_write) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const Folder folder;
  const std::string path = folder.file("h.db");
  whole_history(path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_EQ(History(path, History::Access::read).runs().runs.size(), 1U);
  EXPECT_THROW(History{path}, Error);
}

}  // namespace
}  // namespace heddle::history
