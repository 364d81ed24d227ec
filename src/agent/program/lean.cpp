#include "lean.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "failure.h"
#include "words.h"

namespace heddle::agent {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostDeviceFacts = 64;
constexpr std::size_t kBundlesPerProfiler = 24;
constexpr double kLeastForProfiler_s = 30;
constexpr std::uint64_t kMostOutput = std::uint64_t{1} << 30;  ///< of a worker for many bundles
constexpr const char* kPending = "refused pending times are taken, counters are not yet";

void tell_of(const std::string& text) {
  std::fprintf(stderr, "heddle-agent: %s\n", text.c_str());
}

/// A file that is gone when the worker is.
class PlanFile {
 public:
  explicit PlanFile(const std::string& text) {
    const char* const folder = getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") + "/heddle-plan-XXXXXX";
    const int file = mkstemp(path_.data());
    if (file < 0) throw Failure(kMissing, path_ + " cannot be written", "set TMPDIR");
    close(file);
    std::ofstream(path_) << text;
  }
  ~PlanFile() { unlink(path_.c_str()); }
  PlanFile(const PlanFile&) = delete;
  PlanFile& operator=(const PlanFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// "launched NUMBER CANDIDATE": a kernel that a profiler has seen.
void note_launch(std::string_view line,
                 std::vector<std::pair<std::size_t, std::string>>& launched) {
  const auto parts = split(line);
  if (parts.size() != 3 || parts[0] != "launched") return;
  const std::size_t number = natural(parts[1]).value_or(bounds::kBundles);
  launched.emplace_back(number, std::string(parts[2]));
}

}  // namespace

double seconds_left(const Deadline& deadline) {
  if (!deadline) return 1e9;
  return std::chrono::duration<double>(*deadline - Steady::now()).count();
}

/// What a worker for many bundles says, while it says it.
class LeanTalk {
 public:
  LeanTalk(LeanRun& run, const std::vector<std::size_t>& planned) : run_(run) {
    planned_.insert(planned.begin(), planned.end());
    knows_ = !run.facts_.empty();
  }

  Heard hear(std::string_view text) {
    static const Bundle nothing;
    const WorkerLine line = parse_line(text, now_ ? now_->bundle : nothing, candidates_);
    switch (line.word) {
      case Word::noise:
        if (noise_.size() < 4096) noise_ += printable(text, 200) + "\n";
        return Heard::noise;
      case Word::fact:
        if (run_.facts_.size() < kMostDeviceFacts && !knows_)
          run_.facts_.emplace_back(line.key, line.text);
        return Heard::life;
      case Word::busy:
        return Heard::life;
      case Word::missing:
        missing_ = line.text;
        return Heard::enough;
      case Word::done:
        is_done_ = true;
        return Heard::life;
      case Word::bundle:
        return next(line.round);
      default:
        if (now_ == nullptr) return broken(text);
        return of_bundle(line) ? Heard::life : broken(text);
    }
  }

  void tick() {
    if (watch_) watch_->tick();
  }

  /// After its process ended: who is out because of it. Whether that was any use.
  bool settle(const ChildEnd& end) {
    if (!missing_.empty()) throw Failure(kMissing, missing_, "run it where that is installed");
    if (now_ == nullptr && !is_done_ && !did_something_ && end.kind != EndKind::late && !stopped_)
      throw Failure(kMissing, "the worker ended before it began: " + end_text(end),
                    "look whether python3 can import torch and triton");
    if (is_done_ || end.kind == EndKind::late || end.kind == EndKind::stopped) {
      if (!broken_.empty())
        blame("crash", "its process said what is not of the protocol: " + broken_);
      return true;
    }
    if (now_ != nullptr && !blamed_.empty()) {
      const std::string silent =
          "nothing was heard of it for " + std::to_string(now_->bundle.limit_s) + " s";
      if (end.kind == EndKind::silent)
        blame("hang", silent);
      else
        blame("crash", end_text(end));
    }
    return did_something_;
  }

  const std::string& noise() const { return noise_; }
  LeanBundle* now() const { return now_; }
  bool stopped() const { return stopped_; }

