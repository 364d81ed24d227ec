/* cooperative_groups: blocks, tiles of a wave, and the lanes that run together.
 *
 *   auto block = cooperative_groups::this_thread_block();
 *   auto tile = cooperative_groups::tiled_partition<32>(block);
 *   sum = cooperative_groups::reduce(tile, sum, cooperative_groups::plus<float>());
 *
 * Rules
 *   1. A tile is 1 to warpSize lanes, a power of two; its operations are those of heddle/warp.h.
 *   2. Barriers of a whole grid stop the trace: blocks are run one after the other.
 */
#ifndef HEDDLE_COOPERATIVE_GROUPS_H
#define HEDDLE_COOPERATIVE_GROUPS_H

#include "heddle/device.h"

namespace cooperative_groups {

HEDDLE_CALL unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

class thread_block {
 public:
  using Lanes = heddle_device::LaneSet;
  static HEDDLE_CALL void sync() { __syncthreads(); }
  static HEDDLE_CALL unsigned thread_rank() { return rank_in_block(); }
  static HEDDLE_CALL unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static HEDDLE_CALL unsigned num_threads() { return size(); }
  static HEDDLE_CALL dim3 group_index() { return blockIdx; }
  static HEDDLE_CALL dim3 thread_index() { return threadIdx; }
  static HEDDLE_CALL dim3 group_dim() { return blockDim; }
  static HEDDLE_CALL dim3 dim_threads() { return blockDim; }
};

HEDDLE_CALL thread_block this_thread_block() {
  return thread_block();
}

class grid_group {
 public:
  static HEDDLE_CALL void sync() {
#if defined(HEDDLE_HOST)
    heddle_stop("cooperative grid synchronisation is not supported");
#endif
  }
  static HEDDLE_CALL bool is_valid() {
    return true;
  }
  static HEDDLE_CALL unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static HEDDLE_CALL unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static HEDDLE_CALL unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + rank_in_block();
  }
  static HEDDLE_CALL unsigned long long size() {
    return num_blocks() * thread_block::size();
  }
  static HEDDLE_CALL unsigned long long num_threads() {
    return size();
  }
};

HEDDLE_CALL grid_group this_grid() {
  return grid_group();
}

/* `count` neighbouring lanes of a wave. */
template <unsigned count, class Parent = thread_block>
class thread_block_tile {
  static_assert(count > 0 && count <= 64 && (count & (count - 1)) == 0);

 public:
  using Lanes = heddle_device::LaneSet;
  static HEDDLE_CALL unsigned thread_rank() { return heddle_device::lane() & (count - 1); }
  static constexpr HEDDLE_CALL unsigned size() { return count; }
  static constexpr HEDDLE_CALL unsigned num_threads() { return count; }
  static HEDDLE_CALL unsigned meta_group_rank() { return rank_in_block() / count; }
  static HEDDLE_CALL unsigned meta_group_size() {
    return (thread_block::size() + count - 1) / count;
  }
  static HEDDLE_CALL Lanes lanes() {
    constexpr unsigned long long all = count == 64 ? ~0ull : (1ull << (count % 64)) - 1;
    return static_cast<Lanes>(all << first());
  }
  static HEDDLE_CALL void sync() { heddle_device::wave_barrier(lanes()); }

  template <class T>
  HEDDLE_CALL T shfl(T value, int source) const {
    return heddle_device::from_index(value, source, count, lanes());
  }
  template <class T>
  HEDDLE_CALL T shfl_up(T value, unsigned delta) const {
    return heddle_device::from_below(value, delta, count, lanes());
  }
  template <class T>
  HEDDLE_CALL T shfl_down(T value, unsigned delta) const {
    return heddle_device::from_above(value, delta, count, lanes());
  }
  template <class T>
  HEDDLE_CALL T shfl_xor(T value, int bits) const {
    return heddle_device::from_xor(value, bits, count, lanes());
  }
  HEDDLE_CALL Lanes ballot(int predicate) const {
    return heddle_device::ballot(predicate, lanes()) >> first();
  }
  HEDDLE_CALL int any(int predicate) const { return ballot(predicate) != 0; }
  HEDDLE_CALL int all(int predicate) const { return ballot(predicate == 0) == 0; }
  template <class T>
  HEDDLE_CALL Lanes match_any(T value) const {
    return heddle_device::lanes_that_agree(value, lanes()) >> first();
  }

