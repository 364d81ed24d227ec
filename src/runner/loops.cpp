#include "runner/loops.h"

#include <algorithm>

namespace heddle::runner {

void Loops::set_up(std::span<const Loop> loops, std::size_t sites, std::size_t lanes) {
  loops_.assign(loops.begin(), loops.end());
  std::stable_sort(loops_.begin(), loops_.end(), [](const Loop& a, const Loop& b) {
    return a.last - a.first > b.last - b.first;
  });
  listed_.clear();
  begin_.assign(1, 0);
  for (std::uint32_t site = 0; site < sites; ++site) {
    for (std::uint32_t loop = 0; loop < loops_.size(); ++loop)
      if (holds(loop, site)) listed_.push_back(loop);
    begin_.push_back(static_cast<std::uint32_t>(listed_.size()));
  }
  rounds_.assign(lanes * loops_.size(), 0);
  at_.assign(lanes, kNowhere);
}

void Loops::forget() {
  std::fill(rounds_.begin(), rounds_.end(), 0);
  std::fill(at_.begin(), at_.end(), kNowhere);
}

std::span<const std::uint32_t> Loops::loops_of(std::uint32_t site) const {
  return {listed_.data() + begin_[site], begin_[site + 1] - begin_[site]};
}

std::uint32_t Loops::innermost(std::uint32_t a, std::uint32_t b) const {
  if (b == kNowhere) return kNowhere;
  const auto loops = loops_of(a);
  for (std::size_t k = loops.size(); k-- > 0;)
    if (holds(loops[k], b)) return loops[k];
  return kNowhere;
}

std::uint32_t Loops::rounds_at(std::uint32_t lane, std::uint32_t loop, std::uint32_t site) const {
  const std::uint32_t at = at_[lane];
  if (at == kNowhere || !holds(loop, at)) return 0;
  const std::uint32_t known = rounds_[lane * loops_.size() + loop];
  return site <= at && innermost(site, at) == loop ? known + 1 : known;
}

void Loops::advance(std::uint32_t lane, std::uint32_t site) {
  const std::uint32_t at = at_[lane];
  at_[lane] = site;
  const auto loops = loops_of(site);
  const std::uint32_t turned = site <= at ? innermost(site, at) : kNowhere;
  bool inside = false;  // of the loop that it has gone round
  for (const std::uint32_t loop : loops) {
    std::uint32_t& count = rounds(lane, loop);
    if (inside || at == kNowhere || !holds(loop, at)) count = 0;
    if (loop != turned) continue;
    ++count;
    inside = true;
  }
}

void Loops::advance_together(std::span<const std::uint32_t> lanes, std::uint32_t site) {
  if (loops_.empty()) return;
  const std::uint32_t at = at_[lanes.front()];
  const bool in_step =
      std::all_of(lanes.begin(), lanes.end(), [&](std::uint32_t lane) { return at_[lane] == at; });
  const auto loops = loops_of(site);
  if (!in_step) {
    for (const std::uint32_t lane : lanes) advance(lane, site);
    return;
  }
  // Rounds that all of them make need not be counted; loops that they enter begin anew.
  const std::uint32_t turned = site <= at ? innermost(site, at) : kNowhere;
  bool inside = false;
  for (const std::uint32_t loop : loops) {
    if (inside || at == kNowhere || !holds(loop, at))
      for (const std::uint32_t lane : lanes) rounds(lane, loop) = 0;
    inside = inside || loop == turned;
  }
  for (const std::uint32_t lane : lanes) at_[lane] = site;
}

bool Loops::is_behind(std::uint32_t lane, std::uint32_t site, std::uint32_t other,
                      std::uint32_t other_site) const {
  for (const std::uint32_t loop : loops_of(site)) {
    if (!holds(loop, other_site)) continue;
    const std::uint32_t own = rounds_at(lane, loop, site);
    const std::uint32_t its = rounds_at(other, loop, other_site);
    if (own != its) return own < its;
  }
  return site < other_site;
}

}  // namespace heddle::runner
