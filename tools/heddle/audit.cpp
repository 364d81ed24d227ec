// heddle audit: what of an optimiser's log stands? What of a changed kernel, or of two profiles?
#include "audit/audit_log.h"

#include <fmt/format.h>

#include <memory>

#include "audit_answer.h"
#include "audit_changed.h"
#include "config/gpu.h"
#include "config/job.h"
#include "optlog/read.h"
#include "order_arguments.h"
#include "output.h"
#include "pipeline.h"
#include "progress.h"
#include "report/audit_report.h"
#include "report/html/page.h"
#include "report/patch_report.h"
#include "report/profile_audit_report.h"
#include "report/sarif.h"
#include "run_lists.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/version.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kAuditExamples = R"text(
Examples:
  heddle audit stencil.log --grid 256x256 --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32
  heddle audit attention.log --grid 32768 --let NUM_BLOCKS=2048 --grids 1..4096 --json
  heddle audit ising.log --grid 128x128 --result pid_m,pid_n --let Nx=4096,Ny=4096,BLOCK_SIZE_X=32,BLOCK_SIZE_Y=32
  heddle audit --patch kernel.py changed.py --job kernel.toml -o review.sarif
  git diff | heddle audit --patch kernel.py - --job kernel.toml
  heddle audit answer.md --job kernel.toml
  heddle audit --patch kernel.py persistent.py --job kernel.toml --after-grid 304
  heddle audit --profile workloads/before workloads/after --job kernel.toml
What each check means: heddle explain same-work, or docs/checks.md.
Exit codes: 1 if an iteration or a check is REFUTED, 3 if one is UNKNOWN, else 0.)text";

constexpr std::size_t kLogLimit = std::size_t{64} << 20;

struct AuditArguments {
  std::string log;
  std::string grid;
  std::string grids;
  std::string gpu;
  std::vector<std::string> patch;
  std::vector<std::string> profile;
  RunLists kernels;
  RunLists dispatches;
  PatchRequest request;
  std::string after_grid;
  bool sarif = false;
  OrderArguments order;
  OutputArguments output;

  bool wants_sarif() const { return sarif || output.file.ends_with(".sarif"); }
};

void refuse(bool is_given, const char* flags, const char* belongs_to) {
  if (is_given)
    throw Error(fmt::format("{} belong to {}", flags, belongs_to), "leave them out, or see --help");
}

/// One of the forms of every report, each asked only if it is needed.
template <class Text, class Json, class View>
void print(const AuditArguments& arguments, Text text, Json json, View view,
           const std::vector<report::SarifResult>& results) {
  if (arguments.wants_sarif())
    arguments.output.print(json_text(report::sarif_json(results, version())));
  else if (arguments.output.wants_page())
    arguments.output.print(report::html_page(view()));
  else if (arguments.output.wants_json())
    arguments.output.print(json_text(json()));
  else
    arguments.output.print(text());
}

// ---- patches ----------------------------------------------------------------------------------

std::vector<report::SarifResult> results_of(const PatchAudit& audit,
                                            std::vector<CheckResult>& places) {
  // A place of its own for every change that is not an index line; they are what reviewers look at.
  for (const CodeChange& change : audit.changes) {
    if (change.kind == CodeChange::Kind::index) continue;
    places.push_back({audit.code.verdict,
                      fmt::format("{}: {}", change.what.empty() ? "a change" : change.what,
                                  change.after.empty() ? change.before : change.after),
                      {},
                      {}});
  }
  // Other verdicts stand where the index code changed, or where anything did.
  int line = 0;
  for (const CodeChange& change : audit.changes)
    if (line == 0 && change.kind == CodeChange::Kind::index) line = change.line_after;
  for (const CodeChange& change : audit.changes)
    if (line == 0) line = change.line_after;
  std::vector<report::SarifResult> results;
  for (const auto& [name, check] : audit.checks()) {
    if (name == "code" && !places.empty()) continue;
    results.push_back({name, check, {}, audit.after, line, {}});
  }
  std::size_t place = 0;
  for (const CodeChange& change : audit.changes) {
    if (change.kind == CodeChange::Kind::index) continue;
    const bool is_gone = change.line_after == 0;
    results.push_back(
        {"code", &places[place++], is_gone ? "gone" : "", is_gone ? audit.before : audit.after,
         is_gone ? change.line_before : change.line_after, is_gone ? change.before : change.after});
  }
  return results;
}

