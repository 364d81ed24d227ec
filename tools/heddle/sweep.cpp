// heddle sweep: kernels x shapes x GPUs x verbs, on one machine or many.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "config/gpu.h"
#include "duration.h"
#include "interrupt.h"
#include "notes.h"
#include "output.h"
#include "progress.h"
#include "report/html/page.h"
#include "report/sweep_report.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"
#include "sweep/engine.h"
#include "sweep/merge.h"
#include "sweep/revision.h"
#include "sweep_progress.h"
#include "sweep_unit.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSweepExamples = R"text(
Examples:
  heddle sweep examples --gpu mi300x --gpu h100 -o swept
  heddle sweep sweep.toml --workers 8                  from a spec (docs/sweep.md)
  heddle sweep kernels --verb check --list             the units, without running them
  heddle sweep sweep.toml -o swept --shard 3/16        a part, for any scheduler
  heddle sweep sweep.toml -o swept --merge-only --known part1 part2
  heddle sweep sweep.toml -o /shared/swept --engine slurm --workers 16 --time 2:00:00
  mpirun -n 4 heddle sweep sweep.toml -o /shared/swept --mpi
Run a killed sweep again to continue it. Writes results.jsonl, results.csv,
report.html and patches/ to -o.
Exit codes: 0 done, 1 a kernel or a change is REFUTED, 3 a unit failed, is UNKNOWN or not done, 4 the
folder or scheduler cannot be used, 130 interrupted.)text";

struct SweepArguments {
  std::string what;
  std::vector<std::string> gpus;
  std::vector<std::string> verbs;
  std::string base;
  std::string effort;
  std::string folder = "swept";
  int workers = 0;
  std::string shard;
  std::string engine = "local";
  bool mpi = false;
  bool worker = false;
  std::vector<std::string> known;
  bool retry = false;
  std::string unit_time = "1h";
  std::string progress = "auto";
  bool list = false;
  bool merge_only = false;
  bool no_wait = false;
  sweep::SlurmOptions slurm;
  bool json = false;
  std::string color = "auto";
};

sweep::Spec spec_of(const SweepArguments& arguments) {
  sweep::Spec spec = sweep::read_spec(arguments.what);
  use_gpus(spec, arguments.gpus);
  if (!arguments.verbs.empty()) {
    spec.verbs.clear();
    for (const std::string& word : arguments.verbs) spec.verbs.push_back(sweep::read_verb(word));
    for (sweep::KernelGroup& group : spec.groups) group.verbs.clear();
  }
  if (!arguments.base.empty()) spec.base = arguments.base;
  if (!arguments.effort.empty()) spec.effort = arguments.effort;
  if (spec.verbs.empty()) {
    spec.verbs = {sweep::SweepVerb::check};
    if (!spec.gpus.empty()) spec.verbs.push_back(sweep::SweepVerb::optimize);
  }
  return spec;
}

bool needs_base(const sweep::Spec& spec) {
  bool needs = is_one_of(sweep::SweepVerb::audit, spec.verbs);
  for (const sweep::KernelGroup& group : spec.groups)
    needs |= is_one_of(sweep::SweepVerb::audit, group.verbs);
  return needs && !spec.base.empty();
}

/// "3/16" -> {2, 16}.
std::pair<std::size_t, std::size_t> read_shard(const std::string& text) {
  if (text.empty()) return {0, 1};
  const auto parts = split(text, '/');
  const auto one = parse_integer(parts.front());
  const auto all = parts.size() == 2 ? parse_integer(parts.back()) : std::nullopt;
  if (!one || !all || *one < 1 || *all < *one || *all > 1'000'000)
    throw Error(fmt::format("'{}' is not a shard", text), "write --shard 3/16: the third of 16");
  return {static_cast<std::size_t>(*one - 1), static_cast<std::size_t>(*all)};
}

/// The same sweep, as another machine has to start it.
std::vector<std::string> command_of(const SweepArguments& arguments, const std::string& folder) {
  std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string(), "sweep",
                                    fs::absolute(arguments.what).string(), "-o", folder};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {flag, value});
  };
  for (const std::string& gpu : arguments.gpus) add("--gpu", gpu);
  for (const std::string& verb : arguments.verbs) add("--verb", verb);
  for (const std::string& known : arguments.known) add("--known", fs::absolute(known).string());
  add("--base", arguments.base);
  add("--effort", arguments.effort);
  add("--shard", arguments.shard);
  add("--unit-time", arguments.unit_time);
  if (arguments.retry) words.emplace_back("--retry");
  return words;
}

