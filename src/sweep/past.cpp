#include "sweep/past.h"

#include <filesystem>

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "sweep/row.h"

namespace heddle::sweep {
namespace {

constexpr const char* kResults = "/results.jsonl";
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

Answer search_answer(const SweepRow& row) {
  for (const Answer answer :
       {Answer::improved, Answer::measure, Answer::already_best, Answer::not_independent})
    if (!row.failed && row.answer == answer_text(answer)) return answer;
  return Answer::unknown;
}

}  // namespace

bool is_swept(const std::string& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder + kResults, error);
}

HistoryListing past_searches(const std::string& folder) {
  HistoryListing listing{folder, {}};
  std::int64_t number = 0;
  const std::string text = read_text(folder + kResults, kMostBytes);
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    const SweepRow row = read_row(line);
    if (row.verb != "optimize") continue;
    HistoryRun run;
    run.id = number;
    run.job = row.job;
    run.kernel = row.function;
    run.grid = row.shape;
    run.gpu = row.gpu;
    run.answer = search_answer(row);
    run.best_title = row.order;
    run.speedup = row.speedup;
    listing.runs.push_back(std::move(run));
  }
  return listing;
}

}  // namespace heddle::sweep
