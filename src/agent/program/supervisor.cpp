#include "supervisor.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>

#include "clocks.h"
#include "counters.h"
#include "failure.h"
#include "statistics.h"
#include "words.h"

namespace heddle::agent {
namespace {

constexpr std::uint64_t kTimeSeed = 1;
constexpr std::uint64_t kConfirmSeed = 2;
constexpr std::size_t kMostFacts = 64;

void tell(const std::string& text) {
  std::fprintf(stderr, "heddle-agent: %s\n", text.c_str());
}

std::string host_text() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return std::string(names.machine) + ", " + names.sysname + " " + names.release;
}

/// Times of the rounds in which both took part.
PairedTimes paired(const std::vector<Sample>& samples, const std::string& one,
                   const std::string& other) {
  std::map<std::uint64_t, double> first;
  std::map<std::uint64_t, double> second;
  for (const auto& [phase, line] : samples) {
    if (line.key != "cold") continue;
    if (line.candidate == one) first[line.round] = line.time_us;
    if (line.candidate == other) second[line.round] = line.time_us;
  }
  PairedTimes times;
  for (const auto& [round, time_us] : first) {
    if (!second.contains(round)) continue;
    times.original.push_back(time_us);
    times.candidate.push_back(second[round]);
  }
  return times;
}

}  // namespace

void add_own_facts(const std::string& folder,
                   std::vector<std::pair<std::string, std::string>>& facts) {
  facts.emplace_back("agent", kVersion);
  facts.emplace_back("bundle", bundle_digest(folder));
  facts.emplace_back("host", host_text());
}

Supervisor::Supervisor(Options options) : options_(std::move(options)), results_(options_.folder) {}

void Supervisor::run() {
  try {
    phases();
    results_.done("done");
  } catch (const Failure& failure) {
    results_.done("failed " + std::to_string(failure.code()) + " " + printable(failure.what()));
    throw;
  }
}

void Supervisor::phases() {
  bundle_ = read_bundle(options_.folder);
  rejected_.assign(bundle_.candidates.size(), false);
  workers_.emplace(options_.folder, bundle_, options_.python, results_);
  results_.checks(bundle_, verdicts_);
  results_.samples(samples_);
  results_.warm_ups(warm_ups_);
  results_.clocks(clock_rows_);
  results_.compiled(sizes_);
  results_.counters("", "refused not-asked the run did not come to counters");
  device();
  const auto wanted = [&](const char* phase) {
    return options_.only.empty() || options_.only == phase;
  };
  if (wanted("check")) check();
  if (wanted("time")) {
    std::vector<std::string> candidates = passed();
    const std::vector<Sample> samples = time("time", kTimeSeed, std::move(candidates));
    // One that fails there makes room for the next best.
    while (const auto best = bundle_.lean ? std::nullopt : winner(samples))
      if (!time("confirm", kConfirmSeed, {"0", *best}).empty()) break;
  }
  if (wanted("counters") && options_.counters) count_sectors();
}

void Supervisor::device() {
  tell("device");
  const auto listen = [&](const WorkerLine& line) -> std::string {
    if (line.word != Word::fact) return "said '" + line.candidate + "' of a candidate too early";
    if (facts_.size() >= kMostFacts) return "said too much of the device";
    facts_.emplace_back(line.key, line.text);
    return "";
  };
  const WorkerOutcome outcome = workers_->run({"device"}, {}, listen, [] {});
  add_own_facts(options_.folder, facts_);
  write_machine("");
  if (outcome.kind == OutcomeKind::missing)
    throw Failure(kMissing, outcome.detail, "run it where that is installed");
  if (outcome.kind == OutcomeKind::rejected)
    throw Failure(kMissing, "the device could not be looked at: " + outcome.detail,
                  "read results/log.txt");
}

void Supervisor::write_machine(const std::string& clocks_reason) {
  auto facts = facts_;
  if (!clocks_reason.empty()) facts.emplace_back("clocks", "unreadable: " + clocks_reason);
  results_.machine(facts);
}

