/* What the threads of a block do together, as CUB and hipCUB name it: reductions, scans, loads, stores,
 * exchanges.
 *
 *   using Reduce = cub::BlockReduce<float, 256>;
 *   __shared__ typename Reduce::TempStorage room;
 *   float sum = Reduce(room).Sum(value);              the first thread has it
 *
 * Rules
 *   1. Results are those of the libraries where these say what they are: of a reduction, thread 0 has
 *      it; of a wave, its first lane.
 *   2. A block meets in shared memory of its own with barriers as the libraries have them: one before
 *      results are read. TempStorage is as large as that needs.
 *   3. Loads and stores are those of the algorithm: direct ones item by item, vectorized ones up to
 *      16 bytes, transposed and striped ones with neighbours in neighbouring threads.
 *
 * Not here: BlockRadixRank, BlockHistogram, BlockMergeSort, what runs on a whole device. Sorts are in
 * block_sort.h.
 */
#ifndef HEDDLE_BLOCKS_H
#define HEDDLE_BLOCKS_H

#include "heddle/attributes.h"
#include "heddle/index.h"
#include "heddle/warp.h"

#define CUB_VERSION 200001

namespace cub {

struct Sum {
  template <class A, class B>
  HEDDLE_BOTH auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  HEDDLE_BOTH T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  HEDDLE_BOTH T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
template <class K, class V>
struct KeyValuePair {
  using Key = K;
  using Value = V;
  K key;
  V value;
  KeyValuePair() = default;
  HEDDLE_BOTH KeyValuePair(const K& k, const V& v) : key(k), value(v) {}
};
struct ArgMax {
  template <class K, class V>
  HEDDLE_BOTH KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a,
                                            const KeyValuePair<K, V>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  HEDDLE_BOTH KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a,
                                            const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
using Equality = struct HeddleEquality;
struct NullType {};

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

#if defined(HEDDLE_CUDA)
inline constexpr int heddle_wave = 32;
#else
inline constexpr int heddle_wave = 64;
#endif

HEDDLE_CALL unsigned heddle_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

template <class T, int lanes = heddle_wave>
class WarpReduce {
 public:
  struct TempStorage {
    char unused;
  };
  HEDDLE_CALL explicit WarpReduce(TempStorage&) {}
  /* Of the first `valid` lanes. */
  template <class F>
  HEDDLE_CALL T Reduce(T value, F combine, int valid = lanes) {
    const int lane = static_cast<int>(heddle_device::lane()) % lanes;
    for (int step = 1; step < lanes; step *= 2) {
      const T other = heddle_device::from_above(value, static_cast<unsigned>(step), lanes,
                                                heddle_device::lanes_that_come());
      if (lane + step < valid) value = combine(value, other);
    }
    return value;
  }
  HEDDLE_CALL T Sum(T value, int valid = lanes) { return Reduce(value, cub::Sum(), valid); }
};

template <class T, int lanes = heddle_wave>
class WarpScan {
 public:
  struct TempStorage {
    char unused;
  };
  HEDDLE_CALL explicit WarpScan(TempStorage&) {}
  template <class F>
  HEDDLE_CALL void InclusiveScan(T value, T& result, F combine) {
    const int lane = static_cast<int>(heddle_device::lane()) % lanes;
    for (int step = 1; step < lanes; step *= 2) {
      const T other = heddle_device::from_below(value, static_cast<unsigned>(step), lanes,
                                                heddle_device::lanes_that_come());
      if (lane >= step) value = combine(other, value);
    }
    result = value;
  }
  template <class F>
  HEDDLE_CALL void ExclusiveScan(T value, T& result, T first, F combine) {
    T all;
    InclusiveScan(value, all, combine);
    const T below = heddle_device::from_below(all, 1u, lanes, heddle_device::lanes_that_come());
    result = static_cast<int>(heddle_device::lane()) % lanes == 0 ? first : combine(first, below);
  }
  HEDDLE_CALL void InclusiveSum(T value, T& result) { InclusiveScan(value, result, cub::Sum()); }
  HEDDLE_CALL void ExclusiveSum(T value, T& result) {
    ExclusiveScan(value, result, T(), cub::Sum());
  }
};

template <class T, int x, int algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1,
          int = 0>
class BlockReduce {
  static constexpr int threads = x * y * z;
  static constexpr int waves = (threads + heddle_wave - 1) / heddle_wave;

