#define __extern_shared__ extern __shared__
#define HEDDLE_DYNAMIC_NAME
#line 1 "kernels/1.cu"
// output = input^T through a tile in shared memory, so that reads and writes both run along rows.
// The tile has a column more than it needs: its columns then lie in different banks.


template <int TILE, int ROWS>
__global__ void transpose_shared(const float* __restrict__ input, float* __restrict__ output,
                                 int rows, int columns) {
  // columns: proved a permutation for every grid under 2^31 blocks
  // tiles: independent as traced on grid 256x256; rows=8192, columns=8192; input: normal, seed 1;
  // output: zeros, as the job gives no contents
  const int p0 = blockIdx.x;
  const int g0 = gridDim.x;
  const int p1 = blockIdx.y;
  const int g1 = gridDim.y;
  const int t = p0 + p1 * g0;
  const int columns2 = t / g1;
  const unsigned int tile_x = columns2;
  const unsigned int tile_y = t - columns2 * g1;
  __shared__ float tile[TILE][TILE + 1];
  const int from_column = tile_x * TILE + threadIdx.x;
  for (int r = threadIdx.y; r < TILE; r += ROWS) {
    const int from_row = tile_y * TILE + r;
    if (from_row < rows && from_column < columns) {
      tile[r][threadIdx.x] = input[static_cast<size_t>(from_row) * columns + from_column];
    }
  }
  __syncthreads();
  const int to_column = tile_y * TILE + threadIdx.x;
  for (int r = threadIdx.y; r < TILE; r += ROWS) {
    const int to_row = tile_x * TILE + r;
    if (to_row < columns && to_column < rows) {
      output[static_cast<size_t>(to_row) * rows + to_column] = tile[threadIdx.x][r];
    }
  }
}

            
                        
                           
                        
                                                                          
                                                                           
                            
                                                           
                                                                             
                                                    
                  
                   
                                      
 

