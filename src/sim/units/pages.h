// Where the tensors of a launch lie in physical memory.
//
//   virtual   7f00'0000'0000 ..      tensors, page by page of 2 MiB
//   compact   0, 1, 2, ...           the pages that hold tensors, numbered without gaps
//   frame     5, 2, 7, ...           where each lies among those of the tensors, by the seed
//   physical  91'204, 1'377, ...     where each frame lies in the whole memory: random, by the seed
//
// Rules
//   1. Only pages that hold a tensor have a frame, and frames are numbered from 0 without gaps: the
//      addresses that caches see reach no further than the tensors do.
//   2. Within a page addresses are kept.
//   3. The same launch and seed give the same frames.
//   4. Address bits above those of a frame are those of its physical number. Frames are scattered:
//      any number of them may agree in the few bits that choose a channel or a set.
#pragma once

#include <cstdint>
#include <vector>

#include "config/gpu.h"
#include "config/launch.h"

namespace heddle::sim {

class Pages {
 public:
  /// Throws Error if the tensors do not fit the GPU's memory.
  Pages(const config::Launch& launch, const config::Gpu& gpu);
  /// `bytes` of memory from address 0, as one tensor would have them: for tests that drive the
  /// machine themselves.
  Pages(std::int64_t bytes, const config::GpuPages& pages);

  /// What to add to a virtual address of this tensor to get its compact one.
  std::int64_t shift_of(std::int32_t tensor) const {
    return shifts_[static_cast<std::size_t>(tensor)];
  }
  /// The compact address of any byte of a tensor. Throws Error if no tensor holds it.
  std::uint64_t compact(std::uint64_t address) const;

  int frame_shift() const { return frame_shift_; }
  /// The frame of each compact page.
  const std::vector<std::uint32_t>& frames() const { return frames_; }
  /// The physical number of each frame.
  const std::vector<std::uint32_t>& physical() const { return physical_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(frames_.size()) << frame_shift_; }

 private:
  struct Region {
    std::uint64_t first_page = 0;
    std::uint64_t last_page = 0;  ///< included
    std::int64_t shift = 0;
  };
  void place(const config::GpuPages& pages, std::size_t count);

  int frame_shift_ = 21;
  std::vector<Region> regions_;  ///< ascending
  std::vector<std::int64_t> shifts_;
  std::vector<std::uint32_t> frames_;
  std::vector<std::uint32_t> physical_;
};

}  // namespace heddle::sim
