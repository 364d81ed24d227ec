// heddle roofline: kernels of profiled runs below the ceilings of their GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "output.h"
#include "profile/roofline/roofline.h"
#include "progress.h"
#include "report/roofline_report.h"
#include "roofline_files.h"
#include "run_lists.h"
#include "support/lists.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kRooflineExamples = R"text(
Examples:
  heddle roofline -p workloads/mixbench/MI200
  heddle roofline -p workloads/mixbench/MI200 -o roof.svg -o roof.pdf
  heddle roofline -p before/MI300X_A1 -p after/MI300X_A1 --gpu mi300x --type fp16,int8 -o roof.svg
  heddle roofline -p workloads/mixbench/MI200 --sort dispatches -k 0 -m HBM -m L2 --json
Ceilings come from roofline.csv or from a GPU file. docs/roofline.md explains the points.)text";

/// Ceilings that differ by more than this share are worth a word.
constexpr double kDifference = 0.05;
constexpr std::size_t kMostNotes = 8;
constexpr std::size_t kMostPoints = 100'000;

struct RooflineArguments {
  std::vector<std::string> folders;
  RunLists kernels;
  RunLists dispatches;
  profile::RooflineOptions options;
  std::string sort = "kernels";
  std::vector<std::string> levels;
  std::vector<std::string> types;
  bool whole_names = false;
  bool json = false;
  std::string color = "auto";
  std::vector<std::string> files;
};

/// "workloads/vcopy/MI200/" -> "vcopy/MI200".
std::string run_name(const std::string& folder) {
  namespace fs = std::filesystem;
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const fs::path above = path.parent_path().filename();
  return (above.empty() ? path.filename() : above / path.filename()).string();
}

