#include "history/history.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <set>
#include <tuple>

#include "history/database.h"
#include "history/file_check.h"
#include "history/rows.h"
#include "history/schema.h"
#include "support/error.h"

namespace heddle::history {
namespace {

/// In front of the fields of attempts and predictions: the id, and the id of what they belong to.
constexpr std::size_t kIds = 2;

Error no_history(const std::string& path) {
  return Error(fmt::format("no history yet at '{}'", path),
               "run heddle optimize, which creates one, or name another file", ExitCode::missing);
}

void make_folders(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code problem;
  if (!folder.empty()) std::filesystem::create_directories(folder, problem);
  if (problem)
    throw Error(fmt::format("cannot make the folder '{}': {}", folder.string(), problem.message()),
                "name another file with --history", ExitCode::missing);
}

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::int64_t next_id(Database& database, const char* table) {
  std::int64_t last = 0;
  decode(database.cell(fmt::format("SELECT coalesce(max(id), 0) FROM {}", table)), last);
  return last + 1;
}

/// The first cell of the first row, with these parameters; NULL where there is none.
Value find(Database& database, const std::string& sql, const Row& parameters) {
  Statement statement(database, sql);
  statement.bind(parameters);
  return statement.step() ? statement.column(0) : Value{};
}

void check_run(Database& database, std::int64_t run) {
  if (find(database, "SELECT id FROM runs WHERE id = ?", {run}) == Value{})
    throw Error(fmt::format("there is no run {} in '{}'", run, database.path()),
                "begin it before recording");
}

/// Which row of predictions to write; NULL: none, as what is there says more.
Value prediction_id(Database& database, std::int64_t id, const OrderAttempt& attempt) {
  const Value same = find(database, "SELECT id FROM predictions WHERE attempt = ? AND fidelity = ?",
                          {id, attempt.fidelity});
  if (!attempt.predicted) {
    const Value better =
        find(database, "SELECT id FROM predictions WHERE attempt = ? AND predicted = 1", {id});
    if (better != Value{}) return {};
  }
  if (same != Value{}) return same;
  const Value without =
      find(database, "SELECT id FROM predictions WHERE attempt = ? AND predicted = 0", {id});
  return without != Value{} ? without : Value{next_id(database, "predictions")};
}

Row with_ids(const Value& id, std::int64_t owner, Row row) {
  row.insert(row.begin(), {id, owner});
  return row;
}

void write_attempt(Database& database, std::int64_t run, const OrderAttempt& attempt) {
  const Value known =
      find(database, "SELECT id FROM attempts WHERE run = ? AND iteration = ? AND formula = ?",
           {run, std::int64_t{attempt.iteration}, attempt.formula});
  std::int64_t id = 0;
  decode(known != Value{} ? known : Value{next_id(database, "attempts")}, id);
  write_row(database, "attempts", with_ids(id, run, attempt_row(attempt)));
  const Value prediction = prediction_id(database, id, attempt);
  if (prediction != Value{})
    write_row(database, "predictions", with_ids(prediction, id, prediction_row(attempt)));
}

}  // namespace

History::History(const std::string& path, Access access) {
  const bool records = access == Access::record;
  const FileState state = check_file(path);
  if (state != FileState::history && !records) throw no_history(path);
  if (state == FileState::absent) make_folders(path);
  database_ = std::make_unique<Database>(path, state == FileState::absent);
  // From here on a journal that a kill has left is played back by SQLite, which can make the file
  // empty again.
  if (has_no_tables(*database_)) {
    if (!records) throw no_history(path);
    database_->execute("PRAGMA synchronous = EXTRA");
    make_tables(*database_);
  }
  check_tables(*database_);
  if (records && database_->read_only())
    throw Error(fmt::format("cannot write the history '{}'", path),
                "check its permissions, or name another file with --history", ExitCode::missing);
  database_->execute("PRAGMA synchronous = EXTRA");
}

History::~History() = default;
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;

std::int64_t History::begin_run(const RunKey& key) {
  return begin_run(key, now());
}

std::int64_t History::begin_run(const RunKey& key, const std::string& started) {
  Transaction transaction(*database_, Transaction::Kind::write);
  const std::int64_t id = next_id(*database_, "runs");
  write_row(*database_, "runs",
            {id, started, key.job, key.kernel, key.grid, key.work_hash, key.gpu, key.gpu_hash,
             key.model});
  transaction.commit();
  return id;
}

void History::record(std::int64_t run, const OrderAttempt& attempt) {
  record(run, std::vector{attempt});
}

void History::record(std::int64_t run, const std::vector<OrderAttempt>& attempts) {
  if (attempts.empty()) return;
  Transaction transaction(*database_, Transaction::Kind::write);
  check_run(*database_, run);
  for (const OrderAttempt& attempt : attempts) write_attempt(*database_, run, attempt);
  transaction.commit();
}

void History::end_run(std::int64_t run, Answer answer, const std::string& best_title,
                      double speedup, SearchEnd end) {
  Transaction transaction(*database_, Transaction::Kind::write);
  check_run(*database_, run);
  write_row(*database_, "ends", {run, encode(answer), best_title, encode(speedup), encode(end)});
  transaction.commit();
}

std::vector<OrderAttempt> History::known(const RunKey& key) const {
  Statement rows(*database_,
                 fmt::format("SELECT {}, {} FROM runs JOIN attempts ON attempts.run = runs.id "
                             "JOIN predictions ON predictions.attempt = attempts.id "
                             "WHERE runs.work_hash = ? AND runs.gpu_hash = ? AND runs.model = ? "
                             "AND runs.grid = ? ORDER BY predictions.id",
                             column_list("attempts"), column_list("predictions")));
  rows.bind({key.work_hash, key.gpu_hash, key.model, key.grid});
  std::vector<OrderAttempt> attempts;
  std::set<std::tuple<bool, std::string, std::string>> seen;
  while (rows.step()) {
    const Row row = rows.row();
    OrderAttempt attempt;
    read_attempt(row, kIds, attempt);
    read_prediction(row, column_count("attempts") + kIds, attempt);
    attempt.from_history = true;
    const bool has_map = !attempt.map_hash.empty();
    if (seen.emplace(has_map, has_map ? attempt.map_hash : attempt.formula, attempt.fidelity)
            .second)
      attempts.push_back(std::move(attempt));
  }
  return attempts;
}

}  // namespace heddle::history
