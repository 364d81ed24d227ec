// Whether candidates compute what the original does.
#include "check.h"
#include "words.h"

namespace heddle::agent {

Check::Check(Task& task, LaunchMemory& memory, std::uint64_t seed)
    : task_(task), memory_(memory), seed_(std::to_string(seed)) {
  for (std::size_t i = 0; i < memory.launch().tensors.size(); ++i)
    if (memory.launch().tensors[i].use != Use::read) outputs_.push_back(i);
}

void Check::run_original(bool asked) {
  const Run run = named("0");
  task_.begin(run);
  std::vector<Bytes> first = outputs_of(run, kFirstPattern);
  const std::vector<Bytes> again = outputs_of(run, kFirstPattern);
  std::vector<Bytes> second = outputs_of(run, kSecondPattern);
  std::string varying;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Tensor& tensor = memory_.launch().tensors[outputs_[i]];
    references_.push_back(
        make_reference(tensor, std::move(first[i]), again[i], std::move(second[i])));
    if (references_.back().varies)
      varying += (varying.empty() ? "" : ", ") + ("tensor " + tensor.name) +
                 " differs from run to run by up to " + number_text(references_.back().spread, 4);
  }
  if (asked) say(run, varying);
}

void Check::run_candidate(const std::string& candidate) {
  const Run run = named(candidate);
  task_.begin(run);
  const auto first = changes_of(run, kFirstPattern);
  const auto second = changes_of(run, kSecondPattern);
  std::string close;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Tensor& tensor = memory_.launch().tensors[outputs_[i]];
    const auto look = [&] {
      return compare(tensor, references_[i], first[i] ? &*first[i] : nullptr,
                     second[i] ? &*second[i] : nullptr);
    };
    Comparison comparison = look();
    if (!comparison.equal && !comparison.unwritten && widen_references()) {
      task_.begin(run);
      comparison = look();
    }
    if (!comparison.equal)
      reject(run, comparison.unwritten ? "unwritten" : "different", comparison.detail);
    if (references_[i].varies && (first[i] || second[i]))
      close += (close.empty() ? "" : ", ") + ("tensor " + tensor.name) + " within " +
               number_text(comparison.distance, 4) + ", the original differs from itself by " +
               number_text(references_[i].spread, 4);
  }
  say(run, close);
}

bool Check::widen_references() {
  if (widened_) return false;
  widened_ = true;
  const Run run = named("0");
  task_.begin(run);
  for (int i = 0; i < kMoreRuns; ++i) {
    const std::vector<Bytes> again = outputs_of(run, kFirstPattern);
    for (std::size_t j = 0; j < outputs_.size(); ++j)
      widen(memory_.launch().tensors[outputs_[j]], again[j], references_[j]);
  }
  return true;
}

Run Check::named(const std::string& candidate) const {
  return {candidate, memory_.launch().name, seed_};
}

void Check::say(const Run& run, const std::string& close) const {
  const std::string names = run.candidate + " " + run.launch + " " + run.seed;
  task_.speaker_.say(close.empty() ? "equal " + names : "close " + names + " " + close);
}

std::vector<Bytes> Check::outputs_of(const Run& run, unsigned char pattern) {
  run_once(run, pattern);
  std::vector<Bytes> outputs;
  for (const std::size_t tensor : outputs_) outputs.push_back(*memory_.download(tensor, nullptr));
  return outputs;
}

std::vector<std::optional<Bytes>> Check::changes_of(const Run& run, unsigned char pattern) {
  run_once(run, pattern);
  std::vector<std::optional<Bytes>> changes;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    changes.push_back(memory_.download(
        outputs_[i], pattern == kFirstPattern ? &references_[i].first : &references_[i].second));
  return changes;
}

void Check::run_once(const Run& run, unsigned char pattern) {
  memory_.prepare(pattern);
  task_.launch(run, memory_);
  check_surroundings(run);
}

void Check::check_surroundings(const Run& run) {
  if (const auto text = memory_.damage()) reject(run, "guard", *text);
  if (const auto text = memory_.changed_input()) reject(run, "input", *text);
}

void Check::look(const Run& run, bool updates) {
  check_surroundings(run);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Tensor& tensor = memory_.launch().tensors[outputs_[i]];
    if (tensor.use == Use::update && !updates) continue;
    const auto found = memory_.download(outputs_[i], &references_[i].first);
    if (!found) continue;
    Comparison comparison = compare(tensor, references_[i], &*found, nullptr);
    if (!comparison.equal && widen_references()) {
      task_.begin(run);
      comparison = compare(tensor, references_[i], &*found, nullptr);
    }
    if (!comparison.equal)
      reject(run, "different", "after a launch that was timed: " + comparison.detail);
  }
}

void Task::check(const std::vector<std::string>& candidates) {
  compile(candidates);
  bool asked = false;
  for (const std::string& candidate : candidates) asked = asked || candidate == "0";
  for (const Launch& launch : bundle_.launches) {
    LaunchMemory memory(driver_, launch, folder_);
    for (const std::uint64_t seed : bundle_.seeds) {
      memory.set_seed(seed);
      Check check(*this, memory, seed);
      check.run_original(asked);
      for (const std::string& candidate : candidates)
        if (candidate != "0") check.run_candidate(candidate);
    }
  }
  for (const std::string& candidate : candidates) speaker_.say("checked " + candidate);
}

}  // namespace heddle::agent
