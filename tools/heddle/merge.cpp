// heddle merge: what an agent measured, as a report, and the winner as a patch.
#include <fmt/format.h>

#include <memory>

#include "emit/diff.h"
#include "measure/bundle.h"
#include "measure/merge.h"
#include "measure/points.h"
#include "output.h"
#include "report/measurement_report.h"
#include "support/file.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kMergeExamples = R"text(
Examples:
  heddle merge bundle
  heddle merge bundle --patch faster.patch --json
  heddle merge bundle --import 0=before.csv --import 1=after.csv
  heddle merge bundle --points measured.csv && heddle validate measured.csv
Exit codes: 0 measured, also where nothing is faster; 4 nothing was measured, or the agent has not
ended; 5 the original failed.)text";

struct MergeArguments {
  measure::MergeRequest request;
  OutputArguments output;
  std::string patch;
  std::string points;
};

void write_patch(const MergeArguments& arguments, const MeasurementReport& report) {
  if (arguments.patch.empty()) return;
  if (!report.winner) {
    fmt::print(stderr, "heddle: no patch was written: {}\n", report::measured_answer(report));
    return;
  }
  const measure::BundleRecord record = measure::read_record(arguments.request.folder);
  const std::string& after = record.candidates[static_cast<std::size_t>(*report.winner)].text;
  write_text(arguments.patch, emit::unified_diff(record.candidates[0].text, after,
                                                 emit::name_in_diff(record.kernel_path)));
}

ExitCode run_merge(const MergeArguments& arguments) {
  const MeasurementReport report = measure::merge_bundle(arguments.request);
  write_patch(arguments, report);
  if (!arguments.points.empty())
    write_text(arguments.points, measure::points_csv(measure::read_record(arguments.request.folder),
                                                     report, arguments.points));
  arguments.output.print(arguments.output.wants_json()
                             ? json_text(report::measurement_json(report))
                             : report::measurement_text(report, arguments.output.style()));
  return ExitCode::good;
}

}  // namespace

void add_merge(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("merge", "read what an agent measured");
  const auto arguments = std::make_shared<MergeArguments>();
  verb.add_option("DIR", arguments->request.folder, "a bundle that an agent has run").required();
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
  arguments->output.add(verb);
  verb.footer(kMergeExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_merge(*arguments); });
}

}  // namespace heddle::tool
