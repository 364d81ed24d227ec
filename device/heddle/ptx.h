/* What stands for the instructions of inline assembly (src/kernel/cxx/gpu_instructions.h).
 *
 *   ::heddle_ptx::load<float, 1>(::heddle_ptx::at<false>(heddle_1, 0), heddle_0);    ld.global.f32
 *
 * Rules
 *   1. A register is bits: as<T>(x) reads them as the instruction does, put(to, x) writes them.
 *   2. 32 bits, or 64 whose upper half is zero, are an address of shared memory where the
 *      instruction says so: shared memory begins at heddle_dynamic_shared's section.
 *   3. Reads and writes are those of C++: observed, and at the place of the assembly.
 */
#ifndef HEDDLE_PTX_H
#define HEDDLE_PTX_H

#include "heddle/attributes.h"
#include "heddle/bits.h"
#include "heddle/math.h"
#include "heddle/matrix.h"
#include "heddle/memory.h"
#include "heddle/warp.h"

namespace heddle_ptx {

using heddle_device::bits_as;
using heddle_matrix::Bfloat;
using heddle_matrix::Tf32;
using Halves = _Float16 __attribute__((ext_vector_type(2)));
using Address = unsigned long long;

template <class T>
inline constexpr bool is_whole = __is_integral(T) || __is_enum(T);

/* The bits of a register as a type. */
template <class T, class X>
HEDDLE_CALL T as(const X& x) {
  if constexpr (__is_same(T, X)) {
    return x;
  } else if constexpr (__is_pointer(X)) {
    return (T)(Address)x;
  } else if constexpr (is_whole<X> && is_whole<T>) {
    return static_cast<T>(x);
  } else if constexpr (sizeof(T) == sizeof(X)) {
    return bits_as<T>(x);
  } else if constexpr (__is_floating_point(X) && __is_floating_point(T)) {
    return static_cast<T>(x);
  } else {
    T result{};
    __builtin_memcpy((void*)&result, (const void*)&x,
                     sizeof(T) < sizeof(X) ? sizeof(T) : sizeof(X));
    return result;
  }
}

template <class To, class X>
HEDDLE_CALL void put(To& to, const X& x) {
  if constexpr (__is_pointer(To)) {
    to = (To)as<Address>(x);
  } else {
    to = as<To>(x);
  }
}

template <bool in_shared, class X>
HEDDLE_CALL char* at(const X& x, long long offset) {
  if constexpr (__is_pointer(X)) {
    return (char*)x + offset;
  } else {
    const Address address = as<Address>(x);
    if (in_shared && address >> 32 == 0)
      return heddle_device::from_shared_address(static_cast<unsigned>(address)) + offset;
    return (char*)address + offset;
  }
}
template <class X>
HEDDLE_CALL Address shared_address(const X& x) {
  return static_cast<unsigned>(as<Address>(x));
}
HEDDLE_CALL unsigned warp() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}

template <class T, int count>
struct Many {
  using Type __attribute__((may_alias)) = T __attribute__((ext_vector_type(count), may_alias));
};
template <class T>
struct Many<T, 1> {
  using Type __attribute__((may_alias)) = T;
};

template <class T, int count, class... To>
HEDDLE_CALL void load(const char* from, To&... to) {
  using Values = typename Many<T, count>::Type;
  const Values values = *(const Values*)from;
  if constexpr (count == 1) {
    (put(to, values), ...);
  } else {
    int i = 0;
    (put(to, T(values[i++])), ...);
  }
}
template <class T, int count, class... X>
HEDDLE_CALL void store(char* to, const X&... x) {
  using Values = typename Many<T, count>::Type;
  if constexpr (count == 1) {
    *(Values*)to = as<T>(x...);
  } else {
    *(Values*)to = Values{as<T>(x)...};
  }
}
/* A whole variable of several registers. */
template <class T, int count, class To>
HEDDLE_CALL void load_whole(const char* from, To& to) {
  using Values = typename Many<T, count>::Type;
  put(to, *(const Values*)from);
}
template <class T, int count, class X>
HEDDLE_CALL void store_whole(char* to, const X& x) {
  using Values = typename Many<T, count>::Type;
  *(Values*)to = as<Values>(x);
}

