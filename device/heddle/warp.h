/* Barriers, and what the lanes of a wave do together: shuffles, votes, matches, reductions.
 *
 *   for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
 *
 * Rules
 *   1. Functions with _sync act among the lanes of their mask, the others among the lanes of the
 *      wave that have not ended.
 *   2. Values of any size are exchanged, in pieces of 4 bytes on a chip and of 8 on this machine.
 *   3. A shuffle from a lane outside its segment of `width` lanes gives the lane's own value.
 *   4. A set of lanes has 32 bits in CUDA and 64 in HIP. A warp of CUDA has 32 lanes, also on a
 * chip whose waves have 64.
 */
#ifndef HEDDLE_WARP_H
#define HEDDLE_WARP_H

#include "heddle/attributes.h"
#include "heddle/bits.h"
#include "heddle/index.h"

namespace heddle_device {

#if defined(HEDDLE_CUDA)
using LaneSet = unsigned;
#else
using LaneSet = unsigned long long;
#endif

#if defined(HEDDLE_HOST)
using Word = unsigned long long;
HEDDLE_CALL void block_barrier() {
  heddle_barrier();
}
HEDDLE_CALL int barrier_count(int predicate) {
  return heddle_barrier_vote(predicate, 0);
}
HEDDLE_CALL int barrier_all(int predicate) {
  return heddle_barrier_vote(predicate, 1);
}
HEDDLE_CALL int barrier_any(int predicate) {
  return heddle_barrier_vote(predicate, 2);
}
HEDDLE_CALL LaneSet running_lanes() {
  return static_cast<LaneSet>(heddle_active_mask() >> first_lane());
}
/* For operations without a mask: with all that come, whoever they are. */
HEDDLE_CALL LaneSet lanes_that_come() {
  return ~LaneSet{0};
}
HEDDLE_CALL void wave_barrier(LaneSet lanes) {
  heddle_wave_barrier(static_cast<unsigned long long>(lanes) << first_lane());
}
HEDDLE_CALL LaneSet ballot(int predicate, LaneSet lanes) {
  const unsigned long long mask = static_cast<unsigned long long>(lanes) << first_lane();
  return static_cast<LaneSet>(heddle_ballot(predicate, mask) >> first_lane());
}
HEDDLE_CALL Word word_of_lane(Word value, unsigned source, LaneSet lanes) {
  const unsigned long long mask = static_cast<unsigned long long>(lanes) << first_lane();
  return heddle_exchange(value, first_lane() + source, mask);
}

#elif HEDDLE_AMDGCN
using Word = unsigned;
HEDDLE_CALL void block_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
HEDDLE_CALL LaneSet running_lanes() {
  return __builtin_amdgcn_ballot_w64(true);
}
HEDDLE_CALL void wave_barrier(LaneSet) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
HEDDLE_CALL LaneSet ballot(int predicate, LaneSet lanes) {
  return __builtin_amdgcn_ballot_w64(predicate != 0) & lanes;
}
HEDDLE_CALL Word word_of_lane(Word value, unsigned source, LaneSet) {
  return static_cast<Word>(
      __builtin_amdgcn_ds_bpermute(static_cast<int>(source << 2), static_cast<int>(value)));
}
/* Through shared memory, a wave at a time. */
HEDDLE_CALL int barrier_count(int predicate) {
  __shared__ int count;
  block_barrier();
  if (thread_index<0>() + thread_index<1>() + thread_index<2>() == 0) count = 0;
  block_barrier();
  const int here = __builtin_popcountll(ballot(predicate, ~0ull));
  if (lane() == 0) {
    __hip_atomic_fetch_add(&count, here, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  block_barrier();
  return count;
}
HEDDLE_CALL int barrier_all(int predicate) {
  return barrier_count(predicate == 0) == 0;
}
HEDDLE_CALL int barrier_any(int predicate) {
  return barrier_count(predicate) != 0;
}

#else
using Word = unsigned;
HEDDLE_CALL void block_barrier() {
  __syncthreads();
}
HEDDLE_CALL int barrier_count(int predicate) {
  return __nvvm_bar0_popc(predicate);
}
HEDDLE_CALL int barrier_all(int predicate) {
  return __nvvm_bar0_and(predicate);
}
HEDDLE_CALL int barrier_any(int predicate) {
  return __nvvm_bar0_or(predicate);
}
HEDDLE_CALL LaneSet running_lanes() {
  return __nvvm_activemask();
}
HEDDLE_CALL void wave_barrier(LaneSet lanes) {
  __nvvm_bar_warp_sync(lanes);
}
HEDDLE_CALL LaneSet ballot(int predicate, LaneSet lanes) {
  return __nvvm_vote_ballot_sync(lanes, predicate != 0);
}
HEDDLE_CALL Word word_of_lane(Word value, unsigned source, LaneSet lanes) {
  return static_cast<Word>(
      __nvvm_shfl_sync_idx_i32(lanes, static_cast<int>(value), static_cast<int>(source), 0x1f));
}
#endif

#if !defined(HEDDLE_HOST)
HEDDLE_CALL LaneSet lanes_that_come() {
  return running_lanes();
}
#endif

HEDDLE_CALL LaneSet whole_set(unsigned long long mask) {
  return static_cast<LaneSet>(wave_lanes() == 32 ? mask & 0xffffffffull : mask);
}

/* The value that lane `source` of the wave gives, word by word. */
template <class T>
HEDDLE_CALL T value_of_lane(T value, unsigned source, LaneSet lanes) {
  constexpr int count = (sizeof(T) + sizeof(Word) - 1) / sizeof(Word);
  Word words[count] = {};
  __builtin_memcpy(words, (const void*)&value, sizeof(T));
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i) words[i] = word_of_lane(words[i], source, lanes);
  T result;
  __builtin_memcpy((void*)&result, words, sizeof(T));
  return result;
}

template <class T>
HEDDLE_CALL T from_index(T value, int source, int width, LaneSet lanes) {
  const int self = static_cast<int>(lane());
  return value_of_lane(value, (self & -width) + (source & (width - 1)), lanes);
}
template <class T>
HEDDLE_CALL T from_below(T value, unsigned delta, int width, LaneSet lanes) {
  const int self = static_cast<int>(lane());
  const int source = self - static_cast<int>(delta);
  return value_of_lane(value, source < (self & -width) ? self : source, lanes);
}
template <class T>
HEDDLE_CALL T from_above(T value, unsigned delta, int width, LaneSet lanes) {
  const int self = static_cast<int>(lane());
  const int place = (self & (width - 1)) + static_cast<int>(delta);
  return value_of_lane(value, place >= width ? self : self + static_cast<int>(delta), lanes);
}
template <class T>
HEDDLE_CALL T from_xor(T value, int bits, int width, LaneSet lanes) {
  const int self = static_cast<int>(lane());
  const int source = self ^ bits;
  return value_of_lane(value, source >= ((self + width) & -width) ? self : source, lanes);
}

/* The lanes that hold the same value: bit by bit, those that agree. */
template <class T>
HEDDLE_CALL LaneSet lanes_that_agree(T value, LaneSet lanes) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if HEDDLE_NVPTX
  if constexpr (sizeof(T) == 4) return __nvvm_match_any_sync_i32(lanes, bits_as<unsigned>(value));
  if constexpr (sizeof(T) == 8) {
    return __nvvm_match_any_sync_i64(lanes, bits_as<unsigned long long>(value));
  }
#endif
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  LaneSet same = lanes;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) {
    const bool set = (bits >> i) & 1;
    const LaneSet with = ballot(set, lanes);
    same &= set ? with : ~with;
  }
  return same;
}

