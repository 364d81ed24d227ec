// Each die takes chunks of CHUNK consecutive tiles in turn; the ragged end stays as it is.
#define NUM_DIES 8
#define CHUNK 64

__device__ int chunked_tile() {
    int id = blockIdx.x;
    const int round = NUM_DIES * CHUNK;
    if (id >= (int)gridDim.x / round * round) return id;
    const int die = id % NUM_DIES;
    const int local = id / NUM_DIES;
    return local / CHUNK * round + die * CHUNK + local % CHUNK;
}