 public:
  struct TempStorage {
    T parts[waves];
  };
  HEDDLE_CALL BlockReduce() : room_(own_room()) {}
  HEDDLE_CALL explicit BlockReduce(TempStorage& room) : room_(room) {}

  template <class F>
  HEDDLE_CALL T Reduce(T value, F combine, int valid = threads) {
    const int rank = static_cast<int>(heddle_rank());
    const int wave = rank / heddle_wave;
    typename WarpReduce<T>::TempStorage none;
    value = WarpReduce<T>(none).Reduce(value, combine, valid - wave * heddle_wave);
    if (rank % heddle_wave == 0) room_.parts[wave] = value;
    heddle_device::block_barrier();
    if (rank == 0)
      for (int k = 1; k < waves && k * heddle_wave < valid; ++k)
        value = combine(value, room_.parts[k]);
    return value;
  }
  template <int items, class F>
  HEDDLE_CALL T Reduce(T (&values)[items], F combine) {
    T own = values[0];
    for (int k = 1; k < items; ++k) own = combine(own, values[k]);
    return Reduce(own, combine);
  }
  HEDDLE_CALL T Sum(T value, int valid = threads) { return Reduce(value, cub::Sum(), valid); }
  template <int items>
  HEDDLE_CALL T Sum(T (&values)[items]) {
    return Reduce(values, cub::Sum());
  }

 private:
  static HEDDLE_CALL TempStorage& own_room() {
    __shared__ TempStorage room;
    return room;
  }
  TempStorage& room_;
};

template <class T, int x, int algorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1, int = 0>
class BlockScan {
  static constexpr int threads = x * y * z;
  static constexpr int waves = (threads + heddle_wave - 1) / heddle_wave;

 public:
  struct TempStorage {
    T parts[waves];
  };
  HEDDLE_CALL BlockScan() : room_(own_room()) {}
  HEDDLE_CALL explicit BlockScan(TempStorage& room) : room_(room) {}

  template <class F>
  HEDDLE_CALL void InclusiveScan(T value, T& result, F combine, T& all) {
    const int rank = static_cast<int>(heddle_rank());
    const int wave = rank / heddle_wave;
    typename WarpScan<T>::TempStorage none;
    WarpScan<T>(none).InclusiveScan(value, value, combine);
    if (rank % heddle_wave == heddle_wave - 1 || rank == threads - 1) room_.parts[wave] = value;
    heddle_device::block_barrier();
    T before = room_.parts[0];
    for (int k = 1; k < wave; ++k) before = combine(before, room_.parts[k]);
    result = wave == 0 ? value : combine(before, value);
    all = room_.parts[0];
    for (int k = 1; k < waves; ++k) all = combine(all, room_.parts[k]);
  }
  template <class F>
  HEDDLE_CALL void InclusiveScan(T value, T& result, F combine) {
    T all;
    InclusiveScan(value, result, combine, all);
  }
  template <class F>
  HEDDLE_CALL void ExclusiveScan(T value, T& result, T first, F combine, T& all) {
    const int rank = static_cast<int>(heddle_rank());
    T through;
    InclusiveScan(value, through, combine, all);
    T below = heddle_device::from_below(through, 1u, heddle_wave, heddle_device::lanes_that_come());
    if (rank % heddle_wave == 0 && rank > 0) {
      below = room_.parts[0];
      for (int k = 1; k < rank / heddle_wave; ++k) below = combine(below, room_.parts[k]);
    }
    result = rank == 0 ? first : combine(first, below);
  }
  template <class F>
  HEDDLE_CALL void ExclusiveScan(T value, T& result, T first, F combine) {
    T all;
    ExclusiveScan(value, result, first, combine, all);
  }
  HEDDLE_CALL void InclusiveSum(T value, T& result) { InclusiveScan(value, result, cub::Sum()); }
  HEDDLE_CALL void InclusiveSum(T value, T& result, T& all) {
    InclusiveScan(value, result, cub::Sum(), all);
  }
  HEDDLE_CALL void ExclusiveSum(T value, T& result) {
    ExclusiveScan(value, result, T(), cub::Sum());
  }
  HEDDLE_CALL void ExclusiveSum(T value, T& result, T& all) {
    ExclusiveScan(value, result, T(), cub::Sum(), all);
  }
  template <int items, class F>
  HEDDLE_CALL void InclusiveScan(T (&in)[items], T (&out)[items], F combine) {
    T own = in[0];
    for (int k = 1; k < items; ++k) own = combine(own, in[k]);
    T before, all;
    ExclusiveScan(own, before, T(), combine, all);
    const bool is_first = heddle_rank() == 0;
    for (int k = 0; k < items; ++k) {
      before = k == 0 && is_first ? in[k] : combine(before, in[k]);
      out[k] = before;
    }
  }
  template <int items>
  HEDDLE_CALL void InclusiveSum(T (&in)[items], T (&out)[items]) {
    InclusiveScan(in, out, cub::Sum());
  }
  template <int items>
  HEDDLE_CALL void ExclusiveSum(T (&in)[items], T (&out)[items], T& all) {
    T own = in[0];
    for (int k = 1; k < items; ++k) own = own + in[k];
    T before;
    ExclusiveSum(own, before, all);
    for (int k = 0; k < items; ++k) {
      const T value = in[k];
      out[k] = before;
      before = before + value;
    }
  }
  template <int items>
  HEDDLE_CALL void ExclusiveSum(T (&in)[items], T (&out)[items]) {
    T all;
    ExclusiveSum(in, out, all);
  }