/* All values of the lanes, combined. */
template <class T, class F>
HEDDLE_CALL T combined(T value, LaneSet lanes, F combine) {
  T result = value;
  bool first = true;
  for (unsigned source = 0; source < wave_lanes(); ++source) {
    if (((lanes >> source) & 1) == 0) continue;
    const T other = value_of_lane(value, source, lanes);
    result = first ? other : combine(result, other);
    first = false;
  }
  return result;
}

}  // namespace heddle_device

#if !HEDDLE_NVPTX /* where it is the compiler's own */
HEDDLE_CALL void __syncthreads() {
  heddle_device::block_barrier();
}
#endif
HEDDLE_CALL int __syncthreads_count(int predicate) {
  return heddle_device::barrier_count(predicate);
}
HEDDLE_CALL int __syncthreads_and(int predicate) {
  return heddle_device::barrier_all(predicate);
}
HEDDLE_CALL int __syncthreads_or(int predicate) {
  return heddle_device::barrier_any(predicate);
}
HEDDLE_CALL void __syncwarp(unsigned long long mask = ~0ull) {
  heddle_device::wave_barrier(heddle_device::whole_set(mask));
}

HEDDLE_CALL heddle_device::LaneSet __activemask() {
  return heddle_device::running_lanes();
}
HEDDLE_CALL heddle_device::LaneSet __ballot(int predicate) {
  return heddle_device::ballot(predicate, heddle_device::lanes_that_come());
}
HEDDLE_CALL unsigned long long __ballot64(int predicate) {
  return heddle_device::ballot(predicate, heddle_device::lanes_that_come());
}
HEDDLE_CALL int __any(int predicate) {
  return __ballot(predicate) != 0;
}
HEDDLE_CALL int __all(int predicate) {
  return __ballot(predicate == 0) == 0;
}
HEDDLE_CALL heddle_device::LaneSet __ballot_sync(unsigned long long mask, int predicate) {
  return heddle_device::ballot(predicate, heddle_device::whole_set(mask));
}
HEDDLE_CALL int __any_sync(unsigned long long mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
HEDDLE_CALL int __all_sync(unsigned long long mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}
HEDDLE_CALL int __uni_sync(unsigned long long mask, int predicate) {
  return __all_sync(mask, predicate) || !__any_sync(mask, predicate);
}

/* HIP's have the mask's type as a template argument. */
#define HEDDLE_SHUFFLE(name, from, Argument)                                                  \
  template <class T>                                                                          \
  HEDDLE_CALL T name(T value, Argument argument, int width = warpSize) {                      \
    return heddle_device::from(value, argument, width, heddle_device::lanes_that_come());     \
  }                                                                                           \
  template <class Mask, class T>                                                              \
  HEDDLE_CALL T name##_sync(Mask mask, T value, Argument argument, int width = warpSize) {    \
    const heddle_device::LaneSet lanes =                                                      \
        heddle_device::whole_set(static_cast<unsigned long long>(mask));                      \
    return heddle_device::from(value, argument, width, lanes);                                \
  }
