// A plane of cells, weighted by numbers that have the names of an index.
#include <cuda_runtime.h>

struct Config {
  static constexpr int row = 3;
  static constexpr int col = 5;
};

namespace border {
constexpr int row = 2;
constexpr int col = 4;
}  // namespace border

enum class Axis { row = 7, col = 11 };

struct Weights {
  int row, col;
};

__global__ void plane(const float* __restrict__ input, float* __restrict__ output, int rows,
                      int cols) {
  const Weights weights = {13, 17};
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  if (row >= rows || col >= cols) return;
  const float scale = Config::row + 2 * border::row + 4 * static_cast<int>(Axis::row) + weights.row;
  const int cell = (row * cols + col) * 32 + threadIdx.x;
  output[cell] = scale * input[cell];
}

void launch(const float* input, float* output, int rows, int cols) {
  plane<<<dim3(cols, rows), 32>>>(input, output, rows, cols);
}
