// Checks what the device headers compute, from inside of a kernel: one block of 128 threads leaves
// in failures[thread] the number of the first check that failed, 0 if none did. For waves of 32 and
// of 64 lanes; `sums` holds 4 zeros, 2 per type of atomic.
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <bit>

#define CHECK(condition) \
  if (!(condition) && failure == 0) failure = __LINE__

__device__ int check_waves() {
  int failure = 0;
  const int lanes = warpSize;
  const int lane = __lane_id();
  const int group = lane & ~15;
  CHECK(lane == static_cast<int>(threadIdx.x) % lanes);
  CHECK(__shfl(lane, 5) == 5);
  CHECK(__shfl(lane, 17, 16) == group + 1);
  CHECK(__shfl_up(lane, 3) == (lane < 3 ? lane : lane - 3));
  CHECK(__shfl_up(lane, 3, 16) == (lane % 16 < 3 ? lane : lane - 3));
  CHECK(__shfl_down(lane, 3) == (lane + 3 < lanes ? lane + 3 : lane));
  CHECK(__shfl_down(lane, 3, 16) == (lane % 16 + 3 < 16 ? lane + 3 : lane));
  CHECK(__shfl_xor(lane, 7) == (lane ^ 7));
  CHECK(__shfl_xor(lane, 16, 16) == (lane & 16 ? lane ^ 16 : lane));
  CHECK(__shfl_sync(~0ull, 2.5 * lane, 3) == 7.5);
  CHECK(__shfl_xor_sync(~0ull, static_cast<unsigned long long>(lane) << 40, 1) ==
        static_cast<unsigned long long>(lane ^ 1) << 40);
  const float4 v = make_float4(lane, lane + 1, lane + 2, lane + 3);
  CHECK(__shfl(v, 9) == make_float4(9, 10, 11, 12));
  CHECK(static_cast<float>(__shfl_down(half(static_cast<float>(lane)), 1)) ==
        (lane + 1 < lanes ? lane + 1 : lane));
  const unsigned long long all = lanes == 64 ? ~0ull : 0xffffffffull;
  CHECK(__ballot(lane % 2) == (0xaaaaaaaaaaaaaaaaull & all));
  CHECK(__ballot_sync(~0ull, lane < 4) == 15);
  CHECK(__activemask() == all);
  CHECK(__any(lane == 7) && !__any(lane == 99) && __all(lane >= 0) && !__all(lane > 0));
  CHECK(__match_any_sync(~0ull, lane / 4) == (15ull << (lane / 4 * 4)));
  int same = 2;
  CHECK(__match_all_sync(~0ull, 5, &same) == all && same == 1);
  CHECK(__match_all_sync(~0ull, lane, &same) == 0 && same == 0);
  CHECK(__reduce_add_sync(~0ull, lane) == lanes * (lanes - 1) / 2);
  CHECK(__reduce_max_sync(~0ull, lane) == lanes - 1 && __reduce_min_sync(~0ull, lane + 3) == 3);
  CHECK(__syncthreads_count(threadIdx.x < 70) == 70);
  CHECK(__syncthreads_and(1) && !__syncthreads_and(lane == 0) && __syncthreads_or(lane == 0));
  namespace cg = cooperative_groups;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  CHECK(tile.thread_rank() == threadIdx.x % 16 && tile.meta_group_rank() == threadIdx.x / 16);
  CHECK(tile.shfl(lane, 2) == group + 2 && tile.ballot(tile.thread_rank() == 3) == 8);
  CHECK(cg::reduce(tile, 1, cg::plus<int>()) == 16);
  CHECK(cg::reduce(tile, lane, cg::greater<int>()) == group + 15);
  CHECK(cg::inclusive_scan(tile, 2) == 2 * (threadIdx.x % 16 + 1));
  CHECK(cg::exclusive_scan(tile, 2) == 2 * (threadIdx.x % 16));
  return failure;
}

