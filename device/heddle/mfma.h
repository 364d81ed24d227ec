/* The matrix instructions of AMD's chips with 64 lanes, for this machine; chips have them themselves.
 *
 *   c = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
 *
 * Rules
 *   1. Of S x S x K with p elements of A in a lane and 64 / S / (K / p) blocks: lane l has row l % S of
 *      A, and elements (l / S % (K / p)) * p and on, of block l / (S * K / p); the same columns of B.
 *   2. Of C, element v: row 8 * (v / 4 % (S / 8)) + 4 * (l / 32) + v % 4 of 32 x 32,
 *      4 * (l / 16) + v % 4 of 16 x 16, v of 4 x 4; column l % S; blocks of 32 and 16 one behind the
 *      other in v, of 4 in lanes. Of doubles, row 4 * v + l / 16.
 *   3. What the last three arguments ask for, other than nothing, ends the trace.
 */
#ifndef HEDDLE_MFMA_H
#define HEDDLE_MFMA_H

#if defined(HEDDLE_HOST) && !defined(HEDDLE_CUDA)

#include "heddle/matrix.h"

namespace heddle_matrix {

template <class T, int count>
struct Values {
  using Type = T __attribute__((__vector_size__(sizeof(T) * count)));
};
template <class T>
struct Values<T, 1> {
  using Type = T;
};

template <int S, bool of_doubles>
HEDDLE_CALL constexpr int row_of_wave(int lane, int v) {
  if (of_doubles) return 4 * v + lane / 16;
  return S == 32   ? 8 * (v / 4 % 4) + 4 * (lane / 32) + v % 4
         : S == 16 ? 4 * (lane / 16) + v % 4
                   : v;
}

/* `in` elements of A and of B, `out` of C; E is an element, its bits those of what the kernel gives. */
template <int S, int K, class E, int in, int out, class Given, class Sum>
__attribute__((noinline, nodebug)) void multiply_wave(const Given& given_a, const Given& given_b,
                                                      Sum& sums, int first, int second, int third) {
  if (first != 0 || second != 0 || third != 0)
    heddle_stop("a matrix instruction with cbsz, abid or blgp cannot be run here");
  using Number = decltype(number(E{}) * number(E{}));
  constexpr int all = 2 * in;
  constexpr int parts = K / in;  // lanes that share a row
  Number* const values = shown_values<Number, all>() + number_of_lane() / 64 * 64 * all;
  const int lane = static_cast<int>(heddle_device::lane());
  E a[in];
  E b[in];
  __builtin_memcpy(a, (const void*)&given_a, sizeof a);
  __builtin_memcpy(b, (const void*)&given_b, sizeof b);
  for (int i = 0; i < in; ++i) {
    values[lane * all + i] = number(a[i]);
    values[lane * all + in + i] = number(b[i]);
  }
  heddle_device::wave_barrier(~heddle_device::LaneSet{0});
  constexpr int of_block = S == 32 ? 16 : 4;
  Number c[out];
  __builtin_memcpy(c, (const void*)&sums, sizeof c);
  for (int v = 0; v < out; ++v) {
    const int block = S == 4 ? lane / 4 : v / of_block;
    const int row = row_of_wave<S, sizeof(E) == 8>(lane, v);
    for (int k = 0; k < K; ++k) {
      const int share = block * S * parts + k / in * S;
      c[v] += values[(share + row) * all + k % in] * values[(share + lane % S) * all + in + k % in];
    }
  }
  __builtin_memcpy((void*)&sums, c, sizeof c);
  heddle_device::wave_barrier(~heddle_device::LaneSet{0});
}

}  // namespace heddle_matrix

#define HEDDLE_MFMA(name, S, K, E, Given, in, Sum, out)                                       \
  HEDDLE_CALL typename heddle_matrix::Values<Sum, out>::Type __builtin_amdgcn_mfma_##name(    \
      Given a, Given b, typename heddle_matrix::Values<Sum, out>::Type c, int cbsz, int abid, \
      int blgp) {                                                                             \
    heddle_matrix::multiply_wave<S, K, E, in, out>(a, b, c, cbsz, abid, blgp);                \
    return c;                                                                                 \
  }