/* cp.async: `taken` bytes come from there, the rest is zero. */
template <class N, class S>
HEDDLE_CALL void copy(char* to, const char* from, const N& bytes, const S& taken) {
  const int count = as<int>(bytes);
  const int here = as<int>(taken);
  using Sixteen = typename Many<unsigned, 4>::Type;
  using Eight = typename Many<unsigned, 2>::Type;
  using Four = typename Many<unsigned, 1>::Type;
  if (here < count) {
    for (int i = 0; i < count; ++i) to[i] = i < here ? from[i] : 0;
  } else if (count == 16) {
    *(Sixteen*)to = *(const Sixteen*)from;
  } else if (count == 8) {
    *(Eight*)to = *(const Eight*)from;
  } else {
    *(Four*)to = *(const Four*)from;
  }
}

/* ldmatrix: lanes 8k to 8k + 7 name the rows of matrix k; lane l gets elements 2 (l % 4) and the next
 * of row l / 4, or, transposed, of column l / 4. */
template <int count, bool transposed, class... To>
HEDDLE_CALL void load_matrices(const char* row, To&... to) {
  const int lane = static_cast<int>(heddle_device::lane());
  const Address own = (Address)row;
  int k = 0;
  const auto one = [&]() __attribute__((always_inline, nodebug)) {
    using Element = unsigned short __attribute__((may_alias));
    using Pair = unsigned __attribute__((may_alias));
    constexpr auto all = ~heddle_device::LaneSet{0};
    const int first = 8 * k++;
    if constexpr (!transposed) {
      const Address of = heddle_device::value_of_lane(own, first + lane / 4, all);
      return unsigned(*(const Pair*)(of + lane % 4 * 4));
    } else {
      const Address low = heddle_device::value_of_lane(own, first + lane % 4 * 2, all);
      const Address high = heddle_device::value_of_lane(own, first + lane % 4 * 2 + 1, all);
      return unsigned(*(const Element*)(low + lane / 4 * 2)) |
             unsigned(*(const Element*)(high + lane / 4 * 2)) << 16;
    }
  };
  (put(to, one()), ...);
}

/* ds_read_b64_tr_b16: of 16 lanes, lanes 4r to 4r + 3 hold row r of 4 x 16 elements, four each; lane c
 * gets column c. A chip has an instruction that takes as long as any read of 8 bytes. */
template <class To>
HEDDLE_CALL void load_transposed(const char* from, To& to) {
#if defined(HEDDLE_HOST)
  using Row = unsigned long long __attribute__((may_alias));
  constexpr auto all = ~heddle_device::LaneSet{0};
  const int lane = static_cast<int>(heddle_device::lane());
  const unsigned long long own = *(const Row*)from;
  unsigned long long column = 0;
  for (int row = 0; row < 4; ++row) {
    const int source = (lane & ~15) + 4 * row + lane % 16 / 4;
    const unsigned long long four = heddle_device::value_of_lane(own, source, all);
    column |= (four >> lane % 4 * 16 & 0xffffull) << row * 16;
  }
  put(to, __builtin_bit_cast(typename Many<unsigned, 2>::Type, column));
#else
  load_whole<unsigned, 2>(from, to);
#endif
}

template <class... X>
struct Registers {
  static constexpr int count = sizeof...(X);
  unsigned long long values[sizeof...(X)];
};
template <class... X>
HEDDLE_CALL Registers<X...> pack(const X&... x) {
  return {{as<unsigned long long>(x)...}};
}

/* Elements that lie in registers of 32 bits, or of 64 for doubles. */
template <class E, int count, class Given>
HEDDLE_CALL void unpack(const Given& given, E (&elements)[count]) {
  constexpr int packed = heddle_matrix::kPacked<E>;
  static_assert(Given::count * packed == count, "registers of an mma do not fit its shape");
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i) {
    const unsigned long long word = given.values[i / packed] >> (8 * sizeof(E) * (i % packed));
    if constexpr (sizeof(E) == 8) elements[i] = bits_as<E>(word);
    if constexpr (sizeof(E) == 4) elements[i] = bits_as<E>(static_cast<unsigned>(word));
    if constexpr (sizeof(E) == 2) elements[i] = bits_as<E>(static_cast<unsigned short>(word));
    if constexpr (sizeof(E) == 1) elements[i] = bits_as<E>(static_cast<unsigned char>(word));
  }
}

template <int M, int N, int K, class D, class A, class B, class C, class GivenA, class GivenB,
          class GivenC, class... To>
