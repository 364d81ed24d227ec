// The numbers of a GPU file, one row each: where it stands, what it sets, what it may be.
//
//   [l2]
//   ways = { is = 16, from = "cdna3" }      row { "l2", "ways", l2.shape.ways, 1..64 }
//
// Rules
//   1. The table in gpu_keys.cpp is the one list: reading, missing keys, bounds and messages all
//      come from it. docs/add-a-gpu.md describes every row, and a test holds it to that.
//   2. Bounds are of one number alone; what numbers must be together is in gpu_check.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/gpu.h"

namespace heddle::config {

/// What a key sets. Asking for a field of an optional section makes the section.
template <class Value>
using GpuFieldOf = Value& (*)(Gpu&);
using GpuField =
    std::variant<GpuFieldOf<int>, GpuFieldOf<std::int64_t>, GpuFieldOf<std::uint64_t>,
                 GpuFieldOf<double>, GpuFieldOf<bool>, GpuFieldOf<Replacement>,
                 GpuFieldOf<Replication>, GpuFieldOf<Placement>, GpuFieldOf<IndexBits>>;

enum class GpuUnit {
  none,
  bytes,             ///< may be written "4 MiB"
  bytes_per_second,  ///< may be written "4.2 TB/s"
};

struct GpuKey {
  std::string_view section;
  std::string_view name;
  GpuField field;
  double least = 0;
  double most = 0;
  GpuUnit unit = GpuUnit::none;
  bool is_optional = false;

  /// "l2.ways".
  std::string text() const;
};

struct GpuSection {
  std::string_view name;
  bool is_optional = false;
};

const std::vector<GpuSection>& gpu_sections();
const std::vector<GpuKey>& gpu_keys();
const GpuKey* find_gpu_key(std::string_view section, std::string_view name);

/// True if the section is not optional, or the GPU has it.
bool has_section(const Gpu& gpu, std::string_view section);

/// Why a number cannot be that of a key; nothing if it can.
std::optional<std::string> range_fault(const GpuKey& key, double number);

/// The words of a choice ("lru tree_plru random sampled_lru"); empty for keys that are not a choice.
std::vector<std::string> words_of(const GpuKey& key);

}  // namespace heddle::config
