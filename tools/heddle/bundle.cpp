// heddle bundle: the best orders of a search, or given ones, as a folder that an agent measures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "calibrate/points.h"
#include "calibrate/workload.h"
#include "config/other_sizes.h"
#include "interrupt.h"
#include "kernel/source.h"
#include "measure/bundle.h"
#include "notes.h"
#include "optimize_progress.h"
#include "output.h"
#include "search_arguments.h"
#include "support/file.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBundleExamples = R"text(
Examples:
  heddle bundle examples/gemm_wide.toml --gpu h200 -o bundle
  heddle bundle examples/gemm_wide.toml --gpu h200 -o bundle --order "group(8)" --order columns
  heddle bundle examples/stencil_2d.toml --gpu h200 -o bundle --candidate faster.py --order columns
  heddle bundle --table points.csv --gpu h200 --lean -o sweep
  scp -r bundle gpu-machine: && ssh gpu-machine sh bundle/run.sh && scp -r gpu-machine:bundle . &&
    heddle merge bundle
Exit codes: 0 written, 1 an order is REFUTED, 3 an order or the independence of tiles is not PROVED.)text";

constexpr const char* kGiven = "--order";

constexpr std::size_t kLargestOrder = std::size_t{16} << 20;
constexpr int kLeanRounds = 15, kLeanBudget_s = 10;

struct BundleArguments : SearchArguments {
  std::vector<std::string> orders;
  std::string folder;
  std::string table;
  bool lean = false;
  bool json = false;
};

std::string candidate_line(std::size_t number, const measure::BundleCandidate& one) {
  std::string text = fmt::format("  {}  {}", number, one.title);
  if (number == 0) return text + ": the original\n";
  text += one.proof.empty() ? ": not proved" : fmt::format(": PROVED, {}", one.proof);
  if (one.predicted)
    text += fmt::format("; predicted {:.3f} times as fast", one.predicted->speedup);
  return text + "\n";
}

std::string bundle_page(const WrittenBundle& bundle, const std::string& folder) {
  std::string text =
      fmt::format("wrote {}: {} for {}\n", folder,
                  count_of(static_cast<std::int64_t>(bundle.candidates.size()) - 1, "candidate"),
                  bundle.kernel);
  for (std::size_t i = 0; i < bundle.candidates.size(); ++i)
    text += candidate_line(i, bundle.candidates[i]);
  for (const auto& [name, grid] : bundle.launches)
    text += fmt::format("  outputs are compared on launch {}, grid {}\n", name, grid.text());
  return text + fmt::format("  next: sh {} where there is a GPU, then heddle merge {}\n",
                            shell_quoted(folder + "/run.sh"), shell_quoted(folder));
}

nlohmann::json bundle_json(const WrittenBundle& bundle, const std::string& folder) {
  nlohmann::json candidates = nlohmann::json::array();
  for (const measure::BundleCandidate& one : bundle.candidates)
    candidates.push_back({{"title", one.title}, {"order", one.formula}, {"proof", one.proof}});
  nlohmann::json launches = nlohmann::json::array();
  for (const auto& [name, grid] : bundle.launches)
    launches.push_back({{"name", name}, {"grid", grid.text()}});
  return {{"folder", folder},
          {"kernel", bundle.kernel},
          {"candidates", candidates},
          {"launches", launches}};
}

void print_bundles(const std::string& folder, const nlohmann::json& bundles) {
  constexpr int kBundleVersion = 1;
  OutputArguments().print(
      json_text({{"version", kBundleVersion}, {"folder", folder}, {"bundles", bundles}}));
}

/// What became of given orders that are not in the bundle; the worst of them decides. `place` comes
/// before each.
ExitCode say_left_out(const OptimizationReport& report, const OptimizeRequest& request,
                      const std::string& place = "") {
  ExitCode code = ExitCode::good;
  for (const OrderAttempt& attempt : report.attempts) {
    if (!request.given_only || attempt.origin != Origin::given) continue;
    if (request.measuring.lean && attempt.same_as == 1) continue;  // it is candidate 0
    const bool is_wide = attempt.sizes == ProvedSizes::all || request.fixed_grid;
    if (attempt.verdict == Verdict::proved && !attempt.same_as && is_wide) continue;
    std::string why = attempt.reason;
    if (attempt.counterexample) why = attempt.counterexample->message;
    if (attempt.same_as)
      why =
          fmt::format("the same map as {}", *attempt.same_as == 1 ? "the launch order" : "another");
    else if (attempt.verdict == Verdict::proved)
      why = "proved for this grid only; --fixed-grid takes it";
    note("{}{} is left out: {}: {}", place, attempt.title, verdict_text(attempt.verdict), why);
    if (attempt.verdict == Verdict::refuted) code = ExitCode::refuted;
    if (attempt.verdict == Verdict::unknown && code == ExitCode::good)
      code = ExitCode::inconclusive;
  }
  return code;
}

