#include "sim/causes.h"

namespace heddle::sim {

Shadow::Shadow(std::int64_t lines) : entries_(static_cast<std::size_t>(lines)) {
  where_.reserve(entries_.size());
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
  const auto known = where_.find(line);
  std::uint32_t at = known == where_.end() ? kNone : known->second;
  const SectorMask had = at != kNone ? entries_[at].sectors : 0;
  if (at == kNone) {
    if (used_ < entries_.size()) {
      at = used_++;
    } else {
      at = oldest_;
      where_.erase(entries_[at].line);
      unlink(at);
    }
    entries_[at].line = line;
    entries_[at].sectors = 0;
    where_[line] = at;
  } else {
    unlink(at);
  }
  entries_[at].sectors |= brought;
  make_newest(at);
  return had;
}

}  // namespace heddle::sim
