/* Products of matrices that the lanes of a warp make together: the arithmetic of mma.sync and wmma.
 *
 *   heddle_matrix::multiply<16, 8, 16>(a, b, sums);    sums += a * b; every lane has its elements
 *
 * Rules
 *   1. Lane l of 32 has, with g = l / 4, t = l % 4 and p elements in 4 bytes (at least 1):
 *        A, M x K, element i: row g + 8 * (i / p % (M / 8)), column 4p * (i / p / (M / 8)) + tp + i % p
 *        B, K x N, element i: row 4p * (i / p % (K / 4p)) + tp + i % p, column g + 8 * (i / K * 4)
 *        C, M x N, element i: row g + 8 * (i / 2 % (M / 8)), column 8 * (i / 2 / (M / 8)) + 2t + i % 2
 *      which are the layouts of PTX for m16n8kK and m8n8kK.
 *   2. On this machine the lanes meet in shared memory of their own, which the job's kernel does not
 *      have: no request is made. Halves are summed as floats.
 *   3. On a chip of AMD's a matrix instruction stands for as many multiply-adds of the warp.
 */
#ifndef HEDDLE_MATRIX_H
#define HEDDLE_MATRIX_H

#include "heddle/attributes.h"
#include "heddle/warp.h"

namespace heddle_matrix {

/* Elements that have no type in C++. */
struct Bfloat {
  unsigned short bits;
};
struct Tf32 {
  unsigned bits;
};

HEDDLE_CALL float number(_Float16 x) {
  return static_cast<float>(x);
}
HEDDLE_CALL float number(Bfloat x) {
  return heddle_device::bits_as<float>(static_cast<unsigned>(x.bits) << 16);
}
HEDDLE_CALL float number(Tf32 x) {
  return heddle_device::bits_as<float>(x.bits & ~0x1fffu);
}
HEDDLE_CALL float number(float x) {
  return x;
}
HEDDLE_CALL double number(double x) {
  return x;
}
HEDDLE_CALL int number(signed char x) {
  return x;
}
HEDDLE_CALL int number(unsigned char x) {
  return x;
}
HEDDLE_CALL int number(int x) {
  return x;
}

/* To the nearest, ties to even. */
HEDDLE_CALL Bfloat bfloat(float x) {
  const unsigned bits = heddle_device::bits_as<unsigned>(x);
  if (x != x) return {static_cast<unsigned short>((bits >> 16) | 0x40)};
  return {static_cast<unsigned short>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

template <class E>
inline constexpr int kPacked = sizeof(E) >= 4 ? 1 : 4 / sizeof(E);

/* The place of lane `lane`'s element i. */
template <int M, class E>
HEDDLE_CALL constexpr int row_of_a(int lane, int i) {
  return lane / 4 + 8 * (i / kPacked<E> % (M / 8));
}
template <int M, class E>
HEDDLE_CALL constexpr int column_of_a(int lane, int i) {
  constexpr int p = kPacked<E>;
  return 4 * p * (i / p / (M / 8)) + lane % 4 * p + i % p;
}
template <int K, class E>
HEDDLE_CALL constexpr int row_of_b(int lane, int i) {
  constexpr int p = kPacked<E>;
  return 4 * p * (i / p % (K / (4 * p))) + lane % 4 * p + i % p;
}
template <int K, class E>
HEDDLE_CALL constexpr int column_of_b(int lane, int i) {
  return lane / 4 + 8 * (i / (K / 4));
}
template <int M>
HEDDLE_CALL constexpr int row_of_c(int lane, int i) {
  return lane / 4 + 8 * (i / 2 % (M / 8));
}
template <int M>
HEDDLE_CALL constexpr int column_of_c(int lane, int i) {
  return 8 * (i / 2 / (M / 8)) + lane % 4 * 2 + i % 2;
}

#if defined(HEDDLE_HOST)

HEDDLE_CALL unsigned number_of_lane() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* What the lanes of a block show one another, `count` for each. */
template <class T, int count>
HEDDLE_CALL T* shown_values() {
  __shared__ T values[1024 * count];
  return values;
}

/* A function of its own: its loops have no place in the kernel's file, where a chip has one
 * instruction. */
template <int M, int N, int K, class A, class B, class Sum>
__attribute__((noinline, nodebug)) void multiply(const A (&a)[M * K / 32], const B (&b)[K * N / 32],
                                                 Sum (&sums)[M * N / 32]) {
  using Number = decltype(number(A{}) * number(B{}));
  constexpr int of_a = M * K / 32;
  constexpr int all = of_a + K * N / 32;
  Number* const values = shown_values<Number, all>() + number_of_lane() / 32 * 32 * all;
  const int lane = static_cast<int>(heddle_device::lane());
  for (int i = 0; i < of_a; ++i) values[lane * all + i] = number(a[i]);
  for (int i = 0; i < K * N / 32; ++i) values[lane * all + of_a + i] = number(b[i]);
  heddle_device::wave_barrier(~heddle_device::LaneSet{0});
  constexpr int p = kPacked<A>;
  constexpr int q = kPacked<B>;
  for (int i = 0; i < M * N / 32; ++i) {
    const int row = row_of_c<M>(lane, i);
    const int column = column_of_c<M>(lane, i);
    Number sum = 0;
    for (int k = 0; k < K; ++k) {
      const int of_row =
          (row % 8 * 4 + k / p % 4) * all + (k / (4 * p) * (M / 8) + row / 8) * p + k % p;
      const int of_column = (column % 8 * 4 + k / q % 4) * all + of_a + column / 8 * (K / 4) +
                            k / (4 * q) * q + k % q;
      sum += values[of_row] * values[of_column];
    }
    sums[i] = static_cast<Sum>(number(sums[i]) + sum);
  }
  heddle_device::wave_barrier(~heddle_device::LaneSet{0});
}

#elif HEDDLE_AMDGCN

template <class T>
HEDDLE_CALL void keep(const T& value) {
  if constexpr (sizeof(T) == 8) {
    asm volatile("" ::"v"(heddle_device::bits_as<unsigned long long>(value)));
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("" ::"v"(heddle_device::bits_as<unsigned>(value)));
  } else if constexpr (sizeof(T) == 2) {
    asm volatile("" ::"v"(heddle_device::bits_as<unsigned short>(value)));
  } else {
    asm volatile("" ::"v"(static_cast<unsigned>(heddle_device::bits_as<unsigned char>(value))));
  }
}

/* A warp of 32 lanes: half a wave, and half of each instruction's multiply-adds. */
template <int M, int N, int K, class A, class B, class Sum>
HEDDLE_CALL void multiply(const A (&a)[M * K / 32], const B (&b)[K * N / 32],
                          Sum (&sums)[M * N / 32]) {
  constexpr int of_lane = M * N * K / 32;
  constexpr int of_c = M * N / 32;
#pragma clang loop unroll(full)
  for (int i = 0; i < M * K / 32; ++i) keep(a[i]);
#pragma clang loop unroll(full)
  for (int i = 0; i < K * N / 32; ++i) keep(b[i]);
  if constexpr (__is_same(A, double)) {
    using Four = __attribute__((__vector_size__(32))) double;
    Four c = {sums[0], sums[1 % of_c], sums[2 % of_c], sums[3 % of_c]};
#pragma clang loop unroll(full)
    for (int i = 0; i < (of_lane + 15) / 16; ++i)
      c = __builtin_amdgcn_mfma_f64_16x16x4f64(a[i % (M * K / 32)], b[i % (K * N / 32)], c, 0, 0,
                                               0);
#pragma clang loop unroll(full)
    for (int i = 0; i < of_c; ++i) sums[i] = c[i % 4];
  } else if constexpr (sizeof(A) == 1) {
    using Four = __attribute__((__vector_size__(16))) int;
    Four c = {sums[0], sums[1 % of_c], sums[2 % of_c], sums[3 % of_c]};
#pragma clang loop unroll(full)
    for (int i = 0; i < (of_lane + 63) / 64; ++i)
      c = __builtin_amdgcn_mfma_i32_16x16x16i8(a[i % (M * K / 32)], b[i % (K * N / 32)], c, 0, 0,
                                               0);
#pragma clang loop unroll(full)
    for (int i = 0; i < of_c; ++i) sums[i] = c[i % 4];
  } else {
    using Four = __attribute__((__vector_size__(16))) float;
    const auto widened = [](Sum x) __attribute__((always_inline, nodebug)) {
      if constexpr (sizeof(Sum) == 4)
        return heddle_device::bits_as<float>(x);
      else
        return heddle_device::bits_as<float>(
            static_cast<unsigned>(heddle_device::bits_as<unsigned short>(x)));
    };
    Four c = {widened(sums[0]), widened(sums[1 % of_c]), widened(sums[2 % of_c]),
              widened(sums[3 % of_c])};
    if constexpr (sizeof(A) == 4) {
#pragma clang loop unroll(full)
      for (int i = 0; i < (of_lane + 15) / 16; ++i)
        c = __builtin_amdgcn_mfma_f32_16x16x4f32(heddle_device::bits_as<float>(a[i % (M * K / 32)]),
                                                 heddle_device::bits_as<float>(b[i % (K * N / 32)]),
                                                 c, 0, 0, 0);
    } else {
      using Halves = __attribute__((__vector_size__(8))) _Float16;
      using Bits = __attribute__((__vector_size__(8))) short;
#pragma clang loop unroll(full)
      for (int i = 0; i < (of_lane + 63) / 64; ++i) {
        Bits left, right;
#pragma clang loop unroll(full)
        for (int k = 0; k < 4; ++k) {
          left[k] = heddle_device::bits_as<short>(a[(4 * i + k) % (M * K / 32)]);
          right[k] = heddle_device::bits_as<short>(b[(4 * i + k) % (K * N / 32)]);
        }
        if constexpr (__is_same(A, Bfloat)) {
          c = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(left, right, c, 0, 0, 0);
        } else {
          c = __builtin_amdgcn_mfma_f32_16x16x16f16(heddle_device::bits_as<Halves>(left),
                                                    heddle_device::bits_as<Halves>(right), c, 0, 0,
                                                    0);
        }
      }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < of_c; ++i) {
      if constexpr (sizeof(Sum) == 4) {
        sums[i] = heddle_device::bits_as<Sum>(static_cast<float>(c[i % 4]));
      } else {
        sums[i] = heddle_device::bits_as<Sum>(static_cast<unsigned short>(
            heddle_device::bits_as<unsigned>(static_cast<float>(c[i % 4]))));
      }
    }
  }
}

#else

template <int M, int N, int K, class A, class B, class Sum>
HEDDLE_CALL void multiply(const A (&a)[M * K / 32], const B (&b)[K * N / 32],
                          Sum (&sums)[M * N / 32]) {
  for (int i = 0; i < M * N / 32; ++i)
    for (int k = 0; k < K; ++k)
      sums[i] = static_cast<Sum>(number(sums[i]) +
                                 number(a[k % (M * K / 32)]) * number(b[k % (K * N / 32)]));
}

#endif

}  // namespace heddle_matrix

#endif
