// heddle merge: what an agent measured, as a report, and the winner as a patch.
#include <fmt/format.h>

#include <memory>

#include "emit/diff.h"
#include "measure/bundle.h"
#include "measure/merge.h"
#include "measure/points.h"
#include "notes.h"
#include "output.h"
#include "progress.h"
#include "report/html/page.h"
#include "report/measurement_report.h"
#include "report/style.h"
#include "support/file.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kMergeExamples = R"text(
Examples:
  heddle merge bundle
  heddle merge bundle --patch faster.patch --json
  heddle merge bundle --import 0=before.csv --import 1=after.csv
  heddle merge bundle --points measured.csv && heddle validate measured.csv
  heddle merge sweep --points sweep.csv
Exit codes: 0 measured, whether anything is faster or not; 4 nothing was measured, or the agent is not
done; 5 the original failed.)text";

struct MergeArguments {
  std::vector<std::string> folders;
  measure::MergeRequest request;
  OutputArguments output;
  std::string patch;
  std::string points;
};

void write_patch(const MergeArguments& arguments, const MeasurementReport& report) {
  if (arguments.patch.empty()) return;
  if (!report.winner) {
    print_message(
        fmt::format("heddle: no patch was written: {}\n", report::measured_answer(report)));
    return;
  }
  const measure::BundleRecord record = measure::read_record(arguments.request.folder);
  const std::string& after = record.candidates[static_cast<std::size_t>(*report.winner)].text;
  write_text(arguments.patch, emit::unified_diff(record.candidates[0].text, after,
                                                 emit::name_in_diff(record.kernel_path)));
}

std::string points_of(const std::string& folder, const MeasurementReport& report,
                      const std::string& table) {
  return measure::points_rows(measure::read_record(folder), report, table);
}

/// "001-gemm: 9 of 10 candidates, fastest 1.27x: group(8)".
std::string line_of(const MeasurementReport& report) {
  int passed = 0;
  const MeasuredCandidate* best = nullptr;
  for (const MeasuredCandidate& one : report.candidates) {
    if (one.number == 0 || one.rejected || !one.cold) continue;
    ++passed;
    if (best == nullptr || one.cold->ratio > best->cold->ratio) best = &one;
  }
  std::string text =
      fmt::format("{}: {} of {}", report.folder, passed,
                  count_of(static_cast<std::int64_t>(report.candidates.size()) - 1, "candidate"));
  if (best != nullptr) text += fmt::format(", fastest {:.3f}x: {}", best->cold->ratio, best->title);
  return report::wrapped(text, 0, 2) + "\n";
}

/// One table and a line for each; a bundle without results is named, and the rest goes on.
ExitCode merge_several(const MergeArguments& arguments, const std::vector<std::string>& folders) {
  if (!arguments.patch.empty() || !arguments.request.imports.empty() ||
      arguments.output.wants_json() || arguments.output.wants_page())
    throw Error("--patch, --import, --json and pages work on one bundle only",
                "name that bundle alone");
  std::string points = measure::points_header(), text;
  std::optional<Error> first;
  bool is_any = false;
  for (const std::string& folder : folders) {
    try {
      const MeasurementReport report = measure::merge_bundle({folder, {}});
      points += points_of(folder, report, arguments.points);
      text += line_of(report);
      is_any = true;
    } catch (const Error& error) {
      note("{} is left out: {}", folder, error.message());
      if (!first) first = error;
    }
  }
  if (!is_any) throw *first;
  if (!arguments.points.empty()) write_text(arguments.points, points);
  arguments.output.print(text);
  return ExitCode::good;
}

ExitCode run_merge(MergeArguments& arguments) {
  const std::vector<std::string> folders = measure::find_bundles(arguments.folders);
  if (folders.size() > 1) return merge_several(arguments, folders);
  arguments.request.folder = folders.front();
  const MeasurementReport report =
      with_progress("reading", [&] { return measure::merge_bundle(arguments.request); });
  write_patch(arguments, report);
  if (!arguments.points.empty())
    write_text(arguments.points, measure::points_header() +
                                     points_of(arguments.request.folder, report, arguments.points));
  arguments.output.print(
      arguments.output.wants_page()   ? report::html_page(report::measurement_view(report))
      : arguments.output.wants_json() ? json_text(report::measurement_json(report))
                                      : report::measurement_text(report, arguments.output.style()));
  return ExitCode::good;
}

}  // namespace

void add_merge(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("merge", "read the measurements of a bundle and report them");
  const auto arguments = std::make_shared<MergeArguments>();
  verb.add_option("DIR", arguments->folders,
                  "a bundle after heddle-agent ran; with --points several, or a folder of them")
      .required();
  verb.add_option(
          "--import", arguments->request.imports,
          "counters of a candidate, recorded elsewhere: ncu --csv, rocprofv3's CSV, a folder "
          "of rocprofiler-compute")
      .type_name("NUMBER=PATH")
      .allow_extra_args(false);
  verb.add_option("--patch", arguments->patch, "write the winner as a patch").type_name("FILE");
  verb.add_option("--points", arguments->points,
                  "write measurements as a table that heddle validate reads")
      .type_name("FILE");
  arguments->output.add(verb, true);
  verb.footer(kMergeExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_merge(*arguments); });
}

}  // namespace heddle::tool
