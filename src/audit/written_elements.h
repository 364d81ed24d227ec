// Which block writes each element of a launch's tensors.
//
//   c [112, 80] fp32    8,960 of 8,960 written, none by two blocks
//
// Rules
//   1. Every block is run; beyond the work or the memory allowed it is an Error.
//   2. Elements are those of the tensor's shape. Atomics write, too, and may meet: `updated`. An
//      element that one block stores and another updates depends on which comes first: `mixed`.
//   3. A block that writes nothing inside a tensor is silent; `masked` if it gets to a store all the
//      same, which masks then switch off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/block_match.h"

namespace heddle::audit {

struct WrittenTensor {
  std::string name;
  std::int64_t elements = 0;
  std::int64_t written = 0;
  std::int64_t twice = 0;   ///< stored by more than one block
  std::int64_t mixed = 0;   ///< stored by one block, updated by atomics of another
  bool is_updated = false;  ///< atomics take part
  bool spans =
      false;  ///< every index along every axis is written, but for a rim as wide at both ends
  std::optional<std::vector<std::int64_t>> missing = {};  ///< the first element without a block
  struct Meeting {
    std::vector<std::int64_t> element;
    std::int64_t first = 0;
    std::int64_t second = 0;
  };
  std::optional<Meeting> meeting = {};

  bool is_covered() const { return written == elements; }
};

struct WrittenElements {
  std::vector<WrittenTensor> tensors;  ///< that some block writes
  std::vector<std::int64_t> silent;    ///< blocks, ascending
  std::int64_t masked = 0;             ///< of the silent ones
  std::string fault;                   ///< a write outside its tensor; empty: none
};

WrittenElements find_written(const LaunchedKernel& kernel);

}  // namespace heddle::audit