__device__ int check_bits() {
  int failure = 0;
  volatile unsigned one = 1;  // so that nothing is decided while compiling
  CHECK(__popc(one * 0xf0f0u) == 8 && __popcll(one * 0xff00000000ull) == 8);
  CHECK(__clz(static_cast<int>(one)) == 31 && __clz(0) == 32 && __clzll(0) == 64);
  CHECK(__ffs(static_cast<int>(one) * 8) == 4 && __ffs(0) == 0 && __ffsll(1ll << 40) == 41);
  CHECK(__brev(one) == 0x80000000u && __brevll(one) == 0x8000000000000000ull);
  CHECK(__byte_perm(0x33221100u * one, 0x77665544u, 0x7410) == 0x77441100u);
  CHECK(__byte_perm(0x80000000u * one, 0, 0xb0b0) == 0xff00ff00u);
  CHECK(__funnelshift_l(0x80000000u, one, 4) == 0x18u);
  CHECK(__funnelshift_r(0x10u, one, 4) == 0x10000001u);
  CHECK(__mulhi(static_cast<int>(one) << 30, 8) == 2 && __umulhi(one << 31, 4u) == 2u);
  CHECK(__umul64hi(one * (1ull << 63), 4) == 2 && __mul24(0x1000003 * one, 5) == 15);
  CHECK(__sad(3, 10, one) == 8u && __hadd(3 * static_cast<int>(one), 6) == 4);
  CHECK(__float_as_int(1.0f * one) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f);
  CHECK(__float2int_rn(2.5f * one) == 2 && __float2int_ru(2.1f) == 3 &&
        __float2int_rd(-2.1f) == -3);
  CHECK(__hiloint2double(0x3ff00000, 0) == 1.0 * one);
  CHECK(__vadd4(0xff020304u, 0x01010100u + static_cast<unsigned>(one) - 1) == 0x00030404u);
  CHECK(__vsubss4(0x80000000u, 0x01000001u) == 0x800000ffu);
  CHECK(__vcmpne4(0x01020304u, 0x01000300u) == 0x00ff00ffu);
  CHECK(__vcmpgts2(0xffff0002u, 0x00000001u) == 0x0000ffffu);
  CHECK(__vaddus2(0xffff0001u, 0x00020002u) == 0xffff0003u);
  CHECK(__dp4a(0x01020304, 0x01010101, static_cast<int>(one)) == 11);
  return failure;
}