std::int64_t bundled(const WrittenBundle& bundle) {
  return std::ranges::count_if(
      bundle.candidates, [](const measure::BundleCandidate& one) { return !one.proof.empty(); });
}

/// Given orders that belong in the bundle.
std::int64_t proved_of_given(const OptimizationReport& report, const OptimizeRequest& request) {
  return std::ranges::count_if(report.attempts, [&](const OrderAttempt& one) {
    return one.origin == Origin::given && one.verdict == Verdict::proved && !one.same_as &&
           (one.sizes == ProvedSizes::all || request.fixed_grid);
  });
}

/// A file of the other language would only fail where it is measured.
void check_language(const std::string& file, const std::string& kernel) {
  if (&kernel::language_of(file) != &kernel::language_of(kernel))
    throw Error(fmt::format("--candidate '{}' is not in the language of '{}'", file, kernel),
                "name a file that can stand in its place");
}

/// What lean means, where the command says nothing else.
void make_lean(BundleArguments& arguments) {
  MeasureOptions& measuring = arguments.request.measuring;
  measuring.lean = true;
  if (arguments.measuring.is_given()) return;
  measuring.seeds = {1};
  measuring.rounds = kLeanRounds;
  measuring.budget_s = kLeanBudget_s;
}

/// An order as a file, on standard input or as it stands; it is named by that.
search::GivenText given_order(const std::string& order, std::size_t number) {
  std::error_code problem;
  if (order == "-" || fs::is_regular_file(order, problem))
    return {display_name(order), read_text(order, kLargestOrder), true};
  return {fmt::format("{} {}", kGiven, number), order, true};
}

void fill_request(BundleArguments& arguments) {
  arguments.fill_request();
  if (arguments.lean) make_lean(arguments);
  OptimizeRequest& request = arguments.request;
  for (std::size_t i = 0; i < arguments.orders.size(); ++i)
    request.given.push_back(given_order(arguments.orders[i], i + 1));
  request.given_only = !arguments.orders.empty();
  search::MeasureLimits& limits = request.measuring.limits;
  limits.first = limits.most;
  limits.most = std::max(limits.most, static_cast<int>(arguments.orders.size()));
}

/// Why there is no bundle.
std::string reason_of(const OptimizationReport& report, bool given_only) {
  if (!report.reason.empty()) return report.reason;
  if (report.answer == Answer::not_independent) return "tiles are not independent";
  return given_only ? "none of the given orders can be measured"
                    : "there is no order but the launch order";
}

void check_arguments(const BundleArguments& arguments) {
  const bool has_job = !arguments.request.job_path.empty();
  if (has_job == !arguments.table.empty())
    throw Error(has_job ? "a job and --table" : "neither a job nor --table",
                "name one of them: heddle bundle JOB ..., or heddle bundle --table TABLE ...");
  if (!arguments.table.empty() && !arguments.lean)
    throw Error("--table needs --lean", "add --lean");
  if (arguments.lean && has_job && arguments.orders.empty() &&
      arguments.measuring.candidates.empty())
    throw Error("--lean does not search", "name orders with --order, or a table with --table");
}

/// What a group of a table is called: "M=4096 of gemm.toml".
std::string name_of(const calibrate::PointGroup& group) {
  return group.overrides.empty()
             ? group.job
             : fmt::format("{} with {}", group.job, fmt::join(group.overrides, " "));
}

OptimizeRequest request_of(const BundleArguments& arguments, const calibrate::PointGroup& group) {
  OptimizeRequest request = arguments.request;
  request.job_path = group.job;
  request.overrides = config::with_overrides(group.overrides, arguments.request.overrides);
  request.measuring.with_agent = false;
  request.given_only = true;
  for (const MeasuredPoint& point : group.points) {
    if (!point.tiles.empty())
      throw Error(fmt::format("{} has a space of its own ({})", point.order, point.tiles),
                  "leave the column tiles empty");
    request.given.push_back({kGiven, point.order, true});
    if (!point.family.empty()) request.measuring.families[point.order] = point.family;
  }
  // The original may not be among them, and is of the same family.
  request.measuring.families.try_emplace("", group.points.front().family);
  return request;
}