HEDDLE_CALL void multiply(const GivenA& given_a, const GivenB& given_b, const GivenC& given_c,
                          To&... to) {
  A a[M * K / 32];
  B b[K * N / 32];
  C c[M * N / 32];
  unpack(given_a, a);
  unpack(given_b, b);
  unpack(given_c, c);
  heddle_matrix::multiply<M, N, K>(a, b, c);
  constexpr int packed = heddle_matrix::kPacked<C>;
  static_assert(__is_same(C, D) && sizeof...(To) * packed == M * N / 32);
  int i = 0;
  const auto next = [&]() __attribute__((always_inline, nodebug)) {
    if constexpr (sizeof(C) == 8) {
      return bits_as<unsigned long long>(c[i++]);
    } else if constexpr (sizeof(C) == 4) {
      return bits_as<unsigned>(c[i++]);
    } else {
      const unsigned low = bits_as<unsigned short>(c[i]);
      const unsigned high = bits_as<unsigned short>(c[i + 1]);
      i += 2;
      return low | high << 16;
    }
  };
  (put(to, next()), ...);
}

#define HEDDLE_PTX_SHUFFLE(name, expression)                                                     \
  template <class Source, class Bounds>                                                          \
  HEDDLE_CALL unsigned shuffle_##name(unsigned value, const Source& given, const Bounds& bounds, \
                                      unsigned mask) {                                           \
    const int self = static_cast<int>(heddle_device::lane());                                    \
    const int by = as<int>(given);                                                               \
    const int segment = (as<int>(bounds) >> 8) & 31;                                             \
    const int limit = as<int>(bounds) & 31;                                                      \
    const int last = (self & segment) | (limit & ~segment);                                      \
    const int first = self & segment;                                                            \
    (void)first;                                                                                 \
    (void)last;                                                                                  \
    const int source = expression;                                                               \
    return heddle_device::value_of_lane(value, source, heddle_device::whole_set(mask));          \
  }
HEDDLE_PTX_SHUFFLE(index, (first | (by & ~segment)) > last ? self : (first | (by & ~segment)))
HEDDLE_PTX_SHUFFLE(butterfly, (self ^ by) > last ? self : (self ^ by))
HEDDLE_PTX_SHUFFLE(up, self - by < last ? self : self - by)
HEDDLE_PTX_SHUFFLE(down, self + by > last ? self : self + by)
#undef HEDDLE_PTX_SHUFFLE

/* mov.b64 %0, {low, high} and back. */
template <class T, class... X>
HEDDLE_CALL T joined(const X&... x) {
  constexpr int bits = 8 * sizeof(T) / sizeof...(X);
  constexpr unsigned long long mask = (1ull << bits) - 1;
  unsigned long long all = 0;
  int at = 0;
  ((all |= (as<unsigned long long>(x) & mask) << at, at += bits), ...);
  return as<T>(all);
}
template <class T, class X, class... To>
HEDDLE_CALL void part(const X& x, To&... to) {
  constexpr int bits = 8 * sizeof(T) / sizeof...(To);
  unsigned long long all = as<unsigned long long>(x);
  const auto next = [&]() __attribute__((always_inline, nodebug)) {
    const unsigned long long one = all & ((1ull << bits) - 1);
    all >>= bits;
    return one;
  };
  (put(to, next()), ...);
}

HEDDLE_CALL unsigned pair_f16x2(float high, float low) {
  return bits_as<unsigned short>(static_cast<_Float16>(low)) |
         static_cast<unsigned>(bits_as<unsigned short>(static_cast<_Float16>(high))) << 16;
}
HEDDLE_CALL unsigned pair_bf16x2(float high, float low) {
  return heddle_matrix::bfloat(low).bits | static_cast<unsigned>(heddle_matrix::bfloat(high).bits)
                                               << 16;
}
/* Whether a set of lanes holds this one. */
template <class Set>
HEDDLE_CALL bool is_lane_in(const Set& set) {
  return (as<unsigned long long>(set) >> heddle_device::lane() & 1) != 0;
}
template <class To, class X>
HEDDLE_CALL To converted(const X& x) {
  if constexpr (__is_same(To, Bfloat)) {
    return heddle_matrix::bfloat(static_cast<float>(heddle_matrix::number(x)));
  } else if constexpr (__is_same(To, Tf32)) {
    return {(bits_as<unsigned>(static_cast<float>(x)) + 0x1000u) & ~0x1fffu};
  } else if constexpr (__is_same(X, Bfloat)) {
    return static_cast<To>(heddle_matrix::number(x));
  } else {
    return static_cast<To>(x);
  }
}