HEDDLE_SHUFFLE(__shfl, from_index, int)
HEDDLE_SHUFFLE(__shfl_up, from_below, unsigned)
HEDDLE_SHUFFLE(__shfl_down, from_above, unsigned)
HEDDLE_SHUFFLE(__shfl_xor, from_xor, int)
#undef HEDDLE_SHUFFLE

template <class T>
HEDDLE_CALL heddle_device::LaneSet __match_any_sync(unsigned long long mask, T value) {
  return heddle_device::lanes_that_agree(value, heddle_device::whole_set(mask));
}
template <class T>
HEDDLE_CALL heddle_device::LaneSet __match_any(T value) {
  return heddle_device::lanes_that_agree(value, heddle_device::running_lanes());
}
template <class T>
HEDDLE_CALL heddle_device::LaneSet __match_all_sync(unsigned long long mask, T value,
                                                    int* predicate) {
  const heddle_device::LaneSet lanes = heddle_device::whole_set(mask);
  const bool same = heddle_device::lanes_that_agree(value, lanes) == lanes;
  *predicate = same;
  return same ? lanes : 0;
}
template <class T>
HEDDLE_CALL heddle_device::LaneSet __match_all(T value, int* predicate) {
  return __match_all_sync(heddle_device::running_lanes(), value, predicate);
}

/* `chip` is the instruction that does it for 32 bits, signed and unsigned. */
#if HEDDLE_NVPTX && __CUDA_ARCH__ >= 800
#define HEDDLE_REDUCE_ON_CHIP(signed_chip, unsigned_chip)                                    \
  if constexpr (__is_same(T, int)) return __nvvm_redux_sync_##signed_chip(value, int(mask)); \
  if constexpr (__is_same(T, unsigned)) {                                                    \
    return T(__nvvm_redux_sync_##unsigned_chip(int(value), int(mask)));                      \
  }
#else
#define HEDDLE_REDUCE_ON_CHIP(signed_chip, unsigned_chip)
#endif
#define HEDDLE_WAVE_REDUCTION(name, signed_chip, unsigned_chip, expression)              \
  template <class T>                                                                     \
  HEDDLE_CALL T __reduce_##name##_sync(unsigned long long mask, T value) {               \
    HEDDLE_REDUCE_ON_CHIP(signed_chip, unsigned_chip)                                    \
    return heddle_device::combined(                                                      \
        value, heddle_device::whole_set(mask),                                           \
        [](T a, T b) __attribute__((always_inline, nodebug)) { return T(expression); }); \
  }
HEDDLE_WAVE_REDUCTION(add, add, add, a + b)
HEDDLE_WAVE_REDUCTION(min, min, umin, b < a ? b : a)
HEDDLE_WAVE_REDUCTION(max, max, umax, a < b ? b : a)
HEDDLE_WAVE_REDUCTION(and, and, and, a& b)
HEDDLE_WAVE_REDUCTION(or, or, or, a | b)
HEDDLE_WAVE_REDUCTION(xor, xor, xor, a ^ b)
#undef HEDDLE_REDUCE_ON_CHIP
#undef HEDDLE_WAVE_REDUCTION

#if defined(HEDDLE_HOST) && !defined(HEDDLE_CUDA)
#include "heddle/amdgcn_builtins.h"
#endif

#endif