/// A bundle for each group. What cannot be bundled is named, and the rest goes on.
ExitCode run_table(BundleArguments& arguments) {
  std::error_code problem;
  if (fs::exists(arguments.folder, problem) && !fs::is_empty(arguments.folder, problem))
    throw Error(fmt::format("'{}' exists and is not empty", arguments.folder),
                "name a new folder with -o DIR");
  std::vector<MeasuredPoint> points = calibrate::read_points(arguments.table, calibrate::Rows::any);
  for (MeasuredPoint& point : points) point.gpu = arguments.request.gpu;
  const InterruptWatch watch;
  arguments.request.stop = [&] { return watch.asked(); };
  int number = 0, written = 0, candidates = 0;
  nlohmann::json bundles = nlohmann::json::array();
  std::optional<ExitCode> failed;  // of the first group that could not be read
  for (const calibrate::PointGroup& group : calibrate::group_points(points)) {
    const std::string name = fmt::format("{:03}-{}", ++number, fs::path(group.job).stem().string());
    const std::string folder = (fs::path(arguments.folder) / name).string();
    std::string reason;
    try {
      const OptimizeRequest request = request_of(arguments, group);
      const search::Subject subject = read_subject(request);
      const BundleReport report = bundle_job(request, subject, {}, folder);
      say_left_out(report.search, request, name + ": ");
      for (const std::string& line : report.search.notes) note("{}: {}", name, line);
      if (report.written) {
        const int count = static_cast<int>(report.written->candidates.size()) - 1;
        bundles.push_back(bundle_json(*report.written, folder));
        if (!arguments.json)
          fmt::print("{}: {} of {}\n", name, count_of(count, "candidate"), name_of(group));
        std::fflush(stdout);
        ++written;
        candidates += count;
        continue;
      }
      reason = reason_of(report.search, true);
    } catch (const Error& error) {
      reason = error.full_text();
      if (!failed) failed = error.code();
    }
    if (watch.asked()) return ExitCode::interrupted;
    note("{} ({}) is left out: {}", name, name_of(group), reason);
  }
  if (written == 0) {
    if (arguments.json) print_bundles(arguments.folder, bundles);
    return failed.value_or(ExitCode::inconclusive);
  }
  measure::write_agent(arguments.folder);
  if (arguments.json) {
    print_bundles(arguments.folder, bundles);
    return ExitCode::good;
  }
  fmt::print(
      "wrote {}: {} with {}\n  next: sh {} where there is a GPU, then heddle merge {} --points "
      "FILE\n",
      arguments.folder, count_of(written, "bundle"), count_of(candidates, "candidate"),
      shell_quoted(arguments.folder + "/run.sh"), shell_quoted(arguments.folder));
  return ExitCode::good;
}

ExitCode run_bundle(BundleArguments& arguments) {
  check_arguments(arguments);
  fill_request(arguments);
  if (!arguments.table.empty()) return run_table(arguments);
  OptimizeRequest& request = arguments.request;
  const auto files = arguments.measuring.read_candidates();
  const InterruptWatch watch;
  OptimizeDisplay display;
  request.to_measure = true;
  request.stop = [&] { return watch.asked(); };
  request.progress = [&](const search::OptimizeProgress& progress) { display.show(progress); };
  arguments.kernel.infer(request.job_path, request.overrides, request.gpu);
  const search::Subject subject = read_subject(request);
  for (const std::string& file : arguments.measuring.candidates)
    check_language(file, subject.kernel().launch.kernel_path);
  const BundleReport report = bundle_job(request, subject, files, arguments.folder);
  display.clear();
  const ExitCode left_out = say_left_out(report.search, request);
  for (const std::string& line : report.search.notes) note("{}", line);
  const bool was_stopped = !report.written && watch.asked();
  if (was_stopped || report.search.search.end == SearchEnd::interrupted)
    return ExitCode::interrupted;
  if (!report.written) {
    print_message(fmt::format("heddle: no bundle was written: {}\n",
                              reason_of(report.search, request.given_only)));
    if (arguments.json) print_bundles(arguments.folder, nlohmann::json::array());
    return left_out == ExitCode::good ? ExitCode::inconclusive : left_out;
  }
  arguments.kernel.keep(arguments.folder);
  if (arguments.json)
    print_bundles(arguments.folder,
                  nlohmann::json::array({bundle_json(*report.written, arguments.folder)}));
  else
    fmt::print("{}", bundle_page(*report.written, arguments.folder));
  const bool lacks_some = request.given_only && left_out == ExitCode::good &&
                          bundled(*report.written) < proved_of_given(report.search, request);
  return lacks_some ? ExitCode::inconclusive : left_out;
}

}  // namespace

void add_bundle(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("bundle", "write a folder that measures orders on another machine");
  const auto arguments = std::make_shared<BundleArguments>();
  arguments->add_job(verb, "the GPU of the predictions: a known GPU or a .toml file", false);
  verb.add_option("--table", arguments->table,
                  "instead of JOB: write a bundle for each job and set of this table of points")
      .type_name("TABLE");
  verb.add_flag(
      "--lean", arguments->lean,
      "measure many points quickly: no predictions, outputs compared once, few timed runs");
  verb.add_option("-o,--output", arguments->folder, "folder for the bundle")
      .type_name("DIR")
      .required();
  verb.add_option("--order", arguments->orders,
                  "measure this order; without --order, search for orders")
      .type_name("ORDER")
      .allow_extra_args(false);
  arguments->add_limits(verb, "time limit of the search: 30s, 2m, 500ms");
  arguments->add_fixed_grid(verb);
  arguments->measuring.add(verb);
  arguments->measuring.add_candidates(verb);
  arguments->add_threads(verb);
  verb.add_flag("--json", arguments->json, "print a list of the written files as JSON");
  verb.footer(kBundleExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_bundle(*arguments); });
}

}  // namespace heddle::tool
