#include "trace/native/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "support/error.h"

namespace heddle::trace::native {
namespace {

using config::Contents;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kGuard = std::uint64_t{2} << 20;
/// Further than an index of 32 bits reaches from one tensor, where there is room for it.
constexpr std::uint64_t kFarApart = std::uint64_t{32} << 30;

std::uint64_t up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Between pieces, so that all of them fit into the window, and into what a process may map here.
std::uint64_t distance_for(std::uint64_t needed, std::size_t pieces) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return kGuard;
  const std::uint64_t room = runner::kMostWindowBytes - std::min(needed, runner::kMostWindowBytes);
  return std::clamp(room / (pieces + 2), kGuard, kFarApart) / kGuard * kGuard;
}

bool is_empty(const config::Tensor& tensor) {
  return tensor.contents.kind == Contents::Kind::unspecified ||
         tensor.contents.kind == Contents::Kind::zeros;
}

/// Random numbers that nobody can tell apart; integers may be indices, of which all count.
bool may_repeat(const config::Tensor& tensor) {
  if (!config::is_float(tensor.dtype)) return false;
  return tensor.contents.kind == Contents::Kind::normal ||
         tensor.contents.kind == Contents::Kind::uniform ||
         tensor.contents.kind == Contents::Kind::constant;
}

}  // namespace

NativeMemory::NativeMemory(const config::Launch& launch) {
  place(launch);
  for (const Piece& piece : pieces_) map(launch, piece);
}

void NativeMemory::place(const config::Launch& launch) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < launch.tensors.size(); ++k)
    if (launch.tensors[k].bytes > 0) order.push_back(k);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return launch.tensors[a].address < launch.tensors[b].address;
  });
  std::uint64_t last_end = 0;  // of the tensors so far
  for (const std::size_t k : order) {
    const config::Tensor& tensor = launch.tensors[k];
    const std::uint64_t own_end = tensor.address + static_cast<std::uint64_t>(tensor.bytes);
    const std::uint64_t begin = tensor.address / kPage * kPage;
    const std::uint64_t end = up(own_end, kPage);
    const bool overlaps = tensor.address < last_end;
    last_end = std::max(last_end, own_end);
    if (overlaps) {
      Piece& last = pieces_.back();
      last.bytes = std::max(last.bytes, end - last.begin);
      last.tensors.push_back({k, tensor.address - last.begin});
      continue;
    }
    pieces_.push_back({begin, end - begin, 0, {{k, tensor.address - begin}}});
  }
  std::uint64_t needed = 0;
  for (const Piece& piece : pieces_) needed += up(piece.bytes, kGuard) + 2 * kGuard;
  const std::uint64_t apart = distance_for(needed, pieces_.size());
  std::uint64_t next = runner::kWindow + apart;
  for (Piece& piece : pieces_) {
    piece.in_runner = up(next, kGuard) + piece.begin % kGuard;
    next = piece.in_runner + piece.bytes + apart;
    for (const PlacedTensor& placed : piece.tensors) {
      const config::Tensor& tensor = launch.tensors[placed.tensor];
      moved_.push_back({tensor.address, tensor.address + static_cast<std::uint64_t>(tensor.bytes),
                        piece.in_runner + placed.offset});
    }
  }
  window_bytes_ = up(next, kGuard) - runner::kWindow;
  if (window_bytes_ >= runner::kMostWindowBytes)
    throw Error("the tensors take more than 16 TiB", "trace a smaller size with --set");
}

void NativeMemory::map(const config::Launch& launch, const Piece& piece) {
  const auto tensor_of = [&](const PlacedTensor& placed) -> const config::Tensor& {
    return launch.tensors[placed.tensor];
  };
  if (std::ranges::all_of(
          piece.tensors, [&](const PlacedTensor& placed) { return is_empty(tensor_of(placed)); })) {
    mappings_.push_back({piece.in_runner, piece.bytes, 0, -1, 0});
    return;
  }
  const PlacedTensor& first = piece.tensors.front();
  const bool repeats = piece.bytes > kMostExactBytes && piece.tensors.size() == 1 &&
                       first.offset == 0 && may_repeat(tensor_of(first));
  if (!repeats && piece.bytes > kMostContentBytes)
    throw Error(fmt::format("tensor '{}' holds {} MiB, more than the {} MiB that heddle fills",
                            tensor_of(first).name, piece.bytes >> 20, kMostContentBytes >> 20),
                "trace a smaller size with --set, or leave out its contents");
  const std::uint64_t period = repeats ? kPeriodBytes : piece.bytes;
  files_.push_back(make_contents(launch, piece.tensors, period, moved_));
  for (std::uint64_t at = 0; at < piece.bytes; at += period)
    mappings_.push_back({piece.in_runner + at, std::min(period, piece.bytes - at), 0,
                         files_.back()->descriptor(), 0});
}

std::optional<std::uint64_t> NativeMemory::in_runner(std::uint64_t address) const {
  return moved_address(moved_, address);
}

}  // namespace heddle::trace::native