 private:
  Heard broken(std::string_view text) {
    broken_ = printable(text, 120);
    if (blamed_.empty()) blamed_ = "0";
    return Heard::enough;
  }

  Heard next(std::uint64_t number) {
    if (!planned_.contains(number)) return broken("bundle " + std::to_string(number));
    planned_.erase(number);
    leave();
    if (seconds_left(run_.deadline_) <= 0) {
      stopped_ = true;
      return Heard::enough;
    }
    knows_ = true;
    now_ = &run_.bundles_[number];
    began_ = Steady::now();
    blamed_ = "";
    run_.begin(*now_);
    candidates_ = run_.names(*now_, false);
    candidates_.emplace_back("0b");
    checked_.clear();
    seen_.clear();
    return Heard::life;
  }

  void leave() {
    watch_.reset();
    now_ = nullptr;
  }

  bool of_bundle(const WorkerLine& line) {
    switch (line.word) {
      case Word::compiling:
      case Word::begin:
        blamed_ = line.candidate == "0b" ? "0" : line.candidate;
        at_ = line;
        return true;
      case Word::compiled:
        now_->sizes[*natural(line.candidate)] = line.sizes;
        return true;
      case Word::equal:
      case Word::close:
        if (!natural(line.candidate)) return false;
        now_->verdicts[key_of(line)] = {line.word == Word::equal ? "equal" : "close", "",
                                        line.text};
        return true;
      case Word::checked:
        checked_.insert(line.candidate);
        return true;
      case Word::rejected:
        if (!natural(line.candidate)) return false;
        at_ = line;
        blamed_ = line.candidate;
        blame(line.key, line.text);
        return true;
      case Word::warmed:
        now_->warm_ups.push_back({"time", line});
        watch_.emplace(*run_.clocks_, "time", now_->clock_rows);
        return true;
      case Word::sample: {
        const bool is_checked = checked_.contains(line.candidate == "0b" ? "0" : line.candidate);
        const std::string key = line.candidate + " " + std::to_string(line.round);
        if (!is_checked || line.key != "cold" || !seen_.insert(key).second) return false;
        now_->samples.push_back({"time", line});
        return true;
      }
      case Word::finished:
        return finished();
      default:
        return false;
    }
  }

  bool finished() {
    if (now_->is_failed || now_->samples.empty()) return false;
    run_.finish(*now_);
    did_something_ = true;
    const double seconds = std::chrono::duration<double>(Steady::now() - began_).count();
    tell_of(now_->folder + ": " + std::to_string(checked_.size() - 1) + " of " +
            std::to_string(now_->bundle.candidates.size() - 1) + " candidates timed in " +
            number_text(seconds, 3) + " s");
    blamed_ = "";
    leave();
    return true;
  }

  CheckKey key_of(const WorkerLine& line) const {
    CheckKey key;
    key.candidate = natural(line.candidate).value_or(0);
    key.launch = line.launch.empty() || line.launch == "-" ? now_->bundle.launches.size() : 0;
    for (std::size_t i = 0; i < now_->bundle.launches.size(); ++i)
      if (now_->bundle.launches[i].name == line.launch) key.launch = i;
    for (std::size_t i = 0; i < now_->bundle.seeds.size(); ++i)
      if (natural(line.seed) == now_->bundle.seeds[i]) key.seed = i;
    return key;
  }

  /// Rule 2, and rule 3 for the original.
  void blame(const std::string& kind, const std::string& detail) {
    if (now_ == nullptr) return;
    at_.candidate = blamed_;
    const CheckKey key = key_of(at_);
    now_->verdicts[key] = {"rejected", kind, detail};
    now_->rejected[key.candidate] = true;
    did_something_ = true;
    tell_of(now_->folder + ": candidate " + blamed_ + " is rejected: " + kind + ": " + detail);
    if (key.candidate == 0)
      run_.fail(*now_, "the original kernel failed (" + kind + "): " + detail);
    blamed_ = "";
  }

