/* char1 ... double4, make_*, and HIP's arithmetic by component.
 *
 *   float4 v = p[i];          one access of 16 bytes
 *   v = v * 2.0f + q[i];      by component
 *   p[i].x = 1;               one access of 4 bytes
 *
 * Rules
 *   1. A vector of 2 or 4 components moves as one piece if it has up to 16 bytes, as two if it has
 *      32. To that end copies are made of a vector type of the compiler: plain structs are taken
 *      apart by the optimizer. Vectors of 3 move by component. Operators take their operands by
 *      value, so that these move as one piece, too.
 *   2. Alignment is that of CUDA, which is HIP's but for the vectors of 32 bytes: 16, not 32.
 *   3. Making one without arguments does nothing, so that shared arrays need no constructor.
 */
#ifndef HEDDLE_VECTOR_TYPES_H
#define HEDDLE_VECTOR_TYPES_H

#include "heddle/attributes.h"

namespace heddle_device {

template <class T, int count>
using Packed = T __attribute__((ext_vector_type(count)));

/* What vectors have in common, for operators to find them. */
struct AnyVector {};

template <class V>
concept Vector = __is_base_of(AnyVector, V);

}  // namespace heddle_device

/* float4 v = {1}; is an aggregate in CUDA, whose rest is zero; in HIP it sets all components. */
#if defined(HEDDLE_CUDA)
#define HEDDLE_REST(value) 0
#else
#define HEDDLE_REST(value) (value)
#endif

namespace heddle_device {

template <class T>
struct Vector1 : AnyVector {
  using value_type = T;
  static constexpr int components = 1;
  T x;
  Vector1() = default;
  HEDDLE_BOTH constexpr Vector1(T first) : x(first) {}
};

template <class T>
struct alignas(2 * sizeof(T)) Vector2 : AnyVector {
  using value_type = T;
  static constexpr int components = 2;
  union {
    struct {
      T x, y;
    };
    Packed<T, 2> data;
  };
  Vector2() = default;
  HEDDLE_BOTH constexpr Vector2(T first, T second) : x(first), y(second) {}
  HEDDLE_BOTH constexpr Vector2(T all) : x(all), y(HEDDLE_REST(all)) {}
  HEDDLE_BOTH constexpr Vector2(const Vector2& other) : x(), y() { *this = other; }
  HEDDLE_BOTH constexpr Vector2& operator=(const Vector2& other) {
    if (__builtin_is_constant_evaluated()) {
      x = other.x;
      y = other.y;
    } else {
      data = other.data;
    }
    return *this;
  }
};

template <class T>
struct Vector3 : AnyVector {
  using value_type = T;
  static constexpr int components = 3;
  T x, y, z;
  Vector3() = default;
  HEDDLE_BOTH constexpr Vector3(T first, T second, T third) : x(first), y(second), z(third) {}
  HEDDLE_BOTH constexpr Vector3(T all) : x(all), y(HEDDLE_REST(all)), z(HEDDLE_REST(all)) {}
  HEDDLE_BOTH constexpr Vector3(const Vector3& other) : x(other.x), y(other.y), z(other.z) {}
  HEDDLE_BOTH constexpr Vector3& operator=(const Vector3& other) {
    x = other.x;
    y = other.y;
    z = other.z;
    return *this;
  }
};

template <class T>
struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) Vector4 : AnyVector {
  using value_type = T;
  static constexpr int components = 4;
  static constexpr int pieces = sizeof(T) == 8 ? 2 : 1;
  union {
    struct {
      T x, y, z, w;
    };
    Packed<T, 4 / pieces> data[pieces];
  };
  Vector4() = default;
  HEDDLE_BOTH constexpr Vector4(T first, T second, T third, T fourth)
      : x(first), y(second), z(third), w(fourth) {}
  HEDDLE_BOTH constexpr Vector4(T all)
      : x(all), y(HEDDLE_REST(all)), z(HEDDLE_REST(all)), w(HEDDLE_REST(all)) {}
  HEDDLE_BOTH constexpr Vector4(const Vector4& other) : x(), y(), z(), w() { *this = other; }
  HEDDLE_BOTH constexpr Vector4& operator=(const Vector4& other) {
    if (__builtin_is_constant_evaluated()) {
      x = other.x;
      y = other.y;
      z = other.z;
      w = other.w;
    } else {
      data[0] = other.data[0];
      if constexpr (pieces == 2) data[1] = other.data[1];
    }
    return *this;
  }
};

}  // namespace heddle_device

