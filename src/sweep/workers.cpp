#include "sweep/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

#include "support/error.h"
#include "support/killed_children.h"
#include "support/lists.h"
#include "support/text.h"
#include "sweep/claims.h"
#include "sweep/row.h"

namespace heddle::sweep {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWorkers = 1024;
constexpr std::int64_t kNoUnit = -1;
constexpr int kFinished = 0;  ///< how a worker ends
constexpr int kReplaceMe = 3;
constexpr int kCannotGoOn = 4;
constexpr std::chrono::milliseconds kLook{5};
constexpr std::chrono::milliseconds kShow{200};

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch())
      .count();
}

/// A signal that is the program's own fault.
bool is_crash(int signal) {
  return is_one_of(signal, std::vector<int>{SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS});
}

}  // namespace

struct Board {
  struct Place {
    std::atomic<std::int64_t> unit{kNoUnit};
    std::atomic<std::int64_t> since_ms{0};
  };
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<std::size_t> failed{0};
  std::array<Place, kMostWorkers> places;
  std::array<char, 1024> trouble{};  ///< why a worker could not go on
};

Workers::Workers(const Work& work, int count)
    : work_(work), total_(work.shard_units()), since_(Clock::now()), name_(worker_name()) {
  before_ = total_ - work.open_units(work.retry).size();
  void* const shared =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  board_ = new (shared) Board;
  slots_.resize(std::min<std::size_t>(static_cast<std::size_t>(std::max(count, 1)), kMostWorkers));
  own_ = std::make_unique<LineWriter>(
      fmt::format("{}/{}-ended.lines", lines_folder(work.folder), name_));
}

Workers::~Workers() {
  end_all();
  munmap(board_, sizeof(Board));
}

std::size_t Workers::take_number() {
  return board_->next.fetch_add(1);
}

void Workers::restart_numbers() {
  board_->next = 0;
}

Tally Workers::tally() const {
  return {
      total_,        before_,
      board_->done,  board_->failed,
      slots_.size(), std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since_)};
}

bool Workers::run(const std::function<NextUnit()>& source, const std::function<void()>& beat) {
  std::fflush(nullptr);
  for (Slot& slot : slots_) slot.is_finished = false;
  Clock::time_point shown{};
  for (;;) {
    bool is_busy = false;
    for (std::size_t place = 0; place < slots_.size(); ++place) {
      if (slots_[place].process != 0) look_at(place);
      if (is_stuck_) {
        end_all();
        throw Error(std::string(board_->trouble.data()),
                    "fix that and run the sweep again: it continues from here", ExitCode::missing);
      }
      if (slots_[place].process == 0 && !slots_[place].is_finished) start(place, source);
      is_busy |= slots_[place].process != 0;
    }
    if (!is_busy) break;
    if (work_.stop && work_.stop()) {
      end_all();
      return false;
    }
    if (Clock::now() - shown >= kShow) {
      shown = Clock::now();
      if (work_.watch) work_.watch(tally());
      if (beat) beat();
    }
    std::this_thread::sleep_for(kLook);
  }
  if (work_.watch) work_.watch(tally());
  return true;
}

void Workers::start(std::size_t place, const std::function<NextUnit()>& source) {
  board_->places[place].unit = kNoUnit;
  const int number = files_++;
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0)
    throw Error("no worker could be started: there are too many processes", "use fewer --workers",
                ExitCode::missing);
  if (process > 0) {
    slots_[place].process = process;
    return;
  }
  files_ = number;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kFinished);
  std::signal(SIGINT, SIG_IGN);  // it reaches the whole group; the parent decides
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a disk that is full
  work_on(place, source);
}

void Workers::work_on(std::size_t place, const std::function<NextUnit()>& source) {
  try {
    LineWriter writer(fmt::format("{}/{}-{}.lines", lines_folder(work_.folder), name_, files_));
    const NextUnit next = source();
    for (int units = 0; units < kUnitsAWorker; ++units) {
      const auto index = next();
      if (!index) _exit(kFinished);
      do_unit(place, *index, writer);
    }
  } catch (const std::exception& error) {  // units catch their own
    const auto* known = dynamic_cast<const Error*>(&error);
    const std::string text = known != nullptr ? known->message() : std::string(error.what());
    std::memcpy(board_->trouble.data(), text.data(),
                std::min(text.size(), board_->trouble.size() - 1));
    _exit(kCannotGoOn);
  }
  _exit(kReplaceMe);
}