CheckKey Supervisor::key_of(const std::string& candidate, const std::string& launch,
                            const std::string& seed) const {
  CheckKey key;
  key.candidate = static_cast<std::size_t>(natural(candidate).value_or(0));
  key.launch = bundle_.launches.size();
  for (std::size_t i = 0; i < bundle_.launches.size(); ++i)
    if (bundle_.launches[i].name == launch) key.launch = i;
  for (std::size_t i = 0; i < bundle_.seeds.size(); ++i)
    if (natural(seed) == bundle_.seeds[i]) key.seed = i;
  return key;
}

void Supervisor::note(const WorkerLine& line, const Verdict& verdict) {
  verdicts_[key_of(line.candidate, line.launch, line.seed)] = verdict;
}

void Supervisor::reject(const WorkerOutcome& outcome, const std::string& phase) {
  const std::string detail =
      phase == "check" ? outcome.detail : "in " + phase + ": " + outcome.detail;
  const CheckKey key = key_of(outcome.candidate, outcome.launch, outcome.seed);
  verdicts_[key] = {"rejected", outcome.reason, detail};
  rejected_[key.candidate] = true;
  results_.checks(bundle_, verdicts_);
  tell("candidate " + outcome.candidate + " is rejected: " + outcome.reason + ": " + detail);
  if (key.candidate == 0)
    throw Failure(kOriginal,
                  std::string(outcome.named ? "the original kernel failed" : "the worker failed") +
                      " (" + outcome.reason + "): " + detail,
                  "read results/log.txt, and look whether the job describes the kernel rightly");
}

std::vector<std::string> Supervisor::passed() const {
  std::vector<std::string> candidates;
  for (std::size_t i = 0; i < rejected_.size(); ++i)
    if (!rejected_[i]) candidates.push_back(std::to_string(i));
  return candidates;
}

std::vector<std::string> Supervisor::counted() const {
  std::vector<std::string> candidates;
  for (const std::size_t number : bundle_.counters)
    if (!rejected_[number]) candidates.push_back(std::to_string(number));
  return candidates;
}

bool Supervisor::keep_sizes(const WorkerLine& line) {
  if (line.word != Word::compiled) return false;
  sizes_.emplace(*natural(line.candidate), line.sizes);
  return true;
}

bool Supervisor::leaves_out(const WorkerOutcome& outcome) {
  const bool is_other = std::any_of(bundle_.launches.begin() + 1, bundle_.launches.end(),
                                    [&](const Launch& one) { return one.name == outcome.launch; });
  if (outcome.kind != OutcomeKind::rejected || outcome.candidate != "0" || !outcome.named ||
      !is_other || !left_out_.insert(outcome.launch).second)
    return false;
  verdicts_[key_of("0", outcome.launch, outcome.seed)] = {"rejected", outcome.reason,
                                                          outcome.detail};
  results_.checks(bundle_, verdicts_);
  tell("launch " + outcome.launch + " is left out: the original failed on it: " + outcome.reason +
       ": " + outcome.detail);
  return true;
}

void Supervisor::check() {
  std::set<std::string> checked;
  while (true) {
    const std::size_t runs = (bundle_.launches.size() - left_out_.size()) * bundle_.seeds.size();
    std::vector<std::string> task = {"check"};
    for (const std::string& launch : left_out_) task.push_back("without=" + launch);
    std::vector<std::string> candidates = {
        "0"};  // the original always runs: it is what they are compared with
    for (const std::string& candidate : passed())
      if (candidate != "0" && !checked.contains(candidate)) candidates.push_back(candidate);
    if (candidates.size() == 1 && checked.contains("0")) break;
    tell("check of " + std::to_string(candidates.size() - 1) + " candidates");
    std::map<std::string, std::set<std::string>> good;
    const auto listen = [&](const WorkerLine& line) -> std::string {
      if (line.word == Word::equal || line.word == Word::close) {
        note(line, {line.word == Word::equal ? "equal" : "close", "", line.text});
        good[line.candidate].insert(line.launch + " " + line.seed);
        return "";
      }
      if (line.word == Word::fact || keep_sizes(line)) return "";
      if (line.word != Word::checked) return "said what does not belong into a check";
      if (line.candidate != "0" && good[line.candidate].size() != runs)
        return "did not check candidate " + line.candidate + " on everything";
      checked.insert(line.candidate);
      return "";
    };
    WorkerOutcome outcome = workers_->run(task, candidates, listen, [] {});
    results_.checks(bundle_, verdicts_);
    results_.compiled(sizes_);
    if (outcome.kind == OutcomeKind::missing) throw Failure(kMissing, outcome.detail, "see above");
    if (leaves_out(outcome)) continue;
    if (outcome.kind == OutcomeKind::done) {
      const auto left = std::find_if(candidates.begin(), candidates.end(),
                                     [&](const auto& name) { return !checked.contains(name); });
      if (left == candidates.end()) break;
      outcome = {
          OutcomeKind::rejected, *left, "-", "-", "crash", "its check did not come to an end"};
    }
    reject(outcome, "check");
  }
}

