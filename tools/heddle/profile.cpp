// heddle profile: counters of a job on a simulated GPU, or of a program on this machine's, through
// the profiler that is there.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "config/gpu.h"
#include "notes.h"
#include "order/compact.h"
#include "order_arguments.h"
#include "output.h"
#include "pipeline.h"
#include "profile/simulated/simulated.h"
#include "progress.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/program_path.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kProfileExamples = R"text(
Examples:
  heddle profile -n slow examples/yax_slow.toml --gpu mi210
  heddle profile -n swizzled examples/stencil_2d.toml --gpu mi300x --order "xcd(8)"
  heddle profile -n problem --no-roof -- ./problem.exe
  heddle profile -n problem_roof_only --roof-only --kernel-names -- ./problem.exe
profile simulates a job and writes its counters to workloads/NAME/GPU, without those that the model does
not have. A program after -- runs under rocprof-compute or omniperf, which must be installed and writes
the same folder. heddle analyze and heddle roofline read that folder on any machine.
Exit codes: 4 if the GPU or the profiler is missing, else that of the profiler.)text";

constexpr std::size_t kMostName = 35;
constexpr std::size_t kSystemBytes = std::size_t{1} << 20;
constexpr std::array<const char*, 2> kProfilers = {"rocprof-compute", "omniperf"};

constexpr int kProfileVersion = 1;

struct ProfileArguments {
  std::string job;
  std::string gpu;
  std::vector<std::string> overrides;
  OrderArguments order;
  std::string name;
  std::string path;
  std::vector<std::string> kernels;
  std::vector<std::string> dispatches;
  std::vector<std::string> blocks;
  std::vector<std::string> levels;
  std::string format = "csv";
  bool no_roof = false;
  bool roof_only = false;
  bool kernel_names = false;
  bool json = false;
  std::vector<std::string> others;  ///< that only the profiler knows
};

/// Empty if no folder of PATH has it.
std::string find_program(const std::string& name) {
  const std::vector<std::string> found = programs_in_path(name);
  return found.empty() ? std::string() : found[0];
}

