/* rocPRIM's blocks and waves, which are those of heddle/blocks.h by other names.
 *
 *   using Reduce = rocprim::block_reduce<float, 256>;
 *   __shared__ typename Reduce::storage_type room;
 *   Reduce().reduce(value, sum, room);                the first thread has it
 */
#ifndef HEDDLE_ROCPRIM_H
#define HEDDLE_ROCPRIM_H

#include "heddle/block_sort.h"
#include "heddle/blocks.h"

namespace rocprim {

template <class T = void>
struct plus {
  template <class A, class B>
  HEDDLE_BOTH auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
template <class T = void>
struct multiplies {
  template <class A, class B>
  HEDDLE_BOTH auto operator()(const A& a, const B& b) const {
    return a * b;
  }
};
template <class T = void>
struct maximum {
  template <class V>
  HEDDLE_BOTH V operator()(const V& a, const V& b) const {
    return a < b ? b : a;
  }
};
template <class T = void>
struct minimum {
  template <class V>
  HEDDLE_BOTH V operator()(const V& a, const V& b) const {
    return b < a ? b : a;
  }
};
using empty_type = cub::NullType;

enum class block_reduce_algorithm {
  using_warp_reduce,
  raking_reduce,
  raking_reduce_commutative_only,
  default_algorithm = using_warp_reduce
};
enum class block_scan_algorithm { using_warp_scan, reduce_then_scan, default_algorithm = 0 };
enum class block_load_method {
  block_load_direct = cub::BLOCK_LOAD_DIRECT,
  block_load_striped = cub::BLOCK_LOAD_STRIPED,
  block_load_vectorize = cub::BLOCK_LOAD_VECTORIZE,
  block_load_transpose = cub::BLOCK_LOAD_TRANSPOSE,
  block_load_warp_transpose = cub::BLOCK_LOAD_WARP_TRANSPOSE,
  default_method = block_load_direct
};
enum class block_store_method {
  block_store_direct = cub::BLOCK_STORE_DIRECT,
  block_store_striped = cub::BLOCK_STORE_STRIPED,
  block_store_vectorize = cub::BLOCK_STORE_VECTORIZE,
  block_store_transpose = cub::BLOCK_STORE_TRANSPOSE,
  block_store_warp_transpose = cub::BLOCK_STORE_WARP_TRANSPOSE,
  default_method = block_store_direct
};

template <class T, unsigned x,
          block_reduce_algorithm = block_reduce_algorithm::default_algorithm, unsigned y = 1,
          unsigned z = 1>
class block_reduce {
  using Base = cub::BlockReduce<T, x, cub::BLOCK_REDUCE_WARP_REDUCTIONS, y, z>;

 public:
  using storage_type = typename Base::TempStorage;
  template <class F = plus<T>>
  HEDDLE_CALL void reduce(T input, T& output, storage_type& room, F combine = F()) {
    output = Base(room).Reduce(input, combine);
  }
  template <unsigned items, class F = plus<T>>
  HEDDLE_CALL void reduce(T (&input)[items], T& output, storage_type& room, F combine = F()) {
    output = Base(room).Reduce(input, combine);
  }
  template <class F = plus<T>>
  HEDDLE_CALL void reduce(T input, T& output, unsigned valid, storage_type& room,
                          F combine = F()) {
    output = Base(room).Reduce(input, combine, static_cast<int>(valid));
  }
  template <class F = plus<T>>
  HEDDLE_CALL void reduce(T input, T& output, F combine = F()) {
    output = Base().Reduce(input, combine);
  }
};

template <class T, unsigned x, block_scan_algorithm = block_scan_algorithm::default_algorithm,
          unsigned y = 1, unsigned z = 1>
class block_scan {
  using Base = cub::BlockScan<T, x, cub::BLOCK_SCAN_WARP_SCANS, y, z>;

 public:
  using storage_type = typename Base::TempStorage;
  template <class F = plus<T>>
  HEDDLE_CALL void inclusive_scan(T input, T& output, storage_type& room, F combine = F()) {
    Base(room).InclusiveScan(input, output, combine);
  }
  template <class F = plus<T>>
  HEDDLE_CALL void inclusive_scan(T input, T& output, T& all, storage_type& room,
                                  F combine = F()) {
    Base(room).InclusiveScan(input, output, combine, all);
  }
  template <unsigned items, class F = plus<T>>
  HEDDLE_CALL void inclusive_scan(T (&input)[items], T (&output)[items], storage_type& room,
                                  F combine = F()) {
    Base(room).InclusiveScan(input, output, combine);
  }
  template <class F = plus<T>>
  HEDDLE_CALL void exclusive_scan(T input, T& output, T first, storage_type& room,
                                  F combine = F()) {
    Base(room).ExclusiveScan(input, output, first, combine);
  }
  template <class F = plus<T>>
  HEDDLE_CALL void exclusive_scan(T input, T& output, T first, T& all, storage_type& room,
                                  F combine = F()) {
    Base(room).ExclusiveScan(input, output, first, combine, all);
  }
};

template <class T, unsigned x, unsigned items,
          block_load_method method = block_load_method::default_method, unsigned y = 1,
          unsigned z = 1>
class block_load {
  using Base =
      cub::BlockLoad<T, x, items, static_cast<cub::BlockLoadAlgorithm>(method), y, z>;

