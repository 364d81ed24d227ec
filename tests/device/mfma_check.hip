// Checks AMD's matrix instructions against plain loops, with the layouts of the instructions written
// out: 128 threads leave in failures[thread] the line of the first check that failed. sums stays zero.
#include <hip/hip_runtime.h>

#define CHECK(condition) \
  if (!(condition) && failure == 0) failure = __LINE__

typedef float Floats4 __attribute__((ext_vector_type(4)));
typedef float Floats16 __attribute__((ext_vector_type(16)));
typedef double Doubles4 __attribute__((ext_vector_type(4)));
typedef int Ints4 __attribute__((ext_vector_type(4)));
typedef _Float16 Halves4 __attribute__((ext_vector_type(4)));

__device__ int number_a(int row, int k) { return (row * 5 + k * 3) % 13 - 6; }
__device__ int number_b(int k, int column) { return (k * 7 + column * 2) % 11 - 5; }
__device__ int product(int row, int column, int inner) {
  int sum = 0;
  for (int k = 0; k < inner; ++k) sum += number_a(row, k) * number_b(k, column);
  return sum;
}

__global__ void self_check(int* failures, int* sums) {
  int failure = 0;
  const int lane = threadIdx.x % 64;
  Floats4 c = {1, 2, 3, 4};
  c = __builtin_amdgcn_mfma_f32_16x16x4f32(number_a(lane % 16, lane / 16), number_b(lane / 16, lane % 16),
                                           c, 0, 0, 0);
  for (int v = 0; v < 4; ++v)
    CHECK(c[v] == v + 1 + product(4 * (lane / 16) + v, lane % 16, 4));
  Halves4 a, b;
  for (int k = 0; k < 4; ++k) {
    a[k] = _Float16(number_a(lane % 16, 4 * (lane / 16) + k));
    b[k] = _Float16(number_b(4 * (lane / 16) + k, lane % 16));
  }
  c = Floats4{0, 0, 0, 0};
  c = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
  for (int v = 0; v < 4; ++v) CHECK(c[v] == product(4 * (lane / 16) + v, lane % 16, 16));
  for (int k = 0; k < 4; ++k) {
    a[k] = _Float16(number_a(lane % 32, 4 * (lane / 32) + k));
    b[k] = _Float16(number_b(4 * (lane / 32) + k, lane % 32));
  }
  Floats16 wide = 0;
  wide = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, wide, 0, 0, 0);
  for (int v = 0; v < 16; ++v)
    CHECK(wide[v] == product(8 * (v / 4) + 4 * (lane / 32) + v % 4, lane % 32, 8));
  wide = 0;
  wide = __builtin_amdgcn_mfma_f32_32x32x2f32(number_a(lane % 32, lane / 32),
                                              number_b(lane / 32, lane % 32), wide, 0, 0, 0);
  for (int v = 0; v < 16; ++v)
    CHECK(wide[v] == product(8 * (v / 4) + 4 * (lane / 32) + v % 4, lane % 32, 2));
  // Sixteen small products, one for each four lanes.
  for (int k = 0; k < 4; ++k) {
    a[k] = _Float16(number_a(lane, k));
    b[k] = _Float16(number_b(k, lane));
  }
  c = Floats4{0, 0, 0, 0};
  c = __builtin_amdgcn_mfma_f32_4x4x4f16(a, b, c, 0, 0, 0);
  for (int v = 0; v < 4; ++v) CHECK(c[v] == product(lane / 4 * 4 + v, lane, 4));
  Doubles4 d = {0, 0, 0, 0};
  d = __builtin_amdgcn_mfma_f64_16x16x4f64(number_a(lane % 16, lane / 16), number_b(lane / 16, lane % 16),
                                           d, 0, 0, 0);
  for (int v = 0; v < 4; ++v) CHECK(d[v] == product(4 * v + lane / 16, lane % 16, 4));
  int bytes_a = 0, bytes_b = 0;
  for (int k = 0; k < 4; ++k) {
    bytes_a |= (number_a(lane % 16, 4 * (lane / 16) + k) & 255) << (8 * k);
    bytes_b |= (number_b(4 * (lane / 16) + k, lane % 16) & 255) << (8 * k);
  }
  Ints4 whole = {0, 0, 0, 0};
  whole = __builtin_amdgcn_mfma_i32_16x16x16i8(bytes_a, bytes_b, whole, 0, 0, 0);
  for (int v = 0; v < 4; ++v) CHECK(whole[v] == product(4 * (lane / 16) + v, lane % 16, 16));
  asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory");
  asm volatile("s_barrier");
  failures[threadIdx.x] = failure + sums[0];
}
