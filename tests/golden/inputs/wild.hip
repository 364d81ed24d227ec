// What no kernel should do, one at a time.
#include <hip/hip_runtime.h>

extern "C" __device__ long syscall(long, ...);

__global__ void wild(int* x, int mode) {
  const int t = threadIdx.x;
  x[t] = t;
  switch (mode) {
    case 0:
      *static_cast<volatile int*>(nullptr) = t;
      break;
    case 1:
      __trap();
      break;
    case 2:
      assert(mode != 2);
      break;
    case 3:
      syscall(SOCKET, 2, 1, 0);
      break;
    case 4:
      x[t - 1] = t;
      break;
    case 5:
      x[t + 1] = t;
      break;
  }
}