 private:
  static HEDDLE_CALL TempStorage& own_room() {
    __shared__ TempStorage room;
    return room;
  }
  TempStorage& room_;
};

/* Items in order: thread t has t * items and on. Striped: t, t + threads, ... */
template <class T, int x, int items, int y = 1, int z = 1>
class BlockExchange {
  static constexpr int threads = x * y * z;

 public:
  struct TempStorage {
    T values[threads * items];
  };
  HEDDLE_CALL explicit BlockExchange(TempStorage& room) : room_(room) {}
  HEDDLE_CALL void StripedToBlocked(const T (&in)[items], T (&out)[items]) { turn(in, out, true); }
  HEDDLE_CALL void BlockedToStriped(const T (&in)[items], T (&out)[items]) { turn(in, out, false); }
  HEDDLE_CALL void StripedToBlocked(T (&values)[items]) { turn(values, values, true); }
  HEDDLE_CALL void BlockedToStriped(T (&values)[items]) { turn(values, values, false); }

 private:
  HEDDLE_CALL void turn(const T (&in)[items], T (&out)[items], bool to_blocked) {
    const int rank = static_cast<int>(heddle_rank());
    for (int k = 0; k < items; ++k)
      room_.values[to_blocked ? k * threads + rank : rank * items + k] = in[k];
    heddle_device::block_barrier();
    for (int k = 0; k < items; ++k)
      out[k] = room_.values[to_blocked ? rank * items + k : k * threads + rank];
  }
  TempStorage& room_;
};

template <class T, int items>
HEDDLE_CALL constexpr int heddle_vector_items() {
  int count = items;
  while (count > 1 && (count % 2 != 0 || count * sizeof(T) > 16)) count /= 2;
  return items % count == 0 ? count : 1;
}
template <class T, int count>
struct HeddlePiece {
  using Raw = unsigned char __attribute__((vector_size(sizeof(T) * count), may_alias));
};

template <class T, int x, int items, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1,
          int z = 1, int = 0>
class BlockLoad {
  static constexpr int threads = x * y * z;
  static constexpr bool is_turned = algorithm >= BLOCK_LOAD_TRANSPOSE;
  using Exchange = BlockExchange<T, x, items, y, z>;

 public:
  struct Nothing {
    char unused;
  };
  template <bool turned, class E>
  struct Room {
    using Type = Nothing;
  };
  template <class E>
  struct Room<true, E> {
    using Type = typename E::TempStorage;
  };
  using TempStorage = typename Room<is_turned, Exchange>::Type;
  HEDDLE_CALL explicit BlockLoad(TempStorage& room) : room_(room) {}

  template <class From>
  HEDDLE_CALL void Load(From from, T (&into)[items]) {
    load(from, into, threads * items, (T*)nullptr);
  }
  template <class From>
  HEDDLE_CALL void Load(From from, T (&into)[items], int valid) {
    load(from, into, valid, (T*)nullptr);
  }
  template <class From, class Default>
  HEDDLE_CALL void Load(From from, T (&into)[items], int valid, Default otherwise) {
    T other = otherwise;
    load(from, into, valid, &other);
  }

