/* Memory through AMD's buffer resources, for this machine; a chip's compiler knows these itself.
 *
 *   u32 load(int4v resource, u32 offset, u32 base, u32 hints) __asm("llvm.amdgcn.raw.buffer.load.i32");
 *   bits = __builtin_amdgcn_raw_buffer_load_b32(resource, offset, base, 0);
 *
 * Rules
 *   1. A resource is an address (48 bits), a stride (16 bits), a count of bytes and flags. One with a
 *      stride ends the trace: its addresses are swizzled.
 *   2. Offsets are held against the count without the base, as on the chip: what is read beyond it is
 *      0, what is written beyond it is dropped, word by word where an access is longer.
 *   3. Loads into shared memory put a wave's lanes behind one another, at the first lane's address.
 *   4. HEDDLE_LLVM stands for the labels that name these in a kernel's text (gpu_assembly.h): a
 *      label that is not here is an undefined symbol of its name.
 */
#ifndef HEDDLE_BUFFERS_H
#define HEDDLE_BUFFERS_H

#include "heddle/warp.h"

#if !defined(HEDDLE_HOST)
#define HEDDLE_LLVM(name) __asm("llvm." name)
#else
#define HEDDLE_LLVM(name) __asm("heddle." name)

namespace heddle_device {

struct Buffer {
  unsigned long long base = 0;
  unsigned bytes = 0;
  unsigned flags = 0;
};

using Int4 = int __attribute__((ext_vector_type(4)));
using SharedWords = unsigned __attribute__((address_space(3)))*;

template <class T>
struct Loose {
  typedef T Type __attribute__((aligned(1), may_alias));
};

HEDDLE_CALL unsigned long long base_of(const Buffer& buffer) {
  if (buffer.base >> 48) heddle_stop("the kernel uses a buffer resource with a stride");
  return buffer.base;
}
HEDDLE_CALL bool holds(const Buffer& buffer, unsigned offset, unsigned bytes) {
  return offset < buffer.bytes && buffer.bytes - offset >= bytes;
}

template <class T>
HEDDLE_CALL T load(Buffer buffer, unsigned offset, unsigned scalar) {
  const unsigned long long at = base_of(buffer) + scalar;
  if (holds(buffer, offset, sizeof(T)))
    return *reinterpret_cast<const typename Loose<T>::Type*>(at + offset);
  T value{};
  if constexpr (sizeof(T) > 4) {
    unsigned words[sizeof(T) / 4] = {};
    for (unsigned k = 0; k < sizeof(T) / 4; ++k)
      if (holds(buffer, offset + 4 * k, 4))
        words[k] = *reinterpret_cast<const Loose<unsigned>::Type*>(at + offset + 4 * k);
    __builtin_memcpy(&value, words, sizeof(T));
  }
  return value;
}

template <class T>
HEDDLE_CALL void store(T value, Buffer buffer, unsigned offset, unsigned scalar) {
  const unsigned long long at = base_of(buffer) + scalar;
  if (holds(buffer, offset, sizeof(T))) {
    *reinterpret_cast<typename Loose<T>::Type*>(at + offset) = value;
  } else if constexpr (sizeof(T) > 4) {
    unsigned words[sizeof(T) / 4];
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned k = 0; k < sizeof(T) / 4; ++k)
      if (holds(buffer, offset + 4 * k, 4))
        *reinterpret_cast<Loose<unsigned>::Type*>(at + offset + 4 * k) = words[k];
  }
}

template <class T>
HEDDLE_CALL void copy_to_shared(Buffer buffer, unsigned long long to, unsigned offset,
                                unsigned scalar) {
  *reinterpret_cast<typename Loose<T>::Type*>(to) = load<T>(buffer, offset, scalar);
}
HEDDLE_CALL void load_to_shared(Buffer buffer, SharedWords shared, int bytes, int offset,
                                int scalar, int more) {
  const auto first = static_cast<unsigned>(__builtin_ctzll(ballot(1, lanes_that_come())));
  const auto here = reinterpret_cast<unsigned long long>(shared);
  const unsigned long long to =
      value_of_lane(here, first, lanes_that_come()) + static_cast<unsigned>(more) +
      static_cast<unsigned long long>(lane()) * static_cast<unsigned>(bytes);
  const unsigned from = static_cast<unsigned>(offset) + static_cast<unsigned>(more);
  const auto base = static_cast<unsigned>(scalar);
  switch (bytes) {
    case 1:
      return copy_to_shared<unsigned char>(buffer, to, from, base);
    case 2:
      return copy_to_shared<unsigned short>(buffer, to, from, base);
    case 4:
      return copy_to_shared<unsigned>(buffer, to, from, base);
    case 12:
      for (unsigned k = 0; k < 12; k += 4) copy_to_shared<unsigned>(buffer, to + k, from + k, base);
      return;
    case 16:
      return copy_to_shared<__uint128_t>(buffer, to, from, base);
    default:
      heddle_stop("the kernel loads into shared memory by other than 1, 2, 4, 12 or 16 bytes");
  }
}

