// One run of tiles per XCD, remainder included; the block index is unsigned throughout.
#include <hip/hip_runtime.h>

#ifndef NUM_XCDS
#define NUM_XCDS 8
#endif

__device__ inline unsigned xcd_contiguous(unsigned bid, unsigned total) {
  const unsigned xcd = bid % NUM_XCDS;
  const unsigned slot = bid / NUM_XCDS;
  const unsigned each = total / NUM_XCDS;
  const unsigned rest = total % NUM_XCDS;
  return xcd * each + (xcd < rest ? xcd : rest) + slot;
}

__global__ __launch_bounds__(256) void sgemm_xcd(const float* __restrict__ lhs, const float* __restrict__ rhs,
                                                 float* __restrict__ out, unsigned rows, unsigned cols,
                                                 unsigned depth) {
  const unsigned tiles_x = (cols + 15u) >> 4;
  unsigned bid = xcd_contiguous(blockIdx.x, gridDim.x);
  const unsigned by = bid / tiles_x;
  const unsigned bx = bid - by * tiles_x;
  const unsigned r = (by << 4) + threadIdx.y;
  const unsigned c = (bx << 4) + threadIdx.x;
  if (r >= rows || c >= cols) return;
  float sum = 0.f;
  for (unsigned k = 0; k < depth; ++k) sum += lhs[r * depth + k] * rhs[k * cols + c];
  out[(size_t)r * cols + c] = sum;
}
