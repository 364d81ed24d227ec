// heddle check: is this order, or the order of a kernel, a permutation?
#include <fmt/format.h>

#include <memory>

#include "check_kernel.h"
#include "notes.h"
#include "order/evaluate.h"
#include "order/read.h"
#include "order_arguments.h"
#include "output.h"
#include "progress.h"
#include "proof/all_sizes.h"
#include "proof/check.h"
#include "report/check_report.h"
#include "report/html/page.h"
#include "report/map_report.h"
#include "report/tile_figures.h"
#include "support/file.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kCheckExamples = R"text(
Examples:
  heddle check "xcd(8)" --grids 1..4096
  heddle check "xcd_chunk(8, 64) | group(8)" --all-sizes
  heddle check remap.py --grid 256x256 --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32
  heddle check remap.cu --grid 1728 --tiles 48x36 --result row,col
  heddle check "(p0 % 8) * (g0 // 8) + p0 // 8" --grids 1..100
  heddle check --order-table tiles.npy --grid 4096 --same-as "xcd(8)"
  heddle check "p0 // 8" --grid 64x64 -o check.html
  heddle check kernel.py                  a kernel's own index lines, for all sizes
  heddle check job.toml                   a kernel as it is launched, and with other sizes
  heddle check job.toml --patch new.diff  the same after a change
Verdicts: PROVED (exit 0), REFUTED with a counterexample (1), UNKNOWN with the reason (3).)text";

constexpr std::int64_t kMostDrawn = 4096;                     ///< tiles, with --show
constexpr std::int64_t kMostWritten = std::int64_t{1} << 26;  ///< blocks, with --write-table

struct CheckArguments {
  OrderArguments order;
  CheckedKernel kernel;
  SizeArguments size;
  OutputArguments output;
  std::string same_as;
  int dies = 8;
  bool show = false;
  std::string table;
};

std::string slot_text(std::int64_t tile) {
  if (tile == order::kIdle) return "nothing";
  if (tile == order::kOutside) return "an index outside";
  if (tile == order::kFailed) return "failing arithmetic";
  return fmt::format("tile {}", tile);
}

/// Compares with the order of --same-as on every grid of the range.
void compare(const CheckArguments& arguments, const order::Order& order,
             const order::SpaceRange& range, report::CheckContext& context) {
  const order::Order other = order::read_order(arguments.same_as, arguments.order.read_options());
  const order::Bindings bindings = arguments.order.bindings();
  context.compared_with = other.title();
  range.for_each([&](const order::Space& space) {
    const auto difference = proof::compare(order, other, space, bindings);
    if (!difference) return true;
    const std::string where =
        fmt::format("{} {}", space.launch.extents() == range.label(space) ? "grid" : "tiles",
                    fmt::join(range.label(space), "x"));
    context.difference =
        fmt::format("on {} launch id {} computes {}, there {}", where, difference->launch.value,
                    slot_text(difference->first), slot_text(difference->second));
    return false;
  });
}

/// The grid that a page draws: the one that was asked about, or the one that fails.
const GridReport* failing_grid(const GridReport& report) {
  return &report;
}
const GridReport* failing_grid(const RangeReport& report) {
  return report.smallest_failure ? &*report.smallest_failure : nullptr;
}
const GridReport* failing_grid(const AllSizesReport& report) {
  return report.failure ? &*report.failure : nullptr;
}

void add_map(const CheckArguments& arguments, const SizedOrder& sized, const GridReport* grid,
             report::Document& page) {
  if (grid == nullptr || grid->grid.empty() || !sized.open.empty()) return;
  if (!grid->counted || grid->verdict == Verdict::unknown) return;
  order::Space space{Grid(grid->grid), std::nullopt};
  const bool is_by_rows = !arguments.order.tiles.empty() || grid->tile_space != grid->grid;
  if (is_by_rows) space.tiles = Grid(grid->tile_space);
  if (space.block_count() > kMostRecordedTurns || space.tile_count() > kMostRecordedTurns) return;
  TileRun run;
  run.axes = is_by_rows ? row_axes(grid->tile_space) : launch_axes(grid->grid);
  run.tiles = order::materialize(sized.order, space, arguments.order.bindings());
  run.dies = arguments.dies;
  page.heading(report::ours("Which die computes each tile"));
  report::add_checked_map(
      fmt::format("{} on grid {}", sized.order.title(), fmt::join(grid->grid, "x")), std::move(run),
      grid->counterexample, page);
}

template <class Report>
ExitCode finish(const CheckArguments& arguments, const SizedOrder& sized, const Report& report,
                const report::CheckContext& context, const std::string& more = {}) {
  sized.refuse_doubtful(report.verdict);
  if (arguments.output.wants_page()) {
    report::Document page = report::check_view(report, context);
    add_map(arguments, sized, failing_grid(report), page);
    arguments.output.print(report::html_page(page));
  } else if (arguments.output.wants_json()) {
    arguments.output.print(json_text(report::check_json(report, context)));
  } else {
    arguments.output.print(report::check_text(report, context, arguments.output.style()) + more);
  }
  return exit_code(report.verdict);
}

