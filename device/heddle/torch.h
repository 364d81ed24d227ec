/* What kernels use of PyTorch's headers in their device code, where those are not at hand.
 *
 *   using acc_t = at::acc_type<c10::Half, true>;   acc_t sum = static_cast<acc_t>(x[i]);
 *   v = WARP_SHFL_XOR(v, 1);
 *
 * Rules
 *   1. Types hold the bits that PyTorch's hold, and convert through float as they do. Arithmetic of two
 *      of them is rounded after every operation; with a float it is float.
 *   2. A packed accessor has the members that PyTorch's has: data_, sizes_ and strides_.
 *   3. Tensors and what else belongs to the host is not here.
 */
#ifndef HEDDLE_TORCH_H
#define HEDDLE_TORCH_H

#include "heddle/atomics.h"
#include "heddle/bfloat16.h"
#include "heddle/fp8.h"
#include "heddle/half.h"
#include "heddle/torch_complex.h"
#include "heddle/warp.h"

#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_HOST_DEVICE __host__ __device__
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_RESTRICT __restrict__
#define C10_LIKELY(condition) (condition)
#define C10_UNLIKELY(condition) (condition)
#define C10_LAUNCH_BOUNDS_0
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#if defined(HEDDLE_CUDA)
#define C10_WARP_SIZE 32
#else
#define C10_WARP_SIZE 64
#endif
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                          \
  for (type i = static_cast<type>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); \
       i += static_cast<type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace c10 {

/* The bits of another type of 16 bits. */
template <class Number, int which>
struct Sixteen : heddle_device::AnyHalf {
  unsigned short x;
  struct from_bits_t {};
  static HEDDLE_BOTH constexpr from_bits_t from_bits() { return {}; }
  Sixteen() = default;
  HEDDLE_BOTH constexpr Sixteen(unsigned short bits, from_bits_t) : x(bits) {}
  template <class T>
  requires heddle_device::is_number<T> HEDDLE_BOTH constexpr Sixteen(T value)
      : x(__builtin_bit_cast(unsigned short, Number(static_cast<float>(value)))) {}
  HEDDLE_BOTH constexpr Sixteen(Number value) : x(__builtin_bit_cast(unsigned short, value)) {}
  HEDDLE_BOTH constexpr operator float() const { return static_cast<float>(number()); }
  HEDDLE_BOTH constexpr operator Number() const { return number(); }
  HEDDLE_BOTH constexpr Number number() const { return __builtin_bit_cast(Number, x); }
  HEDDLE_BOTH constexpr float data_as_number() const { return *this; }
};
using Half = Sixteen<__half, 0>;
using BFloat16 = Sixteen<__hip_bfloat16, 1>;

template <int mantissa, int bias, bool is_fnuz>
struct Eight {
  unsigned char x;
  struct from_bits_t {};
  static HEDDLE_BOTH constexpr from_bits_t from_bits() { return {}; }
  Eight() = default;
  HEDDLE_BOTH constexpr Eight(unsigned char bits, from_bits_t) : x(bits) {}
  HEDDLE_BOTH Eight(float value) : x(heddle_device::to_fp8<mantissa, bias, is_fnuz>(value)) {}
  HEDDLE_BOTH operator float() const { return heddle_device::from_fp8<mantissa, bias, is_fnuz>(x); }
};
using Float8_e4m3fn = Eight<3, 7, false>;
using Float8_e5m2 = Eight<2, 15, false>;
using Float8_e4m3fnuz = Eight<3, 8, true>;
using Float8_e5m2fnuz = Eight<2, 16, true>;

enum class ScalarType : signed char {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  QInt8,
  QUInt8,
  QInt32,
  BFloat16,
  QUInt4x2,
  QUInt2x4,
  Bits1x8,
  Bits2x4,
  Bits4x2,
  Bits8,
  Bits16,
  Float8_e5m2,
  Float8_e4m3fn,
  Float8_e5m2fnuz,
  Float8_e4m3fnuz
};

}  // namespace c10