/// Short names; whole paths where short ones are the same.
std::vector<std::string> run_names(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    const std::string name = run_name(folder);
    if (is_one_of(name, names)) return folders;
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> chosen_levels(const RooflineArguments& arguments) {
  std::vector<std::string> levels;
  for (const std::string& level : roofline_levels()) {
    // rocprofiler-compute measures the last-level cache of an MI300 and does not draw it.
    const bool usual = level != "MALL" || !arguments.options.compat;
    const auto is_it = [&](const std::string& asked) {
      const std::string name = lower_case(asked);
      return name == lower_case(level) || (level == "L1" && name == "vl1d");
    };
    if (arguments.levels.empty() ? usual : std::ranges::any_of(arguments.levels, is_it))
      levels.push_back(level);
  }
  return levels;
}

/// Each --type is a chart.
std::vector<std::vector<std::string>> chosen_charts(const RooflineArguments& arguments) {
  const std::vector<std::vector<std::string>> usual = {{"FP32", "FP64"}, {"FP16", "INT8"}};
  std::vector<std::vector<std::string>> charts;
  for (const std::string& asked : arguments.types) {
    if (lower_case(asked) == "all") return usual;
    std::vector<std::string> types;
    for (const std::string_view part : split(asked, ',')) {
      const std::string name = lower_case(trim(part));
      const std::string type = name == "i8" ? "int8" : name;
      bool known = false;
      for (const char* one : {"FP64", "FP32", "FP16", "BF16", "FP8", "FP6", "FP4", "INT8"}) {
        if (lower_case(one) != type) continue;
        types.emplace_back(one);
        known = true;
      }
      if (!known)
        throw Error(fmt::format("--type {}: '{}' is not a type", asked, part),
                    "use fp64, fp32, fp16, bf16, fp8, fp6, fp4, int8, several with commas, or all");
    }
    charts.push_back(types);
  }
  return charts.empty() ? usual : charts;
}

/// "HBM 1,500 instead of 1,389": the largest difference; empty if all are close.
std::string difference_text(const RooflineCeilings& drawn, const RooflineCeilings& own) {
  double largest = kDifference;
  std::string text;
  const auto compare = [&](const std::string& name, double first, double second) {
    const double difference = std::abs(second / first - 1);
    if (difference <= largest) return;
    largest = difference;
    text = fmt::format("its own ceilings differ from those drawn, {} by {:+.0f} %", name,
                       (second / first - 1) * 100);
  };
  for (const BandwidthCeiling& a : drawn.bandwidths) {
    for (const BandwidthCeiling& b : own.bandwidths) {
      if (a.level == b.level) compare(a.level, a.gb_per_s, b.gb_per_s);
    }
  }
  for (const ComputeCeiling& a : drawn.rates) {
    for (const ComputeCeiling& b : own.rates) {
      if (a.type == b.type && a.matrix == b.matrix)
        compare((a.matrix ? "matrix " : "vector ") + a.type, a.gflop_per_s, b.gflop_per_s);
    }
  }
  return text;
}

void add_notes(const profile::Workload& workload, const std::string& name, bool several,
               std::vector<ProfileNote>& notes) {
  std::size_t count = 0;
  for (const ProfileNote& note : workload.notes) {
    if (count++ == kMostNotes) {
      notes.push_back({name, fmt::format("and {} more notes", workload.notes.size() - kMostNotes)});
      return;
    }
    notes.push_back({several ? name + ", " + note.where : note.where, note.what});
  }
}

profile::Selection selected(const profile::Workload& workload, const profile::Choice& choice) {
  try {
    return profile::select(workload, choice);
  } catch (const Error& error) {
    throw error.in(workload.path);
  }
}

/// Ceilings of runs after the first are compared, not drawn.
void compare_ceilings(const profile::Workload& workload, const profile::RooflineOptions& options,
                      RooflineRun& run, RooflineReport& report) {
  if (workload.roofline.rows() == 0) return;
  try {
    const auto device = options.device ? options.device : profile::first_device(workload);
    run.ceilings = profile::measured_ceilings(workload, device.value_or(0));
    const std::string difference = difference_text(report.ceilings(), run.ceilings);
    if (!difference.empty()) report.notes.push_back({run.name, difference});
  } catch (const Error& error) {
    report.notes.push_back({run.name, error.message()});
  }
}

void add_run(std::size_t index, const std::string& name, const RooflineArguments& arguments,
             RooflineReport& report) {
  const std::size_t runs = arguments.folders.size();
  profile::Choice choice;
  choice.kernels = list_of_run(arguments.kernels, index, runs, "-k");
  choice.dispatches = list_of_run(arguments.dispatches, index, runs, "-d");
  choice.by_row = arguments.options.compat;
  const profile::Workload workload =
      with_progress("reading", [&] { return profile::read_workload(arguments.folders[index]); });
  const profile::Selection selection = selected(workload, choice);
  RooflineRun run;
  run.name = name;
  const auto recorded = [&](const char* field) {
    const std::string* const text = workload.system_text(field);
    return text == nullptr || *text == "NA" ? std::string() : *text;
  };
  run.gpu = recorded("gpu_model");
  run.date = recorded("timestamp");
  run.is_simulated = !recorded("simulated_by").empty();
  run.points = profile::roofline_points(workload, selection, arguments.options);
  add_notes(workload, run.name, runs > 1, report.notes);
  if (report.runs.empty())
    run.ceilings = profile::choose_ceilings(workload, arguments.options, report.notes);
  else
    compare_ceilings(workload, arguments.options, run, report);
  const auto chosen =
      static_cast<std::size_t>(std::ranges::count_if(selection.kernels, [&](const auto& kernel) {
        return kernel.chosen || choice.kernels.empty();
      }));
  const std::size_t all = arguments.options.by_dispatch ? selection.measured.size() : chosen;
  if (run.points.size() < all)
    report.notes.push_back(
        {run.name, fmt::format("{} of {} {} are shown, the longest; --max-points 0 shows all",
                               run.points.size(), all, arguments.sort)});
  report.runs.push_back(std::move(run));
}

ExitCode run_roofline(RooflineArguments& arguments) {
  check_roofline_files(arguments.files);
  arguments.options.by_dispatch = arguments.sort == "dispatches";
  RooflineReport report;
  report.levels = chosen_levels(arguments);
  report.charts = chosen_charts(arguments);
  report.whole_names = arguments.whole_names;
  const std::vector<std::string> names = run_names(arguments.folders);
  for (std::size_t i = 0; i < names.size(); ++i) add_run(i, names[i], arguments, report);
  if (arguments.json || arguments.files.empty()) {
    const report::Style style = report::choose_style(arguments.color, isatty(STDOUT_FILENO) != 0);
    const std::string text = arguments.json ? json_text(report::roofline_json(report))
                                            : report::roofline_text(report, style);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  write_roofline_files(report, arguments.files);
  return ExitCode::good;
}

}  // namespace

void add_roofline(Program& program, Outcome& outcome) {
  Verb verb =
      program.add_verb("roofline", "plot the kernels of profiled runs under the ceilings of a GPU");
  const auto arguments = std::make_shared<RooflineArguments>();
  verb.add_option("-p,--path", arguments->folders,
                  "a workload folder, or the output of ncu; several runs share one plot")
      .type_name("PATH")
      .required();
  verb.add_option("-k,--kernel", arguments->kernels,
                  "kernels, by number in the list of the longest or by part of the name; once, or "
                  "for each -p")
      .type_name("KERNEL");
  verb.add_option("-d,--dispatch", arguments->dispatches,
                  "dispatches: 3, 3-5, '>3'; once, or for each -p")
      .type_name("ID");
  verb.add_option("--sort", arguments->sort, "what a point is: kernels or dispatches")
      .one_of({"kernels", "dispatches"})
      .capture_default_str();
  verb.add_option("-m,--mem-level", arguments->levels,
                  "levels to draw: HBM, MALL, L2, vL1D, LDS; all by default")
      .one_of_in_any_case({"HBM", "MALL", "L2", "vL1D", "L1", "LDS"});
  verb.add_option("--type", arguments->types,
                  "data types of a chart, such as fp32,fp64; by default one with fp32,fp64 and one "
                  "with fp16,int8")
      .type_name("TYPES")
      .allow_extra_args(false);
  verb.add_option("--device", arguments->options.device,
                  "the device of roofline.csv; by default 0, or the first");
  verb.add_option("--gpu", arguments->options.gpu,
                  "use the ceilings of this GPU instead (heddle gpus)");
  verb.add_flag("--kernel-names", arguments->whole_names, "show the full names of kernels");
  verb.add_option("--max-points", arguments->options.most_points,
                  "limit on the kernels or dispatches of a run, longest first; 0: all")
      .range(std::size_t{0}, kMostPoints)
      .capture_default_str();
  verb.add_flag("--compat", arguments->options.compat,
                "the figures of rocprofiler-compute 3.0 (docs/roofline.md)");
  verb.add_flag("--json", arguments->json, "print JSON instead of text");
  verb.add_option("--color", arguments->color, "always, never or auto")
      .one_of({"always", "never", "auto"});
  verb.add_option("-o,--output", arguments->files,
                  "write files, by ending: .html, .svg, .pdf, .txt, .json, .gp (for gnuplot)")
      .type_name("FILE")
      .allow_extra_args(false);
  verb.footer(kRooflineExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_roofline(*arguments); });
}

}  // namespace heddle::tool
