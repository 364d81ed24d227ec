// Every vector type, its making, moving and arithmetic. A copy of up to 16 bytes is one access.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <hip/hip_vector_types.h>

template <class V>
__global__ void copy(const V* __restrict__ from, V* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

#define COPIES(name)                                              \
  template __global__ void copy(const name##1 *, name##1 *, int); \
  template __global__ void copy(const name##2 *, name##2 *, int); \
  template __global__ void copy(const name##3 *, name##3 *, int); \
  template __global__ void copy(const name##4 *, name##4 *, int);
COPIES(char)
COPIES(uchar)
COPIES(short)
COPIES(ushort)
COPIES(int)
COPIES(uint)
COPIES(long)
COPIES(ulong)
COPIES(longlong)
COPIES(ulonglong)
COPIES(float)
COPIES(double)

static_assert(sizeof(float4) == 16 && alignof(float4) == 16);
static_assert(sizeof(double2) == 16 && alignof(double2) == 16);
static_assert(sizeof(int4) == 16 && alignof(int4) == 16);
static_assert(sizeof(float2) == 8 && alignof(float2) == 8);
static_assert(sizeof(float3) == 12 && alignof(float3) == 4);
static_assert(sizeof(double4) == 32 && sizeof(double3) == 24);
static_assert(sizeof(uchar4) == 4 && sizeof(char2) == 2 && sizeof(short4) == 8);
static_assert(sizeof(half) == 2 && sizeof(__half2) == 4);

constexpr float4 kUnit = make_float4(1, 2, 3, 4);
static_assert(kUnit.z == 3);
__constant__ float4 scales[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};

struct Particle {
  float4 position;
  float3 speed;
  int kind;
};

__global__ void arithmetic(float4* p, double2* d, Particle* particles, uint3* places) {
  const int i = threadIdx.x;
  __shared__ float4 tile[64];
  tile[i] = p[i];
  __syncthreads();
  float4 v = tile[63 - i] * 2.0f + p[i] / scales[i & 1] - make_float4(1, 1, 1, 1);
  v += 1.0f;
  v *= v;
  v = -v;
  v.x += v.y;
  float4 zero = {0};
  float4 list = {1, 2, 3, 4};
  p[i] = v == zero ? list : 3 * v;
  d[i] = d[i] + make_double2(1.0, 2.0);
  Particle one = particles[i];
  one.position.w = one.speed.x + one.kind;
  particles[i + 64] = one;
  places[i] = uint3(threadIdx);
  uint3 here = blockIdx;
  dim3 there(here);
  dim3 size = blockDim;
  places[i + 64] = make_uint3(there.x, size.y, gridDim.z);
  float4* moved = reinterpret_cast<float4*>(&p[128].x);
  moved[i] = *reinterpret_cast<const float4*>(&p[256].x + 4 * i);
}

// As one access of 16 bytes, although only two components are used.
__global__ void partly(const float4* __restrict__ p, float* q, int count) {
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    float4 v = p[i];
    sum += v.x * v.w;
  }
  q[threadIdx.x] = sum;
}

__global__ void hip_names(int* p) {
  p[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x] = hipGridDim_x + warpSize + __lane_id();
}
