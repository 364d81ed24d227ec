// Checks random numbers, and sorts of a block, against what is published and against plain loops: one
// block of 128 threads leaves in failures[thread] the line of the first check that failed. sums stays
// zero.
#include <curand_kernel.h>
#include <rocrand/rocrand_kernel.h>

#include <cub/cub.cuh>

#define CHECK(condition) \
  if (!(condition) && failure == 0) failure = __LINE__

// The known answers of Random123 for Philox4x32-10.
__device__ int check_philox() {
  int failure = 0;
  const uint4 zeros = heddle_random::philox(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  CHECK(zeros.x == 0x6627e8d5u && zeros.y == 0xe169c58du && zeros.z == 0xbc57ac4cu &&
        zeros.w == 0x9b00dbd8u);
  const uint4 ones = heddle_random::philox(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
  CHECK(ones.x == 0x408f276du && ones.y == 0x41c83b0eu && ones.z == 0xa20bc7c6u &&
        ones.w == 0x6d5451fdu);
  const uint4 pi = heddle_random::philox(
      make_uint4(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u),
      make_uint2(0xa4093822u, 0x299f31d0u));
  CHECK(pi.x == 0xd16cfe09u && pi.y == 0x94fdccebu && pi.z == 0x5001e420u && pi.w == 0x24126ea1u);
  return failure;
}

// A state that began later draws what one that drew all before it does.
template <class State>
__device__ int check_offsets(unsigned long long seed) {
  int failure = 0;
  constexpr int kOffsets[] = {0, 1, 2, 3, 4, 7, 159, 160, 161, 1000};
  for (const int offset : kOffsets) {
    State late, early;
    curand_init(seed, 5, offset, &late);
    curand_init(seed, 5, 0, &early);
    for (int i = 0; i < offset; ++i) curand(&early);
    for (int i = 0; i < 9; ++i) CHECK(curand(&late) == curand(&early));
    State skipped;
    curand_init(seed, 2, 0, &skipped);
    skipahead_sequence(3, &skipped);
    skipahead(offset + 9, &skipped);
    CHECK(curand(&late) == curand(&skipped));
  }
  return failure;
}

__device__ int check_random(int thread) {
  int failure = check_philox();
  CHECK(sizeof(curandState) == 48 && sizeof(curandStatePhilox4_32_10_t) == 64);
  // cuRAND's guide prints these for seed 1234: the first numbers of the first sequences.
  constexpr float kGuide[9] = {0.1455f, 0.8201f, 0.5504f, 0.2948f, 0.9147f,
                               0.8690f, 0.3219f, 0.7829f, 0.0113f};
  curandState state;
  curand_init(1234, thread % 9, 0, &state);
  CHECK(fabsf(curand_uniform(&state) - kGuide[thread % 9]) < 1.1e-4f);
  if (thread == 0) {
    const int lines[2] = {check_offsets<curandState>(42),
                          check_offsets<curandStatePhilox4_32_10_t>(1ull << 40)};
    CHECK(lines[0] == 0 && lines[1] == 0);
  }
  // Four at once are four one by one, from every place in a block of four.
  curandStatePhilox4_32_10_t four, one;
  curand_init(7, thread, thread % 4, &four);
  curand_init(7, thread, thread % 4, &one);
  const uint4 all = curand4(&four);
  const unsigned single[4] = {curand(&one), curand(&one), curand(&one), curand(&one)};
  CHECK(all.x == single[0] && all.y == single[1] && all.z == single[2] && all.w == single[3]);
  double sum = 0, squares = 0, normal = 0, normal_squares = 0;
  for (int i = 0; i < 500; ++i) {
    const float u = curand_uniform(&state);
    const double d = i % 2 == 0 ? curand_uniform_double(&one) : curand_uniform_double(&state);
    CHECK(u > 0 && u <= 1 && d > 0 && d <= 1);
    sum += u + d;
    squares += u * u;
    const float n = i % 2 == 0 ? curand_normal(&state) : curand_normal(&one);
    normal += n + curand_normal_double(&state);
    normal_squares += n * n;
  }
  CHECK(fabs(sum / 1000 - 0.5) < 0.06 && fabs(squares / 500 - 1 / 3.0) < 0.07);
  CHECK(fabs(normal / 1000) < 0.16 && fabs(normal_squares / 500 - 1) < 0.35);
  rocrand_state_philox4x32_10 other;
  rocrand_init(7, thread, thread % 4, &other);
  CHECK(rocrand(&other) == all.x);
  CHECK(rocrand_uniform(&other) == 0x1p-32f + all.y * 0x1p-32f);
  return failure;
}

template <class Key>
__device__ Key key_of(int i) {
  return static_cast<Key>(i * 7919 % 1009 - 500);
}

// Each key's place is the count of those before it.
template <class Key, int items>
__device__ int check_sort(int thread) {
  int failure = 0;
  using Sort = cub::BlockRadixSort<Key, 128, items, int>;
  __shared__ typename Sort::TempStorage room;
  for (int pass = 0; pass < 2; ++pass) {
    const bool falls = pass == 1;
    Key keys[items];
    int values[items];
    for (int k = 0; k < items; ++k) keys[k] = key_of<Key>(values[k] = thread * items + k);
    if (falls)
      Sort(room).SortDescending(keys, values);
    else
      Sort(room).Sort(keys, values);
    for (int k = 0; k < items; ++k) {
      const int own = values[k];
      CHECK(own >= 0 && own < 128 * items && keys[k] == key_of<Key>(own));
      int before = 0;
      for (int i = 0; i < 128 * items; ++i) {
        const Key key = key_of<Key>(i);
        before += falls ? key > keys[k] : key < keys[k];
        before += key == keys[k] && i < own;
      }
      CHECK(before == thread * items + k);
    }
    __syncthreads();
  }
  return failure;
}

__global__ void random_check(int* failures, int* sums) {
  const int thread = threadIdx.x;
  int failure = check_random(thread);
  const int lines[4] = {check_sort<int, 3>(thread), check_sort<float, 2>(thread),
                        check_sort<unsigned char, 1>(thread), check_sort<double, 1>(thread)};
  for (const int line : lines)
    if (failure == 0) failure = line;
  failures[thread] = failure;
}
