// Cooperative groups: blocks, tiles, the lanes that run together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

template <int N>
__device__ float tile_sum(cg::thread_block_tile<N> tile, float value) {
  for (int step = tile.size() / 2; step > 0; step /= 2) value += tile.shfl_down(value, step);
  return value;
}

__global__ void groups(float* p, int* n, unsigned* sets) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  auto small = cg::tiled_partition<8>(tile);
  const unsigned i = block.thread_rank();
  float v = p[i];
  p[i] = tile_sum<32>(cg::tiled_partition<32>(block), v) + cg::reduce(tile, v, cg::plus<float>()) +
         cg::reduce(small, v, cg::greater<float>()) + cg::reduce(small, v, cg::less<float>());
  sets[i] = tile.ballot(v > 0) + tile.any(v < 0) + tile.all(v > 1) + tile.meta_group_rank() +
            small.thread_rank() + block.size() + block.group_index().x + small.shfl_xor(i, 3);
  tile.sync();
  block.sync();
  cg::sync(block);
  cg::coalesced_group active = cg::coalesced_threads();
  if (active.thread_rank() == 0) n[0] = active.size();
  n[i] = active.shfl(n[i], 0) + cg::inclusive_scan(tile, n[i]);
}

// Masks of 32 bits, and a warp size that is a constant.
__global__ void __launch_bounds__(256, 2) masks(int* p) {
  __shared__ int per_warp[256 / warpSize];
  const unsigned lane = threadIdx.x % warpSize;
  int v = p[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll
  for (int step = 16; step; step >>= 1) v += __shfl_xor_sync(0xffffffff, v, step);
  if (lane == 0) per_warp[threadIdx.x / warpSize] = v;
  __syncthreads();
  const unsigned votes = __ballot_sync(0xffffffffu, v > 0);
  const unsigned same = __match_any_sync(0xffffffffu, v);
  p[threadIdx.x] = __popc(votes) + __ffs(same) + per_warp[0] + __reduce_add_sync(0xffffffff, v);
  __nanosleep(100);
}
