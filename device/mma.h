/* nvcuda::wmma: matrices that a warp holds together, with the layouts of heddle/matrix.h.
 *
 *   wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
 *   wmma::load_matrix_sync(a, &A[row * K + k], K);
 *   wmma::mma_sync(c, a, b, c);
 *
 * Rules
 *   1. A lane loads and stores the elements that it holds: 4 bytes at once where they are neighbours.
 *   2. Fragments of half have 16 elements, as CUDA says, of which the second eight are the first.
 */
#ifndef HEDDLE_NAME_MMA_H
#define HEDDLE_NAME_MMA_H

#include "heddle/bfloat16.h"
#include "heddle/half.h"
#include "heddle/matrix.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

namespace detail {

template <class T>
struct Element {
  using Stored = T;
  using Bits = T;
};
template <>
struct Element<__half> {
  using Stored = __half;
  using Bits = _Float16;
};
template <>
struct Element<__nv_bfloat16> {
  using Stored = __nv_bfloat16;
  using Bits = heddle_matrix::Bfloat;
};
template <>
struct Element<precision::tf32> {
  using Stored = float;
  using Bits = heddle_matrix::Tf32;
};
template <class T>
using Stored = typename Element<T>::Stored;
template <class T>
using Bits = typename Element<T>::Bits;

template <class Use, int M, int N, int K>
inline constexpr int kCount = M* N / 32;
template <int M, int N, int K>
inline constexpr int kCount<matrix_a, M, N, K> = M* K / 32;
template <int M, int N, int K>
inline constexpr int kCount<matrix_b, M, N, K> = K* N / 32;

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
 public:
  using element_type = T;
  using storage_element_type = detail::Stored<T>;
  static constexpr int own_elements = detail::kCount<Use, M, N, K>;
  static constexpr bool is_doubled = sizeof(detail::Stored<T>) == 2 && !__is_same(Use, accumulator);
  static constexpr int num_elements = is_doubled ? 2 * own_elements : own_elements;
  static constexpr int num_storage_elements = num_elements;
  detail::Stored<T> x[num_elements];

  /* Row and column of the lane's element i. */
  static HEDDLE_CALL int row(int lane, int i) {
    using Bits = detail::Bits<T>;
    if constexpr (__is_same(Use, matrix_a))
      return heddle_matrix::row_of_a<M, Bits>(lane, i);
    else if constexpr (__is_same(Use, matrix_b))
      return heddle_matrix::row_of_b<K, Bits>(lane, i);
    else
      return heddle_matrix::row_of_c<M>(lane, i);
  }
  static HEDDLE_CALL int column(int lane, int i) {
    using Bits = detail::Bits<T>;
    if constexpr (__is_same(Use, matrix_a))
      return heddle_matrix::column_of_a<M, Bits>(lane, i);
    else if constexpr (__is_same(Use, matrix_b))
      return heddle_matrix::column_of_b<K, Bits>(lane, i);
    else
      return heddle_matrix::column_of_c<M>(lane, i);
  }
};

namespace detail {

/* Neighbours along memory that a lane holds: two of 2 or 4 bytes, four of one. */
template <class Use, class T>
inline constexpr int kNeighbours = __is_same(Use, accumulator) ? 2
                                                               : heddle_matrix::kPacked<Bits<T>>;
template <class T, int count>
struct Block {
  using Raw = unsigned char __attribute__((vector_size(sizeof(T) * count), may_alias));
};

/* Whether element i and the next ones lie beside one another. */
template <class Use>
HEDDLE_CALL bool along_rows(bool row_major) {
  return __is_same(Use, matrix_b) ? !row_major : row_major;
}

template <class Use, int M, int N, int K, class T, class Layout>
HEDDLE_CALL void load(fragment<Use, M, N, K, T, Layout>& into, const Stored<T>* from,
                      unsigned pitch, bool row_major) {
  using Fragment = fragment<Use, M, N, K, T, Layout>;
  const int lane = static_cast<int>(heddle_device::lane());
  constexpr int step = kNeighbours<Use, T>;
#pragma clang loop unroll(full)
  for (int i = 0; i < Fragment::own_elements; i += step) {
    const auto place = [&](int k) __attribute__((always_inline, nodebug)) {
      const unsigned row = Fragment::row(lane, k);
      const unsigned column = Fragment::column(lane, k);
      return row_major ? row * pitch + column : column * pitch + row;
    };
    if (step > 1 && along_rows<Use>(row_major)) {
      using Raw = typename Block<Stored<T>, step>::Raw;
      const Raw raw = *(const Raw*)(from + place(i));
      __builtin_memcpy((void*)&into.x[i], &raw, sizeof raw);
    } else {
#pragma clang loop unroll(full)
      for (int k = i; k < i + step; ++k) into.x[k] = from[place(k)];
    }
  }
#pragma clang loop unroll(full)
  for (int i = Fragment::own_elements; i < Fragment::num_elements; ++i)
    into.x[i] = into.x[i - Fragment::own_elements];
}

template <class X>
struct Same {
  using Type = X;
};

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout>
HEDDLE_CALL void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& into,
                                  const detail::Stored<T>* from, unsigned pitch) {
  detail::load(into, from, pitch, __is_same(Layout, row_major));
}
template <int M, int N, int K, class T>
HEDDLE_CALL void load_matrix_sync(fragment<accumulator, M, N, K, T>& into,
                                  const detail::Stored<T>* from, unsigned pitch, layout_t layout) {
  detail::load(into, from, pitch, layout == mem_row_major);
}