std::string unit_line(const sweep::Plan& plan, const sweep::Unit& unit) {
  const SweepRow row = plan.row(unit);
  return fmt::format("{}  {:<8}  {}{}\n", unit.key.text(), row.verb, row.subject(),
                     row.gpu.empty() ? "" : "  on " + row.gpu);
}

ExitCode print_plan(const sweep::Plan& plan) {
  std::string text;
  for (const sweep::Unit& unit : plan.units) text += unit_line(plan, unit);
  OutputArguments().print(text);
  return ExitCode::good;
}

ExitCode exit_of(const SweepSummary& summary) {
  if (!summary.refuted.empty()) return ExitCode::refuted;
  const bool is_whole = summary.failed == 0 && summary.missing() == 0 && summary.inconclusive == 0;
  return is_whole ? ExitCode::good : ExitCode::inconclusive;
}

/// Results of another build, or of other files, must not be replaced by none at all.
void need_rows_of(const sweep::Plan& plan, const sweep::StoredRows& rows) {
  const bool is_known = std::ranges::any_of(
      plan.units, [&](const sweep::Unit& unit) { return rows.find(unit.key).has_value(); });
  if (is_known || plan.units.empty() || rows.size() == 0) return;
  throw Error(fmt::format("none of the {} is among the {} that are there: another build of heddle "
                          "did them, or kernels and jobs were others",
                          count_of(std::ssize(plan.units), "unit"),
                          with_separators(static_cast<std::int64_t>(rows.size()))),
              "run the sweep without --merge-only, or merge with the heddle that did them");
}

ExitCode merge_and_print(const SweepArguments& arguments, const sweep::Plan& plan,
                         const std::string& folder) {
  const SweepSummary summary = with_progress("merging", [&] {
    const sweep::StoredRows rows(folder, arguments.known);
    if (arguments.merge_only) need_rows_of(plan, rows);
    return merge(plan, rows, folder);
  });
  write_text(folder + "/report.html", report::html_page(report::sweep_view(summary)));
  OutputArguments output;
  output.color = arguments.color;
  output.print(arguments.json ? json_text(report::sweep_json(summary))
                              : report::sweep_text(summary, output.style()));
  fmt::print(stderr, "written to {}\n", arguments.folder);
  return exit_of(summary);
}

sweep::EngineEnd run_engine(const SweepArguments& arguments, const sweep::Plan& plan,
                            const std::string& folder) {
  const InterruptWatch watch;
  SweepProgress progress(arguments.worker ? "none" : arguments.progress);
  sweep::Tally last;
  const auto [shard, shards] = read_shard(arguments.shard);
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  sweep::Work work{.plan = plan, .folder = folder};
  work.known = arguments.known;
  work.shard = shard;
  work.shards = shards;
  work.retry = arguments.retry;
  work.run = [&](const sweep::Unit& unit) { return run_unit(plan, unit); };
  work.workers = arguments.workers > 0 ? arguments.workers : cores;
  work.unit_time = duration(arguments.unit_time, "--unit-time");
  work.tells_units = arguments.progress == "json";
  work.stop = [&] { return watch.asked(); };
  work.watch = [&](const sweep::Tally& tally) {
    last = tally;
    progress.show(tally);
  };
  work.command = command_of(arguments, folder);
  work.slurm = arguments.slurm;
  work.slurm.wait = !arguments.no_wait;
  const std::string engine = arguments.mpi ? "mpi" : arguments.worker ? "worker" : arguments.engine;
  const sweep::EngineEnd end = sweep::make_engine(engine)->run(work);
  progress.end(last);
  return end;
}

void note_versions(const sweep::Plan& plan) {
  constexpr std::size_t kMostNamed = 3;
  if (plan.versions.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(plan.versions.size(), kMostNamed); ++i)
    names += (i == 0 ? "" : ", ") + plan.versions[i];
  note(
      "{} left out ({}{}): other versions of kernels that have jobs, or helpers; name them to "
      "sweep them",
      count_of(std::ssize(plan.versions), "file"), names,
      plan.versions.size() > kMostNamed ? ", ..." : "");
}