#undef HEDDLE_REST

/* The making functions are templates so that a type costs nothing where it is not used. */
#define HEDDLE_VECTORS(name, T)                                \
  using name##1 = heddle_device::Vector1<T>;                   \
  using name##2 = heddle_device::Vector2<T>;                   \
  using name##3 = heddle_device::Vector3<T>;                   \
  using name##4 = heddle_device::Vector4<T>;                   \
  template <class V = name##1>                                 \
  HEDDLE_BOTH constexpr V make_##name##1(T x) {                \
    return V(x);                                               \
  }                                                            \
  template <class V = name##2>                                 \
  HEDDLE_BOTH constexpr V make_##name##2(T x, T y) {           \
    return V(x, y);                                            \
  }                                                            \
  template <class V = name##3>                                 \
  HEDDLE_BOTH constexpr V make_##name##3(T x, T y, T z) {      \
    return V(x, y, z);                                         \
  }                                                            \
  template <class V = name##4>                                 \
  HEDDLE_BOTH constexpr V make_##name##4(T x, T y, T z, T w) { \
    return V(x, y, z, w);                                      \
  }

HEDDLE_VECTORS(char, signed char)
HEDDLE_VECTORS(uchar, unsigned char)
HEDDLE_VECTORS(short, short)
HEDDLE_VECTORS(ushort, unsigned short)
HEDDLE_VECTORS(int, int)
HEDDLE_VECTORS(uint, unsigned int)
HEDDLE_VECTORS(long, long)
HEDDLE_VECTORS(ulong, unsigned long)
HEDDLE_VECTORS(longlong, long long)
HEDDLE_VECTORS(ulonglong, unsigned long long)
HEDDLE_VECTORS(float, float)
HEDDLE_VECTORS(double, double)
#undef HEDDLE_VECTORS

#if !defined(HEDDLE_CUDA)
namespace heddle_device {
template <class T, unsigned count>
struct VectorOf;
template <class T>
struct VectorOf<T, 1> {
  using Type = Vector1<T>;
};
template <class T>
struct VectorOf<T, 2> {
  using Type = Vector2<T>;
};
template <class T>
struct VectorOf<T, 3> {
  using Type = Vector3<T>;
};
template <class T>
struct VectorOf<T, 4> {
  using Type = Vector4<T>;
};
}  // namespace heddle_device
/* float4 by its longer name. */
template <class T, unsigned count>
using HIP_vector_type = typename heddle_device::VectorOf<T, count>::Type;
#endif

namespace heddle_device {

template <class V, class S>
HEDDLE_BOTH constexpr V all_components(S value) {
  const auto v = static_cast<typename V::value_type>(value);
  if constexpr (V::components == 1) return V(v);
  if constexpr (V::components == 2) return V(v, v);
  if constexpr (V::components == 3) return V(v, v, v);
  if constexpr (V::components == 4) return V(v, v, v, v);
}

/* f(component of a, component of b) for each of them. */
template <class V, class F>
HEDDLE_BOTH constexpr V by_component(const V& a, const V& b, F f) {
  if constexpr (V::components == 1) return V(f(a.x, b.x));
  if constexpr (V::components == 2) return V(f(a.x, b.x), f(a.y, b.y));
  if constexpr (V::components == 3) return V(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z));
  if constexpr (V::components == 4) {
    return V(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
  }
}

}  // namespace heddle_device

