// The sum of many numbers: threads stride over the input four numbers at a time, lanes add by
// shuffles, warps through dynamic shared memory, blocks by one atomic each.
#include <cuda_runtime.h>

#include <cstdio>

__inline__ __device__ float warp_sum(float value) {
  for (int step = warpSize / 2; step > 0; step /= 2) {
    value += __shfl_down_sync(0xffffffff, value, step);
  }
  return value;
}

__global__ void reduction(const float* __restrict__ input, float* total, int count) {
  extern __shared__ float per_warp[];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  float sum = 0;
  const float4* fours = reinterpret_cast<const float4*>(input);
  for (int i = thread; i < count / 4; i += threads) {
    const float4 v = fours[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  for (int i = count / 4 * 4 + thread; i < count; i += threads) sum += input[i];
  sum = warp_sum(sum);
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
  if (lane == 0) per_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const int warps = (blockDim.x + warpSize - 1) / warpSize;
    sum = warp_sum(lane < warps ? per_warp[lane] : 0.0f);
    if (lane == 0) atomicAdd(total, sum);
  }
}

int main() {
  const int count = 1 << 26;
  float *input, *total;
  cudaMalloc(&input, count * sizeof(float));
  cudaMalloc(&total, sizeof(float));
  cudaMemset(input, 0, count * sizeof(float));
  cudaMemset(total, 0, sizeof(float));
  const int threads = 256;
  const int shared_bytes = threads / 32 * sizeof(float);
  reduction<<<2048, threads, shared_bytes>>>(input, total, count);
  float value = 0;
  cudaMemcpy(&value, total, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", value);
  cudaFree(input);
  cudaFree(total);
  return 0;
}
