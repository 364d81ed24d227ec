// A job array of Slurm, each task a worker; a job that depends on it does what is left and merges.
//
//   DIR/slurm/worker.sh, merge.sh    what sbatch is given: to be read, changed, submitted by hand
//
// Rules
//   1. Tasks are requeued when their node fails or is drained; the restarted one goes on from the rows.
//   2. The merge runs after the array however that ended (afterany): it is the sweep itself, on one
//      node, which finds little or nothing to do.
//   3. While waiting, squeue says whether the jobs are there; sacct, where there is accounting, how
//      they ended.
#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "support/child_process.h"
#include "support/error.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/program_path.h"
#include "support/text.h"
#include "sweep/engine.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPoll{2};
constexpr std::chrono::seconds kSbatchTime{60};
constexpr int kMostMisses = 30;  ///< times that squeue may fail before it is given up

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_quoted(word);
  return line;
}

std::string script(const std::vector<std::string>& words) {
  return "#!/bin/sh\nexec " + command_line(words) + "\n";
}

std::vector<std::string> job_options(const Work& work, const std::string& name) {
  const SlurmOptions& given = work.slurm;
  std::vector<std::string> options = {"--parsable", "--job-name=" + name, "--open-mode=append",
                                      "--chdir=" + fs::current_path().string()};
  if (!given.partition.empty()) options.push_back("--partition=" + given.partition);
  if (!given.time.empty()) options.push_back("--time=" + given.time);
  append(options, given.options);
  return options;
}

std::string submit(std::vector<std::string> options, const std::string& file) {
  options.insert(options.begin(), "sbatch");
  options.push_back(file);
  ChildLimits limits;
  limits.time = kSbatchTime;
  const ChildResult result = run_child(options, "", limits);
  const std::string answer(trim(split(result.output, ';').front()));
  if (result.exit_code != 0 || !parse_integer(answer))
    throw Error(fmt::format("sbatch does not take the job: {}",
                            trim(result.errors.empty() ? result.output : result.errors)),
                fmt::format("try it by hand: {} {}", command_line(options), file),
                ExitCode::missing);
  return answer;
}

/// Whether a job is still waiting or running.
enum class JobState { there, gone, unknown };

JobState state_of(const std::string& job) {
  ChildLimits limits;
  limits.time = kSbatchTime;
  const ChildResult result = run_child({"squeue", "--noheader", "--jobs=" + job}, "", limits);
  if (result.exit_code == 0) return trim(result.output).empty() ? JobState::gone : JobState::there;
  return result.errors.find("Invalid job id") != std::string::npos ? JobState::gone
                                                                   : JobState::unknown;
}

/// "2 COMPLETED, 1 NODE_FAIL"; empty: there is no accounting.
std::string ends_of(const std::string& job) {
  try {
    ChildLimits limits;
    limits.time = kSbatchTime;
    const ChildResult result = run_child(
        {"sacct", "--noheader", "--parsable2", "--allocations", "--format=State", "--jobs=" + job},
        "", limits);
    if (result.exit_code != 0) return "";
    std::map<std::string, int> counts;
    for (const std::string_view line : split_lines(result.output))
      if (!trim(line).empty()) ++counts[std::string(trim(line))];
    std::string text;
    for (const auto& [state, count] : counts)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
    return text;
  } catch (const Error&) {
    return "";  // sacct is not installed
  }
}

class SlurmEngine : public Engine {
 public:
  EngineEnd run(const Work& work) override {
    if (programs_in_path("sbatch").empty())
      throw Error("sbatch is not in PATH: Slurm is not installed here",
                  "start it on a machine of the cluster, or use --workers or --shard",
                  ExitCode::missing);
    const std::string folder = work.folder + "/slurm";
    std::error_code error;
    fs::create_directories(folder, error);
    std::vector<std::string> worker = work.command;
    worker.emplace_back("--worker");
    write_text(folder + "/worker.sh", script(worker));
    std::vector<std::string> rest = work.command;
    rest.insert(rest.end(), {"--workers", "1"});
    write_text(folder + "/merge.sh", script(rest));

    std::vector<std::string> options = job_options(work, "heddle-sweep");
    append(options, std::vector<std::string>{fmt::format("--array=0-{}", work.workers - 1),
                                             "--requeue", "--output=" + folder + "/worker-%a.log"});
    if (work.slurm.exclusive) options.emplace_back("--exclusive");
    const std::string array = submit(options, folder + "/worker.sh");
    std::string merge;
    try {
      options = job_options(work, "heddle-merge");
      append(options, std::vector<std::string>{"--dependency=afterany:" + array, "--requeue",
                                               "--output=" + folder + "/merge.log"});
      merge = submit(options, folder + "/merge.sh");
    } catch (const Error&) {
      cancel(array);
      throw;
    }
    fmt::print(stderr, "heddle: Slurm has job {} ({} workers) and job {}, which merges after it\n",
               array, work.workers, merge);
    if (!work.slurm.wait) return EngineEnd::elsewhere;
    return wait(work, array, merge);
  }

 private:
  static void cancel(const std::string& job) {
    try {
      run_child({"scancel", job}, "", {});
    } catch (const Error&) {
      return;  // it is said that the sweep was not submitted whole
    }
  }

  static EngineEnd wait(const Work& work, const std::string& array, const std::string& merge) {
    const auto since = std::chrono::steady_clock::now();
    const std::size_t total = work.shard_units();
    const std::size_t before = total - work.open_units(work.retry).size();
    int misses = 0;
    for (JobState state = JobState::there; state != JobState::gone && misses < kMostMisses;) {
      for (auto slept = std::chrono::milliseconds(0); slept < kPoll; slept += kBetween) {
        if (work.stop && work.stop()) {
          cancel(array);
          cancel(merge);
          return EngineEnd::interrupted;
        }
        std::this_thread::sleep_for(kBetween);
      }
      Tally tally{total,
                  before,
                  total - before - work.open_units(false).size(),
                  0,
                  static_cast<std::size_t>(work.workers),
                  {}};
      tally.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - since);
      if (work.watch) work.watch(tally);
      state = state_of(merge);
      misses = state == JobState::unknown ? misses + 1 : 0;
    }
    if (const std::string ends = ends_of(array); !ends.empty())
      fmt::print(stderr, "heddle: workers of job {} ended: {}\n", array, ends);
    if (work.open_units(false).empty()) return EngineEnd::complete;
    throw Error("the jobs of Slurm ended before every unit was done",
                fmt::format("see {}/slurm/*.log, and run the sweep again: it goes on from here",
                            work.folder),
                ExitCode::missing);
  }

  static constexpr std::chrono::milliseconds kBetween{100};
};

}  // namespace

std::unique_ptr<Engine> slurm_engine() {
  return std::make_unique<SlurmEngine>();
}

}  // namespace heddle::sweep
