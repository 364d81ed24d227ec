// heddle analyze: the panels of recorded workload folders.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "audit/audit_profile.h"
#include "notes.h"
#include "output.h"
#include "profile/analysis.h"
#include "profile/fixed_panels.h"
#include "profile/plausibility/plausibility.h"
#include "profile/run_figures.h"
#include "profile/workload/nodes.h"
#include "progress.h"
#include "report/clean_text.h"
#include "report/finding_report.h"
#include "report/html/page.h"
#include "report/panel_files.h"
#include "report/panel_summary.h"
#include "report/panel_text.h"
#include "run_lists.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kAnalyzeExamples = R"text(
Examples:
  heddle analyze -p workloads/vcopy/MI200
  heddle analyze -p workloads/vcopy/MI200 -b 2 16.3 17.3.7 -d 1
  heddle analyze -p before/MI300X_A1 -p after/MI300X_A1 -b 2
  heddle analyze -p workloads/vcopy/MI200 --list-stats
  heddle analyze -p ncu_raw_page.csv -b 2 7
  heddle analyze --list-metrics gfx942
  heddle analyze -p workloads/vcopy/MI200 --compat --save-dfs tables --decimal 12
analyze writes nothing into the workload folder. docs/analyze.md gives the formulas.)text";

constexpr int kMostDecimals = 15;
constexpr int kMostNodesNamed = 4096;
constexpr std::size_t kMostWithoutSummary = 3;  ///< panels

/// Fields of sysinfo.csv that something is computed from.
constexpr std::array<std::string_view, 14> kSystemFields = {
    "gpu_arch",      "gpu_model",        "cu_per_gpu",       "se_per_gpu",       "sqc_per_gpu",
    "pipes_per_gpu", "lds_banks_per_cu", "max_waves_per_cu", "wave_size",        "max_sclk",
    "hbm_bw",        "total_l2_chan",    "num_xcd",          "compute_partition"};

struct AnalyzeArguments {
  std::vector<std::string> paths;
  std::vector<std::string> blocks;
  RunLists dispatches;
  RunLists kernels;
  RunLists gpus;
  std::vector<std::string> nodes;
  bool by_node = false;
  std::string normal_unit = "per_wave";
  std::string time_unit = "ns";
  int decimals = 2;
  std::size_t most_rows = 10;
  std::string tables_folder;
  std::string definitions_folder;
  std::string corrections;
  std::string metrics_of;
  bool list_stats = false;
  bool differences = false;
  bool no_findings = false;
  bool strict = false;
  bool compat = false;
  std::string compat_version;
  bool csv = false;
  bool markdown = false;
  OutputArguments output;

  bool wants_csv() const { return csv || output.file.ends_with(".csv"); }
  bool wants_markdown() const { return markdown || output.file.ends_with(".md"); }
  report::PanelStyle style() const {
    // Of several runs a chart would show one.
    const bool one = paths.size() == 1;
    return {decimals, compat, one ? normal_unit.substr(normal_unit.find('_') + 1) : ""};
  }
};

/// One folder with everything that is derived from it.
struct Run {
  profile::Workload workload;
  profile::Selection selection;
  std::optional<profile::ArchitectureDefinition> definition;
  std::vector<Panel> panels;
  PlausibilityReport plausibility;
};

/// "max_sclk:1700,cu_per_gpu:104": what sysinfo.csv should have said.
void correct(profile::Workload& workload, const std::string& corrections) {
  if (corrections.empty()) return;
  for (const std::string_view part : split(corrections, ',')) {
    const std::size_t colon = part.find(':');
    const std::string name(trim(part.substr(0, colon)));
    if (colon == std::string_view::npos || name.empty())
      throw Error(fmt::format("'{}' corrects nothing", part),
                  "write --specs-correction max_sclk:1700,cu_per_gpu:104");
    const std::string value(trim(part.substr(colon + 1)));
    bool known = is_one_of(name, kSystemFields);
    if (known && workload.system_text(name) == nullptr) workload.system.emplace_back(name, value);
    for (auto& [key, text] : workload.system) {
      if (key != name) continue;
      text = value;
      known = true;
    }
    if (!known)
      throw Error(fmt::format("sysinfo.csv has no '{}', and nothing would use it", name),
                  fmt::format("fields are {}", fmt::join(kSystemFields, ", ")));
    if (name == "gpu_arch") workload.arch = value;
  }
}