ExitCode run_patch(const AuditArguments& arguments) {
  refuse(!arguments.log.empty() || !arguments.grid.empty() || !arguments.grids.empty() ||
             !arguments.gpu.empty(),
         "a log, --grid, --grids and --gpu", "audits of logs");
  refuse(!arguments.kernels.empty() || !arguments.dispatches.empty(), "-k and -d", "--profile");
  PatchRequest request = arguments.request;
  if (request.job_path.empty())
    throw Error("--patch needs a job that says how the kernel is launched",
                "add --job JOB.toml; heddle new-job BEFORE writes one");
  request.before = arguments.patch.at(0);
  request.after = arguments.patch.at(1);
  if (request.before == "-")
    throw Error("a kernel is read from a file, not from standard input",
                "give two files; only a diff may be '-'");
  if (!arguments.after_grid.empty()) {
    const order::SpaceRange range(arguments.after_grid, {}, {});
    if (!range.is_single()) throw Error("--after-grid takes one grid", "write it as 304 or 16x32");
    request.after_grid = range.first().launch;
  }
  const bool from_diff =
      request.after == "-" || request.after.ends_with(".diff") || request.after.ends_with(".patch");
  const PatchAudit audit = with_progress("comparing", [&] {
    return from_diff ? audit_diff(request, read_text(request.after, kLogLimit),
                                  display_name(request.after))
                     : audit_patch(request);
  });
  std::vector<CheckResult> places;
  print(
      arguments, [&] { return report::patch_text(audit, arguments.output.style()); },
      [&] { return report::patch_json(audit); }, [&] { return report::patch_view(audit); },
      results_of(audit, places));
  return exit_code(audit.verdict());
}

// ---- profiles ---------------------------------------------------------------------------------

ExitCode run_profile(const AuditArguments& arguments) {
  const PatchRequest& given = arguments.request;
  refuse(!arguments.log.empty() || !arguments.grid.empty() || !arguments.grids.empty() ||
             !arguments.gpu.empty(),
         "a log, --grid, --grids and --gpu", "audits of logs");
  refuse(!arguments.order.lets.empty() || !arguments.order.tiles.empty(), "--let and --tiles",
         "audits of logs");
  refuse(!given.function.empty() || !given.after_function.empty() || !arguments.after_grid.empty(),
         "--function, --after-function and --after-grid", "--patch");
  if (given.job_path.empty() && (!given.after_job_path.empty() || !given.overrides.empty()))
    throw Error("--after-job and --set need --job", "add --job JOB.toml");
  ProfileAuditRequest request;
  request.before = arguments.profile.at(0);
  request.after = arguments.profile.at(1);
  request.choice_before = {list_of_run(arguments.dispatches, 0, 2, "-d"),
                           list_of_run(arguments.kernels, 0, 2, "-k"),
                           {},
                           false};
  request.choice_after = {list_of_run(arguments.dispatches, 1, 2, "-d"),
                          list_of_run(arguments.kernels, 1, 2, "-k"),
                          {},
                          false};
  request.job_path = given.job_path;
  request.after_job_path = given.after_job_path;
  request.overrides = given.overrides;
  const ProfileAudit audit = with_progress("comparing", [&] { return audit_profiles(request); });
  std::vector<report::SarifResult> results;
  for (const NamedCheck& check : audit.checks)
    results.push_back({check.id, &check.result, {}, audit.after.file, 0, {}});
  print(
      arguments, [&] { return report::profile_audit_text(audit, arguments.output.style()); },
      [&] { return report::profile_audit_json(audit); },
      [&] { return report::profile_audit_view(audit); }, results);
  return exit_code(audit.verdict());
}

