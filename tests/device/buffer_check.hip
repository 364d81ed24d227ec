// Checks loads and stores through AMD's buffer resources, and rows of lanes that change places: 128
// threads leave in failures[thread] the line of the first check that failed. sums is what they write.
#include <hip/hip_runtime.h>

#define CHECK(condition) \
  if (!(condition) && failure == 0) failure = __LINE__

using Ints4 = int __attribute__((ext_vector_type(4)));
using Floats2 = float __attribute__((ext_vector_type(2)));
using SharedInt = unsigned __attribute__((address_space(3)))*;

__device__ unsigned load_word(Ints4 resource, unsigned offset, unsigned base, unsigned hints)
    __asm("llvm.amdgcn.raw.buffer.load.i32");
__device__ unsigned long long load_two(Ints4, unsigned, unsigned, unsigned)
    __asm__("llvm.amdgcn.raw.buffer.load.i64");
__device__ Floats2 load_floats(Ints4, unsigned, unsigned,
                               unsigned) __asm("llvm.amdgcn.raw.buffer.load.v2f32");
__device__ void store_word(unsigned value, Ints4 resource, unsigned offset, unsigned base,
                           unsigned hints) __asm("llvm.amdgcn.raw.buffer.store.i32");
extern "C" __device__ void load_shared(Ints4 resource, SharedInt to, int bytes, int offset, int base,
                                       int more, int hints) __asm("llvm.amdgcn.raw.buffer.load.lds");

__device__ Ints4 resource_of(const void* base, unsigned bytes) {
  struct { unsigned long long base; unsigned bytes, flags; } words = {
      reinterpret_cast<unsigned long long>(base), bytes, 0x20000};
  return *reinterpret_cast<const Ints4*>(&words);
}

/* Conversions that Clang makes calls of. */
__device__ __noinline__ unsigned short brain_bits(double value) {
  return __builtin_bit_cast(unsigned short, (__bf16)value);
}
__device__ __noinline__ unsigned short brain_bits(float value) {
  return __builtin_bit_cast(unsigned short, (__bf16)value);
}

__global__ __attribute__((amdgpu_num_vgpr(64), amdgpu_waves_per_eu(1))) void self_check(int* failures,
                                                                                        int* sums) {
  __shared__ unsigned own[128];
  __shared__ unsigned short block[8][64];  // 4 x 16 elements for each 16 lanes
  int failure = 0;
  const unsigned thread = threadIdx.x, lane = thread % 64;
  if (thread < 64) sums[thread] = thread * 3;
  __syncthreads();
  const Ints4 all = resource_of(sums, 64 * 4);
  CHECK(load_word(all, 4 * lane, 0, 0) == 3 * lane);
  CHECK(load_word(all, 4, 4 * (lane / 2), 0) == 3 * (lane / 2 + 1));
  CHECK(load_word(all, 64 * 4, 0, 0) == 0);     // behind the end
  CHECK(load_word(all, -4u, 0, 0) == 0);
  CHECK(load_word(all, 64 * 4 - 2, 0, 0) == 0);  // a part of it
  CHECK(load_two(all, 8 * (lane / 2), 0, 0) == (3ull * (lane / 2 * 2 + 1) << 32 | 3 * (lane / 2 * 2)));
  CHECK(load_two(all, 63 * 4, 0, 0) == 63 * 3);  // its second word is behind the end
  const Floats2 pair = load_floats(all, 8, 0, 0);
  CHECK(__float_as_uint(pair.x) == 6 && __float_as_uint(pair.y) == 9);

  load_shared(all, (SharedInt)(unsigned long long)&own[thread / 64 * 64], 4, 4 * (63 - lane), 0, 0, 0);
  __syncthreads();
  CHECK(own[thread] == 3 * (63 - lane));

  auto rows = __builtin_amdgcn_permlane32_swap(lane, lane + 100, false, false);
  CHECK(rows[0] == (lane < 32 ? lane : lane + 100 - 32));
  CHECK(rows[1] == (lane < 32 ? lane + 32 : lane + 100));
  rows = __builtin_amdgcn_permlane16_swap(lane, lane + 100, false, false);
  CHECK(rows[0] == (lane / 16 % 2 == 0 ? lane : lane + 100 - 16));
  CHECK(rows[1] == (lane / 16 % 2 == 0 ? lane + 16 : lane + 100));
  for (unsigned i = 0; i < 4; ++i)
    block[thread / 16][4 * (lane % 16) + i] = 100 * (thread / 16) + 4 * (lane % 16) + i;
  __syncthreads();
  union { float2 words; unsigned short parts[4]; } column;
  const unsigned place = reinterpret_cast<unsigned long long>(&block[thread / 16][4 * (lane % 16) - 4]);
  asm volatile("ds_read_b64_tr_b16 %0, %1 offset:%2\n" : "=v"(column.words) : "v"(place), "i"(8) : "memory");
  for (unsigned row = 0; row < 4; ++row)
    CHECK(column.parts[row] == 100 * (thread / 16) + 16 * row + lane % 16);

  CHECK((__shfl_down_sync<unsigned long long, unsigned>(~0ull, lane, 1, 64)) == (lane < 63 ? lane + 1 : 63));
  CHECK((__shfl_sync<unsigned long long, float>(~0ull, 2.0f * lane, 3)) == 6.0f);
  CHECK(__shfl_xor_sync(-1, lane, 1) == (lane ^ 1));
  CHECK(brain_bits(1.0f) == 0x3f80 && brain_bits(1.00390625f) == 0x3f80);  // to even
  CHECK(brain_bits(1.0039063f + 1e-7f) == 0x3f81 && brain_bits(-3.1415927f) == 0xc049);
  CHECK(brain_bits(1.00390625) == 0x3f80 && brain_bits(1.00390625 + 1e-12) == 0x3f81);
  CHECK(brain_bits(1.00390625 - 1e-12) == 0x3f80 && brain_bits(1e300) == 0x7f80);
  CHECK((brain_bits(__builtin_nanf("")) & 0x7fc0) == 0x7fc0);

  unsigned copy;
  asm volatile("v_mov_b32_e32 %0, %1" : "=v"(copy) : "v"(lane));
  CHECK(copy == lane);
  asm volatile("" : "+s"(copy));
  CHECK(copy == lane);
  __syncthreads();

  __amdgpu_buffer_rsrc_t buffer = __builtin_amdgcn_make_buffer_rsrc(sums, 0, 32 * 4, 0x20000);
  CHECK(__builtin_amdgcn_raw_buffer_load_b32(buffer, 4 * lane, 0, 0) == (lane < 32 ? 3 * lane : 0));
  const auto four = __builtin_amdgcn_raw_buffer_load_b128(buffer, 31 * 4, 0, 0);
  CHECK(four[0] == 31 * 3 && four[1] == 0 && four[3] == 0);
  __syncthreads();
  if (thread < 64) store_word(7 + lane, resource_of(sums, 48 * 4), 4 * lane, 0, 0);  // 48 are written
  failures[thread] = failure;
}
