/* The compiler's own names for atomics of HIP, for this machine.
 *
 *   __hip_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
 *
 * Rules
 *   1. Memory orders and scopes are dropped: lanes run one after the other.
 *   2. A load or a store among these is an atomic in a trace.
 */
#ifndef HEDDLE_HIP_ATOMICS_H
#define HEDDLE_HIP_ATOMICS_H

#include "heddle/atomics.h"

#ifndef __HIP_MEMORY_SCOPE_AGENT
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#endif

namespace heddle_device {

template <class T>
HEDDLE_CALL T atomic_read(const volatile T* address) {
  T* at = const_cast<T*>(address);
  announce(at);
  using U = typename UnsignedOf<sizeof(T)>::type;
  return bits_as<T>(swap_if_equal(reinterpret_cast<U*>(at), U(0), U(0)));
}

template <class T>
HEDDLE_CALL bool swap_or_tell(T* address, T* expected, T desired) {
  using U = typename UnsignedOf<sizeof(T)>::type;
  announce(address);
  const U wanted = bits_as<U>(*expected);
  const U found = swap_if_equal(reinterpret_cast<U*>(address), wanted, bits_as<U>(desired));
  if (found != wanted) *expected = bits_as<T>(found);
  return found == wanted;
}

#define HEDDLE_HIP_ATOMIC(name, function)                                  \
  template <class T>                                                       \
  HEDDLE_CALL T name(T* address, typename Same<T>::type value, int, int) { \
    return function(address, value);                                       \
  }
HEDDLE_HIP_ATOMIC(hip_fetch_add, fetch_add)
HEDDLE_HIP_ATOMIC(hip_fetch_min, fetch_min)
HEDDLE_HIP_ATOMIC(hip_fetch_max, fetch_max)
HEDDLE_HIP_ATOMIC(hip_fetch_and, fetch_and)
HEDDLE_HIP_ATOMIC(hip_fetch_or, fetch_or)
HEDDLE_HIP_ATOMIC(hip_fetch_xor, fetch_xor)
HEDDLE_HIP_ATOMIC(hip_exchange, exchange)
#undef HEDDLE_HIP_ATOMIC

template <class T>
HEDDLE_CALL T hip_fetch_sub(T* address, typename Same<T>::type value, int, int) {
  return fetch_add(address, static_cast<T>(0 - value));
}
template <class T>
HEDDLE_CALL T hip_load(const volatile T* address, int, int) {
  return atomic_read(address);
}
template <class T>
HEDDLE_CALL void hip_store(T* address, typename Same<T>::type value, int, int) {
  exchange(address, value);
}
template <class T>
HEDDLE_CALL bool hip_swap(T* address, T* expected, typename Same<T>::type desired, int, int, int) {
  return swap_or_tell(address, expected, desired);
}

}  // namespace heddle_device

/* Macros, since the compiler's names cannot be declared again. */
#define __hip_atomic_fetch_add heddle_device::hip_fetch_add
#define __hip_atomic_fetch_sub heddle_device::hip_fetch_sub
#define __hip_atomic_fetch_min heddle_device::hip_fetch_min
#define __hip_atomic_fetch_max heddle_device::hip_fetch_max
#define __hip_atomic_fetch_and heddle_device::hip_fetch_and
#define __hip_atomic_fetch_or heddle_device::hip_fetch_or
#define __hip_atomic_fetch_xor heddle_device::hip_fetch_xor
#define __hip_atomic_exchange heddle_device::hip_exchange
#define __hip_atomic_load heddle_device::hip_load
#define __hip_atomic_store heddle_device::hip_store
#define __hip_atomic_compare_exchange_strong heddle_device::hip_swap
#define __hip_atomic_compare_exchange_weak heddle_device::hip_swap

#endif
