// Numbers with noise on them; the seeds are what the preprocessor counts.
#include <cuda_runtime.h>

#define FRESH __COUNTER__

constexpr int kFirst = FRESH;
__constant__ int seeds[2] = {FRESH, FRESH};

__device__ float noise(int seed, int cell) { return ((cell * 31 + seed * 17) % 64) / 64.0f; }

__global__ void noisy(const float* __restrict__ input, float* __restrict__ output, int columns) {
  const int row = blockIdx.x;
  const int seed = __LINE__;
  for (int column = threadIdx.x; column < columns; column += 64) {
    const int cell = row * columns + column;
    output[cell] = input[cell] + noise(seed, cell) + noise(seeds[1], cell);
  }
}

void launch(const float* input, float* output, int rows, int columns) {
  noisy<<<rows, 64>>>(input, output, columns);
}
