// Every attempt of every search, in one file that outlives a kill.
//
//   History history("history.db");
//   const std::int64_t run = history.begin_run(key);
//   for (const OrderAttempt& attempt : history.known(key)) ...   // need not be replayed
//   history.record(run, attempt);                                // on the disk when it returns
//   history.end_run(run, Answer::improved, "xcd(8) | columns", 1.144, SearchEnd::budget);
//
// Rules
//   1. What record has returned for is there after kill -9, and after a loss of power where the
//      disk keeps its promises. Opening the file again repairs what a kill has left half-done.
//   2. A file that is not a whole history of this version is an Error, and stays byte for byte what
//      it was, with nothing new beside it. Every row has a checksum; all are checked on opening.
//   3. The same attempt is one with the same run, iteration and formula. Recorded again, it is
//      replaced; its predictions at other fidelities are kept.
//   4. known() depends on what was recorded and in which order, not on any clock.
//   5. Several processes may use one file: each waits for the others, 10 seconds at most. Of one
//      History only one thread may use it at a time.
//
// It does not decide whether a prediction can be used again: that is the key's matter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "results/history.h"

namespace heddle::history {

class Database;

/// What must be equal for a stored prediction to hold again: work_hash, gpu_hash, model and grid.
/// The rest is for people.
struct RunKey {
  std::string job;        ///< the file
  std::string kernel;     ///< the function
  std::string grid;       ///< "256x256"
  std::string work_hash;  ///< hexadecimal: kernel source, arguments, data, launch
  std::string gpu;        ///< "mi300x" or a path
  std::string gpu_hash;   ///< of the GPU file's text
  std::string model;      ///< of heddle's model; predictions of another one are not used
};

class History {
 public:
  enum class Access {
    record,  ///< makes the file, and the folders above it, where there is none
    read,    ///< no file is an Error; a file that may not be written is good enough
  };
  explicit History(const std::string& path, Access access = Access::record);
  ~History();
  History(History&&) noexcept;
  History& operator=(History&&) noexcept;

  /// The id of the new run; ids count from 1. `started` is what people will see, now otherwise.
  std::int64_t begin_run(const RunKey& key);
  std::int64_t begin_run(const RunKey& key, const std::string& started);
  void record(std::int64_t run, const OrderAttempt& attempt);
  /// Several at once: all of them are there, or none is.
  void record(std::int64_t run, const std::vector<OrderAttempt>& attempts);
  void end_run(std::int64_t run, Answer answer, const std::string& best_title, double speedup,
               SearchEnd end);

  /// Attempts of all runs with that key, in the order first recorded: one per map (per formula
  /// where there is no map) and fidelity. All are marked from_history, and their predictions have
  /// totals only.
  std::vector<OrderAttempt> known(const RunKey& key) const;

  HistoryListing runs() const;
  /// Throws Error where there is no such run.
  HistoryRunReport run(std::int64_t id) const;
  HistoryComparison compare(std::int64_t before, std::int64_t after) const;

 private:
  std::unique_ptr<Database> database_;
};

}  // namespace heddle::history