__device__ int check_numbers() {
  int failure = 0;
  volatile float one = 1;
  CHECK(sqrtf(4 * one) == 2 && sqrt(4.0f * one) == 2 && fabs(rsqrtf(4 * one) - 0.5f) < 1e-6f);
  CHECK(fabsf(__expf(one) - 2.7182818f) < 1e-5f && fabsf(__log2f(8 * one) - 3) < 1e-5f);
  CHECK(fabs(pow(2.0 * one, 10) - 1024) < 1e-9 && fabsf(powf(2, 3 * one) - 8) < 1e-5f);
  CHECK(fabs(sin(1.0 * one) - 0.8414709848) < 1e-9 && fabsf(tanhf(one) - 0.7615942f) < 1e-6f);
  CHECK(min(3, 2u) == 2u && max(1.5f * one, 2) == 2.0f && min(-1ll, 4) == -1 && abs(-3) == 3);
  CHECK(fmaf(2, 3, one) == 7 && fminf(one, 2) == 1 && __saturatef(3 * one) == 1);
  CHECK(isnan(0 * one / (one - 1)) && !isinf(static_cast<float>(one)) && signbit(-1.0f * one));
  const half h = __float2half(1.5f * one);
  CHECK(__half2float(h) == 1.5f && __half_as_ushort(h) == 0x3e00 && h + h == half(3.0f));
  CHECK(__half2float(__hfma(h, h, h)) == 3.75f && h > half(1.0f) && __hmax(h, half(2.0f)) == 2.0f);
  const __half2 pair = __hadd2(__floats2half2_rn(1 * one, 2), __half2half2(h));
  CHECK(__low2float(pair) == 2.5f && __high2float(pair) == 3.5f);
  const __hip_bfloat16 b = __float2bfloat16(3.140625f * one);
  CHECK(__bfloat162float(b) == 3.140625f && __bfloat16_as_ushort(b) == 0x4049);
  CHECK(__bfloat162float(__float2bfloat16(1.00390625f * one)) == 1.0f);  // a tie goes to even
  CHECK(__bfloat162float(__float2bfloat16(1.01171875f * one)) == 1.015625f);
  const float4 v = make_float4(1, 2, 3, 4) * 2.0f + make_float4(one, one, one, one);
  CHECK(v == make_float4(3, 5, 7, 9) && -v == make_float4(-3, -5, -7, -9));
  CHECK(std::bit_cast<float2>(0x40000000'3f800000ull) == make_float2(1, 2));
  CHECK(std::bit_cast<unsigned long long>(make_float2(1, 2)) == 0x40000000'3f800000ull);
  constexpr uint2 words = std::bit_cast<uint2>(0x40000000'3f800000ull);
  static_assert(std::bit_cast<float>(words.y) == 2);
  constexpr __half2 halves = std::bit_cast<__half2>(0x40003c00u);
  CHECK(__low2float(halves) == 1 && __high2float(halves) == 2);
  CHECK((make_int3(1, 2, 3) - 1).z == 2 && (8 / make_uint2(2, 4)).y == 2u);
  return failure;
}

__device__ int check_atomics(int* sums) {
  int failure = 0;
  __shared__ int count;
  __shared__ unsigned wrap;
  __shared__ float real;
  __shared__ double large;
  __shared__ __half2 pair;
  __shared__ int most;
  __shared__ unsigned long long bits;
  if (threadIdx.x == 0) {
    count = 0;
    wrap = 0;
    real = 0;
    large = 0;
    pair = __float2half2_rn(0.0f);
    most = -5;
    bits = 0;
  }
  __syncthreads();
  const int place = atomicAdd(&count, 1);
  CHECK(place >= 0 && place < 128);
  atomicInc(&wrap, 9);
  atomicAdd(&real, 0.5f);
  atomicAdd(&large, 0.25);
  atomicAdd(&pair, __floats2half2_rn(1.0f, 2.0f));
  atomicMax(&most, static_cast<int>(threadIdx.x));
  atomicOr(&bits, 1ull << (threadIdx.x % 64));
  atomicAdd(&sums[0], 1);
  atomicSub(&sums[1], 2);
  atomicMin(&sums[2], -static_cast<int>(threadIdx.x));
  __syncthreads();
  CHECK(count == 128 && wrap == 128 % 10 && real == 64.0f && large == 32.0 && most == 127);
  CHECK(__low2float(pair) == 128.0f && __high2float(pair) == 256.0f && bits == ~0ull);
  CHECK(sums[0] == 128 && sums[1] == -256 && sums[2] == -127);
  __syncthreads();
  if (threadIdx.x == 0) {
    CHECK(atomicCAS(&count, 128, 7) == 128 && atomicCAS(&count, 128, 8) == 7);
    CHECK(atomicExch(&real, 2.0f) == 64.0f && atomicDec(&wrap, 20) == 8 && wrap == 7);
    CHECK(atomicXor(&bits, 1ull) == ~0ull && atomicAnd(&bits, 6ull) == ~1ull && bits == 6);
    CHECK(real == 2.0f && count == 7);
  }
  return failure;
}

__global__ void self_check(int* failures, int* sums) {
  int failure = check_waves();
  if (failure == 0) failure = check_bits();
  if (failure == 0) failure = check_numbers();
  const int of_atomics = check_atomics(sums);  // has barriers: all threads take part
  failures[threadIdx.x] = failure != 0 ? failure : of_atomics;
}
