#include "profile/blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr int kFixedPanels[] = {0, 1, 4, 21};

std::string panel_list(const ArchitectureDefinition* definition) {
  std::vector<int> ids(std::begin(kFixedPanels), std::end(kFixedPanels));
  if (definition != nullptr) {
    for (const PanelDefinition& panel : definition->panels) ids.push_back(panel.id);
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return fmt::format("panels are {}; heddle analyze --list-metrics ARCH shows them all",
                     fmt::join(ids, " "));
}

/// Ceilings, where the roofline's panel has rates above them.
const std::vector<std::int64_t> kCeilings = {4, 3};

bool is_defined(const std::vector<std::int64_t>& parts, const ArchitectureDefinition& definition) {
  for (const PanelDefinition& panel : definition.panels) {
    if (panel.id != parts[0]) continue;
    if (parts.size() == 1) return true;
    for (const TableDefinition& table : panel.tables) {
      if (table.id != parts[1]) continue;
      return parts.size() == 2 || table.per_channel ||
             parts[2] < static_cast<std::int64_t>(table.rows.size());
    }
  }
  return false;
}

/// Whether the architecture has it: a panel, one of its tables, one of their rows.
bool is_there(const std::vector<std::int64_t>& parts, const ArchitectureDefinition* definition) {
  if (definition != nullptr && is_defined(parts, *definition)) return true;
  if (definition != nullptr && parts == kCeilings && is_defined({kCeilings[0]}, *definition))
    return true;
  if (std::find(std::begin(kFixedPanels), std::end(kFixedPanels), parts[0]) !=
      std::end(kFixedPanels))
    return parts.size() == 1 ||
           (parts.size() == 2 && parts[1] >= 1 && parts[1] <= (parts[0] == 0 ? 2 : 1));
  return false;
}

}  // namespace

Blocks::Blocks(const std::vector<std::string>& texts, const ArchitectureDefinition* definition) {
  for (const std::string& text : texts) {
    std::vector<std::int64_t> parts;
    for (const std::string_view part : split(text, '.'))
      parts.push_back(parse_integer(part).value_or(-1));
    const bool odd = std::ranges::any_of(parts, [](auto part) { return part < 0; });
    if (odd || parts.size() > 3)
      throw Error(fmt::format("'{}' is not a block", text),
                  "write a panel (16), a table (16.3) or a metric (16.3.5)");
    if (!is_there(parts, definition))
      throw Error(fmt::format("there is no block {}{}", text,
                              definition == nullptr ? "" : " for " + definition->name),
                  panel_list(definition));
    wanted_.push_back(fmt::format("{}", fmt::join(parts, ".")));
  }
}

bool Blocks::panel(int id) const {
  const std::string name = std::to_string(id);
  return all() || std::ranges::any_of(wanted_, [&](const std::string& one) {
           return one == name || one.starts_with(name + ".");
         });
}

bool Blocks::metric(const std::string& table, const std::string& metric) const {
  if (all()) return true;
  const std::string panel = table.substr(0, table.find('.'));
  return std::ranges::any_of(wanted_, [&](const std::string& one) {
    return one == panel || one == table || one == metric;
  });
}

}  // namespace heddle::profile