template <int M, int N, int K, class T>
HEDDLE_CALL void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& from,
                                   unsigned pitch, layout_t layout) {
  using Fragment = fragment<accumulator, M, N, K, T>;
  const int lane = static_cast<int>(heddle_device::lane());
#pragma clang loop unroll(full)
  for (int i = 0; i < Fragment::own_elements; i += 2) {
    const unsigned row = Fragment::row(lane, i);
    const unsigned column = Fragment::column(lane, i);
    if (layout == mem_row_major) {
      using Raw = typename detail::Block<T, 2>::Raw;
      Raw raw;
      __builtin_memcpy(&raw, (const void*)&from.x[i], sizeof raw);
      *(Raw*)(to + row * pitch + column) = raw;
    } else {
      to[column * pitch + row] = from.x[i];
      to[(column + 1) * pitch + row] = from.x[i + 1];
    }
  }
}

template <class Use, int M, int N, int K, class T, class Layout, class Value>
HEDDLE_CALL void fill_fragment(fragment<Use, M, N, K, T, Layout>& into, const Value& value) {
#pragma clang loop unroll(full)
  for (int i = 0; i < into.num_elements; ++i) into.x[i] = static_cast<detail::Stored<T>>(value);
}

HEDDLE_CALL float __float_to_tf32(float x) {
  const unsigned bits = heddle_device::bits_as<unsigned>(x);
  return heddle_device::bits_as<float>((bits + 0x1000u) & ~0x1fffu);
}

template <int M, int N, int K, class D, class A, class LayoutA, class B, class LayoutB, class C>
HEDDLE_CALL void mma_sync(fragment<accumulator, M, N, K, D>& to,
                          const fragment<matrix_a, M, N, K, A, LayoutA>& a,
                          const fragment<matrix_b, M, N, K, B, LayoutB>& b,
                          const fragment<accumulator, M, N, K, C>& c, bool = false) {
  using heddle_device::bits_as;
  detail::Bits<A> left[M * K / 32];
  detail::Bits<B> right[K * N / 32];
  detail::Bits<C> sums[M * N / 32];
#pragma clang loop unroll(full)
  for (int i = 0; i < M * K / 32; ++i) left[i] = bits_as<detail::Bits<A>>(a.x[i]);
#pragma clang loop unroll(full)
  for (int i = 0; i < K * N / 32; ++i) right[i] = bits_as<detail::Bits<B>>(b.x[i]);
#pragma clang loop unroll(full)
  for (int i = 0; i < M * N / 32; ++i) sums[i] = bits_as<detail::Bits<C>>(c.x[i]);
  heddle_matrix::multiply<M, N, K>(left, right, sums);
#pragma clang loop unroll(full)
  for (int i = 0; i < M * N / 32; ++i) {
    if constexpr (sizeof(C) == sizeof(D))
      to.x[i] = bits_as<D>(sums[i]);
    else
      to.x[i] = static_cast<D>(heddle_matrix::number(sums[i]));
  }
}

}  // namespace wmma
}  // namespace nvcuda

#endif
