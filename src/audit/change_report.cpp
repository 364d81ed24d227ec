#include "audit/change_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/text.h"

namespace heddle::audit {
namespace {

constexpr std::size_t kMostListed = 6;

std::string change_text(const CodeChange& change) {
  const std::string place =
      change.line_before == 0  ? fmt::format("line {}, new", change.line_after)
      : change.line_after == 0 ? fmt::format("line {}, gone", change.line_before)
      : change.line_before == change.line_after
          ? fmt::format("line {}", change.line_after)
          : fmt::format("line {}, now {}", change.line_before, change.line_after);
  if (change.before.empty() && change.after.empty()) return change.what;
  if (change.before.empty()) return fmt::format("{}: {}: {}", place, change.what, change.after);
  if (change.after.empty()) return fmt::format("{}: {}: {}", place, change.what, change.before);
  return fmt::format("{}: {}: {} -> {}", place, change.what, change.before, change.after);
}

}  // namespace

std::string change_counts(const std::vector<CodeChange>& changes) {
  std::int64_t added = 0;
  std::int64_t removed = 0;
  std::int64_t changed = 0;
  for (const CodeChange& one : changes)
    ++(one.line_before == 0 ? added : one.line_after == 0 ? removed : changed);
  std::vector<std::string> parts;
  if (changed > 0) parts.push_back(fmt::format("{} changed", changed));
  if (added > 0) parts.push_back(fmt::format("{} added", added));
  if (removed > 0) parts.push_back(fmt::format("{} removed", removed));
  return parts.empty() ? "none but names" : fmt::format("{}", fmt::join(parts, ", "));
}

void report_others(const std::vector<CodeChange>& changes, CheckResult& code) {
  std::int64_t others = 0;
  for (const CodeChange& one : changes) {
    if (one.kind != CodeChange::Kind::other) continue;
    if (static_cast<std::size_t>(others++) < kMostListed) code.evidence.push_back(change_text(one));
  }
  if (others > static_cast<std::int64_t>(kMostListed))
    code.evidence.push_back(
        fmt::format("and {} more", others - static_cast<std::int64_t>(kMostListed)));
  code.finding = fmt::format("more than index lines changed: {}", count_of(others, "place"));
}

}  // namespace heddle::audit