void Workers::do_unit(std::size_t place, std::size_t index, LineWriter& writer) {
  const Unit& unit = work_.plan.units[index];
  const std::int64_t begin = now_ms();
  board_->places[place].since_ms = begin;
  board_->places[place].unit = static_cast<std::int64_t>(index);
  const std::size_t killed = killed_children();
  SweepRow row = work_.plan.row(unit);
  try {
    row = work_.run(unit);
  } catch (const Error& error) {
    row.failed = true;
    row.exit_code = static_cast<int>(error.code());
    row.reason = (error.source().empty() ? "" : error.source() + ": ") + error.message();
  } catch (const std::bad_alloc&) {
    row.failed = true;
    row.exit_code = static_cast<int>(ExitCode::missing);
    row.reason = "not enough memory";
  } catch (const std::exception& error) {
    row.failed = true;
    row.exit_code = static_cast<int>(ExitCode::missing);
    row.reason = error.what();
  }
  // A scheduler that ends a job ends the programs that a unit has started, too, and often first.
  // Whatever was made of that is not the unit's result: to its parent this process was killed.
  if (killed_children() != killed) std::raise(SIGKILL);
  const std::string text = row_json(row);
  const std::int64_t took = now_ms() - begin;
  writer.append({unit.key, row.failed, took, text});
  ++(row.failed ? board_->failed : board_->done);
  board_->places[place].unit = kNoUnit;
  if (!work_.tells_units) return;
  const std::string line =
      fmt::format("{{\"event\":\"unit\",\"key\":\"{}\",\"failed\":{},\"took_ms\":{}}}\n",
                  unit.key.text(), row.failed, took);
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // nobody reads it
}

void Workers::look_at(std::size_t place) {
  check_time(place);
  if (slots_[place].process == 0) return;
  int status = 0;
  if (waitpid(slots_[place].process, &status, WNOHANG) != slots_[place].process) return;
  slots_[place].process = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kFinished) {
    slots_[place].is_finished = true;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotGoOn) {
    is_stuck_ = true;
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != kReplaceMe) {
    note_death(place, status);
  }
}

void Workers::note_death(std::size_t place, int status) {
  has_lost_one_ = true;
  const std::int64_t unit = board_->places[place].unit;
  if (unit == kNoUnit) return;
  const auto index = static_cast<std::size_t>(unit);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const int kills = ++kills_[index];
  if (signal != 0 && !is_crash(signal) && kills < kMostKills) return;
  fail(index, signal == 0 ? fmt::format("its worker ended with exit code {}", WEXITSTATUS(status))
              : is_crash(signal)
                  ? fmt::format("its worker crashed: {}", strsignal(signal))
                  : fmt::format("its worker, or a program that it ran, was killed {} times: {}",
                                kills, strsignal(signal)));
}

void Workers::check_time(std::size_t place) {
  const std::int64_t unit = board_->places[place].unit;
  if (unit == kNoUnit || work_.unit_time.count() == 0) return;
  if (now_ms() - board_->places[place].since_ms < work_.unit_time.count()) return;
  kill(slots_[place].process, SIGKILL);
  int status = 0;
  waitpid(slots_[place].process, &status, 0);
  slots_[place].process = 0;
  if (board_->places[place].unit != unit) return;  // it was done in the meantime
  fail(static_cast<std::size_t>(unit),
       fmt::format("it took longer than {} s (--unit-time)",
                   static_cast<double>(work_.unit_time.count()) / 1000));
}

void Workers::fail(std::size_t index, const std::string& reason) {
  const Unit& unit = work_.plan.units[index];
  SweepRow row = work_.plan.row(unit);
  row.failed = true;
  row.exit_code = static_cast<int>(ExitCode::missing);
  row.reason = reason;
  own_->append({unit.key, true, 0, row_json(row)});
  ++board_->failed;
}

void Workers::end_all() {
  for (Slot& slot : slots_) {
    if (slot.process == 0) continue;
    kill(slot.process, SIGKILL);
    waitpid(slot.process, nullptr, 0);
    slot.process = 0;
  }
}

}  // namespace heddle::sweep
