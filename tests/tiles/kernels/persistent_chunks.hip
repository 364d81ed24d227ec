// Persistent blocks with a contiguous chunk each: begin and end are rounded, not counted.
#include <hip/hip_runtime.h>

__global__ void scale_tiles(const float* in, float* out, int rows, int cols, float factor) {
  const int tiles_r = (rows + 15) / 16, tiles_c = (cols + 15) / 16;
  const int total = tiles_r * tiles_c;
  const int begin = (int)((long long)total * blockIdx.x / gridDim.x);
  const int end = (int)((long long)total * (blockIdx.x + 1) / gridDim.x);
  for (int t = begin; t != end; ++t) {
    const int tr = t / tiles_c, tc = t % tiles_c;
    const int r = tr * 16 + threadIdx.y, c = tc * 16 + threadIdx.x;
    if (r < rows && c < cols) out[r * cols + c] = factor * in[r * cols + c];
  }
}
