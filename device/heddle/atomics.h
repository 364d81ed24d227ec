/* Atomics: atomicAdd and its relatives, also with _block and _system, and HIP's __hip_atomic_*.
 *
 *   int place = atomicAdd(&count, 1);          the old value
 *   atomicAdd(&sum, value);                    float, double, half types and their pairs, too
 *
 * Rules
 *   1. On this machine the runner is told of the address, then a builtin does the work: those are
 *      not observed. Nothing here reads or writes through the pointer itself.
 *   2. On a chip they are relaxed, among the blocks of one device, so that a result that nobody
 *      uses gives the instruction without one.
 *   3. What the hardware cannot do in one instruction is a loop of compare-and-swap, as it is in
 *      the vendors' headers.
 */
#ifndef HEDDLE_ATOMICS_H
#define HEDDLE_ATOMICS_H

#include "heddle/attributes.h"
#include "heddle/memory.h"

namespace heddle_device {

template <int bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = unsigned char;
};
template <>
struct UnsignedOf<2> {
  using type = unsigned short;
};
template <>
struct UnsignedOf<4> {
  using type = unsigned;
};
template <>
struct UnsignedOf<8> {
  using type = unsigned long long;
};

/* Tells the runner. */
template <class T>
HEDDLE_CALL void announce(const volatile T* address) {
#if defined(HEDDLE_HOST)
  if constexpr (sizeof(T) == 1) heddle_atomic1(address);
  if constexpr (sizeof(T) == 2) heddle_atomic2(address);
  if constexpr (sizeof(T) == 4) heddle_atomic4(address);
  if constexpr (sizeof(T) == 8) heddle_atomic8(address);
  if constexpr (sizeof(T) == 16) heddle_atomic16(address);
#endif
}

#if HEDDLE_AMDGCN
#define HEDDLE_FETCH(operation, address, value) \
  __hip_atomic_fetch_##operation(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#else
#define HEDDLE_FETCH(operation, address, value) \
  __atomic_fetch_##operation(address, value, __ATOMIC_RELAXED)
#endif

/* Replaces what is at the address if it is `expected`, bit by bit; returns what was there. */
template <class U>
HEDDLE_CALL U swap_if_equal(U* address, U expected, U desired) {
#if HEDDLE_AMDGCN
  __hip_atomic_compare_exchange_strong(address, &expected, desired, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
  __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
#endif
  return expected;
}

/* Replaces the value by change(value), in a loop. The first guess is zero: a plain load to begin
 * with would be one access more than the hardware's. */
template <class T, class F>
HEDDLE_CALL T change_in_a_loop(T* address, F change) {
  using U = typename UnsignedOf<sizeof(T)>::type;
  U* bits = reinterpret_cast<U*>(address);
#if defined(HEDDLE_HOST)
  U seen = 0;
#else
  U seen = *const_cast<const volatile U*>(bits);
#endif
  for (;;) {
    const T old = bits_as<T>(seen);
    const U found = swap_if_equal(bits, seen, bits_as<U>(static_cast<T>(change(old))));
    if (found == seen) return old;
    seen = found;
  }
}

template <class T>
HEDDLE_CALL T fetch_add(T* address, T value) {
  announce(address);
  if constexpr (__is_class(T)) {
    return change_in_a_loop(
        address, [=](T old) __attribute__((always_inline, nodebug)) { return old + value; });
  } else {
#if HEDDLE_NVPTX
    if constexpr (__is_same(T, float)) return __nvvm_atom_add_gen_f(address, value);
    if constexpr (__is_same(T, double)) return __nvvm_atom_add_gen_d(address, value);
    if constexpr (is_integer<T>) return HEDDLE_FETCH(add, address, value);
#else
    return HEDDLE_FETCH(add, address, value);
#endif
  }
}

template <class T>
HEDDLE_CALL T exchange(T* address, T value) {
  using U = typename UnsignedOf<sizeof(T)>::type;
  announce(address);
#if HEDDLE_AMDGCN
  return bits_as<T>(__hip_atomic_exchange(reinterpret_cast<U*>(address), bits_as<U>(value),
                                          __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
#else
  return bits_as<T>(
      __atomic_exchange_n(reinterpret_cast<U*>(address), bits_as<U>(value), __ATOMIC_RELAXED));
#endif
}

template <class T>
HEDDLE_CALL T compare_and_swap(T* address, T expected, T desired) {
  using U = typename UnsignedOf<sizeof(T)>::type;
  announce(address);
  return bits_as<T>(
      swap_if_equal(reinterpret_cast<U*>(address), bits_as<U>(expected), bits_as<U>(desired)));
}

template <class T>
HEDDLE_CALL T fetch_min(T* address, T value) {
  announce(address);
  if constexpr (is_integer<T>) {
    return HEDDLE_FETCH(min, address, value);
  } else {
#if HEDDLE_AMDGCN
    return HEDDLE_FETCH(min, address, value);
#else
    return change_in_a_loop(
        address, [=](T old)
                     __attribute__((always_inline, nodebug)) { return value < old ? value : old; });
#endif
  }
}

template <class T>
HEDDLE_CALL T fetch_max(T* address, T value) {
  announce(address);
  if constexpr (is_integer<T>) {
    return HEDDLE_FETCH(max, address, value);
  } else {
#if HEDDLE_AMDGCN
    return HEDDLE_FETCH(max, address, value);
#else
    return change_in_a_loop(
        address, [=](T old)
                     __attribute__((always_inline, nodebug)) { return old < value ? value : old; });
#endif
  }
}

template <class T>
HEDDLE_CALL T fetch_and(T* address, T value) {
  announce(address);
  return HEDDLE_FETCH(and, address, value);
}
template <class T>
HEDDLE_CALL T fetch_or(T* address, T value) {
  announce(address);
  return HEDDLE_FETCH(or, address, value);
}
template <class T>
HEDDLE_CALL T fetch_xor(T* address, T value) {
  announce(address);
  return HEDDLE_FETCH(xor, address, value);
}

/* Up to a limit and round to zero, down to zero and round to the limit. */
HEDDLE_CALL unsigned fetch_increment(unsigned* address, unsigned limit) {
  announce(address);
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED, "agent");
#elif HEDDLE_NVPTX
  return __nvvm_atom_inc_gen_ui(address, limit);
#else
  return change_in_a_loop(
      address, [=](unsigned old)
                   __attribute__((always_inline, nodebug)) { return old >= limit ? 0 : old + 1; });
#endif
}
HEDDLE_CALL unsigned fetch_decrement(unsigned* address, unsigned limit) {
  announce(address);
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED, "agent");
#elif HEDDLE_NVPTX
  return __nvvm_atom_dec_gen_ui(address, limit);
#else
  return change_in_a_loop(
      address, [=](unsigned old) __attribute__((always_inline, nodebug)) {
        return old == 0 || old > limit ? limit : old - 1;
      });
#endif
}

}  // namespace heddle_device

