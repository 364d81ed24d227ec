// Worker processes, and the one that starts them, watches them and replaces them.
//
//   Workers workers(work, 2);
//   workers.run([&](Board& board) { return ...next unit...; });
//
// Rules
//   1. A worker does one unit after the other and appends each row to a file of its own; after
//      kUnitsAWorker units a new process takes its place, so that memory stays bounded.
//   2. A unit that ends its worker is a failed row: at once where it crashed, after kMostKills where
//      the process, or a program that it ran, was killed, which need not be the unit's doing: what a
//      verb makes of a killed program is never a row. So is one that takes longer than `unit_time`.
//   3. Workers end with the process that started them, however that ends. What they were at is done
//      again the next time; what was acknowledged is not.
//   4. Where a worker cannot write its rows, that is an Error: the disk is full.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sweep/engine.h"
#include "sweep/lines.h"

namespace heddle::sweep {

inline constexpr int kUnitsAWorker = 1000;
inline constexpr int kMostKills = 5;

/// The next unit for a worker; nothing: there are no more for it.
using NextUnit = std::function<std::optional<std::size_t>()>;

/// What the processes share.
struct Board;

class Workers {
 public:
  Workers(const Work& work, int count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// A number that no other worker gets, from 0; for sources that hand out a list.
  std::size_t take_number();

  /// Until every worker's source is empty; false: stopped. `source` is called in each worker.
  /// `beat` is called now and then in this process.
  bool run(const std::function<NextUnit()>& source, const std::function<void()>& beat = {});

  /// Counts from 0 again.
  void restart_numbers();
  Tally tally() const;
  /// A process died; its unit may be open.
  bool has_lost_one() const { return has_lost_one_; }

 private:
  struct Slot {
    int process = 0;  ///< 0: none
    bool is_finished = false;
  };
  void start(std::size_t place, const std::function<NextUnit()>& source);
  [[noreturn]] void work_on(std::size_t place, const std::function<NextUnit()>& source);
  void do_unit(std::size_t place, std::size_t index, LineWriter& writer);
  void look_at(std::size_t place);
  void note_death(std::size_t place, int status);
  void check_time(std::size_t place);
  void fail(std::size_t index, const std::string& reason);
  void end_all();

  const Work& work_;
  std::size_t total_;
  std::size_t before_;
  std::chrono::steady_clock::time_point since_;
  Board* board_;
  std::vector<Slot> slots_;
  std::map<std::size_t, int> kills_;  ///< by unit
  std::string name_;
  int files_ = 0;                    ///< of lines, that workers were given
  std::unique_ptr<LineWriter> own_;  ///< for units that ended their workers
  bool is_stuck_ = false;
  bool has_lost_one_ = false;
};

}  // namespace heddle::sweep