  LeanRun& run_;
  std::set<std::uint64_t> planned_;
  LeanBundle* now_ = nullptr;
  std::vector<std::string> candidates_;
  std::set<std::string> checked_;
  std::set<std::string> seen_;
  std::optional<ClockWatch> watch_;
  Steady::time_point began_;
  std::string blamed_;
  WorkerLine at_;
  std::string missing_;
  std::string broken_;
  std::string noise_;
  bool knows_ = false;  ///< the facts of the device
  bool is_done_ = false;
  bool stopped_ = false;
  bool did_something_ = false;
};

LeanRun::LeanRun(const Options& options, Deadline deadline)
    : options_(options), deadline_(deadline) {}

void LeanRun::add(const std::string& folder, Bundle bundle, bool timed) {
  LeanBundle one;
  one.folder = folder;
  one.rejected.assign(bundle.candidates.size(), false);
  one.bundle = std::move(bundle);
  one.is_timed = timed;
  if (timed) {
    one.results = std::make_unique<Results>(folder, Results::Keep{});
    for (const std::size_t number : rejected_in(folder))
      if (number < one.rejected.size()) one.rejected[number] = true;
  }
  bundles_.push_back(std::move(one));
}

int LeanRun::left() const {
  return static_cast<int>(
      std::count_if(bundles_.begin(), bundles_.end(),
                    [](const LeanBundle& one) { return !one.is_timed && !one.is_failed; }));
}

std::vector<std::string> LeanRun::names(const LeanBundle& one, bool counted) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < one.rejected.size(); ++i) {
    const auto& some = one.bundle.counters;
    if (one.rejected[i] || (counted && std::find(some.begin(), some.end(), i) == some.end()))
      continue;
    names.push_back(std::to_string(i));
  }
  return names;
}

std::string LeanRun::write_plan(const std::vector<std::size_t>& numbers, bool counted) {
  std::string text;
  for (const std::size_t number : numbers) {
    std::string list;
    for (const std::string& name : names(bundles_[number], counted))
      list += (list.empty() ? "" : ",") + name;
    if (list.empty()) continue;
    text += std::to_string(number) + " " + list + " " +
            std::filesystem::absolute(bundles_[number].folder).string() + "\n";
  }
  return text;
}

void LeanRun::begin(LeanBundle& one) {
  one.results = std::make_unique<Results>(one.folder);
  // What an earlier worker found of candidates that are out stays.
  std::erase_if(one.verdicts, [](const auto& entry) { return entry.second.verdict != "rejected"; });
  one.samples.clear();
  one.warm_ups.clear();
  one.clock_rows.clear();
  if (clocks_) return;
  std::string bus;
  for (const auto& [key, text] : facts_)
    if (key == "bus") bus = text;
  clocks_.emplace(bus);
}

void LeanRun::write(LeanBundle& one) const {
  auto facts = facts_;
  add_own_facts(one.folder, facts);
  facts.emplace_back("mode", "lean: outputs compared once, times with cold caches alone");
  if (clocks_ && !clocks_->reason().empty())
    facts.emplace_back("clocks", "unreadable: " + clocks_->reason());
  one.results->machine(facts);
  one.results->checks(one.bundle, one.verdicts);
  one.results->samples(one.samples);
  one.results->warm_ups(one.warm_ups);
  one.results->clocks(one.clock_rows);
  one.results->compiled(one.sizes);
  one.results->counters(
      "", options_.counters ? kPending : "refused not-asked counters were not asked for");
}

void LeanRun::finish(LeanBundle& one) {
  write(one);
  one.results->done("done");
  one.is_timed = true;
  ++measured_;
}

void LeanRun::fail(LeanBundle& one, const std::string& why) {
  write(one);
  one.results->done("failed " + std::to_string(kOriginal) + " " + printable(why));
  one.is_failed = true;
  ++failed_;
}