#define HEDDLE_PTX_ONE(name, expression) \
  template <class T>                     \
  HEDDLE_CALL auto op_##name(T a) {      \
    return expression;                   \
  }
#define HEDDLE_PTX_TWO(name, expression) \
  template <class T>                     \
  HEDDLE_CALL auto op_##name(T a, T b) { \
    return expression;                   \
  }
#define HEDDLE_PTX_THREE(name, expression)    \
  template <class T>                          \
  HEDDLE_CALL auto op_##name(T a, T b, T c) { \
    return expression;                        \
  }
template <class T>
struct Wider {
  using Type = T;
};
template <>
struct Wider<unsigned short> {
  using Type = unsigned;
};
template <>
struct Wider<short> {
  using Type = int;
};
template <>
struct Wider<unsigned> {
  using Type = unsigned long long;
};
template <>
struct Wider<int> {
  using Type = long long;
};
template <class T>
using Wide = typename Wider<T>::Type;

HEDDLE_PTX_TWO(add, T(a + b))
HEDDLE_PTX_TWO(sub, T(a - b))
HEDDLE_PTX_TWO(mul, T(a* b))
HEDDLE_PTX_TWO(mul_lo, T(a* b))
HEDDLE_PTX_TWO(mul_hi, T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T))))
HEDDLE_PTX_TWO(mul_wide, Wide<T>(Wide<T>(a) * Wide<T>(b)))
HEDDLE_PTX_TWO(div, T(a / b))
HEDDLE_PTX_TWO(rem, T(a % b))
HEDDLE_PTX_TWO(and, T(a& b))
HEDDLE_PTX_TWO(or, T(a | b))
HEDDLE_PTX_TWO(xor, T(a ^ b))
HEDDLE_PTX_ONE(not, T(~a))
HEDDLE_PTX_ONE(neg, T(-a))
HEDDLE_PTX_ONE(rcp, T(T(1) / a))
HEDDLE_PTX_THREE(mad, T(a* b + c))
HEDDLE_PTX_THREE(mad_lo, T(a* b + c))
HEDDLE_PTX_THREE(mad_hi, T(((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T))) + c))
template <class T>
HEDDLE_CALL auto op_mad_wide(T a, T b, Wide<T> c) {
  return Wide<T>(Wide<T>(a) * Wide<T>(b) + c);
}
template <class T>
HEDDLE_CALL T op_fma(T a, T b, T c) {
  if constexpr (__is_same(T, float))
    return __builtin_fmaf(a, b, c);
  else if constexpr (__is_same(T, double))
    return __builtin_fma(a, b, c);
  else
    return T(a * b + c);
}
template <class T>
HEDDLE_CALL T op_min(T a, T b) {
  if constexpr (__is_same(T, Halves))
    return __builtin_elementwise_min(a, b);
  else
    return b < a || a != a ? b : a;
}
template <class T>
HEDDLE_CALL T op_max(T a, T b) {
  if constexpr (__is_same(T, Halves))
    return __builtin_elementwise_max(a, b);
  else
    return a < b || a != a ? b : a;
}
template <class T>
HEDDLE_CALL T op_abs(T a) {
  if constexpr (__is_same(T, Halves))
    return __builtin_elementwise_abs(a);
  else
    return a < T(0) ? T(-a) : a;
}
template <class T>
HEDDLE_CALL T op_shl(T a, unsigned by) {
  return by >= 8 * sizeof(T) ? T(0) : T(a << by);
}
template <class T>
HEDDLE_CALL T op_shr(T a, unsigned by) {
  return by >= 8 * sizeof(T) ? T(a < T(0) ? -1 : 0) : T(a >> by);
}
HEDDLE_PTX_ONE(popc, unsigned(__builtin_popcountll(static_cast<unsigned long long>(a))))
template <class T>
HEDDLE_CALL unsigned op_clz(T a) {
  if (a == T(0)) return 8 * sizeof(T);
  return static_cast<unsigned>(sizeof(T) == 8 ? __builtin_clzll(a)
                                              : __builtin_clz(static_cast<unsigned>(a)));
}
template <class T>
HEDDLE_CALL unsigned op_bfind(T a) {
  return a == T(0) ? ~0u : 8 * sizeof(T) - 1 - op_clz(a);
}
template <class T>
HEDDLE_CALL T op_brev(T a) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bitreverse64(a);
  else
    return __builtin_bitreverse32(a);
}
template <class T>
HEDDLE_CALL T op_ex2(T a) {
  return static_cast<T>(exp2f(static_cast<float>(a)));
}
template <class T>
HEDDLE_CALL T op_lg2(T a) {
  return static_cast<T>(log2f(static_cast<float>(a)));
}
template <class T>
HEDDLE_CALL T op_rsqrt(T a) {
  if constexpr (sizeof(T) == 8)
    return 1 / sqrt(a);
  else
    return static_cast<T>(1 / sqrtf(static_cast<float>(a)));
}
template <class T>
HEDDLE_CALL T op_sqrt(T a) {
  if constexpr (sizeof(T) == 8)
    return sqrt(a);
  else
    return static_cast<T>(sqrtf(static_cast<float>(a)));
}
template <class T>
HEDDLE_CALL T op_sin(T a) {
  return static_cast<T>(sinf(static_cast<float>(a)));
}
template <class T>
HEDDLE_CALL T op_cos(T a) {
  return static_cast<T>(cosf(static_cast<float>(a)));
}
template <class T>
HEDDLE_CALL T op_tanh(T a) {
  return static_cast<T>(tanhf(static_cast<float>(a)));
}
/* Bit i of the table is the result for bits (a, b, c) that make the number i. */
template <class T>
HEDDLE_CALL unsigned op_lop3(T a, T b, T c, T table) {
  unsigned result = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; ++i)
    result |=
        (table >> i & 1 ? ~0u : 0u) & ((i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c));
  return result;
}
template <class T>
HEDDLE_CALL unsigned op_prmt(T a, T b, T select) {
  const unsigned long long bytes =
      static_cast<unsigned>(a) | static_cast<unsigned long long>(static_cast<unsigned>(b)) << 32;
  unsigned result = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) {
    const unsigned code = static_cast<unsigned>(select) >> (4 * i) & 15;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (code & 7))) & 255;
    if (code & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
template <class T>
HEDDLE_CALL T op_bfe(T a, T first, T count) {
  const unsigned at = static_cast<unsigned>(first) & 255;
  const unsigned bits = static_cast<unsigned>(count) & 255;
  constexpr unsigned all = 8 * sizeof(T);
  if (bits == 0 || at >= all) return bits == 0 ? T(0) : T(a < T(0) ? -1 : 0);
  if (at + bits >= all) return T(a >> at);
  using Bits = Wide<unsigned>;
  const Bits field = (static_cast<Bits>(a) >> at) & ((Bits{1} << bits) - 1);
  const bool is_negative = T(-1) < T(0) && (field >> (bits - 1) & 1);
  return static_cast<T>(is_negative ? field | ~((Bits{1} << bits) - 1) : field);
}
template <class T>
HEDDLE_CALL T op_bfi(T a, T b, T first, T count) {
  const unsigned at = static_cast<unsigned>(first) & 255;
  const unsigned bits = static_cast<unsigned>(count) & 255;
  if (at >= 8 * sizeof(T) || bits == 0) return b;
  const T field = (bits >= 8 * sizeof(T) ? ~T(0) : (T(1) << bits) - 1) << at;
  return (b & ~field) | ((a << at) & field);
}
template <class T>
HEDDLE_CALL T op_selp(T a, T b, bool which) {
  return which ? a : b;
}
template <class T>
HEDDLE_CALL unsigned op_shf_l_wrap(T low, T high, T by) {
  return __funnelshift_l(static_cast<unsigned>(low), static_cast<unsigned>(high),
                         static_cast<unsigned>(by));
}
template <class T>
HEDDLE_CALL unsigned op_shf_r_wrap(T low, T high, T by) {
  return __funnelshift_r(static_cast<unsigned>(low), static_cast<unsigned>(high),
                         static_cast<unsigned>(by));
}
template <class T>
HEDDLE_CALL T op_dp4a(T a, T b, T c) {
  return __dp4a(a, b, c);
}
#undef HEDDLE_PTX_ONE
#undef HEDDLE_PTX_TWO
#undef HEDDLE_PTX_THREE

}  // namespace heddle_ptx

#endif