 public:
  using storage_type = typename Base::TempStorage;
  template <class From>
  HEDDLE_CALL void load(From from, T (&into)[items]) {
    __shared__ storage_type room;
    Base(room).Load(from, into);
  }
  template <class From>
  HEDDLE_CALL void load(From from, T (&into)[items], unsigned valid) {
    __shared__ storage_type room;
    Base(room).Load(from, into, static_cast<int>(valid));
  }
  template <class From>
  HEDDLE_CALL void load(From from, T (&into)[items], storage_type& room) {
    Base(room).Load(from, into);
  }
  template <class From>
  HEDDLE_CALL void load(From from, T (&into)[items], unsigned valid, storage_type& room) {
    Base(room).Load(from, into, static_cast<int>(valid));
  }
  template <class From, class Default>
  HEDDLE_CALL void load(From from, T (&into)[items], unsigned valid, Default otherwise,
                        storage_type& room) {
    Base(room).Load(from, into, static_cast<int>(valid), otherwise);
  }
};

template <class T, unsigned x, unsigned items,
          block_store_method method = block_store_method::default_method, unsigned y = 1,
          unsigned z = 1>
class block_store {
  using Base =
      cub::BlockStore<T, x, items, static_cast<cub::BlockStoreAlgorithm>(method), y, z>;

 public:
  using storage_type = typename Base::TempStorage;
  template <class To>
  HEDDLE_CALL void store(To to, T (&values)[items]) {
    __shared__ storage_type room;
    Base(room).Store(to, values);
  }
  template <class To>
  HEDDLE_CALL void store(To to, T (&values)[items], storage_type& room) {
    Base(room).Store(to, values);
  }
  template <class To>
  HEDDLE_CALL void store(To to, T (&values)[items], unsigned valid, storage_type& room) {
    Base(room).Store(to, values, static_cast<int>(valid));
  }
};

template <class T, unsigned x, unsigned items, unsigned y = 1, unsigned z = 1>
class block_exchange {
  using Base = cub::BlockExchange<T, x, items, y, z>;

 public:
  using storage_type = typename Base::TempStorage;
  HEDDLE_CALL void blocked_to_striped(const T (&in)[items], T (&out)[items], storage_type& room) {
    Base(room).BlockedToStriped(in, out);
  }
  HEDDLE_CALL void striped_to_blocked(const T (&in)[items], T (&out)[items], storage_type& room) {
    Base(room).StripedToBlocked(in, out);
  }
};

template <class Key, unsigned x, unsigned items, class Value = empty_type, unsigned y = 1,
          unsigned z = 1>
class block_radix_sort {
  using Base = cub::BlockRadixSort<Key, x, items, Value, 4, true, cub::BLOCK_SCAN_WARP_SCANS, 0, y,
                                   z>;

 public:
  using storage_type = typename Base::TempStorage;
  HEDDLE_CALL void sort(Key (&keys)[items], storage_type& room, unsigned begin = 0,
                        unsigned end = 8 * sizeof(Key)) {
    Base(room).Sort(keys, static_cast<int>(begin), static_cast<int>(end));
  }
  HEDDLE_CALL void sort_desc(Key (&keys)[items], storage_type& room, unsigned begin = 0,
                             unsigned end = 8 * sizeof(Key)) {
    Base(room).SortDescending(keys, static_cast<int>(begin), static_cast<int>(end));
  }
  template <class V>
  HEDDLE_CALL void sort(Key (&keys)[items], V (&values)[items], storage_type& room,
                        unsigned begin = 0, unsigned end = 8 * sizeof(Key)) {
    Base(room).Sort(keys, values, static_cast<int>(begin), static_cast<int>(end));
  }
  template <class V>
  HEDDLE_CALL void sort_desc(Key (&keys)[items], V (&values)[items], storage_type& room,
                             unsigned begin = 0, unsigned end = 8 * sizeof(Key)) {
    Base(room).SortDescending(keys, values, static_cast<int>(begin), static_cast<int>(end));
  }
};

template <class T, unsigned lanes = cub::heddle_wave>
class warp_reduce {
  using Base = cub::WarpReduce<T, static_cast<int>(lanes)>;

 public:
  using storage_type = typename Base::TempStorage;
  template <class F = plus<T>>
  HEDDLE_CALL void reduce(T input, T& output, storage_type& room, F combine = F()) {
    output = Base(room).Reduce(input, combine);
  }
};

template <class T, unsigned lanes = cub::heddle_wave>
class warp_scan {
  using Base = cub::WarpScan<T, static_cast<int>(lanes)>;

 public:
  using storage_type = typename Base::TempStorage;
  template <class F = plus<T>>
  HEDDLE_CALL void inclusive_scan(T input, T& output, storage_type& room, F combine = F()) {
    Base(room).InclusiveScan(input, output, combine);
  }
  template <class F = plus<T>>
  HEDDLE_CALL void exclusive_scan(T input, T& output, T first, storage_type& room,
                                  F combine = F()) {
    Base(room).ExclusiveScan(input, output, first, combine);
  }
};

}  // namespace rocprim

#endif