// ---- logs -------------------------------------------------------------------------------------

audit::TimeBound bound_of(const AuditArguments& arguments) {
  const config::Gpu gpu = config::read_gpu(arguments.gpu);
  const NecessaryWork work =
      necessary_work(arguments.request.job_path, arguments.request.overrides);
  // What a cache holds from before needs no memory.
  const double cached = static_cast<double>(gpu.l2.shape.bytes) * gpu.compute.dies +
                        (gpu.last_level ? static_cast<double>(gpu.last_level->shape.bytes) : 0.0);
  const auto beyond = [&](std::int64_t bytes) {
    return std::max(0.0, static_cast<double>(bytes) - cached);
  };
  const double bytes = beyond(work.read_bytes) + beyond(work.written_bytes);
  const double peak = gpu.memory.peak_bytes_per_second;
  return {1000 * bytes / peak,
          fmt::format("{:.4g} MB at the {:.0f} GB/s of {}", bytes / 1e6, peak / 1e9, gpu.name)};
}

audit::LogAuditOptions log_options(const AuditArguments& arguments,
                                   const order::Bindings& bindings) {
  audit::LogAuditOptions options;
  options.reading = arguments.order.read_options();
  if (!arguments.grids.empty())
    options.shapes = order::SpaceRange(arguments.grids, arguments.order.tiles, bindings);
  if (!arguments.gpu.empty()) options.bound = bound_of(arguments);
  return options;
}

order::Space space_of(const std::string& grid, const AuditArguments& arguments,
                      const order::Bindings& bindings) {
  const order::SpaceRange range(grid, arguments.order.tiles, bindings);
  if (!range.is_single())
    throw Error("audit takes one grid",
                "give the grid the log was measured on; --grids are others");
  return range.first();
}

// ---- answers ----------------------------------------------------------------------------------

nlohmann::json answer_json(const std::string& shown, Verdict verdict,
                           const std::optional<AuditReport>& formulas,
                           const std::vector<JudgedChange>& changes) {
  nlohmann::json list = nlohmann::json::array();
  for (const JudgedChange& change : changes)
    list.push_back(
        {{"line", change.line},
         {"verdict", verdict_text(change.audit ? change.audit->verdict() : Verdict::unknown)},
         {"reason", change.reason.empty() ? nlohmann::json() : nlohmann::json(change.reason)},
         {"audit", change.audit ? report::patch_json(*change.audit) : nlohmann::json()}});
  return {{"version", 1},
          {"answer", shown},
          {"verdict", verdict_text(verdict)},
          {"formulas", formulas ? report::audit_json(*formulas, shown) : nlohmann::json()},
          {"changes", list}};
}

/// Formulas as in a log, then every changed kernel.
report::Document answer_view(const std::string& shown, Verdict verdict,
                             const std::optional<AuditReport>& formulas,
                             const std::vector<JudgedChange>& changes) {
  report::Document page;
  page.verb = "audit";
  page.title = shown;
  page.badge = verdict_text(verdict);
  page.tone = report::tone_of(verdict);
  if (formulas) page.blocks = report::audit_view(*formulas, shown).blocks;
  for (const JudgedChange& change : changes) {
    page.heading(fmt::format("The change in line {}", change.line));
    if (!change.audit) page.paragraph(fmt::format("UNKNOWN: {}", change.reason));
    if (change.audit) append(page.blocks, report::patch_view(*change.audit).blocks);
  }
  return page;
}

std::string answer_text(const AuditArguments& arguments, const std::string& shown,
                        const std::optional<AuditReport>& formulas,
                        const std::vector<JudgedChange>& changes) {
  std::string text;
  if (formulas) text += report::audit_text(*formulas, shown, arguments.output.style());
  for (const JudgedChange& change : changes) {
    if (!text.empty()) text += "\n";
    text += change.audit ? report::patch_text(*change.audit, arguments.output.style())
                         : report::headline(fmt::format("{}:{}", shown, change.line),
                                            "UNKNOWN: " + change.reason);
  }
  return text;
}

