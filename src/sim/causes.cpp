#include "sim/causes.h"

#include <algorithm>

namespace heddle::sim {

Shadow::Shadow(std::int64_t lines)
    : entries_(static_cast<std::size_t>(lines)),
      shift_(32 - std::clamp(static_cast<int>(std::bit_width(entries_.size())), 1, 31)),
      chains_(std::size_t{1} << (32 - shift_), kNone) {}

void Shadow::leave_chain(std::uint32_t at) {
  std::uint32_t* link = &chain_of(entries_[at].line);
  while (*link != at) link = &entries_[*link].next;
  *link = entries_[at].next;
}

void Shadow::unlink(std::uint32_t at) {
  const Entry& entry = entries_[at];
  (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
}

void Shadow::make_newest(std::uint32_t at) {
  entries_[at].newer = kNone;
  entries_[at].older = newest_;
  (newest_ == kNone ? oldest_ : entries_[newest_].newer) = at;
  newest_ = at;
}

SectorMask Shadow::access(std::uint32_t line, SectorMask brought) {
  std::uint32_t at = chain_of(line);
  while (at != kNone && entries_[at].line != line) at = entries_[at].next;
  const SectorMask had = at != kNone ? entries_[at].sectors : 0;
  if (at == kNone) {
    if (used_ < entries_.size()) {
      at = used_++;
    } else {
      at = oldest_;
      leave_chain(at);
      unlink(at);
    }
    std::uint32_t& first = chain_of(line);
    entries_[at] = {line, kNone, kNone, first, 0};
    first = at;
  } else {
    unlink(at);
  }
  entries_[at].sectors |= brought;
  make_newest(at);
  return had;
}

}  // namespace heddle::sim