namespace at {

using c10::BFloat16;
using c10::Float8_e4m3fn;
using c10::Float8_e4m3fnuz;
using c10::Float8_e5m2;
using c10::Float8_e5m2fnuz;
using c10::Half;
using c10::ScalarType;

template <class T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<Half> {
  using type = float;
};
template <>
struct OpMathType<BFloat16> {
  using type = float;
};
template <>
struct OpMathType<__half> {
  using type = float;
};
template <>
struct OpMathType<__hip_bfloat16> {
  using type = float;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;

/* What sums are kept in: whole numbers in 64 bits, on a GPU floats in float. */
template <class T, bool is_gpu>
struct AccumulateType {
  using type = typename OpMathType<T>::type;
};
template <class T, bool is_gpu>
requires(__is_integral(T)) struct AccumulateType<T, is_gpu> {
  using type = long long;
};
template <>
struct AccumulateType<float, false> {
  using type = double;
};
template <>
struct AccumulateType<bool, true> {
  using type = bool;
};
template <class T, bool is_gpu>
using acc_type = typename AccumulateType<T, is_gpu>::type;

namespace cuda {
template <class T>
HEDDLE_BOTH constexpr T ATenCeilDiv(T a, T b) {
  return (a + b - 1) / b;
}
}  // namespace cuda
namespace ceil_div_space {
template <class T>
HEDDLE_BOTH constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
}  // namespace ceil_div_space
using ceil_div_space::ceil_div;

template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

/* An axis less for every [i]. Sizes and strides are the packed accessor's. */
template <class T, decltype(sizeof(0)) axes, template <class> class Traits = DefaultPtrTraits,
          class Index = long long>
class TensorAccessor {
 public:
  HEDDLE_BOTH TensorAccessor(T* data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  HEDDLE_BOTH Index size(Index axis) const { return sizes_[axis]; }
  HEDDLE_BOTH Index stride(Index axis) const { return strides_[axis]; }
  HEDDLE_BOTH T* data() const { return data_; }
  HEDDLE_BOTH decltype(auto) operator[](Index i) const {
    T* const data = data_ + strides_[0] * i;
    if constexpr (axes == 1)
      return static_cast<T&>(*data);
    else
      return TensorAccessor<T, axes - 1, Traits, Index>(data, sizes_ + 1, strides_ + 1);
  }

 private:
  T* data_;
  const Index* sizes_;
  const Index* strides_;
};

template <class T, decltype(sizeof(0)) axes, template <class> class Traits = DefaultPtrTraits,
          class Index = long long>
class GenericPackedTensorAccessor {
 public:
  HEDDLE_BOTH Index size(Index axis) const { return sizes_[axis]; }
  HEDDLE_BOTH Index stride(Index axis) const { return strides_[axis]; }
  HEDDLE_BOTH T* data() const { return data_; }
  HEDDLE_BOTH decltype(auto) operator[](Index i) const {
    return TensorAccessor<T, axes, Traits, Index>(data_, sizes_, strides_)[i];
  }

 private:
  T* data_;
  Index sizes_[axes];
  Index strides_[axes];
};
template <class T, decltype(sizeof(0)) axes, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, axes, Traits, int>;
template <class T, decltype(sizeof(0)) axes, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, axes, Traits, long long>;

}  // namespace at

namespace torch {
using at::DefaultPtrTraits;
using at::GenericPackedTensorAccessor;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
using at::TensorAccessor;
namespace headeronly {
using namespace c10;
}
}  // namespace torch

#define HEDDLE_TORCH_SHUFFLE(name, shuffle)                                                 \
  template <class T>                                                                        \
  HEDDLE_CALL T name(T value, int lane, int width = warpSize, unsigned long long = ~0ull) { \
    return shuffle(value, lane, width);                                                     \
  }
HEDDLE_TORCH_SHUFFLE(WARP_SHFL, __shfl)
HEDDLE_TORCH_SHUFFLE(WARP_SHFL_XOR, __shfl_xor)
HEDDLE_TORCH_SHUFFLE(WARP_SHFL_UP, __shfl_up)
HEDDLE_TORCH_SHUFFLE(WARP_SHFL_DOWN, __shfl_down)
#undef HEDDLE_TORCH_SHUFFLE

template <class T, class V>
HEDDLE_CALL T gpuAtomicAdd(T* address, V value) {
  return atomicAdd(address, static_cast<T>(value));
}
template <class T, class V>
HEDDLE_CALL void gpuAtomicAddNoReturn(T* address, V value) {
  atomicAdd(address, static_cast<T>(value));
}
/* Of 16 bits: as the type that holds the bits. */
template <class Number, int which>
HEDDLE_CALL c10::Sixteen<Number, which> atomicAdd(c10::Sixteen<Number, which>* address,
                                                  c10::Sixteen<Number, which> value) {
  return atomicAdd(reinterpret_cast<Number*>(address), value.number());
}

#endif
