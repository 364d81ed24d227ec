// A tile done twice on wide grids alone: the index gets another value under a condition.
__global__ void shift(float* out, int cols) {
  int column = blockIdx.x;
  if (gridDim.x > 40 && column == gridDim.x - 1) column = 0;
  const int x = column * 128 + threadIdx.x;
  if (x < cols) out[x] = x;
}
