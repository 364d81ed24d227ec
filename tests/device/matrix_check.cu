// Checks matrix fragments, inline PTX, copies and blocks against plain loops, from inside of a kernel:
// one block of 128 threads leaves in failures[thread] the line of the first check that failed. sums
// stays zero.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cub/cub.cuh>

#define CHECK(condition) \
  if (!(condition) && failure == 0) failure = __LINE__
#define LDMATRIX_X2(r0, r1, address)                                             \
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n"       \
               : "=r"(r0), "=r"(r1)                                              \
               : "r"(address))
#define LDMATRIX_X2_TRANS(r0, r1, address)                                       \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n" \
               : "=r"(r0), "=r"(r1)                                              \
               : "r"(address))

namespace cg = cooperative_groups;
using namespace nvcuda;

// Whole numbers that halves, bytes and bfloats hold exactly, in another order for each matrix.
__device__ int number_a(int row, int k) { return (row * 5 + k * 3) % 13 - 6; }
__device__ int number_b(int k, int column) { return (k * 7 + column * 2) % 11 - 5; }
__device__ int product(int row, int column, int inner) {
  int sum = 0;
  for (int k = 0; k < inner; ++k) sum += number_a(row, k) * number_b(k, column);
  return sum;
}

template <int M, int N, int K, class T, class Stored, class Sum, class Layout>
__device__ int check_fragments(Stored* a_of_warp, Stored* b_of_warp, Sum* c_of_warp) {
  int failure = 0;
  const int lane = threadIdx.x % 32;
  const bool is_row = __is_same(Layout, wmma::row_major);
  for (int i = lane; i < M * K; i += 32)
    a_of_warp[i] = Stored(number_a(is_row ? i / K : i % M, is_row ? i % K : i / M));
  for (int i = lane; i < K * N; i += 32)
    b_of_warp[i] = Stored(number_b(is_row ? i / N : i % K, is_row ? i % N : i / K));
  for (int i = lane; i < M * N; i += 32) c_of_warp[i] = Sum(i % 7);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, Layout> a;
  wmma::fragment<wmma::matrix_b, M, N, K, T, Layout> b;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> c;
  wmma::load_matrix_sync(a, a_of_warp, is_row ? K : M);
  wmma::load_matrix_sync(b, b_of_warp, is_row ? N : K);
  wmma::load_matrix_sync(c, c_of_warp, N, wmma::mem_row_major);
  wmma::mma_sync(c, a, b, c);
  for (int i = 0; i < c.num_elements; ++i) c.x[i] = c.x[i] + c.x[i];
  __syncwarp();
  wmma::store_matrix_sync(c_of_warp, c, M, wmma::mem_col_major);
  __syncwarp();
  for (int i = lane; i < M * N; i += 32) {
    const int row = i % M, column = i / M;
    CHECK(c_of_warp[i] == Sum(2 * (product(row, column, K) + (row * N + column) % 7)));
  }
  __syncwarp();
  return failure;
}

__device__ int check_wmma() {
  __shared__ __align__(16) unsigned char room[4][4096];
  unsigned char* const own = room[threadIdx.x / 32];
  int failure = 0;
  half* const h = reinterpret_cast<half*>(own);
  float* const f = reinterpret_cast<float*>(own + 2048);
  const int results[] = {
      check_fragments<16, 16, 16, half, half, float, wmma::row_major>(h, h + 256, f),
      check_fragments<16, 16, 16, half, half, float, wmma::col_major>(h, h + 256, f),
      check_fragments<32, 8, 16, half, half, float, wmma::row_major>(h, h + 512, f),
      check_fragments<8, 32, 16, half, half, float, wmma::col_major>(h, h + 128, f),
      check_fragments<16, 16, 16, signed char, signed char, int, wmma::row_major>(
          reinterpret_cast<signed char*>(own), reinterpret_cast<signed char*>(own) + 256,
          reinterpret_cast<int*>(f)),
      check_fragments<16, 16, 8, wmma::precision::tf32, float, float, wmma::row_major>(
          reinterpret_cast<float*>(own), reinterpret_cast<float*>(own) + 128, f),
      check_fragments<8, 8, 4, double, double, double, wmma::row_major>(
          reinterpret_cast<double*>(own), reinterpret_cast<double*>(own) + 32,
          reinterpret_cast<double*>(own) + 64)};
  for (const int one : results) failure = failure != 0 ? failure : one;
  return failure;
}

