// Checks rocPRIM's blocks, vector instructions of AMD and hipRAND against plain loops: one block of 128
// threads leaves in failures[thread] the line of the first check that failed. sums stays zero.
#include <hip/hip_runtime.h>
#include <hiprand/hiprand_kernel.h>
#include <rocprim/block/block_load.hpp>
#include <rocprim/block/block_reduce.hpp>
#include <rocprim/block/block_scan.hpp>
#include <rocprim/block/block_store.hpp>
#include <rocprim/rocprim.hpp>

#define CHECK(condition) \
  if (!(condition) && failure == 0) failure = __LINE__

__device__ int number(int i) { return i * 37 % 101 - 50; }

__device__ int check_blocks(int thread) {
  int failure = 0;
  using Reduce = rocprim::block_reduce<int, 128>;
  using Scan = rocprim::block_scan<int, 128>;
  using Load = rocprim::block_load<int, 128, 3, rocprim::block_load_method::block_load_transpose>;
  using Store = rocprim::block_store<int, 128, 3>;
  using Sort = rocprim::block_radix_sort<int, 128, 3>;
  __shared__ typename Reduce::storage_type reduce_room;
  __shared__ typename Scan::storage_type scan_room;
  __shared__ typename Load::storage_type load_room;
  __shared__ typename Store::storage_type store_room;
  __shared__ typename Sort::storage_type sort_room;
  __shared__ int numbers[384];
  for (int i = thread; i < 384; i += 128) numbers[i] = number(i);
  __syncthreads();
  int own[3];
  Load().load(numbers, own, load_room);
  for (int k = 0; k < 3; ++k) CHECK(own[k] == number(thread * 3 + k));
  int sum = 0, largest = 0, before = 0, through = 0;
  Reduce().reduce(own, sum, reduce_room);
  __syncthreads();
  Reduce().reduce(own[0], largest, reduce_room, rocprim::maximum<int>());
  Scan().exclusive_scan(own[1], before, 1000, scan_room);
  __syncthreads();
  Scan().inclusive_scan(own[1], through, scan_room, rocprim::plus<int>());
  int all = 0, most = number(0), scanned = 1000;
  for (int i = 0; i < 384; ++i) all += number(i);
  for (int i = 0; i < 384; i += 3) most = max(most, number(i));
  for (int t = 0; t < thread; ++t) scanned += number(t * 3 + 1);
  CHECK(thread != 0 || (sum == all && largest == most));
  CHECK(before == scanned && through == scanned - 1000 + own[1]);
  Sort().sort_desc(own, sort_room);
  __syncthreads();
  Store().store(numbers, own, store_room);
  __syncthreads();
  for (int k = 0; k < 3; ++k) {
    const int place = thread * 3 + k;
    CHECK(place == 383 || numbers[place] >= numbers[place + 1]);
    CHECK(numbers[place] == own[k]);
  }
  return failure;
}

__device__ int check_instructions(int thread) {
  int failure = 0;
  float sum, power, largest;
  asm volatile("v_add_f32_e32 %0, %1, %2" : "=v"(sum) : "v"(1.5f), "v"(float(thread)));
  asm volatile("v_exp_f32 %0, %2\n\tv_max_f32_e64 %1, %0, %2" : "=v"(power), "=v"(largest) : "v"(sum));
  CHECK(thread > 30 || (power == exp2f(1.5f + thread) && largest == power));
  unsigned pair, shifted;
  asm volatile("v_cvt_pk_bf16_f32 %0, %1, %2" : "=v"(pair) : "v"(1.0f), "v"(-2.0f));
  CHECK(pair == 0xc0003f80u);
  asm("v_lshlrev_b32 %0, 4, %1" : "=v"(shifted) : "v"(thread));
  CHECK(shifted == thread * 16u);
  // A bit of every lane of the wave, and the lane's own of two values.
  unsigned long long mask;
  unsigned one;
  asm volatile("v_cmp_lt_i32_e64 %0, %2, %3\n\t"
               "v_cndmask_b32_e64 %1, %4, %5, %0"
               : "=s"(mask), "=v"(one)
               : "v"(thread % 64), "n"(10), "v"(7u), "v"(9u));
  CHECK(mask == 0x3ffull);
  CHECK(one == (thread % 64 < 10 ? 9u : 7u));
  return failure;
}

__device__ int check_random(int thread) {
  int failure = 0;
  hiprandState_t state, later;
  hiprand_init(3, thread, 0, &state);
  hiprand_init(3, thread, 2, &later);
  hiprand(&state);
  hiprand(&state);
  CHECK(hiprand(&state) == hiprand(&later));
  hiprandStatePhilox4_32_10_t philox;
  hiprand_init(0, 0, 0, &philox);
  const float4 four = hiprand_uniform4(&philox);
  CHECK(four.x == 0x1p-32f + 0x6627e8d5u * 0x1p-32f);
  return failure;
}

__global__ void rocprim_check(int* failures, int* sums) {
  const int thread = threadIdx.x;
  const int lines[3] = {check_blocks(thread), check_instructions(thread), check_random(thread)};
  int failure = 0;
  for (const int line : lines)
    if (failure == 0) failure = line;
  failures[thread] = failure;
}