void find_definition(Run& run, const AnalyzeArguments& arguments) {
  profile::Workload& workload = run.workload;
  if (workload.times_only) return;
  if (workload.arch.empty()) {
    workload.notes.push_back({"sysinfo.csv",
                              "nothing tells the architecture: only panels 0, 1 and "
                              "4 are shown (--specs-correction gpu_arch:gfx90a)"});
    return;
  }
  try {
    run.definition = profile::read_architecture(workload.arch, arguments.definitions_folder);
  } catch (const Error& error) {
    // A file that is wrong is an error; an architecture without files leaves what needs none.
    if (error.code() != ExitCode::missing || !arguments.definitions_folder.empty()) throw;
    workload.notes.push_back({workload.path, fmt::format("{}; {}", error.message(), error.hint())});
  }
}

/// Where rocprofiler-compute stops.
void note_idle(Run& run) {
  const auto column = run.workload.counters.find("GRBM_GUI_ACTIVE");
  if (!column) return;
  for (const std::size_t place : run.selection.measured) {
    const profile::Dispatch& dispatch = run.workload.dispatches[place];
    if (run.workload.counters.number(*column, dispatch.row) != 0.0) continue;
    run.workload.notes.push_back(
        {run.workload.counters_file,
         fmt::format("GRBM_GUI_ACTIVE is 0 in dispatch {}: rocprofiler-compute stops here",
                     dispatch.id)});
    return;
  }
}

Run read_run(const AnalyzeArguments& arguments, std::size_t index) {
  const std::size_t runs = arguments.paths.size();
  Run run;
  run.workload = with_progress("reading", [&] {
    const std::string& path = arguments.paths[index];
    return arguments.by_node ? profile::read_nodes(path, arguments.nodes)
                             : profile::read_workload(path);
  });
  correct(run.workload, arguments.corrections);
  profile::Choice choice;
  choice.dispatches = list_of_run(arguments.dispatches, index, runs, "-d");
  choice.kernels = list_of_run(arguments.kernels, index, runs, "-k");
  choice.gpus = list_of_run(arguments.gpus, index, runs, "--gpu-id");
  choice.by_row = arguments.compat;
  run.selection = profile::select(run.workload, choice);
  find_definition(run, arguments);
  return run;
}

/// "-b 40" where nothing else is named and the GPUs are of several vendors, whose other panels have
/// few rows in common.
std::vector<std::string> shown_blocks(const std::vector<Run>& runs,
                                      const AnalyzeArguments& arguments) {
  if (arguments.list_stats) return {"0"};
  const auto others = [&](const Run& run) {
    return run.definition.has_value() &&
           is_of_nvidia(run.workload) != is_of_nvidia(runs.front().workload);
  };
  if (!arguments.blocks.empty() || !runs.front().definition || std::ranges::none_of(runs, others))
    return arguments.blocks;
  return {std::to_string(profile::kSideBySidePanel)};
}

void compute_run(const AnalyzeArguments& arguments, const std::vector<std::string>& blocks,
                 Run& run) {
  profile::AnalysisOptions options;
  options.blocks = blocks;
  options.normal_unit = arguments.normal_unit;
  options.time_unit = arguments.time_unit;
  options.most_rows = arguments.most_rows;
  options.compat = arguments.compat;
  options.version = profile::parse_compat(arguments.compat_version);
  const auto* definition = run.definition ? &*run.definition : nullptr;
  run.panels = with_progress("computing", [&] {
    return profile::analyze(run.workload, run.selection, definition, options, &run.workload.notes);
  });
  if (arguments.compat) note_idle(run);
  if (arguments.no_findings || arguments.compat) return;
  // Of all panels, whatever is shown of them.
  std::vector<Panel> others;
  if (!std::exchange(options.blocks, {}).empty())
    others = profile::analyze(run.workload, run.selection, definition, options);
  run.plausibility = profile::check_plausibility(run.workload, run.selection,
                                                 others.empty() ? run.panels : others);
  if (arguments.paths.size() > 1) {
    for (Finding& finding : run.plausibility.findings) finding.run = run.workload.path;
    for (std::string& what : run.plausibility.not_checked) what = run.workload.path + ": " + what;
  }
}

