// Where the tensors of a launch lie in a runner, and how its addresses become those of the launch.
//
//   launch   A 0x7f00_0000_0000, 8 GiB     ─▶  runner   0x1008_0000_0000
//            x 0x7f02_0000_0000, 256 KiB   ─▶           0x1012_0000_0000
//
// Rules
//   1. Tensors that overlap stay together, as they lie; others are apart, so that what goes beyond
//      one does not end in another. Offsets within 2 MiB stay the same.
//   2. Between pieces lie 32 GiB that cannot be touched, or less where there is no room for them,
//      at least 2 MiB: what an index of 32 bits makes of one tensor is not another tensor.
//   3. A tensor without contents holds zeros. Contents are exact up to kMostExactBytes; beyond that
//      random floating numbers repeat every kPeriodBytes. Everything else is exact up to
//      kMostContentBytes, and beyond that an Error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/launch.h"
#include "runner/protocol.h"
#include "trace/native/contents.h"

namespace heddle::trace::native {

inline constexpr std::uint64_t kMostExactBytes = std::uint64_t{8} << 20;
inline constexpr std::uint64_t kPeriodBytes = std::uint64_t{4} << 20;
inline constexpr std::uint64_t kMostContentBytes = std::uint64_t{1} << 30;

class NativeMemory {
 public:
  explicit NativeMemory(const config::Launch& launch);

  std::uint64_t window_bytes() const { return window_bytes_; }
  /// With descriptors of this process.
  const std::vector<runner::Mapping>& mappings() const { return mappings_; }
  /// Of a launch's address in the runner; nothing outside all pieces.
  std::optional<std::uint64_t> in_runner(std::uint64_t address) const;

  /// A piece of the window.
  struct Piece {
    std::uint64_t begin = 0;  ///< in the launch
    std::uint64_t bytes = 0;
    std::uint64_t in_runner = 0;
    std::vector<PlacedTensor> tensors;
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  void place(const config::Launch& launch);
  void map(const config::Launch& launch, const Piece& piece);

  std::vector<Piece> pieces_;  ///< by address, in the launch and in the runner alike
  std::vector<MovedTensor> moved_;
  std::vector<runner::Mapping> mappings_;
  std::vector<std::shared_ptr<const MemoryFile>> files_;
  std::uint64_t window_bytes_ = 0;
};

}  // namespace heddle::trace::native
