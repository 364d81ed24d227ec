// Counts how often each of BINS numbers occurs. A block counts in shared memory first, then adds
// its counts to the result.
#include <cuda_runtime.h>

#ifndef BINS
#define BINS 256
#endif

__global__ void histogram_shared(const unsigned char* __restrict__ input, unsigned* counts,
                                 int count) {
  __shared__ unsigned local[BINS];
  for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count / 4; i += threads) {
    const uchar4 v = reinterpret_cast<const uchar4*>(input)[i];
    atomicAdd(&local[v.x], 1u);
    atomicAdd(&local[v.y], 1u);
    atomicAdd(&local[v.z], 1u);
    atomicAdd(&local[v.w], 1u);
  }
  const int rest = count / 4 * 4 + blockIdx.x * blockDim.x + threadIdx.x;
  if (rest < count) atomicAdd(&local[input[rest]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
    if (local[bin] > 0) atomicAdd(&counts[bin], local[bin]);
  }
}

int main() {
  const int count = 1 << 26;
  unsigned char* input;
  unsigned* counts;
  cudaMalloc(&input, count);
  cudaMalloc(&counts, BINS * sizeof(unsigned));
  cudaMemset(input, 7, count);
  cudaMemset(counts, 0, BINS * sizeof(unsigned));
  histogram_shared<<<1024, 256>>>(input, counts, count);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(input);
  cudaFree(counts);
  return error == cudaSuccess ? 0 : 1;
}
