#include "optimize_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "notes.h"

namespace heddle::tool {
namespace {

constexpr int kBarWidth = 20;
constexpr double kWorthALine = 1.001;

std::string bar(double share) {
  const int full = std::clamp(static_cast<int>(share * kBarWidth + 0.5), 0, kBarWidth);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kBarWidth - full), '-') + "]";
}

}  // namespace

void OptimizeDisplay::show(const search::OptimizeProgress& progress) {
  if (line_.is_on()) {
    std::string text =
        progress.budget_s > 0
            ? fmt::format("{} {:.0f} s left", bar(progress.elapsed_s / progress.budget_s),
                          std::max(0.0, progress.budget_s - progress.elapsed_s))
            : fmt::format("{:.0f} s", progress.elapsed_s);
    text += "  " + progress.step;
    if (progress.attempts > 1) text += fmt::format(", {} orders", progress.attempts);
    if (!progress.best.empty())
      text += fmt::format("  best {:.2f}x {}", progress.speedup, progress.best);
    return line_.show(text);
  }
  if (loudness() != Loudness::verbose) return;
  if (progress.best.empty() || progress.best == best_ || progress.speedup < kWorthALine) return;
  best_ = progress.best;
  note("{:.3f}x after {} orders: {}{}", progress.speedup, progress.attempts, progress.best,
       progress.speedup < speedup_ ? " (fewer bytes)" : "");
  speedup_ = progress.speedup;
}

}  // namespace heddle::tool