 private:
  static HEDDLE_CALL unsigned first() { return heddle_device::lane() & ~(count - 1); }
};

template <unsigned count, class Parent>
HEDDLE_CALL thread_block_tile<count, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<count, Parent>();
}

/* The lanes of a wave that have come here, as far as that is known: those that have not ended. */
class coalesced_group {
 public:
  using Lanes = heddle_device::LaneSet;
  explicit HEDDLE_CALL coalesced_group(Lanes members) : lanes_(members) {}
  HEDDLE_CALL Lanes lanes() const { return lanes_; }
  HEDDLE_CALL unsigned size() const { return static_cast<unsigned>(__builtin_popcountll(lanes_)); }
  HEDDLE_CALL unsigned num_threads() const { return size(); }
  HEDDLE_CALL unsigned thread_rank() const {
    const unsigned long long below = (1ull << heddle_device::lane()) - 1;
    return static_cast<unsigned>(__builtin_popcountll(lanes_ & below));
  }
  HEDDLE_CALL void sync() const { heddle_device::wave_barrier(lanes_); }
  template <class T>
  HEDDLE_CALL T shfl(T value, int rank) const {
    return heddle_device::value_of_lane(value, lane_of(static_cast<unsigned>(rank)), lanes_);
  }
  template <class T>
  HEDDLE_CALL T shfl_down(T value, unsigned delta) const {
    const unsigned to = thread_rank() + delta;
    return shfl(value, static_cast<int>(to < size() ? to : thread_rank()));
  }
  template <class T>
  HEDDLE_CALL T shfl_up(T value, unsigned delta) const {
    const unsigned self = thread_rank();
    return shfl(value, static_cast<int>(self >= delta ? self - delta : self));
  }
  HEDDLE_CALL int any(int predicate) const { return heddle_device::ballot(predicate, lanes_) != 0; }
  HEDDLE_CALL int all(int predicate) const {
    return heddle_device::ballot(predicate == 0, lanes_) == 0;
  }
  HEDDLE_CALL Lanes ballot(int predicate) const {
    const Lanes set = heddle_device::ballot(predicate, lanes_);
    Lanes packed = 0;
    for (unsigned rank = 0; rank < size(); ++rank) {
      packed |= static_cast<Lanes>((set >> lane_of(rank)) & 1) << rank;
    }
    return packed;
  }

 private:
  HEDDLE_CALL unsigned lane_of(unsigned rank) const {
    unsigned long long left = lanes_;
    for (unsigned i = 0; i < rank; ++i) left &= left - 1;
    return left == 0 ? heddle_device::lane() : static_cast<unsigned>(__builtin_ctzll(left));
  }
  Lanes lanes_;
};

HEDDLE_CALL coalesced_group coalesced_threads() {
  return coalesced_group(heddle_device::running_lanes());
}

/* Of the lanes of a set, those whose ranks in it lie in the same `count` as this one's. */
HEDDLE_CALL coalesced_group piece_of(heddle_device::LaneSet all, unsigned count) {
  using Lanes = heddle_device::LaneSet;
  const unsigned self = coalesced_group(all).thread_rank();
  Lanes mine = 0;
  unsigned rank = 0;
  for (unsigned long long left = all; left != 0; left &= left - 1, ++rank)
    if (rank / count == self / count) mine |= static_cast<Lanes>(left & (~left + 1));
  return coalesced_group(mine);
}

/* Any of the groups above, its kind not known before the kernel runs. */
class thread_group {
 public:
  using Lanes = heddle_device::LaneSet;
  HEDDLE_CALL thread_group(const thread_block&) : lanes_(0) {}
  HEDDLE_CALL thread_group(const coalesced_group& group) : lanes_(group.lanes()) {}
  template <unsigned count, class Parent>
  HEDDLE_CALL thread_group(const thread_block_tile<count, Parent>& tile) : lanes_(tile.lanes()) {}
  HEDDLE_CALL bool is_block() const { return lanes_ == 0; }
  HEDDLE_CALL Lanes lanes() const { return lanes_; }
  HEDDLE_CALL void sync() const {
    if (is_block())
      thread_block::sync();
    else
      heddle_device::wave_barrier(lanes_);
  }
  HEDDLE_CALL unsigned thread_rank() const {
    return is_block() ? thread_block::thread_rank() : coalesced_group(lanes_).thread_rank();
  }
  HEDDLE_CALL unsigned size() const {
    return is_block() ? thread_block::size() : coalesced_group(lanes_).size();
  }
  HEDDLE_CALL unsigned num_threads() const { return size(); }

