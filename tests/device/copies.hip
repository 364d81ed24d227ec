// Loops that set or copy, structs as a whole, memcpy: which of them are seen depends on the flags.
#include <hip/hip_runtime.h>

struct Body {
  float x, y, z, w;
};
struct Wide {
  int a[6];
};
__global__ void zero(float* p, int n) {
  for (int i = 0; i < n; ++i) p[i] = 0;
}
__global__ void copy(const float* __restrict__ q, float* __restrict__ p, int n) {
  for (int i = 0; i < n; ++i) p[i] = q[i];
}
__global__ void four(float* p) {
  p[0] = 0;
  p[1] = 0;
  p[2] = 0;
  p[3] = 0;
}
__global__ void bodies(const Body* in, Body* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void wides(const Wide* in, Wide* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void through(const float* in, float* out) {
  float4 v;
  memcpy(&v, in + 4 * threadIdx.x, 16);
  v.x += 1;
  memcpy(out + 4 * threadIdx.x, &v, 16);
}
__global__ void member(const Body* in, Body* out) {
  Body b = in[threadIdx.x];
  b.x += b.w;
  out[threadIdx.x] = b;
}
__global__ void fresh(Wide* out) {
  out[threadIdx.x] = Wide{};
}
