/* Copies that are done when they are asked for, and what kernels wait for them with: memcpy_async,
 * pipelines, barriers of a block.
 *
 *   cg::memcpy_async(block, tile, from, sizeof(float) * count);  cg::wait(block);
 *   pipe.producer_acquire();  cuda::memcpy_async(to, from, 16, pipe);  pipe.producer_commit();
 *
 * Rules
 *   1. The lanes of a group copy in turn: pieces of 16 bytes where addresses and size allow it, else of
 *      4, else bytes.
 *   2. Waiting for a copy of a block, and for a barrier, is a barrier of the whole block. A barrier of
 *      fewer threads than the block has ends the trace.
 */
#ifndef HEDDLE_ASYNCHRONOUS_H
#define HEDDLE_ASYNCHRONOUS_H

#include "heddle/cooperative_groups.h"
#include "heddle/memory.h"

namespace heddle_device {

template <class Piece>
HEDDLE_CALL void copy_pieces(char* to, const char* from, size_t bytes, unsigned rank,
                             unsigned count) {
  using Moved = Piece __attribute__((may_alias));
  for (size_t at = rank * sizeof(Piece); at + sizeof(Piece) <= bytes; at += count * sizeof(Piece))
    *(Moved*)(to + at) = *(const Moved*)(from + at);
}

using SixteenBytes = unsigned __attribute__((ext_vector_type(4)));

/* The share of one lane of `count`. */
HEDDLE_CALL void copy_share(void* to, const void* from, size_t bytes, unsigned rank,
                            unsigned count) {
  const size_t all = (size_t)to | (size_t)from | bytes;
  if (all % 16 == 0)
    copy_pieces<SixteenBytes>((char*)to, (const char*)from, bytes, rank, count);
  else if (all % 4 == 0)
    copy_pieces<unsigned>((char*)to, (const char*)from, bytes, rank, count);
  else
    copy_pieces<unsigned char>((char*)to, (const char*)from, bytes, rank, count);
}

HEDDLE_CALL void end_here(const char* reason) {
#if defined(HEDDLE_HOST)
  heddle_stop(reason);
#else
  (void)reason;
  __builtin_trap();
#endif
}

}  // namespace heddle_device

namespace cooperative_groups {

template <class Group, class To, class From>
HEDDLE_CALL void memcpy_async(const Group& group, To* to, const From* from, size_t bytes) {
  heddle_device::copy_share(to, from, bytes, group.thread_rank(), group.size());
}
template <class Group, class To, class From>
HEDDLE_CALL void memcpy_async(const Group& group, To* to, size_t to_count, const From* from,
                              size_t from_count) {
  const size_t count = to_count < from_count ? to_count : from_count;
  heddle_device::copy_share(to, from, count * sizeof(From), group.thread_rank(), group.size());
}
template <class Group>
HEDDLE_CALL void wait(const Group& group) {
  group.sync();
}
template <unsigned stages, class Group>
HEDDLE_CALL void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

template <size_t alignment>
struct aligned_size_t {
  size_t value;
  HEDDLE_BOTH constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
  HEDDLE_BOTH constexpr operator size_t() const { return value; }
};

/* A barrier of all threads of a block. */
template <thread_scope scope = thread_scope_system, class Completion = void>
class barrier {
 public:
  using arrival_token = int;
  barrier() = default;
  HEDDLE_CALL explicit barrier(long count) { check(count); }
  [[nodiscard]] HEDDLE_CALL arrival_token arrive(long = 1) { return 0; }
  HEDDLE_CALL void wait(arrival_token&&) const { heddle_device::block_barrier(); }
  HEDDLE_CALL void arrive_and_wait() { heddle_device::block_barrier(); }
  static HEDDLE_CALL void check(long count) {
    if (count != static_cast<long>(blockDim.x * blockDim.y * blockDim.z))
      heddle_device::end_here("a cuda::barrier of fewer threads than the block has cannot be run");
  }

 private:
  long unused_;
};
template <thread_scope scope>
HEDDLE_CALL void init(barrier<scope>*, long count) {
  barrier<scope>::check(count);
}

template <thread_scope scope, unsigned stages>
struct pipeline_shared_state {
  char unused;
};

template <thread_scope scope>
class pipeline {
 public:
  HEDDLE_CALL void producer_acquire() {}
  HEDDLE_CALL void producer_commit() {}
  HEDDLE_CALL void consumer_wait() {
    if (scope != thread_scope_thread) heddle_device::block_barrier();
  }
  HEDDLE_CALL void consumer_release() {
    if (scope != thread_scope_thread) heddle_device::block_barrier();
  }
  HEDDLE_CALL void quit() {}
};
HEDDLE_CALL pipeline<thread_scope_thread> make_pipeline() {
  return {};
}
template <class Group, thread_scope scope, unsigned stages>
HEDDLE_CALL pipeline<scope> make_pipeline(const Group&, pipeline_shared_state<scope, stages>*) {
  return {};
}
template <unsigned stages, thread_scope scope>
HEDDLE_CALL void pipeline_consumer_wait_prior(pipeline<scope>& pipe) {
  pipe.consumer_wait();
}

template <class To, class From, class Size, class Signal>
HEDDLE_CALL void memcpy_async(To* to, const From* from, Size bytes, Signal&) {
  heddle_device::copy_share(to, from, bytes, 0, 1);
}
template <class Group, class To, class From, class Size, class Signal>
HEDDLE_CALL void memcpy_async(const Group& group, To* to, const From* from, Size bytes, Signal&) {
  heddle_device::copy_share(to, from, bytes, group.thread_rank(), group.size());
}

}  // namespace cuda

HEDDLE_CALL void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                         size_t zeros = 0) {
  heddle_device::copy_share(to, from, bytes - zeros, 0, 1);
  for (size_t at = bytes - zeros; at < bytes; ++at) ((char*)to)[at] = 0;
}
HEDDLE_CALL void __pipeline_commit() {}
HEDDLE_CALL void __pipeline_wait_prior(unsigned) {}

#endif