std::vector<Sample> Supervisor::time(const std::string& phase, std::uint64_t seed,
                                     std::vector<std::string> candidates) {
  std::string bus;
  for (const auto& [key, text] : facts_)
    if (key == "bus") bus = text;
  const Clocks clocks(bus);
  write_machine(clocks.reason());
  while (true) {
    std::erase_if(candidates, [&](const std::string& name) { return rejected_[*natural(name)]; });
    std::vector<std::string> parts = candidates;
    parts.emplace_back("0b");
    tell(phase + " of " + std::to_string(candidates.size() - 1) + " candidates");
    std::vector<Sample> samples;
    std::vector<Sample> warm_ups;
    std::set<std::string> seen;
    const auto listen = [&](const WorkerLine& line) -> std::string {
      if (line.word == Word::fact || keep_sizes(line)) return "";
      if (line.word == Word::warmed) {
        if (!warm_ups.empty()) return "warmed up twice";
        warm_ups.push_back({phase, line});
        return "";
      }
      if (line.word != Word::sample) return "said what does not belong into a timing";
      if (!seen.insert(line.candidate + " " + line.key + " " + std::to_string(line.round)).second)
        return "gave a time twice";
      samples.push_back({phase, line});
      return "";
    };
    std::vector<std::string> rows;
    ClockWatch watch(clocks, phase, rows);
    const WorkerOutcome outcome =
        workers_->run({"time", phase, std::to_string(seed)}, parts, listen, [&] {
          if (!warm_ups.empty()) watch.tick();
        });
    if (outcome.kind == OutcomeKind::missing) throw Failure(kMissing, outcome.detail, "see above");
    if (outcome.kind == OutcomeKind::rejected) {
      reject(outcome, phase);
      if (candidates.size() == 2 && phase == "confirm") return {};
      continue;
    }
    samples_.insert(samples_.end(), samples.begin(), samples.end());
    warm_ups_.insert(warm_ups_.end(), warm_ups.begin(), warm_ups.end());
    clock_rows_.insert(clock_rows_.end(), rows.begin(), rows.end());
    results_.samples(samples_);
    results_.warm_ups(warm_ups_);
    results_.clocks(clock_rows_);
    results_.compiled(sizes_);
    return samples;
  }
}

std::optional<std::string> Supervisor::winner(const std::vector<Sample>& samples) const {
  const double noise = std::abs(ratio_of(paired(samples, "0", "0b"), 1).ratio - 1);
  const std::vector<std::string> candidates = passed();
  std::optional<std::string> best;
  double best_ratio = 1;
  for (const std::string& candidate : candidates) {
    if (candidate == "0") continue;
    const RatioInterval interval =
        ratio_of(paired(samples, "0", candidate), static_cast<int>(candidates.size() - 1));
    tell("candidate " + candidate + ": ratio " + number_text(interval.ratio, 5) + ", from " +
         number_text(interval.low, 5) + " to " + number_text(interval.high, 5));
    if (difference_of(interval, noise) != Difference::faster || interval.ratio <= best_ratio)
      continue;
    best = candidate;
    best_ratio = interval.ratio;
  }
  return best;
}

void Supervisor::count_sectors() {
  tell("counters");
  const CounterResult result = count(*workers_, bundle_, counted());
  std::string order = "order";
  for (const std::string& candidate : result.order) order += " " + candidate;
  if (!result.refused.empty()) tell("no counters: " + result.refused);
  results_.log("counters", result.log);
  results_.counters(result.csv, result.refused.empty() ? order : "refused " + result.refused);
}

}  // namespace heddle::agent
