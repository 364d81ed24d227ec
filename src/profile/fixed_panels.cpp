#include "profile/fixed_panels.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"

namespace heddle::profile {
namespace {

double nanoseconds(const std::string& unit) {
  if (unit == "s") return 1e9;
  if (unit == "ms") return 1e6;
  return unit == "us" ? 1e3 : 1;
}

PanelCell count_cell(double count, bool compat) {
  return compat ? PanelCell::of_number(count) : PanelCell::of_whole(count);
}

std::string cut_note(std::size_t shown, std::size_t all) {
  return fmt::format("{} of {} rows; --max-stat-num 0 shows all", shown, all);
}

/// A number where the text is one.
PanelCell id_cell(const std::string& text) {
  if (const auto number = parse_integer(text))
    return PanelCell::of_whole(static_cast<double>(*number));
  return text.empty() ? PanelCell::blank("it was not recorded") : PanelCell::of_text(text);
}

PanelTable top_kernels(const Selection& selection, const TopOptions& options) {
  PanelTable table;
  table.id = "0.1";
  table.title = "Top Kernels";
  table.is_list = true;
  const std::string& unit = options.time_unit;
  table.columns = {{"", false},
                   {"Kernel_Name", false},
                   {"Count", true},
                   {fmt::format("Sum({})", unit), true},
                   {fmt::format("Mean({})", unit), true},
                   {fmt::format("Median({})", unit), true},
                   {"Pct", true}};
  const bool marked = std::ranges::any_of(selection.kernels,
                                          [](const KernelTime& kernel) { return kernel.chosen; });
  if (marked) table.columns.push_back({"S", false});
  const double scale = nanoseconds(unit);
  for (std::size_t i = 0; i < selection.kernels.size(); ++i) {
    const KernelTime& kernel = selection.kernels[i];
    std::vector<PanelCell> row = {PanelCell::of_whole(static_cast<double>(i)),
                                  PanelCell::of_text(kernel.name),
                                  count_cell(static_cast<double>(kernel.count), options.compat)};
    for (const double time : {kernel.sum_ns, kernel.mean_ns, kernel.median_ns})
      row.push_back(PanelCell::of_number(time / scale));
    row.push_back(PanelCell::of_number(kernel.share * 100));
    if (marked) row.push_back(PanelCell::of_text(kernel.chosen ? "*" : ""));
    table.rows.push_back(std::move(row));
  }
  cut_rows(table, options.most_rows);
  return table;
}

PanelTable dispatch_list(const Workload& workload, const Selection& selection,
                         const TopOptions& options) {
  PanelTable table;
  table.id = "0.2";
  table.title = "Dispatch List";
  table.is_list = true;
  table.columns = {{"", false}, {"Dispatch_ID", false}, {"Kernel_Name", false}, {"GPU_ID", false}};
  const bool several_nodes = std::ranges::any_of(
      workload.dispatches, [](const Dispatch& dispatch) { return !dispatch.node.empty(); });
  if (several_nodes) table.columns.insert(table.columns.begin() + 1, {"Node", false});
  // There may be millions, and few are shown.
  const std::size_t all = selection.listed.size();
  const std::size_t shown = options.most_rows == 0 ? all : std::min(all, options.most_rows);
  if (shown < all) table.footnote = cut_note(shown, all);
  for (std::size_t i = 0; i < shown; ++i) {
    const Dispatch& dispatch = workload.dispatches[selection.listed[i]];
    table.rows.push_back({PanelCell::of_whole(static_cast<double>(i)),
                          PanelCell::of_whole(static_cast<double>(dispatch.id)),
                          PanelCell::of_text(dispatch.kernel.text()), id_cell(dispatch.gpu)});
    if (several_nodes)
      table.rows.back().insert(table.rows.back().begin() + 1, PanelCell::of_text(dispatch.node));
  }
  return table;
}

PanelTable raw_ceilings(const CounterTable& roofline) {
  PanelTable table;
  table.columns.push_back({"", false});
  for (const std::string& name : roofline.columns()) table.columns.push_back({name, true});
  for (std::size_t row = 0; row < roofline.rows(); ++row) {
    if (roofline.damaged(row)) continue;
    std::vector<PanelCell> cells = {PanelCell::of_whole(static_cast<double>(row))};
    for (std::size_t column = 0; column < roofline.columns().size(); ++column) {
      const auto number = roofline.number(column, row);
      cells.push_back(number ? PanelCell::of_number(*number)
                             : PanelCell::blank("it was not recorded"));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// Ceilings down, devices across; only means, without the lowest and the highest.
PanelTable turned_ceilings(const CounterTable& roofline) {
  PanelTable table;
  table.columns = {{"Ceiling", false}};
  const auto device = roofline.find("device");
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < roofline.rows(); ++row) {
    if (roofline.damaged(row)) continue;
    rows.push_back(row);
    table.columns.push_back(
        {fmt::format("Device {}", device ? roofline.text(*device, row) : std::to_string(row)),
         true});
  }
  table.columns.push_back({"Unit", false});
  for (std::size_t column = 0; column < roofline.columns().size(); ++column) {
    const std::string& name = roofline.columns()[column];
    if (name == "device" || name.ends_with("Low") || name.ends_with("High")) continue;
    std::vector<PanelCell> cells = {PanelCell::of_text(name)};
    for (const std::size_t row : rows) {
      const auto number = roofline.number(column, row);
      cells.push_back(number ? PanelCell::of_number(*number)
                             : PanelCell::blank("it was not recorded"));
    }
    const char* unit = name.ends_with("Bw") ? "GB/s" : name.ends_with("Ops") ? "GOP/s" : "GFLOP/s";
    cells.push_back(PanelCell::of_text(unit));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

void cut_rows(PanelTable& table, std::size_t most_rows) {
  if (most_rows == 0 || table.rows.size() <= most_rows) return;
  table.footnote = cut_note(most_rows, table.rows.size());
  table.rows.resize(most_rows);
}

Panel top_statistics(const Workload& workload, const Selection& selection,
                     const TopOptions& options) {
  return {0,
          "Top Stats",
          {top_kernels(selection, options), dispatch_list(workload, selection, options)}};
}

Panel system_info(const Workload& workload) {
  PanelTable table;
  table.id = "1.1";
  table.is_list = true;
  table.columns = {{"", false}, {"Info", false}};
  for (const auto& [name, value] : workload.system)
    table.rows.push_back({PanelCell::of_text(name), PanelCell::of_text(value)});
  Panel panel{1, "System Info", {}};
  if (!table.rows.empty()) panel.tables.push_back(std::move(table));
  return panel;
}

Panel ceilings(const Workload& workload, bool compat) {
  Panel panel{4, "Roofline", {}};
  if (workload.roofline.rows() == 0) return panel;
  PanelTable table = compat ? raw_ceilings(workload.roofline) : turned_ceilings(workload.roofline);
  table.id = "4.1";
  table.is_list = true;
  if (!table.rows.empty()) panel.tables.push_back(std::move(table));
  return panel;
}

}  // namespace heddle::profile
