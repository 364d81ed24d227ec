// heddle audit: what of an optimiser's log stands? And what of a changed kernel?
#include "audit/audit_log.h"

#include <memory>

#include "optlog/read.h"
#include "order_arguments.h"
#include "output.h"
#include "pipeline.h"
#include "report/audit_report.h"
#include "report/patch_report.h"
#include "support/file.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kExamples = R"text(
Examples:
  heddle audit stencil.log --grid 256x256 --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32
  heddle audit attention.log --grid 32768 --let NUM_BLOCKS=2048 --json
  heddle audit ising.log --grid 128x128 --result pid_m,pid_n --let Nx=4096,Ny=4096,BLOCK_SIZE_X=32,BLOCK_SIZE_Y=32
  heddle audit --patch kernel.py changed.py --job kernel.toml
  heddle audit --patch kernel.py persistent.py --job kernel.toml --after-grid 304
Exit codes: 1 if an iteration or a check is REFUTED, 3 if one is UNKNOWN, else 0.)text";

constexpr std::size_t kLogLimit = std::size_t{64} << 20;

struct Arguments {
  std::string log;
  std::string grid;
  std::vector<std::string> patch;
  PatchRequest request;
  std::string after_grid;
  OrderArguments order;
  OutputArguments output;
};

ExitCode run_patch(const Arguments& arguments) {
  if (!arguments.log.empty() || !arguments.grid.empty())
    throw Error("--patch takes two kernels and a job, no log and no --grid",
                "heddle audit --patch BEFORE AFTER --job JOB.toml");
  PatchRequest request = arguments.request;
  if (request.job_path.empty())
    throw Error("--patch needs a job that says how the kernel is launched",
                "add --job JOB.toml; heddle new-job BEFORE writes one");
  request.before = arguments.patch.at(0);
  request.after = arguments.patch.at(1);
  if (request.before == "-" || request.after == "-")
    throw Error("a kernel is read from a file, not from standard input", "give two files");
  if (!arguments.after_grid.empty()) {
    const order::SpaceRange range(arguments.after_grid, {}, {});
    if (!range.is_single()) throw Error("--after-grid takes one grid", "write it as 304 or 16x32");
    request.after_grid = range.first().launch;
  }
  const PatchAudit audit = audit_patch(request);
  if (arguments.output.wants_json())
    arguments.output.print(report::patch_json(audit).dump(2) + "\n");
  else
    arguments.output.print(report::patch_text(audit, arguments.output.style()));
  return exit_code(audit.verdict());
}

ExitCode run_log(const Arguments& arguments) {
  const PatchRequest& request = arguments.request;
  if (arguments.log.empty())
    throw Error("audit takes a log, or --patch with two kernels",
                "heddle audit LOG --grid GRID, or heddle audit --patch BEFORE AFTER --job "
                "JOB.toml");
  if (!request.job_path.empty() || !request.function.empty() || !request.overrides.empty() ||
      !request.after_function.empty() || !request.after_job_path.empty() ||
      !arguments.after_grid.empty())
    throw Error("--job, --set, --function and --after-... belong to --patch",
                "leave them out for a log");
  const std::string shown = display_name(arguments.log);
  const std::string text = read_text(arguments.log, kLogLimit);
  std::vector<Attempt> attempts;
  try {
    attempts = optlog::read_log(text);
  } catch (const Error& error) {
    throw error.source().empty() ? error.in(shown) : error;
  }
  const order::Bindings bindings = arguments.order.bindings();
  const order::SpaceRange range(arguments.grid, arguments.order.tiles, bindings);
  if (!range.is_single())
    throw Error("audit takes one grid", "give the grid the log was measured on");
  const AuditReport report =
      audit::audit_log(attempts, range.first(), bindings, arguments.order.read_options(), {});
  if (arguments.output.wants_json())
    arguments.output.print(report::audit_json(report, shown).dump(2) + "\n");
  else
    arguments.output.print(report::audit_text(report, shown, arguments.output.style()));
  if (report.count(Verdict::refuted) > 0) return ExitCode::refuted;
  return report.count(Verdict::unknown) > 0 ? ExitCode::inconclusive : ExitCode::good;
}

void add_patch(CLI::App& verb, Arguments& arguments) {
  PatchRequest& request = arguments.request;
  verb.add_option("--patch", arguments.patch, "judge a changed kernel against the original")
      ->type_name("BEFORE AFTER")
      ->expected(2);
  verb.add_option("--job", request.job_path, "--patch: how the kernel is launched (docs/jobs.md)")
      ->type_name("JOB.toml");
  verb.add_option("--set", request.overrides,
                  "--patch: another value for a size, scalar or constexpr of the job")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--function", request.function, "--patch: the kernel, where there are several")
      ->type_name("NAME");
  verb.add_option("--after-function", request.after_function,
                  "--patch: the new kernel, where it has another name")
      ->type_name("NAME");
  verb.add_option("--after-job", request.after_job_path,
                  "--patch: how the new kernel is launched, if differently")
      ->type_name("JOB.toml");
  verb.add_option("--after-grid", arguments.after_grid, "--patch: the grid of the new kernel")
      ->type_name("GRID");
}

}  // namespace

void add_audit(CLI::App& app, Outcome& outcome) {
  CLI::App* verb =
      app.add_subcommand("audit", "check every formula of an optimiser's log, or a changed kernel");
  const auto arguments = std::make_shared<Arguments>();
  verb->add_option("LOG", arguments->log, "the log, or '-'");
  verb->add_option("--grid", arguments->grid, "the launch grid of the kernel in the log")
      ->type_name("GRID");
  add_patch(*verb, *arguments);
  arguments->order.add_reading(*verb);
  arguments->output.add(*verb);
  verb->footer(kExamples);
  verb->callback([arguments, &outcome] {
    outcome.code = arguments->patch.empty() ? run_log(*arguments) : run_patch(*arguments);
  });
}

}  // namespace heddle::tool