Verdict worse(Verdict one, Verdict other) {
  if (one == Verdict::refuted || other == Verdict::refuted) return Verdict::refuted;
  return one == Verdict::unknown || other == Verdict::unknown ? Verdict::unknown : Verdict::proved;
}

ExitCode run_answer(const AuditArguments& arguments, const AnswerBlocks& blocks) {
  const std::string shown = display_name(arguments.log);
  PatchRequest request = arguments.request;
  std::string grid = arguments.grid;
  std::vector<std::string> lets = arguments.order.lets;
  if (!request.job_path.empty()) {  // it knows the kernel, its grid and its numbers
    const kernel::LoadedKernel loaded =
        kernel::load_kernel(request.job_path, request.overrides, {});
    request.before = loaded.launch.kernel_path;
    if (grid.empty()) grid = loaded.launch.grid.text();
    const order::Bindings given(lets);
    for (const config::Argument& argument : loaded.launch.arguments)
      if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
        if (!given.has(argument.name)) lets.push_back(fmt::format("{}={}", argument.name, *number));
  }
  const order::Bindings bindings(lets);
  std::optional<AuditReport> formulas;
  if (!blocks.formulas.empty())
    formulas = audit::audit_log(blocks.formulas, space_of(grid, arguments, bindings), bindings,
                                log_options(arguments, bindings));
  const std::vector<JudgedChange> changes = judge_changes(blocks.changes, request, shown);
  Verdict verdict = formulas ? formulas->verdict() : Verdict::proved;
  for (const JudgedChange& change : changes)
    verdict = worse(verdict, change.audit ? change.audit->verdict() : Verdict::unknown);
  std::vector<report::SarifResult> results;
  const std::string file = arguments.log == "-" ? std::string() : shown;
  if (formulas)
    for (const AuditedAttempt& attempt : formulas->attempts)
      for (const NamedCheck& check : attempt.checks)
        results.push_back({check.id,
                           &check.result,
                           fmt::format("block {}", attempt.iteration),
                           file,
                           attempt.line,
                           {}});
  for (const JudgedChange& change : changes)
    if (change.audit)
      for (const auto& [name, check] : change.audit->checks())
        results.push_back({name, check, {}, file, change.line, {}});
  print(
      arguments, [&] { return answer_text(arguments, shown, formulas, changes); },
      [&] { return answer_json(shown, verdict, formulas, changes); },
      [&] { return answer_view(shown, verdict, formulas, changes); }, results);
  return exit_code(verdict);
}

ExitCode run_log(const AuditArguments& arguments) {
  const PatchRequest& request = arguments.request;
  if (arguments.log.empty())
    throw Error(
        "audit takes a log, or --patch with two kernels, or --profile with two folders",
        "heddle audit LOG --grid GRID, heddle audit --patch BEFORE AFTER --job JOB.toml, or "
        "heddle audit --profile BEFORE AFTER");
  refuse(!request.function.empty() || !request.after_function.empty() ||
             !request.after_job_path.empty() || !arguments.after_grid.empty(),
         "--function and --after-...", "--patch");
  refuse(!arguments.kernels.empty() || !arguments.dispatches.empty(), "-k and -d", "--profile");
  if (request.job_path.empty() && !request.overrides.empty())
    throw Error("--set needs --job", "leave it out for a log, or add --job and --gpu");
  const std::string shown = display_name(arguments.log);
  const std::string text = read_text(arguments.log, kLogLimit);
  std::vector<Attempt> attempts;
  try {
    attempts = optlog::read_log(text);
  } catch (const Error& error) {
    if (const AnswerBlocks blocks = answer_blocks(text); !blocks.empty())
      return run_answer(arguments, blocks);
    throw error.source().empty() ? error.in(shown) : error;
  }
  if (request.job_path.empty() != arguments.gpu.empty())
    throw Error("--job and --gpu go together: they bound the times that a log may claim",
                "give both, or none");
  const order::Bindings bindings = arguments.order.bindings();
  const AuditReport report = with_progress("proving", [&] {
    return audit::audit_log(attempts, space_of(arguments.grid, arguments, bindings), bindings,
                            log_options(arguments, bindings));
  });
  std::vector<report::SarifResult> results;
  for (const AuditedAttempt& attempt : report.attempts) {
    for (const NamedCheck& check : attempt.checks)
      results.push_back({check.id,
                         &check.result,
                         fmt::format("iteration {}", attempt.iteration),
                         arguments.log == "-" ? std::string() : shown,
                         attempt.line,
                         {}});
  }
  print(
      arguments, [&] { return report::audit_text(report, shown, arguments.output.style()); },
      [&] { return report::audit_json(report, shown); },
      [&] { return report::audit_view(report, shown); }, results);
  return exit_code(report.verdict());
}

