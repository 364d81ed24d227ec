// heddle gate: may a change pass? Every kernel that it touches, before and after.
#include "sweep/gate.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "duration.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "report/gate_report.h"
#include "report/html/page.h"
#include "support/file.h"
#include "support/temporary_folder.h"
#include "support/version.h"
#include "sweep/engine.h"
#include "sweep_progress.h"
#include "sweep_unit.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGateExamples = R"text(
Examples:
  heddle gate --base origin/main --gpu mi300x
  heddle gate kernels --base HEAD~1 --gpu h100 --slower 3
  heddle gate sweep.toml --base origin/main --junit gate.xml --sarif gate.sarif --markdown gate.md
gate looks at each job and kernel of the folder or spec (docs/sweep.md) whose files differ from the base.
It passes if the order is still PROVED, the change is not REFUTED, and the kernel is not predicted to be
slower. It keeps its results and reuses them (docs/gate.md).
Exit codes: 0 pass, 1 a kernel is worse, 3 an earlier verdict can no longer be reached, 4 git or the
revision is missing.)text";

struct GateArguments {
  std::string what = ".";
  std::string base;
  std::vector<std::string> gpus;
  std::optional<double> slower;
  bool strict = false;
  int workers = 0;
  std::string unit_time = "5m";
  std::string cache;
  std::string junit;
  std::string sarif;
  std::string markdown;
  OutputArguments output;
};

/// Where rows and files of bases are kept; nothing: nowhere.
std::optional<std::string> cache_folder(const std::string& named) {
  if (!named.empty()) return fs::absolute(named).lexically_normal().string();
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (variable("HEDDLE_CACHE") == "off") return std::nullopt;
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/'))
    return cache + "/heddle/gate";
  if (const std::string home = variable("HOME"); home.starts_with('/'))
    return home + "/.cache/heddle/gate";
  return std::nullopt;
}

bool do_units(const GateArguments& arguments, const sweep::Plan& plan, const std::string& folder) {
  if (plan.units.empty()) return true;
  const InterruptWatch watch;
  SweepProgress progress("auto");
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  sweep::make_store(folder);
  sweep::Work work{.plan = plan, .folder = folder};
  work.run = [&](const sweep::Unit& unit) { return run_unit(plan, unit); };
  work.workers = arguments.workers > 0 ? arguments.workers : cores;
  work.unit_time = duration(arguments.unit_time, "--unit-time");
  work.stop = [&] { return watch.asked(); };
  work.watch = [&](const sweep::Tally& tally) { progress.show(tally); };
  return sweep::make_engine("local")->run(work) == sweep::EngineEnd::complete;
}

ExitCode exit_of(const GateReport& report) {
  switch (report.state()) {
    case GateState::fail:
      return ExitCode::refuted;
    case GateState::doubt:
      return ExitCode::inconclusive;
    default:
      return ExitCode::good;
  }
}

ExitCode run_gate(const GateArguments& arguments) {
  sweep::Spec spec = sweep::read_spec(arguments.what);
  use_gpus(spec, arguments.gpus);
  const std::string base = arguments.base.empty() ? spec.base : arguments.base;
  if (base.empty())
    throw Error("gate compares with a revision, but none is given",
                "add --base origin/main, or base = \"origin/main\" to the spec");
  std::optional<TemporaryFolder> temporary;
  std::optional<std::string> folder = cache_folder(arguments.cache);
  if (!folder) folder = temporary.emplace().path();
  const sweep::Revision revision = with_progress("reading the base", [&] {
    return sweep::export_revision(spec.root, base, *folder + "/base");
  });
  const sweep::GatePlan gate = with_progress(
      "comparing files", [&] { return sweep::plan_gate(spec, revision, sweep_version()); });
  if (!do_units(arguments, gate.plan, *folder)) {
    fmt::print(stderr, "heddle: interrupted; run it again to go on\n");
    return ExitCode::interrupted;
  }
  const GateReport report = sweep::judge_gate(
      gate, sweep::StoredRows(*folder, {}),
      {arguments.slower.value_or(sweep::GateOptions().slower_pct), arguments.strict});
  if (!arguments.junit.empty()) write_text(arguments.junit, report::gate_junit(report));
  if (!arguments.sarif.empty())
    write_text(arguments.sarif, json_text(report::gate_sarif(report, version_text())));
  if (!arguments.markdown.empty()) write_text(arguments.markdown, report::gate_markdown(report));
  const OutputArguments& output = arguments.output;
  output.print(output.wants_page()   ? report::html_page(report::gate_view(report))
               : output.wants_json() ? json_text(report::gate_json(report))
                                     : report::gate_text(report, output.style()));
  return exit_of(report);
}

}  // namespace

void add_gate(Program& program, Outcome& outcome) {
  Verb verb =
      program.add_verb("gate", "judge the kernels that a change touches, before and after it");
  const auto arguments = std::make_shared<GateArguments>();
  verb.add_option("SPEC|FOLDER", arguments->what,
                  "a spec (docs/sweep.md), or a folder of a repository")
      .capture_default_str();
  verb.add_option("--base", arguments->base, "the revision before the change: origin/main")
      .type_name("REV");
  verb.add_option("--gpu", arguments->gpus,
                  "a GPU to predict times on; may be repeated; without --gpu, times are not judged")
      .type_name("NAME")
      .allow_extra_args(false);
  verb.add_option("--slower", arguments->slower,
                  "how much slower a kernel may get, in per cent (5)")
      .type_name("PERCENT")
      .number_range(0, 1000);
  verb.add_flag("--strict", arguments->strict,
                "fail unless every order and every change is PROVED");
  verb.add_option("--workers", arguments->workers, "number of parallel processes; 0: one per core")
      .range(0, 1000)
      .capture_default_str();
  verb.add_option("--unit-time", arguments->unit_time,
                  "a check or simulation fails if it takes longer")
      .type_name("TIME")
      .capture_default_str();
  verb.add_option("--cache", arguments->cache, "the folder that keeps results for the next run")
      .type_name("DIR");
  verb.add_option("--junit", arguments->junit, "also write JUnit XML").type_name("FILE");
  verb.add_option("--sarif", arguments->sarif, "also write SARIF 2.1.0").type_name("FILE");
  verb.add_option("--markdown", arguments->markdown, "also write a summary in Markdown")
      .type_name("FILE");
  arguments->output.add(verb, true);
  verb.footer(kGateExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_gate(*arguments); });
}

}  // namespace heddle::tool