/// A baseline that did other work is not one. Runs of several kernels are not compared.
void compare_work(const Run& baseline, Run& run) {
  try {
    const ProfileAudit audit = audit::audit_profiles(
        {profile::read_figures(baseline.workload, baseline.selection), {}, {}},
        {profile::read_figures(run.workload, run.selection), {}, {}});
    for (const NamedCheck& check : audit.checks) {
      if (check.id != "same-work" || check.result.verdict != Verdict::refuted) continue;
      run.plausibility.findings.push_back(
          {"not-same-work", "against " + baseline.workload.path,
           fmt::format("{}; {}", check.result.finding, fmt::join(check.result.evidence, "; ")),
           run.workload.path});
    }
  } catch (const Error&) {
    run.plausibility.not_checked.push_back(run.workload.path +
                                           ": the same work (there are several kernels)");
  }
}

void say_notes(const Run& run) {
  for (const ProfileNote& note : run.workload.notes)
    tool::note("note: {}: {}", report::one_line(note.where, 200), report::one_line(note.what, 400));
}

/// The lists of panel 0, with whole names and without times.
std::string statistics_text(const Run& run, const report::PanelStyle& style) {
  profile::TopOptions options;
  options.most_rows = 0;
  Panel top = profile::top_statistics(run.workload, run.selection, options);
  PanelTable& kernels = top.tables[0];
  kernels.columns.resize(2);
  for (auto& row : kernels.rows) row.resize(2);
  // Names are cut by the table's id.
  for (PanelTable& table : top.tables) table.id.clear();
  const std::string line = "\n" + std::string(80, '-') + "\n";
  return line + "Detected Kernels (sorted descending by duration)\n" + box_text(kernels, style) +
         line + "Dispatch list\n" + box_text(top.tables[1], style);
}

std::string metrics_text(const AnalyzeArguments& arguments) {
  const auto definition =
      profile::read_architecture(arguments.metrics_of, arguments.definitions_folder);
  if (arguments.output.wants_json()) {
    nlohmann::json list = nlohmann::json::array();
    for (const profile::MetricLine& line : profile::list_metrics(definition, arguments.compat))
      list.push_back({{"id", line.id}, {"title", line.title}, {"note", line.note}});
    return json_text({{"version", 1}, {"verb", "analyze"}, {"metrics", std::move(list)}});
  }
  std::string text;
  for (const profile::MetricLine& line : profile::list_metrics(definition, arguments.compat)) {
    if (arguments.differences && !line.note.empty())
      text +=
          fmt::format("{:<8} {}\n", line.id, report::wrapped(line.title + ": " + line.note, 9, 9));
    if (arguments.differences) continue;
    text += fmt::format("{}{} -> {}\n", std::string(static_cast<std::size_t>(line.depth), '\t'),
                        line.id, line.title);
  }
  return text;
}

std::string as_json(const std::vector<Run>& runs) {
  nlohmann::json list = nlohmann::json::array();
  for (const Run& run : runs) {
    nlohmann::json notes = nlohmann::json::array();
    for (const ProfileNote& note : run.workload.notes)
      notes.push_back(
          {{"where", report::valid_utf8(note.where)}, {"what", report::valid_utf8(note.what)}});
    list.push_back({{"path", report::valid_utf8(run.workload.path)},
                    {"arch", report::valid_utf8(run.workload.arch)},
                    {"notes", std::move(notes)},
                    {"findings", report::findings_json(run.plausibility.findings)},
                    {"not_checked", report::not_checked_json(run.plausibility.not_checked)},
                    {"panels", report::panels_json(run.panels)}});
  }
  return json_text({{"version", 1}, {"verb", "analyze"}, {"runs", std::move(list)}});
}

