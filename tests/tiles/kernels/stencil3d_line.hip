// Seven-point stencil; the block's x, y, z come from one index.
#include <hip/hip_runtime.h>

__global__ void laplace3d(const float* __restrict__ u, float* __restrict__ f, int nx, int ny, int nz) {
  const int bx_count = (nx + blockDim.x - 1) / blockDim.x;
  const int by_count = (ny + blockDim.y - 1) / blockDim.y;
  const int bid = hipBlockIdx_x;
  const int bz = bid / (bx_count * by_count);
  const int rem = bid - bz * bx_count * by_count;
  const int by = rem / bx_count;
  const int bx = rem % bx_count;
  const int i = bx * blockDim.x + threadIdx.x;
  const int j = by * blockDim.y + threadIdx.y;
  const int k = bz * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
  const int c = (k * ny + j) * nx + i;
  const int plane = nx * ny;
  f[c] = u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] + u[c - plane] + u[c + plane] - 6.0f * u[c];
}
