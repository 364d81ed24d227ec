#include "sweep_progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "support/text.h"

namespace heddle::tool {
namespace {

constexpr std::size_t kBarLength = 20;
constexpr std::chrono::seconds kBetweenLines{1};

}  // namespace

std::string rough_time(std::chrono::seconds time) {
  const auto seconds = static_cast<double>(time.count());
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 72 * 3600) return fmt::format("{:.0f} h", seconds / 3600);
  return fmt::format("{:.0f} days", seconds / 86400);
}

void SweepProgress::show(const sweep::Tally& tally) {
  if (kind_ == "json") {
    if (std::chrono::steady_clock::now() - printed_ >= kBetweenLines) print_json(tally);
    return;
  }
  if (kind_ != "auto" || !line_.is_on()) return;
  const std::size_t there = tally.total - tally.left();
  const std::size_t full = tally.total == 0 ? 0 : kBarLength * there / tally.total;
  std::string text =
      fmt::format("[{}{}] {} of {}", std::string(full, '#'), std::string(kBarLength - full, '-'),
                  there, count_of(static_cast<std::int64_t>(tally.total), "unit"));
  if (tally.failed > 0) text += fmt::format(", {} failed", tally.failed);
  if (const auto left = tally.remaining()) text += ", about " + rough_time(*left) + " left";
  line_.show(text);
}

void SweepProgress::end(const sweep::Tally& tally) {
  line_.clear();
  if (kind_ == "json") print_json(tally);
}

void SweepProgress::print_json(const sweep::Tally& tally) {
  printed_ = std::chrono::steady_clock::now();
  const auto left = tally.remaining();
  const std::string text = fmt::format(
      R"({{"event":"progress","units":{},"done":{},"failed":{},"elapsed_s":{},"left_s":{}}})"
      "\n",
      tally.total, tally.before + tally.done, tally.failed, tally.elapsed.count() / 1000,
      left ? std::to_string(left->count()) : "null");
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace heddle::tool
