/* Loads and stores with cache hints, fences, clocks, printf, assert and the end of a kernel.
 *
 *   float v = __ldg(&p[i]);     a plain load of p[i], at the place of the call
 *
 * Rules
 *   1. Hints are dropped: the access itself is what a trace has.
 *   2. On this machine lanes of a block run one after the other, and fences have nothing to do but
 *      keep the compiler from moving accesses.
 *   3. printf evaluates its arguments and prints nothing. A failed assert and __trap end the trace
 *      with their reason.
 */
#ifndef HEDDLE_MEMORY_H
#define HEDDLE_MEMORY_H

#include "heddle/attributes.h"

#define HEDDLE_HINTED_LOAD(name)         \
  template <class T>                     \
  HEDDLE_CALL T name(const T* address) { \
    return *address;                     \
  }
HEDDLE_HINTED_LOAD(__ldg)
HEDDLE_HINTED_LOAD(__ldca)
HEDDLE_HINTED_LOAD(__ldcg)
HEDDLE_HINTED_LOAD(__ldcs)
HEDDLE_HINTED_LOAD(__ldlu)
HEDDLE_HINTED_LOAD(__ldcv)
#undef HEDDLE_HINTED_LOAD

namespace heddle_device {
template <class T>
struct Same {
  using type = T;
};
}  // namespace heddle_device

#define HEDDLE_HINTED_STORE(name)                                                  \
  template <class T>                                                               \
  HEDDLE_CALL void name(T* address, typename heddle_device::Same<T>::type value) { \
    *address = value;                                                              \
  }
HEDDLE_HINTED_STORE(__stwb)
HEDDLE_HINTED_STORE(__stcg)
HEDDLE_HINTED_STORE(__stcs)
HEDDLE_HINTED_STORE(__stwt)
#undef HEDDLE_HINTED_STORE

/* The compiler's own copies, also where it is told to make none of loops (-fno-builtin-memcpy). */
#if defined(HEDDLE_HOST)
#define HEDDLE_C_CALL HEDDLE_CALL
extern "C" {
#else
#define HEDDLE_C_CALL static HEDDLE_CALL
extern "C++" {
#endif
HEDDLE_C_CALL void* memcpy(void* to, const void* from, size_t bytes) noexcept {
  return __builtin_memcpy(to, from, bytes);
}
HEDDLE_C_CALL void* memmove(void* to, const void* from, size_t bytes) noexcept {
  return __builtin_memmove(to, from, bytes);
}
HEDDLE_C_CALL void* memset(void* to, int value, size_t bytes) noexcept {
  return __builtin_memset(to, value, bytes);
}
}
#undef HEDDLE_C_CALL

#if defined(HEDDLE_HOST)

HEDDLE_CALL void __threadfence() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
HEDDLE_CALL void __threadfence_block() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
HEDDLE_CALL void __threadfence_system() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
HEDDLE_CALL void __nanosleep(unsigned) {}
HEDDLE_CALL long long clock64() {
  return static_cast<long long>(heddle_clock());
}
HEDDLE_CALL long long wall_clock64() {
  return static_cast<long long>(heddle_clock());
}
HEDDLE_CALL void __trap() {
  heddle_stop("the kernel calls __trap");
}
HEDDLE_CALL void __brkpt() {}

/* The C library's names lead here, whether its headers are included or not. */
extern "C" {
int printf(const char* format, ...) __asm__("heddle_ignored_printf");
__attribute__((weak, nodebug, no_sanitize("coverage"))) int printf(const char*, ...) {
  return 0;
}
void __assert_fail(const char* assertion, const char* file, unsigned line,
                   const char* function) noexcept __asm__("heddle_failed_assertion");
__attribute__((weak, nodebug, no_sanitize("coverage"), noreturn)) void __assert_fail(
    const char* assertion, const char*, unsigned, const char*) noexcept {
  heddle_stop_at_assert(assertion);
}
long clock() noexcept __asm__("heddle_clock");
}

#else

#if HEDDLE_AMDGCN
HEDDLE_CALL void __threadfence() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
HEDDLE_CALL void __threadfence_block() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
HEDDLE_CALL void __threadfence_system() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
HEDDLE_CALL void __nanosleep(unsigned) {
  __builtin_amdgcn_s_sleep(1);
}
HEDDLE_CALL long long clock64() {
  return static_cast<long long>(__builtin_amdgcn_s_memtime());
}
HEDDLE_CALL long long wall_clock64() {
  return static_cast<long long>(__builtin_amdgcn_s_memrealtime());
}
#else
HEDDLE_CALL void __threadfence() {
  __nvvm_membar_gl();
}
HEDDLE_CALL void __threadfence_block() {
  __nvvm_membar_cta();
}
HEDDLE_CALL void __threadfence_system() {
  __nvvm_membar_sys();
}
HEDDLE_CALL void __nanosleep(unsigned) {}
HEDDLE_CALL long long clock64() {
  return static_cast<long long>(__nvvm_read_ptx_sreg_clock64());
}
HEDDLE_CALL long long wall_clock64() {
  return static_cast<long long>(__nvvm_read_ptx_sreg_clock64());
}
#endif

HEDDLE_CALL long clock() {
  return static_cast<long>(clock64());
}
HEDDLE_CALL void __trap() {
  __builtin_trap();
}
HEDDLE_CALL void __brkpt() {}
template <class... Arguments>
HEDDLE_CALL int printf(const char*, Arguments...) {
  return 0;
}
extern "C" __attribute__((device, always_inline, nodebug, noreturn)) inline void __assert_fail(
    const char*, const char*, unsigned, const char*) {
  __builtin_trap();
}

/* Of the device's heap. The C++ library's <new> names them. */
extern "C" __device__ void* malloc(size_t bytes);
extern "C" __device__ void free(void* address);

#endif

/* Addresses of shared memory as 32 bits: what is left of a pointer, as casts of kernels make it too. */
#if defined(HEDDLE_HOST)
extern "C" char __start_heddle_shared[] __attribute__((weak, visibility("hidden")));
#endif
namespace heddle_device {
HEDDLE_CALL char* from_shared_address(unsigned address) {
#if defined(HEDDLE_HOST)
  const auto first = (unsigned long long)__start_heddle_shared;
  return (char*)(first + static_cast<unsigned>(address - static_cast<unsigned>(first)));
#else
  using Shared = __attribute__((address_space(3))) char;
  return (char*)(Shared*)address;
#endif
}
}  // namespace heddle_device
HEDDLE_CALL size_t __cvta_generic_to_shared(const void* pointer) {
  return static_cast<unsigned>((unsigned long long)pointer);
}
HEDDLE_CALL void* __cvta_shared_to_generic(size_t address) {
  return heddle_device::from_shared_address(static_cast<unsigned>(address));
}
HEDDLE_CALL size_t __cvta_generic_to_global(const void* pointer) {
  return (size_t)pointer;
}
HEDDLE_CALL void* __cvta_global_to_generic(size_t address) {
  return (void*)address;
}

HEDDLE_CALL long long __clock64() {
  return clock64();
}
HEDDLE_CALL long long __clock() {
  return clock64();
}

#ifndef assert
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : __assert_fail(#condition, __FILE__, __LINE__, ""))
#endif

#endif
