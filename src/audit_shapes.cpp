// A patch, judged again with other sizes: what is right for one shape only is found by another.
//
//   rows = 8192, columns = 8192 on grid 256x256     the job's own launch
//   rows = 415, columns = 223   on grid 13x7        an odd number of tiles, the last ones ragged
//   rows = 416, columns = 224   on grid 13x7        the same in whole tiles
//   rows = 2048, columns = 2048 on grid 64x64       a quarter of each
//
// Rules
//   1. Sizes that vary are numbers of the job that its grid depends on.
//   2. Sizes for which the original cannot be read are left out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "config/job.h"
#include "kernel/cxx/source.h"
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
/// Of each varying size: tiles, and where those are not known 64ths. They differ, so that axes do.
constexpr std::array<std::int64_t, kMostVarying> kParts = {5, 3, 7};
constexpr std::array<std::int64_t, kMostVarying> kTiles = {13, 7, 5};
/// What both kernels are compiled for again; Triton kernels take much less time.
constexpr int kMostShapes = 3, kMostCxxShapes = 1;

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

std::optional<Grid> grid_with(const PatchRequest& request, const std::vector<std::string>& more) {
  try {
    return original_grid(request, with(request.overrides, more));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// How much of a size makes one tile: so much gives one along its axis, and one more gives two.
std::int64_t per_tile_of(const PatchRequest& request, const Grid& grid, const Grid& half,
                         const std::string& name, std::int64_t value) {
  for (int axis = 0; axis < grid.axes(); ++axis) {
    if (half.extent(axis) == grid.extent(axis)) continue;
    const std::int64_t share = (value + grid.extent(axis) - 1) / grid.extent(axis);
    const auto rounded =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(share)));
    for (const std::int64_t tile : {share, rounded}) {
      const auto one = grid_with(request, {override_of(name, tile)});
      const auto two = grid_with(request, {override_of(name, tile + 1)});
      if (one && two && 2 * one->extent(axis) == two->extent(axis)) return tile;
    }
  }
  return 0;
}

std::vector<Varying> find_varying(const PatchRequest& request) {
  const std::optional<Grid> grid = grid_with(request, {});
  if (!grid) return {};
  const config::Job job = config::read_job(request.job_path, request.overrides);
  std::vector<Varying> varying;
  for (const auto* list : {&job.sizes, &job.scalars}) {
    for (const config::NamedExpression& entry : *list) {
      const auto value = parse_integer(trim(entry.written.text));
      if (!value || *value < 2 || varying.size() == kMostVarying) continue;
      const std::optional<Grid> half = grid_with(request, {override_of(entry.name, *value / 2)});
      if (!half || half->extents() == grid->extents()) continue;
      varying.push_back(
          {entry.name, *value, per_tile_of(request, *grid, *half, entry.name, *value)});
    }
  }
  return varying;
}

/// Each a list of overrides.
std::vector<std::vector<std::string>> other_sizes(const std::vector<Varying>& varying) {
  std::vector<std::string> ragged, odd, quarter;
  for (std::size_t i = 0; i < varying.size(); ++i) {
    const Varying& one = varying[i];
    const std::int64_t whole = one.per_tile * kTiles[i];
    const std::int64_t uneven = one.per_tile > 1 ? whole - 1 : one.value * kParts[i] / 64 + 1;
    ragged.push_back(override_of(one.name, uneven));
    if (whole > 0) odd.push_back(override_of(one.name, whole));
    if (one.value % 4 == 0) quarter.push_back(override_of(one.name, one.value / 4));
  }
  std::vector<std::vector<std::string>> sizes = {std::move(ragged)};
  if (!odd.empty()) sizes.push_back(std::move(odd));
  if (!quarter.empty()) sizes.push_back(std::move(quarter));
  return sizes;
}

/// Adds what one other launch showed; false if the original does not get there.
bool judge(const PatchRequest& request, const std::vector<std::string>& sizes, PatchCheck& check) {
  PatchRequest other = request;
  other.overrides = with(request.overrides, sizes);
  PatchAudit audit;
  try {
    audit = audit_launch(other);
  } catch (const Error&) {
    return false;
  }
  const std::string where =
      fmt::format("{} on grid {}", fmt::join(sizes, ", "), fmt::join(audit.grid_before, "x"));
  for (const auto& [name, one] : audit.checks()) {
    if (name == "code" || one->verdict != Verdict::refuted) continue;
    check.verdict = Verdict::refuted;
    check.finding = fmt::format("with {}: {}", where, one->finding);
    check.evidence = one->evidence;
    return true;
  }
  if (audit.order.verdict == Verdict::unknown || audit.bytes.verdict == Verdict::unknown) {
    const PatchCheck& open = audit.order.verdict == Verdict::unknown ? audit.order : audit.bytes;
    check.notes.push_back(fmt::format("with {}: {}", where, open.finding));
    return true;
  }
  check.evidence.push_back(fmt::format("with {}", where));
  return true;
}

}  // namespace

PatchAudit audit_patch(const PatchRequest& request) {
  PatchAudit audit = audit_launch(request);
  const auto leave_out = [&](const char* why) {
    audit.not_checked.push_back(fmt::format("shapes ({})", why));
    return audit;
  };
  if (request.after_grid) return leave_out("--after-grid says the grid of this launch alone");
  if (!request.after_job_path.empty()) return leave_out("the new kernel has a job of its own");
  const std::vector<Varying> varying = find_varying(request);
  if (varying.empty()) return leave_out("the grid depends on no number of the job");
  PatchCheck check;
  int most = kernel::cxx::is_cxx_path(request.before) ? kMostCxxShapes : kMostShapes;
  for (const std::vector<std::string>& sizes : other_sizes(varying)) {
    if (most == 0 || check.verdict == Verdict::refuted) break;
    if (judge(request, sizes, check)) --most;
  }
  if (check.verdict != Verdict::refuted && check.evidence.empty() && check.notes.empty())
    return leave_out("the original works with no other sizes that were tried");
  if (check.verdict != Verdict::refuted && !check.notes.empty()) {
    check.finding = "not all other sizes could be judged";
  } else if (check.verdict != Verdict::refuted) {
    check.verdict = Verdict::proved;
    check.finding = "the same holds for other sizes";
  }
  audit.shapes = std::move(check);
  return audit;
}

}  // namespace heddle
