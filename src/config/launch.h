// A launch: a job with every expression evaluated and every tensor given its place in memory.
//
//   grid 64x32, 4 warps
//   a_ptr   tensor a   fp16 [8192, 8192] strides [8192, 1] at 0x7f0000000000
//   M       8192
//   BLOCK   128        constexpr
//
// Rules
//   1. Immutable once made. Names are the kernel's parameter names.
//   2. A tensor's bytes are [address, address + bytes); no two tensors overlap unless the job sets
//      addresses that do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/dtype.h"
#include "config/target.h"
#include "support/grid.h"

namespace heddle::config {

/// What a tensor holds, where a kernel's addresses depend on it. See docs/jobs.md for the texts.
struct Contents {
  enum class Kind {
    unspecified,  ///< the job says nothing: an error if an address depends on it
    zeros,        ///< all zero
    constant,     ///< lo everywhere
    normal,       ///< mean 0, deviation 1
    uniform,      ///< [lo, hi); integers: lo..hi-1
    range,        ///< 0, 1, 2, ... in memory order
    csr_offsets,  ///< row offsets of a random sparse matrix: rows + 1 numbers
    csr_columns,  ///< its column indices, sorted within a row
    file,         ///< a .npy file
    addresses,    ///< the addresses of other tensors (an array of pointers)
    permutation,  ///< 0..n-1 shuffled
    values,       ///< listed in the job
  };
  Kind kind = Kind::unspecified;
  double lo = 0;
  double hi = 0;
  std::int64_t rows = 0;             ///< csr: rows of the matrix
  std::int64_t columns = 0;          ///< csr: columns of the matrix
  double density = 0;                ///< csr: share of non-zeros
  std::string path;                  ///< file
  std::vector<std::string> tensors;  ///< addresses
  std::vector<double> values;        ///< values
  std::uint64_t seed = 0;
};

struct Tensor {
  std::string name;  ///< as the job calls it
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements
  std::uint64_t address = 0;
  std::int64_t bytes = 0;  ///< what an allocator would hand out: the span of shape and strides
  Contents contents;
  std::vector<std::int64_t> block;  ///< not empty: passed as a tensor descriptor of this block
};

/// The value of an argument: None, a number, a text, a tensor (index into tensors) or a list.
struct TensorReference {
  std::size_t index = 0;
  friend bool operator==(const TensorReference&, const TensorReference&) = default;
};
struct Value;
using ValueList = std::vector<Value>;
struct Value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, TensorReference, ValueList>
      data;
  friend bool operator==(const Value&, const Value&) = default;
};
/// As Python prints it: "None", "8192", "'relu'", "[1, 2.0]"; a tensor is "<tensor 0>".
std::string value_text(const Value& value);

struct Argument {
  std::string name;
  Value value;
  bool is_constexpr = false;   ///< the job lists it under constexprs (or the kernel's config does)
  std::optional<DType> dtype;  ///< of a scalar, where the job says so
};

struct Launch {
  std::string kernel_path;
  std::string function;
  std::vector<std::string> include;  ///< folders of headers
  std::vector<std::string> defines;  ///< macros: "N=4"
  Grid grid{{1}};
  std::vector<Tensor> tensors;
  std::vector<Argument> arguments;
  int warps = 4;
  int stages = 2;
  std::array<int, 3> threads{};              ///< of a block, x first; zeros for Triton kernels
  std::optional<int> registers;              ///< per thread
  std::optional<std::int64_t> shared_bytes;  ///< per block; of C++ kernels what the launch adds
  Target target;                             ///< what the kernel is read for

  /// Threads of a block of a C++ kernel.
  int thread_count() const { return threads[0] * threads[1] * threads[2]; }
  /// Waves of a block: Triton's warps, or as many as its threads fill.
  int waves(int wave_lanes) const {
    return threads[0] > 0 ? (thread_count() + wave_lanes - 1) / wave_lanes : warps;
  }
  const Argument* find(const std::string& name) const;
};

}  // namespace heddle::config
