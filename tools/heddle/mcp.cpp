// heddle mcp: heddle's verbs as tools of a language model's client.
#include "mcp/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>

#include "config/gpu.h"
#include "interrupt.h"
#include "mcp_run.h"
#include "order/family.h"
#include "output.h"
#include "report/finding_report.h"
#include "report/gpu_report.h"
#include "support/version.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kMcpExamples = R"text(
Examples:
  heddle mcp --root ~/kernels
  claude mcp add heddle -- heddle mcp --root "$PWD"
Speaks the Model Context Protocol (2026-07-28, and sessions of 2025-11-25 and before) on standard
input and output; a client starts it. Tools: check, simulate, optimize, audit_patch,
audit_answer, trace, analyze, explain. docs/mcp.md has the lines for common clients.)text";

constexpr std::chrono::seconds kPatience{2};  ///< for calls in flight when the input ends
constexpr int kQuestion_ms = 200;

struct McpArguments {
  std::vector<std::string> roots;
  int time_s = 300;
  int memory_gib = 16;
  int at_once = 2;
  bool unconfined = false;
};

std::vector<mcp::Resource> resources() {
  std::vector<mcp::Resource> list;
  list.push_back({"heddle://gpus", "gpus", "GPUs", "the GPUs that heddle knows", [] {
                    std::vector<config::Gpu> gpus;
                    for (const std::string& name : config::known_gpus())
                      gpus.push_back(config::read_gpu(name));
                    return json_text(report::gpu_list_json(gpus));
                  }});
  list.push_back({"heddle://families", "families", "Families of orders",
                  "the compact form of orders: names, parameters, what each does", [] {
                    nlohmann::json families = nlohmann::json::array();
                    for (const order::Family& family : order::families())
                      families.push_back({{"name", family.name}, {"summary", family.summary}});
                    return json_text({{"version", 1}, {"families", families}});
                  }});
  list.push_back({"heddle://checks", "checks", "Checks and findings",
                  "what the checks of audit_patch and the findings of analyze mean", [] {
                    return json_text(report::explanations_json(audit_checks(), finding_kinds()));
                  }});
  for (const std::string& name : config::known_gpus())
    list.push_back({"heddle://gpus/" + name, name, name, "dies, caches and memory of this GPU",
                    [name] { return json_text(report::gpu_json(config::read_gpu(name), {})); }});
  return list;
}

/// Standard output for messages alone: whatever else prints goes to standard error.
int take_standard_output() {
  const int messages = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (messages < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) throw output_error();
  return messages;
}

/// False where nobody reads.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(file, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

/// Lines of standard input, of bounded length.
class LineReader {
 public:
  /// Hands every whole line on until the input ends, or `stop`.
  void run(mcp::Server& server, const std::function<bool()>& stop) {
    std::array<char, 65536> buffer{};
    while (!stop()) {
      pollfd waiting{STDIN_FILENO, POLLIN, 0};
      const int ready = poll(&waiting, 1, kQuestion_ms);
      if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      const ssize_t got = ready < 0 ? -1 : read(STDIN_FILENO, buffer.data(), buffer.size());
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) break;
      add({buffer.data(), static_cast<std::size_t>(got)}, server);
    }
    if (!line_.empty()) server.receive(line_);
  }

 private:
  void add(std::string_view piece, mcp::Server& server) {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      // Of a line that is too long, one byte more than is allowed is kept: enough to refuse it.
      const std::size_t room = mcp::kLongestLine + 1 - line_.size();
      line_ += piece.substr(0, std::min(end, room));
      if (end == std::string_view::npos) return;
      server.receive(line_);
      line_.clear();
      piece.remove_prefix(end + 1);
    }
  }

  std::string line_;
};

mcp::Roots roots_of(const McpArguments& arguments) {
  mcp::Roots roots;
  for (const std::string& root : arguments.roots)
    if (!roots.add_folder(root))
      throw Error(fmt::format("'{}' cannot be a root", root), "name a directory other than /");
  return roots;
}

ExitCode run_mcp(const McpArguments& arguments) {
  CallLimits limits;
  limits.time = std::chrono::seconds(arguments.time_s);
  limits.memory_bytes = static_cast<std::size_t>(arguments.memory_gib) << 30;
  limits.unconfined = arguments.unconfined;
  mcp::ServerOptions options;
  options.version = version();
  options.roots = roots_of(arguments);
  options.fallback.add_folder(".");
  options.resources = resources();
  options.at_once = static_cast<std::size_t>(arguments.at_once);
  std::signal(SIGPIPE, SIG_IGN);
  const int messages = take_standard_output();
  std::atomic<bool> is_lost = false;  // nobody reads what is written
  options.send = [&](const std::string& line) {
    if (!write_all(messages, line + "\n")) is_lost = true;
  };
  const std::vector<std::string> programs = program_folders();
  options.run = [&](const mcp::Command& command, const mcp::Roots& roots, const mcp::Watch& watch) {
    return run_call(command, roots, watch, limits, programs);
  };
  const InterruptWatch watch;
  mcp::Server server(std::move(options));
  LineReader().run(server, [&] { return watch.asked() || is_lost; });
  server.close(watch.asked() || is_lost ? std::chrono::seconds(0) : kPatience);
  return ExitCode::good;
}

}  // namespace

void add_mcp(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("mcp", "serve heddle's tools over the Model Context Protocol");
  const auto arguments = std::make_shared<McpArguments>();
  verb.add_option("--root", arguments->roots,
                  "a directory that tools may read; may be repeated. The client's roots are added; "
                  "without either, the working directory")
      .type_name("DIR")
      .allow_extra_args(false);
  verb.add_option("--time", arguments->time_s, "time limit of a call, in seconds")
      .range(1, 86'400)
      .capture_default_str();
  verb.add_option("--memory", arguments->memory_gib, "limit on the address space of a call, in GiB")
      .range(1, 4096)
      .capture_default_str();
  verb.add_option("--at-once", arguments->at_once, "limit on concurrent calls")
      .range(1, 64)
      .capture_default_str();
  verb.add_flag("--unconfined", arguments->unconfined,
                "run without Landlock; a job in a root may then name files outside it");
  verb.footer(kMcpExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_mcp(*arguments); });
}

}  // namespace heddle::tool
