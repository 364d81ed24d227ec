// Functions that the compiler's C++ library wants of a C library newer than packages ask for (2.31).
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

/// Of 2.32: whether there is one thread. No: counters of shared objects stay atomic.
__attribute__((weak)) char __libc_single_threaded = 0;

/// Of 2.36, for std::random_device.
__attribute__((weak)) std::uint32_t arc4random() {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
  return number;
}

}  // extern "C"
