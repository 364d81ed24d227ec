// heddle audit: what of an optimiser's log stands?
#include "audit/audit_log.h"

#include <memory>

#include "optlog/read.h"
#include "order_arguments.h"
#include "output.h"
#include "report/audit_report.h"
#include "support/file.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kExamples = R"text(
Examples:
  heddle audit stencil.log --grid 256x256 --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32
  heddle audit attention.log --grid 32768 --let NUM_BLOCKS=2048 --json
  heddle audit ising.log --grid 128x128 --result pid_m,pid_n --let Nx=4096,Ny=4096,BLOCK_SIZE_X=32,BLOCK_SIZE_Y=32
Exit codes: 1 if an iteration is REFUTED, 3 if one is UNKNOWN, else 0.)text";

constexpr std::size_t kLogLimit = std::size_t{64} << 20;

struct Arguments {
  std::string log;
  std::string grid;
  OrderArguments order;
  OutputArguments output;
};

ExitCode run(const Arguments& arguments) {
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

}  // namespace

void add_audit(CLI::App& app, Outcome& outcome) {
  CLI::App* verb = app.add_subcommand("audit", "check every formula of an optimiser's log");
  const auto arguments = std::make_shared<Arguments>();
  verb->add_option("LOG", arguments->log, "the log, or '-'")->required();
  verb->add_option("--grid", arguments->grid, "the launch grid of the kernel in the log")
      ->type_name("GRID");
  arguments->order.add_reading(*verb);
  arguments->output.add(*verb);
  verb->footer(kExamples);
  verb->callback([arguments, &outcome] { outcome.code = run(*arguments); });
}

}  // namespace heddle::tool
