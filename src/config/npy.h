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

namespace heddle::config {

struct NpyArray {
  std::vector<std::int64_t> shape;
  bool is_real = false;                ///< then `reals` holds the elements, else `integers`
  std::vector<std::int64_t> integers;  ///< uint64: same bits
  std::vector<double> reals;
};

NpyArray read_npy(const std::string& path, std::int64_t limit_bytes);

}  // namespace heddle::config
