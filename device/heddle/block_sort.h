/* Sorts of a block, as CUB, hipCUB and rocPRIM name them: digits of four bits, the lowest first.
 *
 *   using Sort = cub::BlockRadixSort<float, 128, 4>;
 *   __shared__ typename Sort::TempStorage room;
 *   Sort(room).Sort(keys);                thread t has keys t * 4 and on, from all 512 in order
 *
 * Rules
 *   1. Equal keys keep their order. -0.0 comes before 0.0.
 *   2. Keys go through shared memory once for each digit, as the libraries move them.
 */
#ifndef HEDDLE_BLOCK_SORT_H
#define HEDDLE_BLOCK_SORT_H

#include "heddle/blocks.h"

namespace cub {

template <int bytes>
struct HeddleBits;
template <>
struct HeddleBits<1> {
  using Type = unsigned char;
};
template <>
struct HeddleBits<2> {
  using Type = unsigned short;
};
template <>
struct HeddleBits<4> {
  using Type = unsigned;
};
template <>
struct HeddleBits<8> {
  using Type = unsigned long long;
};

/* Bits that lie in the order of their keys. */
template <class Key>
HEDDLE_CALL auto heddle_ordered_bits(const Key& key) {
  using Bits = typename HeddleBits<sizeof(Key)>::Type;
  constexpr Bits kSign = static_cast<Bits>(Bits(1) << (8 * sizeof(Key) - 1));
  const Bits bits = __builtin_bit_cast(Bits, key);
  if constexpr (__is_integral(Key))
    return static_cast<Bits>(Key(-1) < Key(0) ? bits ^ kSign : bits);
  else
    return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
}

template <class Key, int x, int items, class Value = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int y = 1, int z = 1, int = 0>
class BlockRadixSort {
  static constexpr int threads = x * y * z;
  static constexpr int digits = 16;
  static constexpr bool has_values = !__is_same(Value, NullType);
  template <bool, class V>
  struct Kept {
    V values[threads * items];
  };
  template <class V>
  struct Kept<false, V> {};
  using Scan = BlockScan<unsigned, x, BLOCK_SCAN_WARP_SCANS, y, z>;

 public:
  struct TempStorage : Kept<has_values, Value> {
    unsigned counts[digits * threads];
    Key keys[threads * items];
    typename Scan::TempStorage scan;
  };
  HEDDLE_CALL BlockRadixSort() : room_(own_room()) {}
  HEDDLE_CALL explicit BlockRadixSort(TempStorage& room) : room_(room) {}

  HEDDLE_CALL void Sort(Key (&keys)[items], int begin = 0, int end = 8 * sizeof(Key)) {
    sort(keys, (Value*)nullptr, begin, end, false, false);
  }
  HEDDLE_CALL void SortDescending(Key (&keys)[items], int begin = 0, int end = 8 * sizeof(Key)) {
    sort(keys, (Value*)nullptr, begin, end, true, false);
  }
  HEDDLE_CALL void SortBlockedToStriped(Key (&keys)[items], int begin = 0,
                                        int end = 8 * sizeof(Key)) {
    sort(keys, (Value*)nullptr, begin, end, false, true);
  }
  HEDDLE_CALL void SortDescendingBlockedToStriped(Key (&keys)[items], int begin = 0,
                                                  int end = 8 * sizeof(Key)) {
    sort(keys, (Value*)nullptr, begin, end, true, true);
  }
  template <class V>
  HEDDLE_CALL void Sort(Key (&keys)[items], V (&values)[items], int begin = 0,
                        int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, false, false);
  }
  template <class V>
  HEDDLE_CALL void SortDescending(Key (&keys)[items], V (&values)[items], int begin = 0,
                                  int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, true, false);
  }
  template <class V>
  HEDDLE_CALL void SortBlockedToStriped(Key (&keys)[items], V (&values)[items], int begin = 0,
                                        int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, false, true);
  }
  template <class V>
  HEDDLE_CALL void SortDescendingBlockedToStriped(Key (&keys)[items], V (&values)[items],
                                                  int begin = 0, int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, true, true);
  }

 private:
  static HEDDLE_CALL unsigned digit_of(const Key& key, int begin, int width, bool falls) {
    auto bits = heddle_ordered_bits(key);
    if (falls) bits = static_cast<decltype(bits)>(~bits);
    return static_cast<unsigned>(bits >> begin) & ((1u << width) - 1);
  }

  /* counts[digit][thread] become the place of the first such key of the thread. */
  HEDDLE_CALL void find_places(const Key (&keys)[items], int begin, int width, bool falls) {
    const int rank = static_cast<int>(heddle_rank());
    for (int digit = 0; digit < digits; ++digit) room_.counts[digit * threads + rank] = 0;
    for (int k = 0; k < items; ++k)
      ++room_.counts[digit_of(keys[k], begin, width, falls) * threads + rank];
    heddle_device::block_barrier();
    unsigned sum = 0;
    for (int k = 0; k < digits; ++k) sum += room_.counts[rank * digits + k];
    unsigned before;
    Scan(room_.scan).ExclusiveSum(sum, before);
    for (int k = 0; k < digits; ++k) {
      const unsigned count = room_.counts[rank * digits + k];
      room_.counts[rank * digits + k] = before;
      before += count;
    }
    heddle_device::block_barrier();
  }

  template <class V>
  HEDDLE_CALL void sort(Key (&keys)[items], V* values, int begin, int end, bool falls,
                        bool striped) {
    const int rank = static_cast<int>(heddle_rank());
    for (; begin < end; begin += 4) {
      const int width = end - begin < 4 ? end - begin : 4;
      find_places(keys, begin, width, falls);
      for (int k = 0; k < items; ++k) {
        const unsigned place =
            room_.counts[digit_of(keys[k], begin, width, falls) * threads + rank]++;
        room_.keys[place] = keys[k];
        if constexpr (has_values) room_.values[place] = values[k];
      }
      heddle_device::block_barrier();
      const bool is_striped = striped && begin + 4 >= end;
      for (int k = 0; k < items; ++k) {
        const int place = is_striped ? k * threads + rank : rank * items + k;
        keys[k] = room_.keys[place];
        if constexpr (has_values) values[k] = room_.values[place];
      }
      heddle_device::block_barrier();
    }
  }
  static HEDDLE_CALL TempStorage& own_room() {
    __shared__ TempStorage room;
    return room;
  }
  TempStorage& room_;
};

}  // namespace cub

#endif