void add_patch(Verb verb, AuditArguments& arguments) {
  PatchRequest& request = arguments.request;
  const Flag patch = verb.add_option("--patch", arguments.patch,
                                     "judge a changed kernel, or a diff, against the original")
                         .type_name("BEFORE AFTER")
                         .expected(2);
  verb.add_option("--profile", arguments.profile,
                  "judge two recorded runs: folders of rocprofiler-compute or heddle profile")
      .type_name("BEFORE AFTER")
      .expected(2)
      .excludes(patch);
  verb.add_option("--job", request.job_path,
                  "the job that launches the kernel (docs/jobs.md); required for --patch, for "
                  "--profile it gives the necessary work")
      .type_name("JOB.toml");
  verb.add_option("--set", request.overrides, "override a size, scalar or constexpr of the job")
      .type_name("NAME=VALUE")
      .allow_extra_args(false);
  verb.add_option("--function", request.function, "--patch: the kernel, if the file has several")
      .type_name("NAME");
  verb.add_option("--after-function", request.after_function,
                  "--patch: the new kernel, if its name differs")
      .type_name("NAME");
  verb.add_option("--after-job", request.after_job_path,
                  "--patch, --profile: the job of the new kernel, if it differs")
      .type_name("JOB.toml");
  verb.add_option("--after-grid", arguments.after_grid, "--patch: the grid of the new kernel")
      .type_name("GRID");
  verb.add_option("-k,--kernel", arguments.kernels,
                  "--profile: the kernel, by number or part of its name; once for both runs, or "
                  "once for each")
      .type_name("KERNEL");
  verb.add_option("-d,--dispatch", arguments.dispatches, "--profile: dispatches, by Dispatch_ID")
      .type_name("ID");
}

}  // namespace

void add_audit(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb(
      "audit", "judge an optimiser's log, a model's answer, a changed kernel, or two profiles");
  const auto arguments = std::make_shared<AuditArguments>();
  verb.add_option("LOG", arguments->log,
                  "the log, a model's answer or a pull request in Markdown, or '-'");
  verb.add_option("--grid", arguments->grid, "the launch grid of the kernel in the log")
      .type_name("GRID");
  verb.add_option("--grids", arguments->grids,
                  "for a log: more grids on which every formula must be a permutation: 1..4096")
      .type_name("RANGE");
  verb.add_option("--gpu", arguments->gpu,
                  "for a log with --job: the GPU whose bandwidth bounds the claimed times")
      .type_name("NAME");
  add_patch(verb, *arguments);
  verb.add_flag("--sarif", arguments->sarif, "print SARIF 2.1.0; -o FILE.sarif does it too");
  arguments->order.add_reading(verb);
  arguments->output.add(verb, true);
  verb.footer(kAuditExamples);
  verb.callback([arguments, &outcome] {
    outcome.code = !arguments->patch.empty()     ? run_patch(*arguments)
                   : !arguments->profile.empty() ? run_profile(*arguments)
                                                 : run_log(*arguments);
  });
}

}  // namespace heddle::tool