void LeanRun::measure() {
  while (seconds_left(deadline_) > 0) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < bundles_.size(); ++i)
      if (!bundles_[i].is_timed && !bundles_[i].is_failed) numbers.push_back(i);
    if (numbers.empty()) return;
    tell_of("times of " + std::to_string(numbers.size()) + " bundles");
    const PlanFile plan(write_plan(numbers, false));
    std::vector<std::string> words =
        triton_program(bundles_[numbers.front()].folder, options_.python);
    words.insert(words.end(), {plan.path(), "lean"});
    ChildLimits limits;
    limits.silent_s = bundles_[numbers.front()].bundle.limit_s;
    limits.output_bytes = kMostOutput;
    limits.until = deadline_;
    LeanTalk talk(*this, numbers);
    const ChildEnd end = run_child(
        words, limits, [&](std::string_view line) { return talk.hear(line); },
        [&] { talk.tick(); });
    LeanBundle* const last = talk.now();
    const bool is_useful = talk.settle(end);
    const std::string log = talk.noise() + end.errors;
    if (last != nullptr && last->results) last->results->log("worker", log);
    std::fputs(log.c_str(), stderr);
    if (talk.stopped() || end.kind == EndKind::late) return;
    if (!is_useful)
      throw Failure(kMissing, "the worker did nothing: " + end_text(end),
                    "read what it wrote above");
  }
}

void LeanRun::count() {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < bundles_.size(); ++i)
    if (bundles_[i].is_timed) numbers.push_back(i);
  for (std::size_t at = 0; at < numbers.size(); at += kBundlesPerProfiler) {
    if (seconds_left(deadline_) < kLeastForProfiler_s)
      return tell_of("no time is left for counters of " + std::to_string(numbers.size() - at) +
                     " bundles: run it again with --resume");
    const std::size_t end = std::min(numbers.size(), at + kBundlesPerProfiler);
    count_some({numbers.begin() + static_cast<std::ptrdiff_t>(at),
                numbers.begin() + static_cast<std::ptrdiff_t>(end)});
  }
}

void LeanRun::count_some(const std::vector<std::size_t>& numbers) {
  tell_of("counters of " + std::to_string(numbers.size()) + " bundles");
  std::set<std::string> functions;
  for (const std::size_t number : numbers) functions.insert(bundles_[number].bundle.function);
  std::string refused;
  std::vector<std::string> words = profiler_command({functions.begin(), functions.end()}, refused);
  CounterTable table;
  std::vector<std::pair<std::size_t, std::string>> launched;
  std::string log;
  if (!words.empty()) {
    const PlanFile plan(write_plan(numbers, true));
    const auto worker = triton_program(bundles_[numbers.front()].folder, options_.python);
    words.insert(words.end(), worker.begin(), worker.end());
    words.insert(words.end(), {plan.path(), "count"});
    ChildLimits limits;
    limits.silent_s = kProfilerPatience_s;
    limits.output_bytes = kMostOutput;
    limits.until = deadline_;
    const ChildEnd end = run_child(
        words, limits,
        [&](std::string_view line) {
          note_launch(line, launched);
          return table.hear(line);
        },
        [] {});
    if (end.kind == EndKind::late) return;  // they stay pending
    log = table.said() + end.errors;
    // A kernel that ended the worker may have a row, the last one. Those before it are good.
    const std::size_t rows = table.rows().size();
    const bool fits = rows == launched.size() || rows == launched.size() + 1;
    if (launched.empty() || !fits) refused = refusal_of(end, table);
    if (refused.empty() && !fits)
      refused = "failed ncu counted " + std::to_string(rows) + " of " +
                std::to_string(launched.size()) + " launches";
  }
  if (!refused.empty()) tell_of("no counters: " + refused);
  bundles_[numbers.front()].results->log("counters", log);
  share_counters(numbers, table, launched, refused);
}

void LeanRun::share_counters(const std::vector<std::size_t>& numbers, const CounterTable& table,
                             const std::vector<std::pair<std::size_t, std::string>>& launched,
                             const std::string& refused) {
  std::string header;
  for (const std::string& line : table.header()) header += line + "\n";
  for (const std::size_t number : numbers) {
    std::string order = "order";
    std::string csv = header;
    for (std::size_t i = 0; refused.empty() && i < launched.size(); ++i) {
      if (launched[i].first != number) continue;
      order += " " + launched[i].second;
      csv += table.rows()[i] + "\n";
    }
    const Results& results = *bundles_[number].results;
    if (!refused.empty())
      results.counters("", "refused " + refused);
    else if (order == "order")
      results.counters("", "refused failed none of its kernels was launched under ncu");
    else
      results.counters(csv, order);
  }
}

}  // namespace heddle::agent