HEDDLE_CALL Buffer buffer_of(Int4 resource) {
  Buffer buffer;
  __builtin_memcpy(&buffer, &resource, sizeof(buffer));
  return buffer;
}

/* What labels name: every type that the compiler makes an instruction of. */
#define HEDDLE_BUFFER(kind, T)                                                                   \
  HEDDLE_CALL T buffer_load_##kind(Int4 resource, unsigned offset, unsigned base,                \
                                   unsigned) __asm("heddle.amdgcn.raw.buffer.load." #kind);      \
  HEDDLE_CALL T buffer_load_##kind(Int4 resource, unsigned offset, unsigned base, unsigned) {    \
    return load<T>(buffer_of(resource), offset, base);                                           \
  }                                                                                              \
  HEDDLE_CALL void buffer_store_##kind(T value, Int4 resource, unsigned offset, unsigned base,   \
                                       unsigned) __asm("heddle.amdgcn.raw.buffer.store." #kind); \
  HEDDLE_CALL void buffer_store_##kind(T value, Int4 resource, unsigned offset, unsigned base,   \
                                       unsigned) {                                               \
    store<T>(value, buffer_of(resource), offset, base);                                          \
  }
HEDDLE_BUFFER(i8, unsigned char)
HEDDLE_BUFFER(i16, unsigned short)
HEDDLE_BUFFER(i32, unsigned)
HEDDLE_BUFFER(i64, unsigned long long)
HEDDLE_BUFFER(i128, __uint128_t)
HEDDLE_BUFFER(f16, _Float16)
HEDDLE_BUFFER(f32, float)
#define HEDDLE_BUFFER_TYPE(kind, T, n)                     \
  typedef T Of_##kind __attribute__((ext_vector_type(n))); \
  HEDDLE_BUFFER(kind, Of_##kind)
HEDDLE_BUFFER_TYPE(v2i16, short, 2)
HEDDLE_BUFFER_TYPE(v4i16, short, 4)
HEDDLE_BUFFER_TYPE(v2i32, int, 2)
HEDDLE_BUFFER_TYPE(v4i32, int, 4)
HEDDLE_BUFFER_TYPE(v2f16, _Float16, 2)
HEDDLE_BUFFER_TYPE(v4f16, _Float16, 4)
HEDDLE_BUFFER_TYPE(v2f32, float, 2)
HEDDLE_BUFFER_TYPE(v4f32, float, 4)
#undef HEDDLE_BUFFER_TYPE
#undef HEDDLE_BUFFER

HEDDLE_CALL void buffer_load_lds(Int4 resource, SharedWords shared, int bytes, int offset, int base,
                                 int more, int) __asm("heddle.amdgcn.raw.buffer.load.lds");
HEDDLE_CALL void buffer_load_lds(Int4 resource, SharedWords shared, int bytes, int offset, int base,
                                 int more, int) {
  load_to_shared(buffer_of(resource), shared, bytes, offset, base, more);
}

}  // namespace heddle_device

/* The builtins of newer compilers. A resource of theirs is of a type of its own. */
#define __amdgpu_buffer_rsrc_t heddle_device::Buffer
HEDDLE_CALL heddle_device::Buffer __builtin_amdgcn_make_buffer_rsrc(const void* base, short stride,
                                                                    int bytes, int flags) {
  const auto steps = static_cast<unsigned long long>(static_cast<unsigned short>(stride)) << 48;
  return {reinterpret_cast<unsigned long long>(base) | steps, static_cast<unsigned>(bytes),
          static_cast<unsigned>(flags)};
}
#define HEDDLE_BUFFER(bits, T)                                                                     \
  HEDDLE_CALL T __builtin_amdgcn_raw_buffer_load_b##bits(heddle_device::Buffer buffer, int offset, \
                                                         int base, int) {                          \
    return heddle_device::load<T>(buffer, static_cast<unsigned>(offset),                           \
                                  static_cast<unsigned>(base));                                    \
  }                                                                                                \
  HEDDLE_CALL void __builtin_amdgcn_raw_buffer_store_b##bits(                                      \
      T value, heddle_device::Buffer buffer, int offset, int base, int) {                          \
    heddle_device::store<T>(value, buffer, static_cast<unsigned>(offset),                          \
                            static_cast<unsigned>(base));                                          \
  }
namespace heddle_device {
typedef unsigned Unsigned2 __attribute__((ext_vector_type(2)));
typedef unsigned Unsigned4 __attribute__((ext_vector_type(4)));
}  // namespace heddle_device
HEDDLE_BUFFER(8, unsigned char)
HEDDLE_BUFFER(16, unsigned short)
HEDDLE_BUFFER(32, unsigned)
HEDDLE_BUFFER(64, heddle_device::Unsigned2)
HEDDLE_BUFFER(128, heddle_device::Unsigned4)
#undef HEDDLE_BUFFER
HEDDLE_CALL void __builtin_amdgcn_raw_ptr_buffer_load_lds(heddle_device::Buffer buffer,
                                                          heddle_device::SharedWords shared,
                                                          int bytes, int offset, int base, int more,
                                                          int) {
  heddle_device::load_to_shared(buffer, shared, bytes, offset, base, more);
}
#endif

#endif
