#include "audit/tile_accesses.h"

#include <algorithm>

#include "trace/rows.h"
#include "trace/source.h"

namespace heddle::audit {
namespace {

constexpr std::size_t kMergeAt = 4096;
constexpr std::uint64_t kRunsFollow = 255;  ///< more than a pattern has axes

std::uint64_t mixed(std::uint64_t value, std::uint64_t word, std::uint64_t multiplier) {
  constexpr int kFold = 29;
  value = (value ^ word) * multiplier;
  return value ^ (value >> kFold);
}

}  // namespace

Digest digest_of(const std::vector<std::uint64_t>& words) {
  constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15u;
  constexpr std::uint64_t kSecond = 0xC2B2AE3D27D4EB4Fu;
  Digest digest{words.size(), ~words.size()};
  for (const std::uint64_t word : words) {
    digest.low = mixed(digest.low, word, kFirst);
    digest.high = mixed(digest.high + (word >> 32), word, kSecond);
  }
  return digest;
}

void merge_runs(std::vector<trace::Run>& runs) {
  if (runs.empty()) return;
  std::ranges::sort(runs, {}, &trace::Run::address);
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    trace::Run& open = runs[last];
    if (runs[i].address <= open.address + open.bytes)
      open.bytes = std::max(open.bytes, runs[i].address + runs[i].bytes - open.address);
    else
      runs[++last] = runs[i];
  }
  runs.resize(last + 1);
}

TileAccesses::TileAccesses(const kernel::KernelProgram& whole, AccessForm form) : form_(form) {
  const std::vector<kernel::AtomicUse> atomics = whole.atomics();
  for (std::size_t i = 0; i < whole.sites.size(); ++i) {
    const kernel::Site& site = whole.sites[i];
    const bool is_atomic = site.kind == kernel::MemoryKind::atomic;
    const auto function = is_atomic ? static_cast<std::uint64_t>(atomics[i].function) + 1 : 0;
    heads_.push_back(static_cast<std::uint64_t>(site.kind) | (function << 8U));
    kinds_.push_back(trace::access_kind(site.kind));
  }
}

void TileAccesses::begin() {
  words_.clear();
  pieces_ = 0;
  for (auto& runs : runs_) runs.clear();
  merge_at_ = kMergeAt;
}

void TileAccesses::check_size(std::size_t size) const {
  if (size > kMostWords)
    throw Error("a tile makes too many accesses to compare", "give a job with smaller sizes");
}

void TileAccesses::access(const trace::AccessPattern& pattern) {
  const auto site = static_cast<std::size_t>(pattern.site);
  if (form_ == AccessForm::stream) {
    const auto width = static_cast<std::uint64_t>(pattern.element_bytes);
    return add_stream(pattern, heads_[site] | (width << 16U));
  }
  if (kinds_[site] == AccessKind::atomic) updates_ += trace::active_elements(pattern);
  auto& runs = runs_[static_cast<std::size_t>(kinds_[site])];
  const std::size_t before = runs.size();
  trace::for_each_piece(pattern, [&](const trace::Run& run) { runs.push_back(run); });
  pieces_ += static_cast<std::int64_t>(runs.size() - before);
  if (runs.size() < merge_at_) return;
  merge_runs(runs);
  check_size(runs.size());
  merge_at_ = std::max(kMergeAt, 2 * runs.size());
}

void TileAccesses::add_stream(const trace::AccessPattern& pattern, std::uint64_t head) {
  check_size(words_.size());
  trace::Rows rows;
  if (trace::make_rows(pattern, rows)) {
    if (rows.count == 0) return;
    const std::uint64_t axes = static_cast<std::uint64_t>(rows.axes);
    words_.insert(words_.end(), {head, axes, rows.base, rows.run_bytes});
    for (int k = 0; k < rows.axes; ++k) {
      const trace::RowAxis& axis = rows.axis[static_cast<std::size_t>(k)];
      words_.insert(words_.end(), {axis.stride, axis.extent});
    }
    return;
  }
  scratch_.clear();
  trace::append_runs(pattern, scratch_);
  if (scratch_.empty()) return;
  words_.insert(words_.end(), {head, kRunsFollow, scratch_.size()});
  for (const trace::Run& run : scratch_) words_.insert(words_.end(), {run.address, run.bytes});
}

const std::vector<std::uint64_t>& TileAccesses::words() {
  if (form_ == AccessForm::stream) return words_;
  words_.clear();
  for (auto& runs : runs_) {
    merge_runs(runs);
    words_.push_back(runs.size());
    for (const trace::Run& run : runs) words_.insert(words_.end(), {run.address, run.bytes});
  }
  return words_;
}

}  // namespace heddle::audit
