#include "session.h"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "failure.h"
#include "words.h"

namespace heddle::agent {
namespace {

constexpr std::size_t kMostNoise = 4096;

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : "/proc/self/exe";
}

/// What a worker says, while it says it.
class Conversation {
 public:
  Conversation(const Bundle& bundle, const std::vector<std::string>& candidates,
               const LineListener& listener)
      : bundle_(bundle), candidates_(candidates), listener_(listener) {
    outcome_.named = false;
  }

  Heard hear(std::string_view text) {
    if (finished_) return Heard::noise;
    const WorkerLine line = parse_line(text, bundle_, candidates_);
    switch (line.word) {
      case Word::noise:
        if (noise_.size() < kMostNoise) noise_ += printable(text, 200) + "\n";
        return Heard::noise;
      case Word::broken:
        return give_up("said what is not of the protocol: " + printable(text, 120));
      case Word::compiling:
      case Word::begin:
        blame(line);
        return Heard::life;
      case Word::rejected:
        blame(line);
        outcome_.reason = line.key;
        outcome_.detail = line.text;
        return finish(OutcomeKind::rejected, Heard::enough);
      case Word::missing:
        outcome_.detail = line.text;
        return finish(OutcomeKind::missing, Heard::enough);
      case Word::done:
        return finish(OutcomeKind::done, Heard::life);
      default: {
        const std::string wrong = listener_(line);
        return wrong.empty() ? Heard::life : give_up(wrong);
      }
    }
  }

  /// After its process ended.
  WorkerOutcome outcome(const ChildEnd& end, std::uint32_t limit_s) {
    if (finished_) return outcome_;
    outcome_.kind = OutcomeKind::rejected;
    outcome_.reason = "crash";
    outcome_.detail = end_text(end);
    if (end.kind == EndKind::silent) {
      outcome_.reason = "hang";
      outcome_.detail = "nothing was heard of it for " + std::to_string(limit_s) + " s";
    }
    // ROCm ends the process when a kernel faults.
    if (end.kind == EndKind::signalled && end.code == SIGABRT &&
        end.errors.find("Memory access fault by GPU") != std::string::npos)
      outcome_.reason = "fault";
    return outcome_;
  }

  const std::string& noise() const { return noise_; }

 private:
  void blame(const WorkerLine& line) {
    outcome_.named = true;
    outcome_.candidate = line.candidate == "0b" ? "0" : line.candidate;
    outcome_.launch = line.launch.empty() ? "-" : line.launch;
    outcome_.seed = line.seed.empty() ? "-" : line.seed;
  }

  Heard finish(OutcomeKind kind, Heard heard) {
    finished_ = true;
    outcome_.kind = kind;
    return heard;
  }

  Heard give_up(const std::string& why) {
    outcome_.reason = "crash";
    outcome_.detail = "its process " + why;
    return finish(OutcomeKind::rejected, Heard::enough);
  }

  const Bundle& bundle_;
  const std::vector<std::string>& candidates_;
  const LineListener& listener_;
  WorkerOutcome outcome_;
  bool finished_ = false;
  std::string noise_;
};

}  // namespace

std::vector<std::string> triton_program(const std::string& folder, const std::string& python) {
  const std::string program = find_program(python, {});
  if (program.empty())
    throw Failure(kMissing, "cannot find the program " + printable(python),
                  "install Python with Triton and PyTorch, or name it with --python");
  for (const char* const place : {"/agent/", "/../agent/"}) {
    const std::string script = folder + place + "triton_worker.py";
    if (access(script.c_str(), R_OK) == 0) return {program, script};
  }
  throw Failure(kMissing, "the bundle has no agent/triton_worker.py",
                "copy the whole folder of the bundle");
}

Workers::Workers(std::string folder, const Bundle& bundle, const std::string& python,
                 const Results& results)
    : folder_(std::move(folder)), bundle_(bundle), results_(results) {
  if (bundle.language != Language::triton) {
    program_ = {own_program(), "worker"};
    return;
  }
  program_ = triton_program(folder_, python);
}

std::vector<std::string> Workers::command(const std::vector<std::string>& task,
                                          const std::vector<std::string>& candidates) const {
  std::vector<std::string> words = program_;
  words.push_back(folder_);
  words.insert(words.end(), task.begin(), task.end());
  words.insert(words.end(), candidates.begin(), candidates.end());
  return words;
}

WorkerOutcome Workers::run(const std::vector<std::string>& task,
                           const std::vector<std::string>& candidates, const LineListener& listener,
                           const std::function<void()>& tick) const {
  Conversation conversation(bundle_, candidates, listener);
  ChildLimits limits;
  limits.silent_s = bundle_.limit_s;
  const ChildEnd end = run_child(
      command(task, candidates), limits,
      [&](std::string_view line) { return conversation.hear(line); }, tick);
  std::string title = "worker";
  for (const auto* list : {&task, &candidates})
    for (const std::string& word : *list) title += " " + word;
  results_.log(title, conversation.noise() + end.errors);
  return conversation.outcome(end, bundle_.limit_s);
}

}  // namespace heddle::agent