std::vector<Panel> shown_panels(const std::vector<Run>& runs, const AnalyzeArguments& arguments) {
  std::vector<std::vector<Panel>> panels;
  for (const Run& run : runs) panels.push_back(run.panels);
  return profile::compare(panels, arguments.decimals, arguments.compat);
}

std::string runs_text(const std::vector<Run>& runs) {
  if (runs.size() < 2) return {};
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i)
    text += fmt::format("[{}] {}{}\n", i + 1, report::one_line(runs[i].workload.path, 200),
                        i == 0 ? " (baseline)" : "");
  return text;
}

/// "workloads/vcopy/MI200"; of several: "... against ..., the baseline".
std::string page_title(const std::vector<Run>& runs) {
  std::string text = runs.back().workload.path;
  if (runs.size() > 1) text += fmt::format(" against {}, the baseline", runs.front().workload.path);
  return text;
}

/// Of all runs.
PlausibilityReport whole_plausibility(const std::vector<Run>& runs) {
  PlausibilityReport whole;
  for (const Run& run : runs) {
    const auto& [findings, not_checked] = run.plausibility;
    append(whole.findings, findings);
    append(whole.not_checked, not_checked);
  }
  return whole;
}

std::string rendered(const std::vector<Run>& runs, const AnalyzeArguments& arguments) {
  if (arguments.output.wants_json()) return as_json(runs);
  if (arguments.wants_csv()) {
    std::string text;
    for (const Run& run : runs)
      text += report::panels_csv(run.panels, run.workload.path, text.empty());
    return text;
  }
  const std::vector<Panel> panels = shown_panels(runs, arguments);
  const bool looked = !arguments.no_findings && !arguments.compat;
  const auto [findings, not_checked] = whole_plausibility(runs);
  if (arguments.output.wants_page()) {
    const PlausibilityReport found = whole_plausibility(runs);
    return report::html_page(report::panels_view(panels, page_title(runs), arguments.style(),
                                                 looked ? &found : nullptr));
  }
  if (arguments.wants_markdown())
    return runs_text(runs) + report::panels_markdown(panels, arguments.style()) +
           (looked ? report::findings_markdown(findings, not_checked) : "");
  const report::Style colours = arguments.output.style();
  std::string text = runs_text(runs);
  if (!arguments.compat && panels.size() > kMostWithoutSummary)
    text += report::panels_summary(panels, looked ? &findings : nullptr);
  text += report::panels_text(panels, arguments.style());
  if (!arguments.compat) text += report::blank_reasons(panels);
  if (looked) text += "\n" + report::findings_text(findings, colours, not_checked);
  return text;
}

void save_tables(const std::vector<Panel>& panels, const AnalyzeArguments& arguments) {
  std::filesystem::create_directories(arguments.tables_folder);
  for (const Panel& panel : panels) {
    for (const PanelTable& table : panel.tables)
      write_text(arguments.tables_folder + "/" + report::table_file_name(table),
                 report::table_csv(table, arguments.style()));
  }
}

ExitCode run_analyze(const AnalyzeArguments& arguments) {
  if (!arguments.metrics_of.empty()) {
    arguments.output.print(metrics_text(arguments));
    return ExitCode::good;
  }
  if (arguments.paths.empty())
    throw Error("no workload folder is named",
                "heddle analyze -p workloads/NAME/MI200, or --list-metrics gfx90a");
  if (arguments.strict && (arguments.compat || arguments.no_findings))
    throw Error("--strict needs the checks that --compat and --no-findings leave out",
                "leave one of them out");
  std::vector<Run> runs;
  for (std::size_t i = 0; i < arguments.paths.size(); ++i) runs.push_back(read_run(arguments, i));
  const std::vector<std::string> blocks = shown_blocks(runs, arguments);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    compute_run(arguments, blocks, runs[i]);
    if (i > 0 && !arguments.no_findings && !arguments.compat) compare_work(runs.front(), runs[i]);
    say_notes(runs[i]);
  }
  if (arguments.list_stats && !arguments.output.wants_json() && !arguments.wants_csv()) {
    std::string text;
    for (const Run& one : runs) text += statistics_text(one, arguments.style());
    arguments.output.print(text);
    return ExitCode::good;
  }
  arguments.output.print(rendered(runs, arguments));
  if (!arguments.tables_folder.empty()) save_tables(shown_panels(runs, arguments), arguments);
  return arguments.strict && !whole_plausibility(runs).findings.empty() ? ExitCode::refuted
                                                                        : ExitCode::good;
}

}  // namespace