ExitCode check_all_sizes(const CheckArguments& arguments, const SizedOrder& sized,
                         const proof::CheckOptions& options, const report::CheckContext& context) {
  if (sized.order.origin() == order::Order::Origin::table)
    throw Error("a table speaks of one grid only", "drop --all-sizes and give --grid");
  if (sized.range) {
    note("--all-sizes takes only the number of axes from the sizes given");
  }
  if (!sized.open.empty()) {
    AllSizesReport report;
    report.reason = sized.open;
    return finish(arguments, sized, report, context);
  }
  const AllSizesReport report = with_progress("proving", [&] {
    return proof::check_all_sizes(sized.order, *sized.all_sizes, arguments.order.bindings(),
                                  options);
  });
  return finish(arguments, sized, report, context);
}

ExitCode check_range(const CheckArguments& arguments, const SizedOrder& sized,
                     const proof::CheckOptions& options, const report::CheckContext& context) {
  if (!sized.open.empty()) {
    RangeReport report;
    report.range = sized.range->text();
    report.reason = sized.open;
    return finish(arguments, sized, report, context);
  }
  const RangeReport report = with_progress("proving", [&] {
    return proof::check_range(sized.order, *sized.range, arguments.order.bindings(), options);
  });
  return finish(arguments, sized, report, context);
}

ExitCode check_grid(const CheckArguments& arguments, const SizedOrder& sized,
                    const proof::CheckOptions& options, const report::CheckContext& context) {
  const order::Order& order = sized.order;
  const order::Bindings bindings = arguments.order.bindings();
  const order::Space space = sized.range->first();
  if (!arguments.table.empty() && space.block_count() > kMostWritten) {
    throw Error(fmt::format("--write-table takes at most {} blocks", with_separators(kMostWritten)),
                "use a smaller grid");
  }
  const GridReport report =
      with_progress("checking", [&] { return proof::check_grid(order, space, bindings, options); });
  std::string picture;
  if (arguments.show && space.tile_count() > kMostDrawn) {
    picture = fmt::format("\n  (more than {} tiles are not drawn)\n", kMostDrawn);
  } else if (arguments.show) {
    picture = "\n" + report::map_text(order::materialize(order, space, bindings), report.tile_space,
                                      space.tiles.has_value());
  }
  if (!arguments.table.empty() && report.verdict == Verdict::proved) {
    const order::Map map = order::materialize(order, space, bindings);
    write_text(arguments.table, fmt::format("# {} on grid {}\n{}\n", order.title(),
                                            space.launch.text(), fmt::join(map, "\n")));
  }
  return finish(arguments, sized, report, context, picture);
}

ExitCode run_check(CheckArguments& arguments) {
  OrderArguments& text = arguments.order;
  if (text.table.empty() && is_kernel_check(text.order, arguments.kernel)) {
    if (text.order.empty())
      throw Error("no job, kernel or diff is given",
                  "heddle check JOB.toml, or heddle check KERNEL");
    const bool has_sizes = arguments.size.is_given() || !text.tiles.empty();
    if (!has_sizes) return run_kernel_check(text, arguments.kernel, arguments.output);
    text.text = index_text(text.order, arguments.kernel);
  }
  const SizedOrder sized = arguments.size.read(arguments.order);
  const proof::CheckOptions options{arguments.dies,
                                    std::chrono::seconds(arguments.size.time_limit_s)};
  const bool all_sizes = arguments.size.all_sizes;
  report::CheckContext context;
  context.order = sized.order.title();
  if ((arguments.show || !arguments.table.empty()) && (all_sizes || !sized.range->is_single())) {
    throw Error(fmt::format("{} needs one grid", arguments.show ? "--show" : "--write-table"),
                "use --grid");
  }
  if (!arguments.same_as.empty()) {
    if (!sized.range) throw Error("--same-as needs a grid", "add --grid or --grids");
    if (sized.open.empty()) compare(arguments, sized.order, *sized.range, context);
  }
  if (all_sizes) return check_all_sizes(arguments, sized, options, context);
  if (!sized.range->is_single()) return check_range(arguments, sized, options, context);
  return check_grid(arguments, sized, options, context);
}

}  // namespace

void add_check(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb(
      "check",
      "prove or refute that an order, or the order in a kernel, is a permutation of its tiles");
  const auto arguments = std::make_shared<CheckArguments>();
  arguments->order.add_order(verb);
  arguments->size.add(verb);
  arguments->kernel.add(verb);
  verb.add_option("--dies", arguments->dies, "number of dies that take blocks in turn")
      .range(1, 4096)
      .capture_default_str();
  verb.add_option("--same-as", arguments->same_as,
                  "also say whether the order is the same map as this one")
      .type_name("ORDER");
  verb.add_flag("--show", arguments->show, "draw which launch id computes each tile (small grids)");
  verb.add_option("--write-table", arguments->table,
                  "write the tiles of a proved order, one per launch id, for --order-table")
      .type_name("FILE");
  arguments->output.add(verb, true);
  verb.footer(kCheckExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_check(*arguments); });
}

}  // namespace heddle::tool
