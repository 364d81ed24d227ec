// One sum over all blocks: each adds a number of its own to the same cell.
#include <cuda_runtime.h>

__global__ void tally(int* total, int factor) {
  const int tile = blockIdx.x;
  if (threadIdx.x == 0) atomicAdd(total, tile * factor + 1);
}