void check_name(const std::string& name) {
  if (name.empty()) throw Error("the workload has no name", "heddle profile -n NAME -- PROGRAM");
  const bool odd = name.find_first_not_of(
                       "abcdefghijklmnopqrstuvwxyz"
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos;
  if (odd || name.size() > kMostName)
    throw Error(fmt::format("'{}' is not the name of a workload", name),
                "use letters, digits and _, at most 35 of them");
}

/// What this machine lacks to run a profiler; empty if nothing.
std::string missing_parts(const std::string& profiler, const std::string& program) {
  std::vector<std::string> missing;
  if (access("/dev/kfd", F_OK) != 0)
    missing.emplace_back("an AMD GPU (there is no /dev/kfd)");
  else if (access("/dev/kfd", R_OK | W_OK) != 0)
    missing.emplace_back("permission for the GPU (/dev/kfd; join the groups render and video)");
  if (profiler.empty()) missing.emplace_back("rocprof-compute or omniperf (neither is in PATH)");
  if (program.find('/') != std::string::npos ? access(program.c_str(), X_OK) != 0
                                             : find_program(program).empty())
    missing.push_back(fmt::format("the program '{}'", program));
  return fmt::format("{}", fmt::join(missing, "; "));
}

void add_flag(std::vector<std::string>& command, const char* flag,
              const std::vector<std::string>& values) {
  if (values.empty()) return;
  command.emplace_back(flag);
  append(command, values);
}

/// The profiler takes over this process: its output, its signals and its exit code are the user's.
[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  throw Error(fmt::format("cannot start '{}'", command[0]), "check its permissions",
              ExitCode::missing);
}

/// A folder that a profiler recorded is not written over.
void check_folder(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return;
  const std::string system = folder + "/sysinfo.csv";
  if (std::filesystem::is_empty(folder, error)) return;
  if (std::filesystem::exists(system, error) &&
      read_text(system, kSystemBytes).find("simulated_by") != std::string::npos)
    return;
  throw Error(fmt::format("'{}' holds something that was not simulated", folder),
              "choose another name with -n");
}

void simulate(const ProfileArguments& arguments) {
  check_name(arguments.name);
  if (!arguments.others.empty())
    throw Error(fmt::format("'{}' is not for simulated jobs", arguments.others[0]),
                "heddle profile --help");
  if (arguments.gpu.empty())
    throw Error("no GPU is given",
                fmt::format("add --gpu NAME; known: {}", fmt::join(config::known_gpus(), " ")));
  SimulationRequest request;
  request.job_path = arguments.job;
  request.overrides = arguments.overrides;
  request.gpu = arguments.gpu;
  const bool ordered = !arguments.order.order.empty() || !arguments.order.table.empty();
  if (ordered) request.order = arguments.order.read();
  request.bindings = arguments.order.bindings();
  request.tiles = arguments.order.tiles;
  const config::Gpu gpu = config::read_gpu(arguments.gpu);
  const std::string folder =
      fmt::format("{}/{}/{}", arguments.path.empty() ? "workloads" : arguments.path, arguments.name,
                  profile::simulated_folder(gpu));
  check_folder(folder);
  const SimResult result = with_progress("simulating", [&] { return simulate_job(request); });
  const auto workload = profile::simulated_workload(
      result, gpu, arguments.name, fmt::format("{} with order {}", arguments.job, result.order),
      arguments.format == "rocpd" ? profile::SimulatedFormat::rocpd
                                  : profile::SimulatedFormat::csv);
  std::filesystem::create_directories(folder);
  for (const profile::WorkloadFile& file : workload.files) {
    if (arguments.no_roof && file.name == "roofline.csv") continue;
    write_text(folder + "/" + file.name, file.text);
  }
  if (!result.permutation)
    note("warning: {} is not a permutation, but simulated as it is", result.order);
  if (arguments.json)
    return OutputArguments().print(json_text({{"version", kProfileVersion},
                                              {"folder", folder},
                                              {"kernel", result.kernel},
                                              {"order", result.order},
                                              {"gpu", result.gpu_title}}));
  fmt::print("{}\n  simulated {} on {}: heddle analyze -p {}\n", folder, result.kernel,
             result.gpu_title, folder);
}

void run(const ProfileArguments& arguments, const std::vector<std::string>& target) {
  if (!arguments.job.empty() && target.empty()) return simulate(arguments);
  if (!arguments.job.empty())
    throw Error("a job and a program are both given", "name a job, or a program after --");
  if (target.empty())
    throw Error("neither a job nor a program is named",
                "heddle profile -n NAME JOB --gpu mi210, or heddle profile -n NAME -- ./program");
  if (arguments.json)
    throw Error("--json is for simulated jobs", "leave it out: the profiler prints what it does");
  if (arguments.kernel_names && !arguments.roof_only)
    throw Error("--kernel-names belongs to --roof-only", "add --roof-only");
  if (arguments.no_roof && arguments.roof_only)
    throw Error("--no-roof and --roof-only exclude each other", "leave one of them out");
  std::string profiler;
  for (const char* name : kProfilers) {
    if (profiler.empty()) profiler = find_program(name);
  }
  const std::string missing = missing_parts(profiler, target[0]);
  if (!missing.empty())
    throw Error("cannot profile here; missing: " + missing,
                "profile on a machine that has them, then read the folder with heddle analyze here",
                ExitCode::missing);
  check_name(arguments.name);
  std::vector<std::string> command = {profiler, "profile", "-n", arguments.name};
  if (!arguments.path.empty()) add_flag(command, "-p", {arguments.path});
  add_flag(command, "-k", arguments.kernels);
  add_flag(command, "-d", arguments.dispatches);
  add_flag(command, "-b", arguments.blocks);
  add_flag(command, "-m", arguments.levels);
  if (arguments.no_roof) command.emplace_back("--no-roof");
  if (arguments.roof_only) command.emplace_back("--roof-only");
  if (arguments.kernel_names) command.emplace_back("--kernel-names");
  append(command, arguments.others);
  add_flag(command, "--", target);
  become(command);
}

}  // namespace

void add_profile(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb(
      "profile", "record counters of a job on a simulated GPU, or of a program on a real one");
  const auto arguments = std::make_shared<ProfileArguments>();
  ProfileArguments& a = *arguments;
  verb.add_option("JOB", a.job, "a job to simulate (docs/jobs.md)");
  verb.add_option("--gpu", a.gpu, "the GPU to simulate: a known name, or a .toml file")
      .type_name("NAME");
  verb.add_option("--set", a.overrides, "override a size, scalar or constexpr of the job")
      .type_name("NAME=VALUE")
      .allow_extra_args(false);
  a.order.add_order(verb);
  verb.add_option("-n,--name", a.name, "name of the workload: workloads/NAME").type_name("NAME");
  verb.add_option("-p,--path", a.path, "the folder to write").type_name("DIR");
  verb.add_option("-k,--kernel", a.kernels, "only kernels whose names contain one of these");
  verb.add_option("-d,--dispatch", a.dispatches, "only these dispatches, by number");
  verb.add_option("-b,--block", a.blocks,
                  "only these hardware blocks: SQ SQC TA TD TCP TCC SPI CPC CPF");
  verb.add_option("-m,--mem-level", a.levels, "levels of the roofline: HBM L2 vL1D LDS");
  verb.add_option("--format", a.format,
                  "format of a job's folder: csv, as in rocprofiler-compute 3.0; rocpd, as in 3.3 "
                  "and later")
      .one_of({"csv", "rocpd"});
  verb.add_flag("--no-roof", a.no_roof, "skip the roofline");
  verb.add_flag("--roof-only", a.roof_only, "record only the roofline");
  verb.add_flag("--kernel-names", a.kernel_names, "name kernels in the roofline");
  verb.add_flag("--json", a.json, "for a job: print the folder as JSON");
  verb.footer(kProfileExamples);
  verb.allow_extras();
  verb.callback([arguments, verb, &outcome] {
    arguments->others = verb.remaining();
    run(*arguments, outcome.target);
  });
}

}  // namespace heddle::tool