void add_analyze(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb(
      "analyze", "show panels of metrics from a rocprofiler-compute, rocprofv3 or ncu recording");
  const auto arguments = std::make_shared<AnalyzeArguments>();
  AnalyzeArguments& a = *arguments;
  verb.add_option("-p,--path", a.paths,
                  "a workload folder, or the file of another profiler; may be repeated, the first "
                  "is the baseline")
      .type_name("PATH");
  verb.add_option("-b,--block", a.blocks, "panels (2), tables (16.3) or metrics (2.1.19)")
      .type_name("ID");
  verb.add_option("-d,--dispatch", a.dispatches, "dispatches by Dispatch_ID: 3, 3-5, '>3'")
      .type_name("ID");
  verb.add_option("-k,--kernel", a.kernels, "kernels by number (--list-stats) or part of a name")
      .type_name("ID");
  verb.add_option("--gpu-id", a.gpus, "only dispatches of these GPUs").type_name("ID");
  const Flag nodes = verb.add_option("--nodes", a.nodes,
                                     "PATH has a folder for each node or rank: use these, or all")
                         .type_name("NAME")
                         .expected(0, kMostNodesNamed);
  verb.add_option("-n,--normal-unit", a.normal_unit, "the unit to divide counts by")
      .one_of({"per_wave", "per_cycle", "per_second", "per_kernel"});
  verb.add_option("-t,--time-unit", a.time_unit, "the unit of times in panel 0")
      .one_of({"s", "ms", "us", "ns"});
  verb.add_option("--decimal", a.decimals, "digits after the decimal point")
      .range(0, kMostDecimals);
  verb.add_option("--max-stat-num", a.most_rows,
                  "limit on the rows of the lists in panel 0; 0: all");
  verb.add_option("--save-dfs", a.tables_folder, "write every table as CSV into a folder")
      .type_name("DIR");
  verb.add_option("--list-metrics", a.metrics_of, "list the metrics of an architecture")
      .type_name("ARCH");
  verb.add_flag(
      "--differences", a.differences,
      "with --list-metrics: list the differences from rocprofiler-compute 3.0.0, with reasons");
  verb.add_flag("--list-stats", a.list_stats, "list only the kernels and dispatches");
  verb.add_option("--specs-correction", a.corrections,
                  "override fields of sysinfo.csv: max_sclk:1700,cu_per_gpu:104");
  verb.add_option("--config-dir", a.definitions_folder, "a folder with your own panel definitions")
      .type_name("DIR");
  const Flag compat =
      verb.add_option("--compat", a.compat_version,
                      "use the formulas and format of rocprofiler-compute 3.0.0, or of VERSION")
          .type_name("VERSION")
          .expected(0, 1);
  verb.add_flag("--no-findings", a.no_findings, "do not look for impossible values");
  verb.add_flag("--strict", a.strict, "exit 1 if there are findings");
  verb.add_flag("--csv", a.csv, "print CSV: one line per cell, full precision");
  verb.add_flag("--markdown", a.markdown, "print Markdown tables");
  a.output.add(verb, true);
  verb.footer(kAnalyzeExamples);
  verb.callback([arguments, compat, nodes, &outcome] {
    arguments->by_node = nodes.is_given();
    std::erase(arguments->nodes, "");  // The flag alone.
    arguments->compat = compat.is_given();
    outcome.code = run_analyze(*arguments);
  });
}

}  // namespace heddle::tool
