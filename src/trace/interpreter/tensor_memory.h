// What a tile finds in memory: the contents that the job describes, overlaid with what the tile
// itself has written.
//
//   memory.find(0x7f0000000100)                     // which tensor holds that byte, -1: none
//   memory.integer(2, address, DType::int32)        // throws Error if nobody says what it holds
//
// Rules
//   1. Writes are kept only for tensors that the program both writes and takes values from (as far
//      as the sites tell which they are), and only until the tile ends.
//   2. Reading is by bytes: another element type or width than the tensor's sees the same bits.
//   3. A write whose value nobody computed is remembered as such: reading it back is an Error.
//   4. Contents are made when first asked for, within a limit of bytes, and kept.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "config/contents.h"
#include "config/launch.h"
#include "kernel/tile_program.h"

namespace heddle::trace::interpreter {

class TensorMemory {
 public:
  TensorMemory(const kernel::KernelProgram& program, const config::Launch& launch,
               std::int64_t content_bytes);

  void start_tile() { written_.clear(); }

  int find(std::int64_t address) const;
  /// Whether elements of so many bytes at addresses low..high lie in the tensor.
  bool holds(int tensor, std::int64_t low, std::int64_t high, std::int64_t bytes) const {
    const Span& span = spans_[static_cast<std::size_t>(tensor)];
    return low >= span.start && high <= span.end - bytes;
  }

  /// Whether writes to the tensor must be kept.
  bool keeps_writes(int tensor) const { return kept_[static_cast<std::size_t>(tensor)]; }
  bool keeps_writes() const { return any_kept_; }

  std::int64_t integer(int tensor, std::int64_t address, config::DType element);
  double real(int tensor, std::int64_t address, config::DType element);
  void write(std::int64_t address, std::uint64_t bits, int bytes);
  /// A write of something that is not known.
  void write_unknown(std::int64_t address, int bytes);

 private:
  struct Span {
    std::int64_t start = 0;
    std::int64_t end = 0;
    config::DType dtype = config::DType::float32;
    int width_bits = 2;  ///< an element has 1 << width_bits bytes

    std::int64_t element(std::int64_t address) const { return (address - start) >> width_bits; }
    bool is_aligned(std::int64_t address) const {
      return ((address - start) & ((std::int64_t{1} << width_bits) - 1)) == 0;
    }
  };
  struct Word {
    std::uint64_t bits = 0;
    std::uint8_t valid = 0;    ///< one bit per byte
    std::uint8_t unknown = 0;  ///< likewise; valid, too
  };

  const config::TensorData& data(int tensor) {
    const config::TensorData* made = data_[static_cast<std::size_t>(tensor)].get();
    return made != nullptr ? *made : make_data(tensor);
  }
  const config::TensorData& make_data(int tensor);
  std::uint64_t bits(int tensor, std::int64_t address, int bytes);
  void check_size() const;
  std::uint64_t element_bits(int tensor, std::int64_t element);
  /// Whether the job's contents alone answer, element by element of the tensor's own type.
  bool is_plain(int tensor, std::int64_t address, config::DType element) const {
    const Span& span = spans_[static_cast<std::size_t>(tensor)];
    return span.dtype == element && span.is_aligned(address) &&
           (written_.empty() || !keeps_writes(tensor));
  }
  std::int64_t element_of(int tensor, std::int64_t address) const {
    return spans_[static_cast<std::size_t>(tensor)].element(address);
  }

  const config::Launch& launch_;
  std::int64_t content_bytes_left_;
  std::vector<Span> spans_;
  std::vector<std::pair<std::int64_t, int>> by_address_;  ///< start, tensor
  bool overlapping_ = false;
  std::vector<bool> kept_;
  bool any_kept_ = false;
  std::vector<std::unique_ptr<config::TensorData>> data_;
  std::unordered_map<std::uint64_t, Word> written_;  ///< by address / 8
};

/// The value that the job gives a parameter of the program; null where there is none.
const config::Value* parameter_value(const kernel::Parameter& parameter,
                                     const config::Launch& launch);

}  // namespace heddle::trace::interpreter
