// What tensors hold, by seed: the same bytes on every machine.
//
//   HostContents contents = make_contents(tensor, {seed, number, folder, addresses});
//
// Rules
//   1. The numbers are those of docs/agent.md; a tensor's depend on the seed and on its place in
//   the launch.
//   2. Floating numbers and constants of large tensors repeat after a bit more than 4 MiB, so that
//   no
//      power of two meets itself. Integers, which may be indices, never repeat.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bundle.h"

namespace heddle::agent {

/// `bytes` bytes: the block again and again.
struct HostContents {
  std::vector<unsigned char> block;
  std::uint64_t bytes = 0;
};

struct ContentsRequest {
  std::uint64_t seed = 0;
  std::uint64_t number = 0;  ///< of the tensor
  std::string folder;
  std::vector<std::uint64_t> addresses;  ///< of all tensors of the launch
};

HostContents make_contents(const Tensor& tensor, const ContentsRequest& request);

/// Bytes from `offset` on; `count` of them are there.
void copy_contents(const HostContents& contents, std::uint64_t offset, std::uint64_t count,
                   unsigned char* to);

}  // namespace heddle::agent