#define HEDDLE_OF(T, count) heddle_matrix::Values<T, count>::Type
HEDDLE_MFMA(f32_32x32x1f32, 32, 1, float, float, 1, float, 32)
HEDDLE_MFMA(f32_16x16x1f32, 16, 1, float, float, 1, float, 16)
HEDDLE_MFMA(f32_4x4x1f32, 4, 1, float, float, 1, float, 4)
HEDDLE_MFMA(f32_32x32x2f32, 32, 2, float, float, 1, float, 16)
HEDDLE_MFMA(f32_16x16x4f32, 16, 4, float, float, 1, float, 4)
HEDDLE_MFMA(f64_16x16x4f64, 16, 4, double, double, 1, double, 4)
using HeddleFourHalves = HEDDLE_OF(_Float16, 4);
using HeddleEightHalves = HEDDLE_OF(_Float16, 8);
using HeddleTwoShorts = HEDDLE_OF(short, 2);
using HeddleFourShorts = HEDDLE_OF(short, 4);
using HeddleEightBfloats = HEDDLE_OF(__bf16, 8);
HEDDLE_MFMA(f32_32x32x4f16, 32, 4, _Float16, HeddleFourHalves, 4, float, 32)
HEDDLE_MFMA(f32_16x16x4f16, 16, 4, _Float16, HeddleFourHalves, 4, float, 16)
HEDDLE_MFMA(f32_4x4x4f16, 4, 4, _Float16, HeddleFourHalves, 4, float, 4)
HEDDLE_MFMA(f32_32x32x8f16, 32, 8, _Float16, HeddleFourHalves, 4, float, 16)
HEDDLE_MFMA(f32_16x16x16f16, 16, 16, _Float16, HeddleFourHalves, 4, float, 4)
HEDDLE_MFMA(f32_32x32x16_f16, 32, 16, _Float16, HeddleEightHalves, 8, float, 16)
HEDDLE_MFMA(f32_16x16x32_f16, 16, 32, _Float16, HeddleEightHalves, 8, float, 4)
HEDDLE_MFMA(f32_32x32x16_bf16, 32, 16, heddle_matrix::Bfloat, HeddleEightBfloats, 8, float, 16)
HEDDLE_MFMA(f32_16x16x32_bf16, 16, 32, heddle_matrix::Bfloat, HeddleEightBfloats, 8, float, 4)
HEDDLE_MFMA(f32_32x32x2bf16, 32, 2, heddle_matrix::Bfloat, HeddleTwoShorts, 2, float, 32)
HEDDLE_MFMA(f32_16x16x2bf16, 16, 2, heddle_matrix::Bfloat, HeddleTwoShorts, 2, float, 16)
HEDDLE_MFMA(f32_4x4x2bf16, 4, 2, heddle_matrix::Bfloat, HeddleTwoShorts, 2, float, 4)
HEDDLE_MFMA(f32_32x32x4bf16, 32, 4, heddle_matrix::Bfloat, HeddleTwoShorts, 2, float, 16)
HEDDLE_MFMA(f32_16x16x8bf16, 16, 8, heddle_matrix::Bfloat, HeddleTwoShorts, 2, float, 4)
HEDDLE_MFMA(f32_32x32x4bf16_1k, 32, 4, heddle_matrix::Bfloat, HeddleFourShorts, 4, float, 32)
HEDDLE_MFMA(f32_16x16x4bf16_1k, 16, 4, heddle_matrix::Bfloat, HeddleFourShorts, 4, float, 16)
HEDDLE_MFMA(f32_4x4x4bf16_1k, 4, 4, heddle_matrix::Bfloat, HeddleFourShorts, 4, float, 4)
HEDDLE_MFMA(f32_32x32x8bf16_1k, 32, 8, heddle_matrix::Bfloat, HeddleFourShorts, 4, float, 16)
HEDDLE_MFMA(f32_16x16x16bf16_1k, 16, 16, heddle_matrix::Bfloat, HeddleFourShorts, 4, float, 4)
HEDDLE_MFMA(i32_32x32x8i8, 32, 8, signed char, int, 4, int, 16)
HEDDLE_MFMA(i32_16x16x16i8, 16, 16, signed char, int, 4, int, 4)
HEDDLE_MFMA(i32_32x32x16_i8, 32, 16, signed char, long, 8, int, 16)
HEDDLE_MFMA(i32_16x16x32_i8, 16, 32, signed char, long, 8, int, 4)
#undef HEDDLE_MFMA
#undef HEDDLE_OF

#endif

#endif
