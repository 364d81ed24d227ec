/* helper_math.h: what CUDA's samples add to vectors. Operators are in heddle/vector_types.h. */
#ifndef HEDDLE_NAME_HELPER_MATH_H
#define HEDDLE_NAME_HELPER_MATH_H
#include "heddle/device.h"

namespace heddle_device {

template <class V, class F>
HEDDLE_BOTH V each_component(V a, F f) {
  return by_component(
      a, a, [&](auto p, auto) __attribute__((always_inline, nodebug)) { return f(p); });
}

/* The first components of another vector, converted. */
template <class V, class W>
HEDDLE_BOTH V converted_vector(W from) {
  using T = typename V::value_type;
  if constexpr (V::components == 2)
    return V(static_cast<T>(from.x), static_cast<T>(from.y));
  else if constexpr (V::components == 3)
    return V(static_cast<T>(from.x), static_cast<T>(from.y), static_cast<T>(from.z));
  else
    return V(static_cast<T>(from.x), static_cast<T>(from.y), static_cast<T>(from.z),
             static_cast<T>(from.w));
}

}  // namespace heddle_device

#define HEDDLE_MAKE(name, T)                                                                       \
  HEDDLE_BOTH name##2 make_##name##2(T s) {                                                        \
    return name##2(s, s);                                                                          \
  }                                                                                                \
  HEDDLE_BOTH name##3 make_##name##3(T s) {                                                        \
    return name##3(s, s, s);                                                                       \
  }                                                                                                \
  HEDDLE_BOTH name##4 make_##name##4(T s) {                                                        \
    return name##4(s, s, s, s);                                                                    \
  }                                                                                                \
  HEDDLE_BOTH name##3 make_##name##3(name##2 a) {                                                  \
    return name##3(a.x, a.y, 0);                                                                   \
  }                                                                                                \
  HEDDLE_BOTH name##3 make_##name##3(name##2 a, T s) {                                             \
    return name##3(a.x, a.y, s);                                                                   \
  }                                                                                                \
  HEDDLE_BOTH name##4 make_##name##4(name##3 a) {                                                  \
    return name##4(a.x, a.y, a.z, 0);                                                              \
  }                                                                                                \
  HEDDLE_BOTH name##4 make_##name##4(name##3 a, T s) {                                             \
    return name##4(a.x, a.y, a.z, s);                                                              \
  }                                                                                                \
  template <heddle_device::Vector W>                                                               \
  requires(W::components >= 2 && !__is_same(W, name##2)) HEDDLE_BOTH name##2 make_##name##2(W a) { \
    return heddle_device::converted_vector<name##2>(a);                                            \
  }                                                                                                \
  template <heddle_device::Vector W>                                                               \
  requires(W::components >= 3 && !__is_same(W, name##3)) HEDDLE_BOTH name##3 make_##name##3(W a) { \
    return heddle_device::converted_vector<name##3>(a);                                            \
  }                                                                                                \
  template <heddle_device::Vector W>                                                               \
  requires(W::components == 4 && !__is_same(W, name##4)) HEDDLE_BOTH name##4 make_##name##4(W a) { \
    return heddle_device::converted_vector<name##4>(a);                                            \
  }
HEDDLE_MAKE(float, float)
HEDDLE_MAKE(int, int)
HEDDLE_MAKE(uint, unsigned int)
#undef HEDDLE_MAKE

HEDDLE_BOTH float lerp(float a, float b, float t) {
  return a + t * (b - a);
}
HEDDLE_BOTH float clamp(float f, float a, float b) {
  return fmaxf(a, fminf(f, b));
}
HEDDLE_BOTH int clamp(int f, int a, int b) {
  return max(a, min(f, b));
}
HEDDLE_BOTH unsigned int clamp(unsigned int f, unsigned int a, unsigned int b) {
  return max(a, min(f, b));
}
HEDDLE_BOTH float fracf(float v) {
  return v - floorf(v);
}
HEDDLE_BOTH float smoothstep(float a, float b, float x) {
  const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}

template <heddle_device::Vector V>
HEDDLE_BOTH typename V::value_type dot(V a, V b) {
  typename V::value_type sum = a.x * b.x;
  if constexpr (V::components > 1) sum += a.y * b.y;
  if constexpr (V::components > 2) sum += a.z * b.z;
  if constexpr (V::components > 3) sum += a.w * b.w;
  return sum;
}
template <heddle_device::Vector V>
HEDDLE_BOTH float length(V v) {
  return sqrtf(dot(v, v));
}
template <heddle_device::Vector V>
HEDDLE_BOTH V normalize(V v) {
  return v * rsqrtf(dot(v, v));
}
HEDDLE_BOTH float3 cross(float3 a, float3 b) {
  return float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
HEDDLE_BOTH float3 reflect(float3 i, float3 n) {
  return i - 2.0f * n * dot(n, i);
}
template <heddle_device::Vector V>
HEDDLE_BOTH V lerp(V a, V b, float t) {
  return a + t * (b - a);
}

#define HEDDLE_EACH_OF_TWO(name, expression)                                                      \
  template <heddle_device::Vector V>                                                              \
  HEDDLE_BOTH V name(V a, V b) {                                                                  \
    return heddle_device::by_component(                                                           \
        a, b, [](auto p, auto q) __attribute__((always_inline, nodebug)) { return expression; }); \
  }
HEDDLE_EACH_OF_TWO(fminf, ::fminf(p, q))
HEDDLE_EACH_OF_TWO(fmaxf, ::fmaxf(p, q))
HEDDLE_EACH_OF_TWO(fmodf, ::fmodf(p, q))
HEDDLE_EACH_OF_TWO(min, q < p ? q : p)
HEDDLE_EACH_OF_TWO(max, p < q ? q : p)
#undef HEDDLE_EACH_OF_TWO

#define HEDDLE_EACH_OF_ONE(name, expression)                                           \
  template <heddle_device::Vector V>                                                   \
  HEDDLE_BOTH V name(V a) {                                                            \
    return heddle_device::each_component(                                              \
        a, [](auto p) __attribute__((always_inline, nodebug)) { return expression; }); \
  }
HEDDLE_EACH_OF_ONE(floorf, ::floorf(p))
HEDDLE_EACH_OF_ONE(fracf, p - ::floorf(p))
HEDDLE_EACH_OF_ONE(fabs, ::fabsf(p))
HEDDLE_EACH_OF_ONE(abs, p < 0 ? -p : p)
#undef HEDDLE_EACH_OF_ONE

template <heddle_device::Vector V>
HEDDLE_BOTH V clamp(V v, V a, V b) {
  return max(a, min(v, b));
}
template <heddle_device::Vector V>
HEDDLE_BOTH V clamp(V v, typename V::value_type a, typename V::value_type b) {
  return clamp(v, heddle_device::all_components<V>(a), heddle_device::all_components<V>(b));
}
template <heddle_device::Vector V>
HEDDLE_BOTH V smoothstep(V a, V b, V x) {
  const V y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (heddle_device::all_components<V>(3) - 2.0f * y);
}
#endif
