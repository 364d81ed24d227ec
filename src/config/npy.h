// NumPy's file format for one array: np.save("x.npy", array).
//
//   read_npy("columns.npy", 1 << 20).integers == {0, 5, 7, ...}
//
// Rules
//   1. Formats 1, 2 and 3; bool, int8..int64, uint8..uint64, float16, float32, float64; little
//      endian; row-major order. Anything else is an Error that says how to save it.
//   2. What is held, 8 bytes for each element, stays within the limit, whatever the header claims.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/dtype.h"

namespace heddle::config {

struct NpyArray {
  std::vector<std::int64_t> shape;
  bool is_real = false;                ///< then `reals` holds the elements, else `integers`
  std::vector<std::int64_t> integers;  ///< uint64: same bits
  std::vector<double> reals;
};

NpyArray read_npy(const std::string& path, std::int64_t limit_bytes);

/// A row-major array as a file's bytes. bfloat16 and float8 become unsigned integers of their
/// width: NumPy has no name for them.
std::string npy_bytes(DType type, const std::vector<std::int64_t>& shape,
                      const std::vector<char>& elements);

}  // namespace heddle::config