// The layouts of PTX, written out: row l / 4, column 2 (l % 4).
__device__ int check_ptx() {
  int failure = 0;
  __shared__ __align__(16) half tile[4][16 * 8];
  half* const own = tile[threadIdx.x / 32];
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  for (int i = lane; i < 128; i += 32) own[i] = half(float(i));
  __syncwarp();
  unsigned r0 = 0, r1 = 0;
  const unsigned address = __cvta_generic_to_shared(own + lane % 16 * 8);
  LDMATRIX_X2(r0, r1, address);
  CHECK(r0 == (__half_as_ushort(own[g * 8 + 2 * t]) | __half_as_ushort(own[g * 8 + 2 * t + 1]) << 16));
  CHECK((r1 & 0xffff) == __half_as_ushort(own[64 + g * 8 + 2 * t]));
  LDMATRIX_X2_TRANS(r0, r1, address);
  CHECK(r0 == (__half_as_ushort(own[2 * t * 8 + g]) | __half_as_ushort(own[(2 * t + 1) * 8 + g]) << 16));

  const auto pair = [](int low, int high) {
    return __half_as_ushort(half(low)) | unsigned(__half_as_ushort(half(high))) << 16;
  };
  unsigned a[4], b[2];
  for (int k = 0; k < 4; ++k) {
    const int row = g + k % 2 * 8, column = 2 * t + k / 2 * 8;
    a[k] = pair(number_a(row, column), number_a(row, column + 1));
  }
  for (int k = 0; k < 2; ++k)
    b[k] = pair(number_b(2 * t + 8 * k, g), number_b(2 * t + 8 * k + 1, g));
  float c[4] = {1, 2, 3, 4};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7},\n"
      " {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int k = 0; k < 4; ++k)
    CHECK(c[k] == float(k + 1 + product(g + k / 2 * 8, 2 * t + k % 2, 16)));
  unsigned h[2] = {0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, "
      "%9};\n"
      : "=r"(h[0]), "=r"(h[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(0), "r"(0));
  CHECK(h[0] == pair(product(g, 2 * t, 16), product(g, 2 * t + 1, 16)));
  CHECK(h[1] == pair(product(g + 8, 2 * t, 16), product(g + 8, 2 * t + 1, 16)));
  double d0 = 0, d1 = 0;
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d0), "+d"(d1)
      : "d"(double(number_a(g, t))), "d"(double(number_b(t, g))));
  CHECK(d0 == product(g, 2 * t, 4) && d1 == product(g, 2 * t + 1, 4));
  return failure;
}

__device__ int check_instructions() {
  int failure = 0;
  volatile unsigned one = 1;
  const unsigned lane = threadIdx.x % 32;
  unsigned u, v, w;
  int s;
  unsigned long long wide;
  float f;
  asm("mov.u32 %0, %%laneid;" : "=r"(u));
  CHECK(u == lane);
  asm("{ .reg .pred p; setp.lt.u32 p, %1, 7; selp.u32 %0, 5, 6, p; }" : "=r"(u) : "r"(lane));
  CHECK(u == (lane < 7 ? 5u : 6u));
  asm("{\n .reg .b32 low, high;\n mov.b64 {low, high}, %1;\n add.u32 %0, low, high;\n}"
      : "=r"(u)
      : "l"(0x500000002ull * one));
  CHECK(u == 7);
  asm("mov.b64 %0, {%1, %2};" : "=l"(wide) : "r"(one), "r"(one + 1));
  CHECK(wide == 0x200000001ull);
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(u) : "r"(0xccu * one), "r"(0xaau), "r"(0x0fu));
  CHECK(u == ((0xccu & 0xaau) | 0x0fu));
  asm("prmt.b32 %0, %1, %2, 0x7410;" : "=r"(u) : "r"(0x33221100u * one), "r"(0x77665544u));
  CHECK(u == 0x77441100u);
  asm("bfe.s32 %0, %1, 4, 4;" : "=r"(s) : "r"(0xf0u * one));
  CHECK(s == -1);
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(u) : "r"(0x5u * one), "r"(0xffffu));
  CHECK(u == 0xf5ffu);
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(0x80000000u * one), "r"(4u));
  CHECK(wide == 0x200000000ull);
  asm("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(u) : "r"(lane));
  CHECK(u == (lane ^ 1));
  asm("shfl.sync.down.b32 %0, %1, 30, 0x1f, 0xffffffff;" : "=r"(u) : "r"(lane));
  CHECK(u == (lane < 2 ? lane + 30 : lane));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(2.0f * one), "f"(1.0f));
  CHECK(u == 0x40003c00u);
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(2.0f * one), "f"(1.0f));
  CHECK(u == 0x40003f80u);
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(u) : "r"(0x40003c00u * one), "r"(0x40003c00u), "r"(0u));
  CHECK(u == 0x44003c00u);
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(2.0f * one), "f"(3.0f), "f"(1.0f));
  CHECK(f == 7.0f);
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(3.0f * one));
  CHECK(f == 8.0f);
  __shared__ __align__(16) unsigned words[128 * 4];
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  const unsigned at = __cvta_generic_to_shared(words + 4 * threadIdx.x);
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(1u), "r"(2u), "r"(3u),
               "r"(lane)
               : "memory");
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2 + 8];" : "=r"(v), "=r"(w) : "r"(at));
  CHECK(v == 3 && w == lane);
  asm volatile("bar.sync 0;");
  asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(unsigned(__cvta_generic_to_shared(&count))), "r"(2u));
  asm volatile("barrier.sync 0;" ::: "memory");
  CHECK(count == 256);
  return failure;
}

