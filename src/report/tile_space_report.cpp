#include "report/tile_space_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/json_values.h"

namespace heddle::report {
namespace {

const char* walk_text(TileSpace::Walk walk) {
  switch (walk) {
    case TileSpace::Walk::once:
      return "once";
    case TileSpace::Walk::strided:
      return "strided";
    case TileSpace::Walk::chunked:
      return "chunked";
    case TileSpace::Walk::several:
      return "several";
  }
  return "";
}

/// Per block its tiles in turn.
nlohmann::json map_json(const TileSpace& space) {
  if (static_cast<std::int64_t>(space.tiles.size()) > kMostTilesListed) return nullptr;
  nlohmann::json map = nlohmann::json::array();
  for (std::int64_t b = 0; b < space.blocks(); ++b) {
    const auto at = static_cast<std::size_t>(b);
    map.push_back(std::vector<std::int64_t>(space.tiles.begin() + space.first[at],
                                            space.tiles.begin() + space.first[at + 1]));
  }
  return map;
}

}  // namespace

std::string tile_space_text(const TileSpace& space) {
  if (!space.is_found()) return "none found: " + space.refusal;
  std::string text = fmt::format("{}, {}", space.box_text(), space.order_text());
  std::string knobs;
  for (const TileKnob& knob : space.knobs)
    knobs += fmt::format("{}{} = {}", knobs.empty() ? " with " : ", ", knob.name, knob.value);
  text += knobs;
  if (space.idle_blocks() > 0) text += fmt::format("; {} blocks have no tile", space.idle_blocks());
  if (space.returning > 0) text += fmt::format("; {} tiles return at once", space.returning);
  return text;
}

nlohmann::json tile_space_json(const TileSpace& space, bool has_map) {
  if (!space.is_found()) return {{"refusal", space.refusal}};
  nlohmann::json coordinates = nlohmann::json::array();
  for (const TileCoordinate& one : space.coordinates)
    coordinates.push_back({{"name", one.name}, {"extent", one.extent}, {"line", one.line}});
  nlohmann::json knobs = nlohmann::json::array();
  for (const TileKnob& knob : space.knobs)
    knobs.push_back({{"name", knob.name}, {"value", knob.value}});
  nlohmann::json made = {
      {"refusal", nullptr},
      {"coordinates", coordinates},
      {"walk", walk_text(space.walk)},
      {"order", text_or_null(space.is_launch_grid ? std::string() : space.order)},
      {"blocks_order", text_or_null(space.blocks_order)},
      {"inner", text_or_null(fmt::format("{}", fmt::join(space.inner, ", ")))},
      {"together", text_or_null(fmt::format("{}", fmt::join(space.together, ", ")))},
      {"text", space.order_text()},
      {"knobs", knobs},
      {"idle_blocks", space.idle_blocks()},
      {"returning", space.returning},
  };
  if (has_map) made["map"] = map_json(space);
  return made;
}

}  // namespace heddle::report
