// What tensors hold, as files in memory that a runner maps.
//
// Rules
//   1. The same numbers as config::TensorData, as bytes of the tensor's type.
//   2. A file is made once and shared by all that ask for the same contents while anybody has it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/launch.h"

namespace heddle::trace::native {

/// A file without a name, closed with its last owner.
class MemoryFile {
 public:
  explicit MemoryFile(const std::vector<char>& bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Where a tensor's elements lie in a piece of memory.
struct PlacedTensor {
  std::size_t tensor = 0;    ///< index into Launch::tensors
  std::uint64_t offset = 0;  ///< in the piece
};

/// Where the launch has a tensor, and where the runner has it.
struct MovedTensor {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t in_runner = 0;
};
/// Nothing outside all tensors; the end of one is still its own.
std::optional<std::uint64_t> moved_address(const std::vector<MovedTensor>& moved,
                                           std::uint64_t address);

/// The piece's first `bytes`; addresses that tensors hold are turned by `moved`.
std::shared_ptr<const MemoryFile> make_contents(const config::Launch& launch,
                                                const std::vector<PlacedTensor>& tensors,
                                                std::uint64_t bytes,
                                                const std::vector<MovedTensor>& moved);

}  // namespace heddle::trace::native
