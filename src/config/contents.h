// What a tensor holds, one element at a time.
//
//   TensorData data(launch, launch.tensors[2]);
//   data.integer(17)      // element 17 in memory order (address + 17 * element size)
//
// Rules
//   1. The same tensor and seed give the same numbers, on every machine, in any order of asking.
//   2. zeros, normal, uniform, range: computed when asked, nothing stored. CSR matrices,
//      permutations and files are stored, within a limit of bytes, else an Error that names the
//      tensor.
//   3. Floating values are rounded to the tensor's type; integers wrap to it.
//   4. A tensor with gaps between its rows has contents in the gaps, too: elements are counted
//      along the memory. Outside the tensor's bytes everything is 0.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/launch.h"

namespace heddle::config {

class TensorData {
 public:
  TensorData(const Launch& launch, const Tensor& tensor, std::int64_t limit_bytes);

  /// False if the job says nothing about the contents: nobody may ask for a value then.
  bool is_known() const;
  /// The element as an integer (of a floating tensor: truncated).
  std::int64_t integer(std::int64_t element) const;
  double real(std::int64_t element) const;

 private:
  void store(const Launch& launch, const Tensor& tensor, std::int64_t limit_bytes);
  void store_file(std::int64_t limit_bytes);
  std::int64_t integer_of(std::int64_t element) const;
  double real_of(std::int64_t element) const;

  Contents contents_;
  DType dtype_;
  std::int64_t elements_ = 0;
  std::shared_ptr<const std::vector<std::int64_t>> integers_;  ///< stored kinds
  std::shared_ptr<const std::vector<double>> reals_;           ///< a file or list of floats
};

/// Writes the tensor's elements as bytes of its type, as many whole ones as there is room for; what
/// is zero or not known is left as it is. Stored kinds are limited to 2 GiB.
void write_contents(const Launch& launch, const Tensor& tensor, std::span<char> bytes);

/// A random sparse matrix: every entry is a non-zero with the same probability, independently.
struct CsrMatrix {
  std::vector<std::int64_t> offsets;  ///< rows + 1
  std::vector<std::int64_t> columns;  ///< ascending within a row
};
/// Drawn by skipping: gaps between non-zeros are geometric, so it costs per non-zero.
CsrMatrix make_csr(std::int64_t rows, std::int64_t columns, double density, std::uint64_t seed,
                   std::int64_t limit_bytes);
/// columns.size() of that matrix, without making it; an Error beyond about `limit`.
std::int64_t csr_nonzeros(std::int64_t rows, std::int64_t columns, double density,
                          std::uint64_t seed, std::int64_t limit);

}  // namespace heddle::config
