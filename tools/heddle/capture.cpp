// heddle capture: runs a program, and keeps its launches of Triton kernels as job files.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "capture/recorder_files.h"
#include "notes.h"
#include "output.h"
#include "support/file.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCaptureExamples = R"text(
Examples:
  heddle capture -- python3 train.py
  heddle capture -o jobs --kernel "*matmul*" --limit 2 -- torchrun --nproc-per-node 8 train.py
  heddle trace jobs/matmul_kernel.toml
Captures Triton kernels, also those of torch.compile, but no HIP or CUDA C++ kernels.
Exit codes: that of the program; 3 if it succeeded, but nothing was captured.)text";

constexpr const char* kRecorder = ".recorder";
constexpr const char* kNotes = "notes.txt";
constexpr int kMostShown = 20;

struct CaptureArguments {
  std::string folder = "captured";
  std::string kernel;
  int limit = 16;
  bool json = false;
};

volatile std::sig_atomic_t g_program = 0;

extern "C" void hand_on(int signal) {
  if (g_program > 0) kill(static_cast<pid_t>(g_program), signal);
}

/// Ctrl-C reaches the program from the terminal, too: it decides what becomes of it. What ends
/// heddle alone ends the program.
class SignalsForProgram {
 public:
  SignalsForProgram() {
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGQUIT, SIG_IGN);
    std::signal(SIGTERM, hand_on);
    std::signal(SIGHUP, hand_on);
  }
  ~SignalsForProgram() {
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  }
  SignalsForProgram(const SignalsForProgram&) = delete;
  SignalsForProgram& operator=(const SignalsForProgram&) = delete;
};

/// The folder, with nothing in it but the recorder.
fs::path make_folder(const std::string& name) {
  std::error_code error;
  const fs::path folder = fs::absolute(name);
  if (fs::exists(folder, error) &&
      (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
    throw Error(fmt::format("'{}' is there already", name), "name a new folder with -o DIR");
  fs::create_directories(folder / kRecorder, error);
  if (error)
    throw Error(fmt::format("the folder '{}' cannot be made: {}", name, error.message()),
                "name another one with -o DIR", ExitCode::missing);
  for (const capture::RecorderFile& file : capture::recorder_files())
    write_text((folder / kRecorder / file.path).string(), file.text);
  return folder;
}

void set_environment(const CaptureArguments& arguments, const fs::path& folder) {
  const char* before = std::getenv("PYTHONPATH");
  std::string path = (folder / kRecorder).string();
  if (before != nullptr && *before != '\0') path += std::string(":") + before;
  setenv("PYTHONPATH", path.c_str(), 1);
  setenv("HEDDLE_CAPTURE", folder.c_str(), 1);
  setenv("HEDDLE_CAPTURE_LIMIT", std::to_string(arguments.limit).c_str(), 1);
  setenv("HEDDLE_CAPTURE_KERNEL", arguments.kernel.c_str(), 1);
}

/// In the child: becomes the program, or says through the pipe why it cannot.
[[noreturn]] void become_program(const std::vector<std::string>& target, int pipe_end) {
  std::vector<char*> words;
  for (const std::string& word : target) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int reason = errno;
  if (write(pipe_end, &reason, sizeof reason) < 0) _exit(126);
  _exit(127);
}

/// Its exit code; 128 + signal where a signal ended it.
int run_program(const std::vector<std::string>& target, const CaptureArguments& arguments,
                const fs::path& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error("no pipe can be made", "end some other programs", ExitCode::missing);
  set_environment(arguments, folder);
  const pid_t program = fork();
  if (program < 0)
    throw Error("no process can be started", "end some other programs", ExitCode::missing);
  if (program == 0) become_program(target, ends[1]);
  g_program = program;
  const SignalsForProgram signals;
  close(ends[1]);
  int reason = 0;
  const bool failed = read(ends[0], &reason, sizeof reason) == sizeof reason;
  close(ends[0]);
  int status = 0;
  while (waitpid(program, &status, 0) < 0 && errno == EINTR) continue;
  g_program = 0;
  if (failed)
    throw Error(fmt::format("'{}' cannot be started: {}", target[0], std::strerror(reason)),
                "check its name and the PATH", ExitCode::missing);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> jobs_in(const fs::path& folder) {
  std::vector<std::string> jobs;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") jobs.push_back(entry.path().filename().string());
  // A kernel's first job has the shortest name.
  std::ranges::sort(jobs, {}, [](const std::string& name) { return std::pair(name.size(), name); });
  return jobs;
}

/// On standard error: standard output is the program's.
void say_what_came(const std::string& folder, const std::vector<std::string>& jobs) {
  const fs::path notes = fs::path(folder) / kNotes;
  std::ifstream lines(notes);
  std::string line;
  for (int shown = 0; std::getline(lines, line); ++shown) {
    note("{}", shown < kMostShown ? line : "more in " + notes.string());
    if (shown == kMostShown) break;
  }
  if (jobs.empty()) {
    fmt::print(
        stderr,
        "heddle: nothing was captured: no Triton kernel was launched by a Python program that "
        "reads PYTHONPATH\n");
    return;
  }
  note("captured {} in {}: {}{}", count_of(std::ssize(jobs), "job"), folder, jobs[0],
       jobs.size() > 1 ? ", ..." : "");
  print_note(fmt::format("  next: heddle trace {}\n",
                         shell_quoted((fs::path(folder) / jobs[0]).string())));
}

ExitCode run_capture(const CaptureArguments& arguments, const std::vector<std::string>& target) {
  if (target.empty()) throw Error("no program is named", "heddle capture -- python3 train.py");
  const fs::path folder = make_folder(arguments.folder);
  const int code = run_program(target, arguments, folder);
  const std::vector<std::string> jobs = jobs_in(folder);
  say_what_came(arguments.folder, jobs);
  if (arguments.json) {
    constexpr int kCaptureVersion = 1;
    OutputArguments().print(json_text({{"version", kCaptureVersion},
                                       {"folder", arguments.folder},
                                       {"program_exit_code", code},
                                       {"jobs", jobs}}));
  }
  if (code == 0 && jobs.empty()) return ExitCode::inconclusive;
  return static_cast<ExitCode>(code);
}

}  // namespace

void add_capture(Program& program, Outcome& outcome) {
  Verb verb =
      program.add_verb("capture", "run a program and write its launches of Triton kernels as jobs");
  const auto arguments = std::make_shared<CaptureArguments>();
  verb.add_option("-o,--output", arguments->folder, "a new folder for the jobs")
      .type_name("DIR")
      .capture_default_str();
  verb.add_option("--kernel", arguments->kernel,
                  "capture only kernels whose names match: \"*matmul*\"")
      .type_name("PATTERN");
  verb.add_option("--limit", arguments->limit, "limit on the jobs of each kernel")
      .type_name("N")
      .range(1, 10'000)
      .capture_default_str();
  verb.add_flag("--json", arguments->json, "print the jobs as JSON, after the program's output");
  verb.footer(kCaptureExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_capture(*arguments, outcome.target); });
}

}  // namespace heddle::tool
