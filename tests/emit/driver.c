/* Stands before and after emitted code, in C and in C++: reads requests (subject.h), runs the
   emitted code for each launch id, prints a hash of the tiles or lists them.
   HEDDLE_TABLE names the file that holds the emitted code and the table kOrders.
   A launch id whose arithmetic overflows or divides by zero traps, and has the tile -3. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct Request {
  int function;
  int g[3];
  int t[3];
  long long first, step, count;
  long long names[4];
};

/* What a kernel sees of its launch. */
struct Three {
  unsigned int x, y, z;
};
static struct Three blockIdx, gridDim;

static inline size_t get_group_id(unsigned int axis) {
  return axis == 0 ? blockIdx.x : axis == 1 ? blockIdx.y : blockIdx.z;
}
static inline size_t get_num_groups(unsigned int axis) {
  return axis == 0 ? gridDim.x : axis == 1 ? gridDim.y : gridDim.z;
}

static void enter_block(const struct Request* request, long long id) {
  gridDim.x = (unsigned int)request->g[0];
  gridDim.y = (unsigned int)request->g[1];
  gridDim.z = (unsigned int)request->g[2];
  blockIdx.x = (unsigned int)(id % request->g[0]);
  blockIdx.y = (unsigned int)(id / request->g[0] % request->g[1]);
  blockIdx.z = (unsigned int)(id / request->g[0] / request->g[1]);
}

/* The tile at an index: -1 where the block did nothing, -2 outside. */
static inline long long tile_at(const struct Request* request, const long long* index, int given,
                                int axes, int own) {
  const long long block[3] = {blockIdx.x, blockIdx.y, blockIdx.z};
  long long tile = 0, stride = 1, count = 1;
  int idle = 1, k;
  for (k = 0; k < given; ++k) idle = idle && index[k] == -1;
  if (idle) return -1;
  for (k = 0; k < axes; ++k) count *= request->t[k];
  if (given == 1) return index[0] >= 0 && index[0] < count ? index[0] : -2;
  for (k = 0; k < axes; ++k) {
    const int axis = own ? axes - 1 - k : k;
    const long long value = axis < given ? index[axis] : block[axis];
    if (value < 0 || value >= request->t[axis]) return -2;
    tile += value * stride;
    stride *= request->t[axis];
  }
  return tile;
}

typedef long long Tile(const struct Request* request);

#include HEDDLE_TABLE

static sigjmp_buf before_block;

static void leave_block(int signal_number) {
  (void)signal_number;
  siglongjmp(before_block, 1);
}

static long long run_block(const struct Request* request, long long id) {
  enter_block(request, id);
  if (sigsetjmp(before_block, 0) != 0) return -3;
  return kOrders[request->function](request);
}

int main(int argc, char** argv) {
  struct Request r;
  FILE* file = argc > 1 ? fopen(argv[1], "r") : NULL;
  struct sigaction action;
  if (file == NULL) return 2;
  action.sa_handler = leave_block;
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGILL, &action, NULL);
  sigaction(SIGTRAP, &action, NULL);
  sigaction(SIGFPE, &action, NULL);
  while (fscanf(file, "%d %d %d %d %d %d %d %lld %lld %lld %lld %lld %lld %lld", &r.function,
                &r.g[0], &r.g[1], &r.g[2], &r.t[0], &r.t[1], &r.t[2], &r.first, &r.step, &r.count,
                &r.names[0], &r.names[1], &r.names[2], &r.names[3]) == 14) {
    unsigned long long hash = 14695981039346656037ull;
    long long i;
    for (i = 0; i < r.count; ++i) {
      const long long tile = run_block(&r, r.first + i * r.step);
      if (argc > 2) printf("%lld\n", tile);
      hash = (hash ^ (unsigned long long)(tile + 7)) * 1099511628211ull;
    }
    if (argc <= 2) printf("%llu\n", hash);
  }
  fclose(file);
  return 0;
}
