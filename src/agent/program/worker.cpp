#include "worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "failure.h"
#include "tasks.h"
#include "words.h"

namespace heddle::agent {
namespace {

constexpr std::uint64_t kWordBytes = 4;
constexpr std::uint64_t kUnknownCacheFlush = std::uint64_t{256} << 20;

/// `without=NAME` leaves out a launch on which the original fails. Takes these words away.
void leave_out(std::vector<std::string>& words, Bundle& bundle) {
  constexpr std::string_view kWithout = "without=";
  for (const std::string& word : words)
    if (word.rfind(kWithout, 0) == 0)
      std::erase_if(bundle.launches, [&](const Launch& launch) {
        return launch.name == word.substr(kWithout.size());
      });
  std::erase_if(words, [&](const std::string& word) { return word.rfind(kWithout, 0) == 0; });
  if (bundle.launches.empty())
    throw Failure(kUsage, "no launch is left", "name one of several with without=");
}

void perform(const std::vector<std::string>& words, const Bundle& bundle, const Speaker& speaker) {
  const std::string& what = words[1];
  if (bundle.language == Language::triton)
    throw Failure(kUsage, "this bundle's kernels are Triton's", "start agent/triton_worker.py");
  Task task(words[0], bundle, speaker);
  const auto rest = [&](std::size_t from) {
    return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
  };
  if (what == "device") return task.device();
  if (what == "check") return task.check(rest(2));
  if (what == "profile") return task.profile(rest(2));
  const auto seed = words.size() > 4 ? natural(words[3]) : std::nullopt;
  if (what == "time" && seed) return task.time(*seed, rest(4));
  throw Failure(kUsage, "a worker cannot '" + printable(what, 80) + "'",
                "docs/agent.md lists what workers are asked");
}

}  // namespace

Speaker::Speaker() : output_(dup(STDOUT_FILENO)) {
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

void Speaker::say(const std::string& line) const {
  const std::string text = printable(line, 60'000) + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(output_, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // nobody listens any more
    at += static_cast<std::size_t>(written);
  }
}

void reject(const Run& run, const std::string& kind, const std::string& detail) {
  throw Rejection{run.candidate, run.launch, run.seed, kind, detail};
}

std::uint64_t flush_bytes(const DeviceFacts& facts) {
  return facts.llc_bytes == 0 ? kUnknownCacheFlush : 2 * facts.llc_bytes;
}

std::size_t candidate_number(const std::string& word, std::size_t candidates) {
  const auto number = word == "0b" ? std::optional<std::uint64_t>(0) : natural(word);
  if (!number || *number >= candidates)
    throw Failure(kUsage, "there is no candidate '" + printable(word, 80) + "'",
                  "use the numbers of bundle.txt");
  return static_cast<std::size_t>(*number);
}

Task::Task(const std::string& folder, const Bundle& bundle, const Speaker& speaker)
    : folder_(folder), bundle_(bundle), speaker_(speaker), driver_(bundle.language) {}

void Task::device() {
  const DeviceFacts& facts = driver_.facts();
  const auto fact = [&](const char* key, const std::string& text) {
    if (!text.empty()) speaker_.say(std::string("fact ") + key + " " + text);
  };
  fact("device", facts.device);
  fact("driver", facts.driver);
  fact("runtime", facts.runtime);
  fact("compiler", facts.compiler);
  fact("bus", facts.bus);
  fact("compute_units", std::to_string(facts.compute_units));
  fact("l2_bytes", std::to_string(facts.l2_bytes));
  fact("llc_bytes", std::to_string(facts.llc_bytes));
  fact("llc_source", facts.llc_source);
  fact("flush_bytes", std::to_string(flush_bytes(facts)));
}

void Task::compile(const std::vector<std::string>& candidates) {
  std::vector<std::string> all = {"0"};
  all.insert(all.end(), candidates.begin(), candidates.end());
  std::uint32_t shared_bytes = 0;
  for (const Launch& launch : bundle_.launches)
    shared_bytes = std::max(shared_bytes, launch.shared_bytes);
  for (const std::string& word : all) {
    const std::size_t number = candidate_number(word, bundle_.candidates.size());
    if (kernels_.contains(number)) continue;
    const Run run{std::to_string(number), "-", "-"};
    speaker_.say("compiling " + run.candidate);
    const std::string& path = bundle_.candidates[number].path;
    const std::string file = file_of(folder_, path);
    try {
      const Kernel kernel =
          driver_.compile({read_file(file, bounds::kSourceBytes), path, bundle_.function,
                           bundle_.defines, file.substr(0, file.rfind('/'))});
      kernels_[number] = kernel;
      say_sizes(run.candidate, kernel);
    } catch (const CompileError& error) {
      reject(run, "compile", error.what());
    }
    try {
      driver_.allow_shared_memory(kernels_[number], shared_bytes);
    } catch (const DriverError& error) {
      reject(run, "launch", error.what());
    }
  }
}

void Task::say_sizes(const std::string& candidate, Kernel kernel) {
  const auto text = [](const std::optional<std::uint64_t>& size) {
    return size ? std::to_string(*size) : std::string("-");
  };
  auto shared = driver_.function_size(kernel, kFunctionShared);
  if (shared) *shared += bundle_.launches.front().shared_bytes;
  auto spills = driver_.function_size(kernel, kFunctionLocal);
  if (spills) *spills /= kWordBytes;
  speaker_.say("compiled " + candidate + " " +
               text(driver_.function_size(kernel, kFunctionRegisters)) + " " + text(shared) + " " +
               text(spills));
}

Kernel Task::kernel(const std::string& candidate) const {
  return kernels_.at(candidate_number(candidate, bundle_.candidates.size()));
}

void Task::begin(const Run& run) const {
  speaker_.say("begin " + run.candidate + " " + run.launch + " " + run.seed);
}

void Task::launch(const Run& run, LaunchMemory& memory) {
  try {
    driver_.launch(kernel(run.candidate), memory.launch(), memory.parameters());
  } catch (const DriverError& error) {
    reject(run, "launch", error.what());
  }
  try {
    driver_.synchronize();
  } catch (const DriverError& error) {
    reject(run, "fault", error.what());
  }
}

void Task::profile(const std::vector<std::string>& candidates) {
  compile(candidates);
  const Launch& launch = bundle_.launches.front();
  LaunchMemory memory(driver_, launch, folder_);
  memory.set_seed(bundle_.seeds.front());
  for (const std::string& candidate : candidates) {
    const Run run{candidate, launch.name, std::to_string(bundle_.seeds.front())};
    begin(run);
    memory.prepare(kFirstPattern);
    this->launch(run, memory);
  }
}

int work(std::vector<std::string> words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // also where a profiler stands between
  const Speaker speaker;
  const auto complain = [](const std::string& what) {
    std::fprintf(stderr, "heddle-agent: %s\n", what.c_str());
    return 1;
  };
  try {
    if (words.size() < 2)
      throw Failure(kUsage, "worker takes a folder and a task", "see docs/agent.md");
    Bundle bundle = read_bundle(words[0]);
    leave_out(words, bundle);
    perform(words, bundle, speaker);
    speaker.say("done");
    return 0;
  } catch (const Rejection& rejection) {
    speaker.say("rejected " + rejection.candidate + " " + rejection.launch + " " + rejection.seed +
                " " + rejection.kind + " " + rejection.detail);
    return 0;
  } catch (const Failure& failure) {
    if (failure.code() != kMissing) {
      complain(failure.what());
      return failure.code();
    }
    speaker.say(std::string("missing ") + failure.what() + "; try: " + failure.attempt());
    return kMissing;
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

}  // namespace heddle::agent
