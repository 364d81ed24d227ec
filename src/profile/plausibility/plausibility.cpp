#include "profile/plausibility/plausibility.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "profile/plausibility/checks.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostNameBytes = 60;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void Group::add(double badness, std::string where, std::string what) {
  if (count_++ > 0 && !(badness > badness_)) return;
  badness_ = badness;
  where_ = std::move(where);
  what_ = std::move(what);
}

Finding Group::finding() const {
  const std::size_t others = count_ - 1;
  std::string what = what_;
  if (others > 0)
    what += fmt::format("; {} more {}{}", others, noun_,
                        others == 1            ? ""
                        : noun_.ends_with("h") ? "es"
                                               : "s");
  return {std::string(id_), where_, std::move(what), {}};
}

const std::vector<double> Recording::kNone;

Recording::Recording(const Workload& workload, const Selection& selection) : workload_(workload) {
  dispatches_.reserve(selection.measured.size());
  for (const std::size_t place : selection.measured)
    dispatches_.push_back(&workload_.dispatches[place]);
  fabric_names_ = {fabric("RDREQ_sum"), fabric("RDREQ_32B_sum"), fabric("WRREQ_sum"),
                   fabric("WRREQ_64B_sum")};
}

const Recording::Column& Recording::column(std::string_view name) const {
  // Names of counters differ in their last letters and in their lengths.
  const std::size_t letters = name.size() < 8
                                  ? 0
                                  : static_cast<unsigned char>(name[name.size() - 5]) +
                                        static_cast<unsigned char>(name[name.size() - 8]);
  auto& lately = lately_[(letters + 7 * name.size()) % lately_.size()];
  if (lately != nullptr && lately->first == name) return lately->second;
  auto known = columns_.find(name);
  if (known == columns_.end()) known = columns_.emplace(name, read_column(name)).first;
  // Its own values are where the map has put them.
  if (known->second.values == nullptr) known->second.values = &known->second.own;
  lately = &*known;
  return known->second;
}

Recording::Column Recording::read_column(std::string_view name) const {
  Column column;
  const CounterTable& table = workload_.counters;
  const auto place = table.find(name);
  if (place && !dispatches_.empty()) column.values = table.all_numbers(*place);
  column.any = column.values != nullptr && !column.values->empty();
  if (place && column.values == nullptr) {
    column.own.resize(table.rows(), kNoNumber);
    for (const Dispatch* dispatch : dispatches_) {
      const auto value = table.number(*place, dispatch->row);
      column.own[dispatch->row] = value.value_or(kNoNumber);
      column.any = column.any || value;
    }
  }
  return column;
}

std::optional<double> Recording::counter(std::string_view name, const Dispatch& dispatch) const {
  const std::vector<double>& values = *column(name).values;
  if (dispatch.row >= values.size() || std::isnan(values[dispatch.row])) return std::nullopt;
  return values[dispatch.row];
}

std::optional<double> Recording::sum(std::initializer_list<std::string_view> names,
                                     const Dispatch& dispatch) const {
  double total = 0;
  for (const std::string_view name : names) {
    const auto value = counter(name, dispatch);
    if (!value) return std::nullopt;
    total += *value;
  }
  return total;
}

std::string Recording::fabric(std::string_view name) const {
  return fmt::format("{}{}", is_mi300() ? "TCC_EA0_" : "TCC_EA_", name);
}

std::optional<double> Recording::system(const std::string& name) const {
  const auto value = workload_.system_number(name);
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

std::string short_name(const std::string& kernel) {
  return kernel.size() > kMostNameBytes ? kernel.substr(0, kMostNameBytes) + "..." : kernel;
}

std::string place_of(const Dispatch& dispatch) {
  std::string place = fmt::format("dispatch {}", dispatch.id);
  if (!dispatch.node.empty()) place += " of " + dispatch.node.text();
  return dispatch.kernel.empty() ? place : place + ", " + short_name(dispatch.kernel);
}

std::string figure(double value) {
  if (std::isinf(value)) return value > 0 ? "infinite" : "minus infinite";
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e15 || size < 1e-3)) return fmt::format("{:.4g}", value);
  if (size >= 1000) {
    const std::string whole = with_separators(static_cast<std::int64_t>(std::round(size)));
    return value < 0 ? "-" + whole : whole;
  }
  return fmt::format("{:.4g}", value);
}

PlausibilityReport check_plausibility(const Workload& workload, const Selection& selection,
                                      const std::vector<Panel>& panels) {
  const Recording recording(workload, selection);
  PlausibilityReport report;
  std::vector<Finding>& findings = report.findings;
  if (is_of_nvidia(workload)) {
    // The other checks look at counters of AMD.
    check_times(recording, findings);
    check_panels(recording, panels, findings);
    report.not_checked = find_unchecked(recording, panels);
    return report;
  }
  const CounterScan scan = scan_counters(recording);
  scan.frozen.append_to(findings);
  check_dispatch_ids(recording, findings);
  check_times(recording, findings);
  check_cycles(recording, findings);
  check_waves(recording, findings);
  check_bandwidth(recording, findings);
  check_arithmetic(recording, findings);
  check_panels(recording, panels, findings);
  check_parts(recording, findings);
  scan.channels.append_to(findings);
  scan.negative.append_to(findings);
  scan.overflow.append_to(findings);
  check_levels(recording, findings);
  check_system(recording, findings);
  report.not_checked = find_unchecked(recording, panels);
  return report;
}

std::vector<Finding> find_implausible(const Workload& workload, const Selection& selection,
                                      const std::vector<Panel>& panels) {
  return check_plausibility(workload, selection, panels).findings;
}

}  // namespace heddle::profile