 private:
  template <class From>
  HEDDLE_CALL void load(From from, T (&into)[items], int valid, const T* otherwise) {
    const int rank = static_cast<int>(heddle_rank());
    if constexpr (algorithm == BLOCK_LOAD_VECTORIZE && __is_pointer(From)) {
      constexpr int count = heddle_vector_items<T, items>();
      using Raw = typename HeddlePiece<T, count>::Raw;
      if (valid >= threads * items) {
        for (int k = 0; k < items; k += count) {
          const Raw raw = *(const Raw*)(from + rank * items + k);
          __builtin_memcpy((void*)&into[k], &raw, sizeof raw);
        }
        return;
      }
    }
    constexpr bool is_striped = algorithm == BLOCK_LOAD_STRIPED || is_turned;
    for (int k = 0; k < items; ++k) {
      const int at = is_striped ? k * threads + rank : rank * items + k;
      if (at < valid)
        into[k] = from[at];
      else if (otherwise != nullptr)
        into[k] = *otherwise;
    }
    if constexpr (is_turned) Exchange(room_).StripedToBlocked(into);
  }
  TempStorage& room_;
};

template <class T, int x, int items, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int y = 1,
          int z = 1, int = 0>
class BlockStore {
  static constexpr int threads = x * y * z;
  static constexpr bool is_turned = algorithm >= BLOCK_STORE_TRANSPOSE;
  using Exchange = BlockExchange<T, x, items, y, z>;

 public:
  using TempStorage =
      typename BlockLoad<T, x, items, is_turned ? BLOCK_LOAD_TRANSPOSE : BLOCK_LOAD_DIRECT, y,
                         z>::TempStorage;
  HEDDLE_CALL explicit BlockStore(TempStorage& room) : room_(room) {}

  template <class To>
  HEDDLE_CALL void Store(To to, T (&values)[items], int valid = threads * items) {
    const int rank = static_cast<int>(heddle_rank());
    if constexpr (algorithm == BLOCK_STORE_VECTORIZE && __is_pointer(To)) {
      constexpr int count = heddle_vector_items<T, items>();
      using Raw = typename HeddlePiece<T, count>::Raw;
      if (valid >= threads * items) {
        for (int k = 0; k < items; k += count) {
          Raw raw;
          __builtin_memcpy(&raw, (const void*)&values[k], sizeof raw);
          *(Raw*)(to + rank * items + k) = raw;
        }
        return;
      }
    }
    constexpr bool is_striped = algorithm == BLOCK_STORE_STRIPED || is_turned;
    if constexpr (is_turned) Exchange(room_).BlockedToStriped(values);
    for (int k = 0; k < items; ++k) {
      const int at = is_striped ? k * threads + rank : rank * items + k;
      if (at < valid) to[at] = values[k];
    }
  }

 private:
  TempStorage& room_;
};

/* One item after another, and with all threads between two of one thread. */
template <class T, int items, class From>
HEDDLE_CALL void LoadDirectBlocked(int rank, From from, T (&into)[items],
                                   int valid = 0x7fffffff) {
  for (int k = 0; k < items; ++k)
    if (rank * items + k < valid) into[k] = from[rank * items + k];
}
template <int threads, class T, int items, class From>
HEDDLE_CALL void LoadDirectStriped(int rank, From from, T (&into)[items],
                                   int valid = 0x7fffffff) {
  for (int k = 0; k < items; ++k)
    if (rank + k * threads < valid) into[k] = from[rank + k * threads];
}
template <class T, int items, class To>
HEDDLE_CALL void StoreDirectBlocked(int rank, To to, T (&values)[items], int valid = 0x7fffffff) {
  for (int k = 0; k < items; ++k)
    if (rank * items + k < valid) to[rank * items + k] = values[k];
}
template <int threads, class T, int items, class To>
HEDDLE_CALL void StoreDirectStriped(int rank, To to, T (&values)[items], int valid = 0x7fffffff) {
  for (int k = 0; k < items; ++k)
    if (rank + k * threads < valid) to[rank + k * threads] = values[k];
}

/* Hints to the caches, which are dropped. */
enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};
enum CacheStoreModifier {
  STORE_DEFAULT,
  STORE_WB,
  STORE_CG,
  STORE_CS,
  STORE_WT,
  STORE_VOLATILE
};
template <CacheLoadModifier, class From>
HEDDLE_CALL auto ThreadLoad(From from) {
  return *from;
}
template <CacheStoreModifier, class To, class T>
HEDDLE_CALL void ThreadStore(To to, T value) {
  *to = value;
}

}  // namespace cub
namespace hipcub = cub;

#endif
