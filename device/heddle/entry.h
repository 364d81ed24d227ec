// How the runner calls a kernel: every argument comes in every form, and the parameter takes its own.
// Appended to the kernel's text by kernel/cxx/compile.cpp: HEDDLE_ENTRY(&gemm<16>).
#ifndef HEDDLE_ENTRY_H
#define HEDDLE_ENTRY_H

struct HeddleSlot {
  long long integer;
  double real;
  unsigned long long pointer;
};

#if defined(__x86_64__)
// Conversions that Clang calls, and older libraries of GCC do not have.
#define HEDDLE_CONVERSION \
  extern "C" __attribute__((weak, used, nodebug, no_sanitize("coverage"))) __bf16
HEDDLE_CONVERSION __truncsfbf2(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  const unsigned rounded = value != value ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1u);
  return __builtin_bit_cast(__bf16, (unsigned short)(rounded >> 16));
}
HEDDLE_CONVERSION __truncdfbf2(double value) {
  const float nearest = (float)value;
  unsigned bits = __builtin_bit_cast(unsigned, nearest);
  // Rounded to odd first, so that the second rounding sees what the first one dropped.
  if (nearest - value != 0 && __builtin_isfinite(nearest) && (bits & 1u) == 0)
    bits += __builtin_fabs((double)nearest) > __builtin_fabs(value) ? -1u : 1u;
  return __truncsfbf2(__builtin_bit_cast(float, bits));
}
#undef HEDDLE_CONVERSION
#endif

// A load that nobody observes: arguments are not in the GPU's memory.
template <class Value>
inline __attribute__((always_inline)) Value heddle_unobserved(const Value& value) {
  unsigned long long bits;
#if defined(__aarch64__)
  __asm__("ldr %0, %1 // heddle" : "=r"(bits) : "m"(value));
#else
  __asm__("movq %1, %0 # heddle" : "=r"(bits) : "m"(value));
#endif
  return __builtin_bit_cast(Value, bits);
}

template <class Parameter>
inline __attribute__((always_inline)) Parameter heddle_argument(const HeddleSlot& slot) {
  if constexpr (__is_pointer(Parameter))
    return (Parameter)heddle_unobserved(slot.pointer);
  else if constexpr (__is_integral(Parameter) || __is_enum(Parameter))
    return (Parameter)heddle_unobserved(slot.integer);
  else if constexpr (__is_floating_point(Parameter))
    return (Parameter)heddle_unobserved(slot.real);
  else if constexpr (__is_constructible(Parameter, float) && !__is_aggregate(Parameter))
    return Parameter((float)heddle_unobserved(slot.real));
  else
    static_assert(sizeof(Parameter) == 0,
                  "heddle passes pointers and numbers to a kernel, no structs");
}

template <unsigned... kIndices>
struct HeddleIndices {};
template <unsigned kCount, unsigned... kIndices>
struct HeddleCounted : HeddleCounted<kCount - 1, kCount - 1, kIndices...> {};
template <unsigned... kIndices>
struct HeddleCounted<0, kIndices...> {
  using Indices = HeddleIndices<kIndices...>;
};

template <class... Parameters, unsigned... kIndices>
inline void heddle_call(void (*kernel)(Parameters...), const HeddleSlot* slots,
                        HeddleIndices<kIndices...>) {
  kernel(heddle_argument<__remove_cv(Parameters)>(slots[kIndices])...);
}
template <class... Parameters>
inline void heddle_call(void (*kernel)(Parameters...), const HeddleSlot* slots) {
  heddle_call(kernel, slots, typename HeddleCounted<sizeof...(Parameters)>::Indices{});
}

// Structs: all bytes are zero, then the members that the job gives take their arguments.
template <class Function>
struct HeddleParameters;
template <class... Parameters>
struct HeddleParameters<void (*)(Parameters...)> {
  template <unsigned kIndex>
  using Type = __remove_cvref(__type_pack_element<kIndex, Parameters...>);
};
template <class Value>
struct HeddleZeros {
  alignas(Value) unsigned char bytes[sizeof(Value)] = {};
  Value& value() { return *reinterpret_cast<Value*>(bytes); }
};
template <class Value>
inline __attribute__((always_inline)) Value heddle_zeros() {
  HeddleZeros<Value> zeros;
  return zeros.value();
}
template <class Member>
inline __attribute__((always_inline)) void heddle_set(const Member& member,
                                                      const HeddleSlot& slot) {
  using Plain = __remove_cv(Member);
  const_cast<Plain&>(member) = heddle_argument<Plain>(slot);
}

extern "C" {
/* Variables with destructors name it; there is no start-up file that has it. */
__attribute__((visibility("hidden"))) void* __dso_handle = nullptr;
extern char __start_heddle_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_heddle_shared[] __attribute__((weak, visibility("hidden")));
extern char __start_heddle_globals[] __attribute__((weak, visibility("hidden")));
extern char __stop_heddle_globals[] __attribute__((weak, visibility("hidden")));
}

#define HEDDLE_ENTRY(...)                                                                       \
  extern "C" __attribute__((visibility("default"))) void heddle_entry(const void* slots) {      \
    heddle_call(__VA_ARGS__, static_cast<const HeddleSlot*>(slots));                           \
  }                                                                                             \
  HEDDLE_SECTIONS
#define HEDDLE_SECTIONS                                                                         \
  extern "C" __attribute__((visibility("default"))) void heddle_sections(                       \
      unsigned long long* bounds) {                                                             \
    bounds[0] = reinterpret_cast<unsigned long long>(__start_heddle_shared);                    \
    bounds[1] = reinterpret_cast<unsigned long long>(__stop_heddle_shared);                     \
    bounds[2] = reinterpret_cast<unsigned long long>(__start_heddle_globals);                   \
    bounds[3] = reinterpret_cast<unsigned long long>(__stop_heddle_globals);                    \
  }
#endif
