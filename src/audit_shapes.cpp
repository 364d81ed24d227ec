// A patch, judged again with other sizes: what is right for one shape only is found by another.
//
//   rows = 8192, columns = 8192 on grid 256x256     the job's own launch
//   rows = 16384, columns = 16384 on grid 512x512   grown, so that all divisors are kept
//   rows = 1055, columns = 1119 on grid 33x35       odd numbers of tiles, the last ones ragged
//
// Rules
//   1. Sizes that vary are numbers of the job that its grid depends on.
//   2. What fails where the grid has the same divisors has the shape written into it: REFUTED. What
//      fails on odd grids alone may be right for all sizes it will ever see: UNKNOWN.
//   3. Sizes for which the original cannot be read are left out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "config/job.h"
#include "pipeline.h"
#include "support/text.h"

namespace heddle {
namespace {

/// A number of the job that the grid depends on.
struct Varying {
  std::string name;
  std::int64_t value = 0;
  std::int64_t per_tile = 0;  ///< of it; 0: not known
};

constexpr std::size_t kMostVarying = 3;
/// Tiles of an odd grid along each varying size, by how many there are: 3, 5, 7 and 11 divide them.
constexpr std::array<std::array<std::int64_t, kMostVarying>, kMostVarying> kTiles = {
    {{1155, 0, 0}, {33, 35, 0}, {15, 7, 11}}};
/// Grids of fewer tiles grow by three along each axis, others by two.
constexpr std::int64_t kManyTiles = 1024;

std::string override_of(const std::string& name, std::int64_t value) {
  return fmt::format("{}={}", name, value);
}

std::string name_of(std::string_view override) {
  return std::string(trim(override.substr(0, override.find('='))));
}

/// What --set says, but for names that have another value now.
std::vector<std::string> with(const std::vector<std::string>& given,
                              const std::vector<std::string>& more) {
  std::vector<std::string> overrides = more;
  for (const std::string& text : given) {
    for (const std::string_view one : split_outside_brackets(text, ',')) {
      const bool is_replaced = std::any_of(more.begin(), more.end(), [&](const std::string& other) {
        return name_of(other) == name_of(one);
      });
      if (!is_replaced) overrides.emplace_back(one);
    }
  }
  return overrides;
}

/// The patch with other values.
PatchRequest request_with(const PatchRequest& request, const std::vector<std::string>& more) {
  PatchRequest other = request;
  other.overrides = with(request.overrides, more);
  return other;
}

/// A patch and its files.
struct Patch {
  const PatchRequest& request;
  PatchSources& sources;
};

std::optional<Grid> grid_with(const Patch& patch, const std::vector<std::string>& more) {
  try {
    return original_grid(request_with(patch.request, more), patch.sources);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// How much of a size makes one tile: so much gives one along its axis, and one more gives two.
std::int64_t per_tile_of(const Patch& patch, const Grid& grid, const Grid& half,
                         const std::string& name, std::int64_t value) {
  for (int axis = 0; axis < grid.axes(); ++axis) {
    if (half.extent(axis) == grid.extent(axis)) continue;
    const std::int64_t share = (value + grid.extent(axis) - 1) / grid.extent(axis);
    const auto rounded =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(share)));
    for (const std::int64_t tile : {share, rounded}) {
      const auto one = grid_with(patch, {override_of(name, tile)});
      const auto two = grid_with(patch, {override_of(name, tile + 1)});
      if (one && two && 2 * one->extent(axis) == two->extent(axis)) return tile;
    }
  }
  return 0;
}

std::vector<Varying> find_varying(const Patch& patch) {
  const std::optional<Grid> grid = grid_with(patch, {});
  if (!grid) return {};
  const config::Job job = config::read_job(patch.request.job_path, patch.request.overrides);
  std::vector<Varying> varying;
  for (const auto* list : {&job.sizes, &job.scalars, &job.constexprs}) {
    for (const config::NamedExpression& entry : *list) {
      const auto value = parse_integer(trim(entry.written.text));
      if (!value || *value < 2 || varying.size() == kMostVarying) continue;
      const std::optional<Grid> half = grid_with(patch, {override_of(entry.name, *value / 2)});
      // A block's size makes more tiles where it is smaller.
      if (!half || half->count() >= grid->count()) continue;
      varying.push_back({entry.name, *value, per_tile_of(patch, *grid, *half, entry.name, *value)});
    }
  }
  return varying;
}

/// The size with so many times the tiles, as ragged as before.
std::int64_t grown(const Varying& one, std::int64_t factor) {
  if (one.per_tile == 0) return factor * one.value;
  const std::int64_t tiles = (one.value + one.per_tile - 1) / one.per_tile;
  return one.value + one.per_tile * (factor - 1) * tiles;
}

std::int64_t odd(const Varying& one, std::int64_t tiles) {
  if (one.per_tile == 0) return 2 * tiles + 1;
  return one.per_tile * tiles - (one.per_tile > 1 ? 1 : 0);
}

/// One other launch, and what came of it; nothing if the original does not get there.
struct OtherLaunch {
  std::string where;
  CheckResult result;
};

std::optional<OtherLaunch> judge(const Patch& patch, const std::vector<std::string>& sizes) {
  PatchAudit audit;
  try {
    audit = audit_launch(request_with(patch.request, sizes), patch.sources);
  } catch (const Error&) {
    return std::nullopt;
  }
  OtherLaunch launch;
  launch.where =
      fmt::format("with {} on grid {}", fmt::join(sizes, ", "), fmt::join(audit.grid_before, "x"));
  for (const CheckResult* check : {&audit.order, &audit.bytes, &audit.launch}) {
    if (check->verdict != Verdict::refuted) continue;
    launch.result = *check;
    return launch;
  }
  launch.result = audit.order.verdict == Verdict::unknown ? audit.order : audit.bytes;
  return launch;
}

CheckResult judge_shapes(const std::optional<OtherLaunch>& alike,
                         const std::optional<OtherLaunch>& uneven) {
  CheckResult check;
  if (alike && alike->result.verdict == Verdict::refuted) {
    check = alike->result;
    check.finding = fmt::format("{}: {}", alike->where, check.finding);
    return check;
  }
  for (const std::optional<OtherLaunch>* launch : {&alike, &uneven}) {
    if (!*launch) continue;
    const OtherLaunch& one = **launch;
    if (one.result.verdict == Verdict::proved)
      check.evidence.push_back(one.where);
    else
      check.notes.push_back(fmt::format("not {}: {}", one.where, one.result.finding));
  }
  if (check.notes.empty()) {
    check.verdict = Verdict::proved;
    check.finding = "the same holds for other sizes";
  } else if (check.evidence.empty()) {
    check.finding = "other sizes could not be judged";
  } else {
    check.finding = "it holds for some sizes only, and whether there are others is not known";
  }
  return check;
}

}  // namespace

PatchAudit audit_patch(const PatchRequest& request) {
  const std::shared_ptr<PatchSources> sources = read_sources(request);
  const Patch patch{request, *sources};
  PatchAudit audit = audit_launch(request, *sources);
  const auto leave_out = [&](const char* why) {
    audit.not_checked.push_back(fmt::format("shapes ({})", why));
    return audit;
  };
  if (request.after_grid) return leave_out("--after-grid says the grid of this launch alone");
  if (!request.after_job_path.empty()) return leave_out("the new kernel has a job of its own");
  for (const CheckResult* check : {&audit.order, &audit.bytes, &audit.launch}) {
    if (check->verdict == Verdict::refuted) return leave_out("the job's own sizes refute it");
  }
  const std::vector<Varying> varying = find_varying(patch);
  if (varying.empty()) return leave_out("the grid depends on no number of the job");
  std::int64_t tiles = 1;
  for (const std::int64_t extent : audit.grid_before) tiles *= extent;
  const std::int64_t factor = tiles < kManyTiles ? 3 : 2;
  std::vector<std::string> alike, uneven;
  for (std::size_t i = 0; i < varying.size(); ++i) {
    alike.push_back(override_of(varying[i].name, grown(varying[i], factor)));
    uneven.push_back(override_of(varying[i].name, odd(varying[i], kTiles[varying.size() - 1][i])));
  }
  const std::optional<OtherLaunch> first = judge(patch, alike);
  const std::optional<OtherLaunch> second =
      first && first->result.verdict == Verdict::refuted ? std::nullopt : judge(patch, uneven);
  if (!first && !second) return leave_out("the original works with no other sizes that were tried");
  audit.shapes = judge_shapes(first, second);
  return audit;
}

}  // namespace heddle
