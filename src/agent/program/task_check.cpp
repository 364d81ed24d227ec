// Whether candidates compute what the original does.
#include <set>

#include "tasks.h"
#include "words.h"

namespace heddle::agent {

/// One launch with one seed: the original first, and every candidate beside it.
class Check {
 public:
  Check(Task& task, LaunchMemory& memory, std::uint64_t seed)
      : task_(task), memory_(memory), seed_(std::to_string(seed)) {
    for (std::size_t i = 0; i < memory.launch().tensors.size(); ++i)
      if (memory.launch().tensors[i].use != Use::read) outputs_.push_back(i);
  }

  /// What the original computes, and what it differs from itself by.
  void run_original(bool asked) {
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

  void run_candidate(const std::string& candidate) {
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

 private:
  /// The original, some more times; false if that was done before.
  bool widen_references() {
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

  Run named(const std::string& candidate) const {
    return {candidate, memory_.launch().name, seed_};
  }

  void say(const Run& run, const std::string& close) const {
    const std::string names = run.candidate + " " + run.launch + " " + run.seed;
    task_.speaker_.say(close.empty() ? "equal " + names : "close " + names + " " + close);
  }

  void run_once(const Run& run, unsigned char pattern) {
    memory_.prepare(pattern);
    task_.launch(run, memory_);
    if (const auto text = memory_.damage()) reject(run, "guard", *text);
    if (const auto text = memory_.changed_input()) reject(run, "input", *text);
  }

  std::vector<Bytes> outputs_of(const Run& run, unsigned char pattern) {
    run_once(run, pattern);
    std::vector<Bytes> outputs;
    for (const std::size_t tensor : outputs_) outputs.push_back(*memory_.download(tensor, nullptr));
    return outputs;
  }

  /// Only of tensors that are not the reference's.
  std::vector<std::optional<Bytes>> changes_of(const Run& run, unsigned char pattern) {
    run_once(run, pattern);
    std::vector<std::optional<Bytes>> changes;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      changes.push_back(memory_.download(
          outputs_[i], pattern == kFirstPattern ? &references_[i].first : &references_[i].second));
    return changes;
  }

  Task& task_;
  LaunchMemory& memory_;
  std::string seed_;
  std::vector<std::size_t> outputs_;
  std::vector<Reference> references_;
  bool widened_ = false;
};

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