ExitCode run_sweep(SweepArguments& arguments) {
  read_shard(arguments.shard);
  const sweep::Spec spec = spec_of(arguments);
  const std::string folder = fs::absolute(arguments.folder).lexically_normal().string();
  for (std::string& known : arguments.known) {
    if (!fs::exists(known))
      throw Error(fmt::format("'{}' is not there", known),
                  "--known takes folders of sweeps, or their line files", ExitCode::missing);
    known = fs::absolute(known).string();
  }
  sweep::PlanOptions options{sweep_version()};
  if (needs_base(spec))
    options.base_root = sweep::export_revision(spec.root, spec.base, folder + "/base").root;
  const sweep::Plan plan = with_progress("planning", [&] { return make_plan(spec, options); });
  note_versions(plan);
  if (arguments.list) return print_plan(plan);
  sweep::make_store(folder);
  if (!arguments.merge_only) {
    const sweep::EngineEnd end = run_engine(arguments, plan, folder);
    if (end == sweep::EngineEnd::elsewhere) return ExitCode::good;
    if (end == sweep::EngineEnd::interrupted) {
      fmt::print(stderr,
                 "heddle: interrupted; run the sweep again to go on, or with --merge-only "
                 "to see what is there\n");
      return ExitCode::interrupted;
    }
    if (!arguments.shard.empty()) {
      fmt::print(stderr, "heddle: shard {} is done; merge all of them with --merge-only\n",
                 arguments.shard);
      return ExitCode::good;
    }
  }
  return merge_and_print(arguments, plan, folder);
}

void add_engines(Verb verb, SweepArguments& arguments) {
  verb.add_option("--workers", arguments.workers,
                  "number of parallel processes, or of Slurm tasks; 0: one per core")
      .range(0, 1000)
      .capture_default_str();
  const Flag engine =
      verb.add_option("--engine", arguments.engine, "where units run: local or slurm")
          .one_of({"local", "slurm"})
          .capture_default_str();
  const Flag mpi = verb.add_flag("--mpi", arguments.mpi,
                                 "this process is a rank that mpirun started (docs/sweep.md)")
                       .excludes(engine);
  verb.add_flag(
          "--worker", arguments.worker,
          "run units of the shared folder -o that no other worker has claimed, until none is left")
      .excludes(engine)
      .excludes(mpi);
  verb.add_option("--shard", arguments.shard, "do only this part of the units: 3/16")
      .type_name("I/N");
  verb.add_option("--unit-time", arguments.unit_time, "a unit fails if it takes longer")
      .type_name("TIME")
      .capture_default_str();
  verb.add_option("--partition", arguments.slurm.partition, "the Slurm partition")
      .type_name("NAME");
  verb.add_option("--time", arguments.slurm.time, "Slurm: time limit of a task: 2:00:00")
      .type_name("TIME");
  verb.add_flag("--exclusive", arguments.slurm.exclusive, "Slurm: whole nodes, for measuring");
  verb.add_option("--sbatch", arguments.slurm.options,
                  "another option for sbatch: --sbatch=--mem=4G")
      .type_name("OPTION")
      .allow_extra_args(false);
  verb.add_flag("--no-wait", arguments.no_wait, "Slurm: submit, and do not wait for the end");
}

}  // namespace

void add_sweep(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb(
      "sweep", "run a verb on many kernels, shapes and GPUs, on one machine or many");
  const auto arguments = std::make_shared<SweepArguments>();
  verb.add_option("SPEC|FOLDER", arguments->what,
                  "a spec (docs/sweep.md), or a folder with jobs and kernels")
      .required();
  verb.add_option("--gpu", arguments->gpus, "a GPU, instead of those of the spec; may be repeated")
      .type_name("NAME")
      .allow_extra_args(false);
  verb.add_option("--verb", arguments->verbs,
                  "check, audit, simulate, optimize or validate, instead of the verb of the spec")
      .type_name("VERB")
      .allow_extra_args(false);
  verb.add_option("--base", arguments->base, "audit: the revision to compare with")
      .type_name("REV");
  verb.add_option("--effort", arguments->effort, "optimize: low (default), normal or high")
      .one_of({"low", "normal", "high"});
  add_engines(verb, *arguments);
  verb.add_option("--known", arguments->known, "folders of other sweeps: reuse their rows")
      .type_name("DIR");
  verb.add_flag("--retry", arguments->retry, "redo units that failed before");
  verb.add_flag("--list", arguments->list, "print the units and their keys, and run nothing");
  verb.add_flag("--merge-only", arguments->merge_only,
                "run no units; write the results from the rows that exist");
  verb.add_option("--progress", arguments->progress, "auto, json (lines on standard error) or none")
      .one_of({"auto", "json", "none"})
      .capture_default_str();
  verb.add_flag("--json", arguments->json, "print JSON instead of text");
  verb.add_option("--color", arguments->color, "always, never or auto")
      .one_of({"always", "never", "auto"});
  verb.add_option("-o,--output", arguments->folder, "folder for rows and results")
      .type_name("DIR")
      .capture_default_str();
  verb.footer(kSweepExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_sweep(*arguments); });
}

}  // namespace heddle::tool
