// A five-point stencil on a grid of rows x columns. A block of 64 x 4 threads does a tile of that
// size; cells outside of the grid count as the cell itself.
#include <hip/hip_runtime.h>

__constant__ float weights[2] = {0.5f, 0.125f};  // of the cell, of each neighbour

__global__ void stencil_2d(const float* __restrict__ input, float* __restrict__ output, int rows,
                           int columns) {
  // xcd(8): proved a permutation for every grid under 2^31 blocks
  // tiles: assumed independent, not traced
  const int p0 = blockIdx.x;
  const int g0 = gridDim.x;
  const int p1 = blockIdx.y;
  const int g1 = gridDim.y;
  const int t = p0 + p1 * g0;
  const int n = g1 * g0;
  const int quotient = t / 8;
  const int die = t - quotient * 8;
  const int quotient2 = n / 8;
  const int xcd = die * quotient2 + min(die, n - quotient2 * 8) + quotient;
  const int row2 = xcd / g0;
  const unsigned int tile_x = xcd - row2 * g0;
  const unsigned int tile_y = row2;
  const int column = tile_x * blockDim.x + threadIdx.x;
  const int row = tile_y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const size_t cell = static_cast<size_t>(row) * columns + column;
  const float here = input[cell];
  const float up = row > 0 ? input[cell - columns] : here;
  const float down = row + 1 < rows ? input[cell + columns] : here;
  const float left = column > 0 ? input[cell - 1] : here;
  const float right = column + 1 < columns ? input[cell + 1] : here;
  output[cell] = weights[0] * here + weights[1] * (up + down + left + right);
}

int main() {
  const int rows = 8192;
  const int columns = 8192;
  float *input, *output;
  hipMalloc(&input, static_cast<size_t>(rows) * columns * sizeof(float));
  hipMalloc(&output, static_cast<size_t>(rows) * columns * sizeof(float));
  const dim3 threads(64, 4);
  const dim3 blocks((columns + 63) / 64, (rows + 3) / 4);
  for (int step = 0; step < 10; ++step) {
    stencil_2d<<<blocks, threads>>>(input, output, rows, columns);
    float* old = input;
    input = output;
    output = old;
  }
  const hipError_t error = hipDeviceSynchronize();
  hipFree(input);
  hipFree(output);
  return error == hipSuccess ? 0 : 1;
}