 private:
  Lanes lanes_;  // 0: the block
};

/* A partition whose size is known when the kernel runs only. */
HEDDLE_CALL coalesced_group tiled_partition(const thread_block&, unsigned count) {
  const unsigned first = heddle_device::lane() & ~(count - 1);
  const unsigned long long all = count >= 64 ? ~0ull : (1ull << count) - 1;
  return coalesced_group(static_cast<heddle_device::LaneSet>(all << first));
}
HEDDLE_CALL coalesced_group tiled_partition(const coalesced_group& group, unsigned count) {
  return piece_of(group.lanes(), count);
}
HEDDLE_CALL coalesced_group tiled_partition(const thread_group& group, unsigned count) {
  return group.is_block() ? tiled_partition(thread_block(), count) : piece_of(group.lanes(), count);
}

/* Lanes with the same label, or on the same side. */
template <class Group, class Label>
HEDDLE_CALL coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(heddle_device::lanes_that_agree(label, group.lanes()));
}
template <class Group>
HEDDLE_CALL coalesced_group binary_partition(const Group& group, bool side) {
  const heddle_device::LaneSet yes = heddle_device::ballot(side, group.lanes());
  return coalesced_group(side ? yes : group.lanes() & ~yes);
}

/* Memory for tiles of more than a wave, which are not here. */
template <unsigned count = 1024>
struct block_tile_memory {
  char bytes[count];
};
template <unsigned count>
HEDDLE_CALL thread_block this_thread_block(block_tile_memory<count>&) {
  return thread_block();
}

template <class Group>
HEDDLE_CALL void sync(const Group& group) {
  group.sync();
}
template <class Group>
HEDDLE_CALL auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
HEDDLE_CALL auto group_size(const Group& group) {
  return group.size();
}

#define HEDDLE_GROUP_OPERATION(name, expression)             \
  template <class T = void>                                  \
  struct name {                                              \
    template <class U>                                       \
    HEDDLE_BOTH U operator()(const U& a, const U& b) const { \
      return U(expression);                                  \
    }                                                        \
  };
HEDDLE_GROUP_OPERATION(plus, a + b)
HEDDLE_GROUP_OPERATION(less, b < a ? b : a)
HEDDLE_GROUP_OPERATION(greater, a < b ? b : a)
HEDDLE_GROUP_OPERATION(bit_and, a& b)
HEDDLE_GROUP_OPERATION(bit_or, a | b)
HEDDLE_GROUP_OPERATION(bit_xor, a ^ b)
#undef HEDDLE_GROUP_OPERATION

template <unsigned count, class Parent, class T, class Operation>
HEDDLE_CALL T reduce(const thread_block_tile<count, Parent>& tile, T value, Operation operation) {
#pragma clang loop unroll(full)
  for (unsigned step = count / 2; step > 0; step /= 2) {
    value = operation(value, tile.shfl_xor(value, static_cast<int>(step)));
  }
  return value;
}
template <class T, class Operation>
HEDDLE_CALL T reduce(const coalesced_group& group, T value, Operation operation) {
  return heddle_device::combined(value, group.lanes(), operation);
}

template <unsigned count, class Parent, class T, class Operation>
HEDDLE_CALL T inclusive_scan(const thread_block_tile<count, Parent>& tile, T value,
                             Operation operation) {
#pragma clang loop unroll(full)
  for (unsigned step = 1; step < count; step *= 2) {
    const T below = tile.shfl_up(value, step);
    if (tile.thread_rank() >= step) value = operation(below, value);
  }
  return value;
}
template <unsigned count, class Parent, class T>
HEDDLE_CALL T inclusive_scan(const thread_block_tile<count, Parent>& tile, T value) {
  return inclusive_scan(tile, value, plus<T>());
}
template <unsigned count, class Parent, class T>
HEDDLE_CALL T exclusive_scan(const thread_block_tile<count, Parent>& tile, T value) {
  const T below = tile.shfl_up(inclusive_scan(tile, value, plus<T>()), 1);
  return tile.thread_rank() == 0 ? T(0) : below;
}

}  // namespace cooperative_groups

#endif