#define HEDDLE_VECTOR_OPERATOR(symbol)                                                         \
  template <heddle_device::Vector V>                                                           \
  HEDDLE_BOTH constexpr V operator symbol(V a, V b) {                                          \
    using T = typename V::value_type;                                                          \
    return heddle_device::by_component(                                                        \
        a, b, [](T p, T q) __attribute__((always_inline, nodebug)) { return T(p symbol q); }); \
  }                                                                                            \
  template <heddle_device::Vector V, class S>                                                  \
  requires heddle_device::is_number<S> HEDDLE_BOTH constexpr V operator symbol(V a, S b) {     \
    return a symbol heddle_device::all_components<V>(b);                                       \
  }                                                                                            \
  template <heddle_device::Vector V, class S>                                                  \
  requires heddle_device::is_number<S> HEDDLE_BOTH constexpr V operator symbol(S a, V b) {     \
    return heddle_device::all_components<V>(a) symbol b;                                       \
  }                                                                                            \
  template <heddle_device::Vector V, class O>                                                  \
  requires(heddle_device::is_number<O> || __is_same(O, V)) HEDDLE_BOTH constexpr V&            \
  operator symbol##=(V& a, O b) {                                                              \
    a = a symbol b;                                                                            \
    return a;                                                                                  \
  }

HEDDLE_VECTOR_OPERATOR(+)
HEDDLE_VECTOR_OPERATOR(-)
HEDDLE_VECTOR_OPERATOR(*)
HEDDLE_VECTOR_OPERATOR(/)
HEDDLE_VECTOR_OPERATOR(%)
HEDDLE_VECTOR_OPERATOR(&)
HEDDLE_VECTOR_OPERATOR(|)
HEDDLE_VECTOR_OPERATOR(^)
#undef HEDDLE_VECTOR_OPERATOR

template <heddle_device::Vector V>
HEDDLE_BOTH constexpr V operator-(V a) {
  return heddle_device::all_components<V>(0) - a;
}

template <heddle_device::Vector V>
HEDDLE_BOTH constexpr bool operator==(V a, V b) {
  bool same = a.x == b.x;
  if constexpr (V::components > 1) same = same && a.y == b.y;
  if constexpr (V::components > 2) same = same && a.z == b.z;
  if constexpr (V::components > 3) same = same && a.w == b.w;
  return same;
}

namespace heddle_device {

/* The components of a vector or of a pair of halves, trivial to copy. Rule 1 makes vectors more. */
template <class V>
inline constexpr int components_of = 2;
template <Vector V>
inline constexpr int components_of<V> = V::components;
template <class V>
struct Parts {
  decltype(V::x) at[components_of<V>];
};
template <class V>
concept Compound = Vector<V> || HalfPair<V>;

template <class V>
HEDDLE_BOTH constexpr Parts<V> parts_of(const V& v) {
  if constexpr (components_of<V> == 1) return {v.x};
  if constexpr (components_of<V> == 2) return {v.x, v.y};
  if constexpr (components_of<V> == 3) return {v.x, v.y, v.z};
  if constexpr (components_of<V> == 4) return {v.x, v.y, v.z, v.w};
}
template <class V>
HEDDLE_BOTH constexpr V made_of(const Parts<V>& parts) {
  if constexpr (components_of<V> == 1) return V(parts.at[0]);
  if constexpr (components_of<V> == 2) return V(parts.at[0], parts.at[1]);
  if constexpr (components_of<V> == 3) return V(parts.at[0], parts.at[1], parts.at[2]);
  if constexpr (components_of<V> == 4) return V(parts.at[0], parts.at[1], parts.at[2], parts.at[3]);
}

}  // namespace heddle_device

/* The library's own asks for what is trivial to copy. */
namespace std {
template <class To, class From>
requires((heddle_device::Compound<To> || heddle_device::Compound<From>)&&sizeof(To) ==
         sizeof(From)) HEDDLE_BOTH constexpr To bit_cast(const From& from) noexcept {
  if (!__builtin_is_constant_evaluated()) {
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
  }
  if constexpr (!heddle_device::Compound<To>)
    return __builtin_bit_cast(To, heddle_device::parts_of(from));
  else if constexpr (heddle_device::Compound<From>)
    return heddle_device::made_of<To>(
        __builtin_bit_cast(heddle_device::Parts<To>, heddle_device::parts_of(from)));
  else
    return heddle_device::made_of<To>(__builtin_bit_cast(heddle_device::Parts<To>, from));
}
}  // namespace std

#endif