namespace heddle_device {

template <class T>
concept AtomicInteger = is_integer<T> &&(sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
concept AtomicNumber = AtomicInteger<T> || __is_same(T, float) || __is_same(T, double);
template <class T>
concept AtomicSum = AtomicNumber<T> || Half<T> || HalfPair<T>;
template <class T>
concept AtomicBits = AtomicNumber<T> || __is_same(T, unsigned short);
template <class T>
concept AtomicCounter = __is_same(T, unsigned);

}  // namespace heddle_device

/* The type is that of the address, to which values convert. Templates, so that a kernel's own
 * atomicAdd for double, which old code has, is the one that it calls. */
#define HEDDLE_ATOMIC(name, Kind, expression)                                   \
  template <heddle_device::Kind T>                                              \
  HEDDLE_CALL T name(T* address, typename heddle_device::Same<T>::type value) { \
    return heddle_device::expression;                                           \
  }
#define HEDDLE_ATOMICS(name, Kind, expression)  \
  HEDDLE_ATOMIC(name, Kind, expression)         \
  HEDDLE_ATOMIC(name##_block, Kind, expression) \
  HEDDLE_ATOMIC(name##_system, Kind, expression)
HEDDLE_ATOMICS(atomicAdd, AtomicSum, fetch_add(address, value))
HEDDLE_ATOMICS(atomicSub, AtomicNumber, fetch_add(address, static_cast<T>(0 - value)))
HEDDLE_ATOMICS(atomicExch, AtomicNumber, exchange(address, value))
HEDDLE_ATOMICS(atomicMin, AtomicNumber, fetch_min(address, value))
HEDDLE_ATOMICS(atomicMax, AtomicNumber, fetch_max(address, value))
HEDDLE_ATOMICS(atomicAnd, AtomicInteger, fetch_and(address, value))
HEDDLE_ATOMICS(atomicOr, AtomicInteger, fetch_or(address, value))
HEDDLE_ATOMICS(atomicXor, AtomicInteger, fetch_xor(address, value))
HEDDLE_ATOMICS(atomicInc, AtomicCounter, fetch_increment(address, value))
HEDDLE_ATOMICS(atomicDec, AtomicCounter, fetch_decrement(address, value))
HEDDLE_ATOMIC(unsafeAtomicAdd, AtomicSum, fetch_add(address, value))
HEDDLE_ATOMIC(safeAtomicAdd, AtomicSum, fetch_add(address, value))
HEDDLE_ATOMIC(atomicAddNoRet, AtomicSum, fetch_add(address, value))
#undef HEDDLE_ATOMICS
#undef HEDDLE_ATOMIC

#define HEDDLE_ATOMIC_SWAP(name)                                                 \
  template <heddle_device::AtomicBits T>                                         \
  HEDDLE_CALL T name(T* address, typename heddle_device::Same<T>::type expected, \
                     typename heddle_device::Same<T>::type desired) {            \
    return heddle_device::compare_and_swap<T>(address, expected, desired);       \
  }
HEDDLE_ATOMIC_SWAP(atomicCAS)
HEDDLE_ATOMIC_SWAP(atomicCAS_block)
HEDDLE_ATOMIC_SWAP(atomicCAS_system)
#undef HEDDLE_ATOMIC_SWAP

#if defined(HEDDLE_HOST)
#include "heddle/hip_atomics.h"
#endif

#endif