__device__ int check_copies(int* sums) {
  int failure = 0;
  __shared__ __align__(16) int tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  tile[threadIdx.x] = 7;
  block.sync();
  cg::memcpy_async(block, tile, sums, sizeof(int) * 64);
  cg::wait(block);
  CHECK(tile[threadIdx.x] == (threadIdx.x < 64 ? 0 : 7));
  block.sync();
  cuda::memcpy_async(block, tile + 64, sums, cuda::aligned_size_t<16>(128), barrier);
  barrier.arrive_and_wait();
  CHECK(tile[threadIdx.x] == (threadIdx.x < 96 ? 0 : 7));
  block.sync();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, tile + 96, sums, 16, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  CHECK(tile[threadIdx.x] == (threadIdx.x < 100 ? 0 : 7));
  pipe.consumer_release();
  return failure;
}

__device__ int check_blocks(const int* sums) {
  int failure = 0;
  const int rank = threadIdx.x;
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_VECTORIZE>;
  using Exchange = cub::BlockExchange<int, 128, 4>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Exchange::TempStorage exchange;
  } room;
  __shared__ typename Warp::TempStorage of_warps[4];
  __shared__ __align__(16) int values[512];
  const int sum = Reduce(room.reduce).Sum(rank);
  CHECK(rank != 0 || sum == 127 * 64);
  __syncthreads();
  const int most = Reduce(room.reduce).Reduce(rank * 37 % 101, cub::Max());
  CHECK(rank != 0 || most == 100);
  __syncthreads();
  const int part = Reduce(room.reduce).Sum(1, 50);
  CHECK(rank != 0 || part == 50);
  __syncthreads();
  int before, through, all;
  Scan(room.scan).ExclusiveSum(rank, before, all);
  CHECK(before == rank * (rank - 1) / 2 && all == 127 * 64);
  __syncthreads();
  Scan(room.scan).InclusiveSum(2, through);
  CHECK(through == 2 * (rank + 1));
  __syncthreads();
  int own[4] = {4 * rank, 4 * rank + 1, 4 * rank + 2, 4 * rank + 3};
  Store(room.store).Store(values, own);
  __syncthreads();
  CHECK(values[rank] == rank && values[511 - rank] == 511 - rank);
  int loaded[4];
  Load(room.load).Load(values, loaded, 510, -1);
  CHECK(loaded[0] == 4 * rank && loaded[1] == 4 * rank + 1);
  CHECK(loaded[3] == (rank == 127 ? -1 : 4 * rank + 3));
  __syncthreads();
  Scan(room.scan).InclusiveSum(own, own);
  CHECK(own[3] == (4 * rank + 3) * (4 * rank + 4) / 2);
  __syncthreads();
  Exchange(room.exchange).BlockedToStriped(loaded, loaded);
  CHECK(loaded[1] == 128 + rank);
  const int of_warp = Warp(of_warps[rank / 32]).Sum(rank % 32);
  CHECK(rank % 32 != 0 || of_warp == 31 * 16);
  return failure + sums[0];
}

__global__ void self_check(int* failures, int* sums) {
  int failure = check_wmma();
  if (failure == 0) failure = check_ptx();
  const int others[] = {check_instructions(), check_copies(sums), check_blocks(sums)};
  for (const int one : others) failure = failure != 0 ? failure : one;
  failures[threadIdx.x] = failure;
}
