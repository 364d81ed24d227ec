#include "profile/plausibility/plausibility.h"

#include <fmt/format.h>

#include <cmath>

#include "profile/plausibility/checks.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostNameBytes = 60;

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

std::vector<const Dispatch*> Recording::dispatches() const {
  std::vector<const Dispatch*> result;
  for (const std::size_t place : selection_.measured)
    result.push_back(&workload_.dispatches[place]);
  return result;
}

std::optional<double> Recording::counter(std::string_view name, const Dispatch& dispatch) const {
  const auto column = workload_.counters.find(name);
  if (!column) return std::nullopt;
  return workload_.counters.number(*column, dispatch.row);
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
  return dispatch.kernel.empty()
             ? fmt::format("dispatch {}", dispatch.id)
             : fmt::format("dispatch {}, {}", dispatch.id, short_name(dispatch.kernel));
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

std::vector<Finding> find_implausible(const Workload& workload, const Selection& selection,
                                      const std::vector<Panel>& panels) {
  const Recording recording(workload, selection);
  std::vector<Finding> findings;
  check_frozen(recording, findings);
  check_times(recording, findings);
  check_cycles(recording, findings);
  check_waves(recording, findings);
  check_bandwidth(recording, findings);
  check_arithmetic(recording, findings);
  check_panels(recording, panels, findings);
  check_parts(recording, findings);
  check_counters(recording, findings);
  check_levels(recording, findings);
  check_system(recording, findings);
  return findings;
}

}  // namespace heddle::profile
