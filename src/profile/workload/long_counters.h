// Counters that a profiler tells one at a time, turned into a table with a row per dispatch.
//
//   Dispatch_ID,Kernel_Name,...,Counter_Name,Counter_Value      Dispatch_ID Kernel_Name SQ_WAVES ...
//   1,copy,...,SQ_WAVES,16384                               ──▶ 1           copy        16384
//   1,copy,...,TCC_HIT_sum,350659                               2           copy        16384
//   2,copy,...,SQ_WAVES,16384
//
// rocprofiler-compute has written this form since 3.3 (rocpd), one file for each replay of the
// program since 3.6; rocprofv3 writes it too.
//
// Rules
//   1. A dispatch of one pass is that of another if id, kernel, grid, workgroup and LDS are the same,
//      as in rocprofiler-compute; where the passes' ids differ, those of the same place in the same
//      sequence of launches (joining.cpp). Its timestamps are those of the pass that is read first, its
//      duration is the median over all counters: a pass counts as often as it has counters.
//   2. A counter that a dispatch has twice counts with its last value; a note tells how many there
//      are whose values differ.
//   3. A value that is not a number is left out; a note tells how many. A number as another locale
//      writes it is an Error (counter_table.h).
//   4. Of a recording with iteration multiplexing the dispatches of a kernel share their counters
//      (column_store.h). A kernel that ran too few times to have them all keeps what it has, and a
//      note names it.
//   5. At most kMostColumns counters and kMostValues values: an Error beyond that.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/workload/column_store.h"
#include "profile/workload/counter_table.h"
#include "results/panel.h"

namespace heddle::profile {

/// What fits into half a gigabyte.
inline constexpr std::size_t kMostValues = std::size_t{32} << 20;

/// One dispatch, as every row of it tells.
struct LongDispatch {
  std::int64_t id = 0;
  std::string_view kernel;
  std::string_view gpu;
  std::optional<std::int64_t> grid, workgroup, lds, scratch, vgpr, accum_vgpr, sgpr, start, end;
};

/// Which dispatches count different counters of the same thing.
enum class Multiplexing { none, kernel, launch };

class LongCounters {
 public:
  LongCounters();

  /// The row of the dispatch; a new one where there is none of its kind.
  std::uint32_t row_of(const LongDispatch& dispatch);
  /// The column of the counter.
  std::size_t column_of(std::string_view counter);
  /// `more`: added to what the dispatch has of the counter.
  void add(std::size_t column, std::uint32_t row, double value, bool more = false);
  /// How long the dispatch took where so many of its counters were counted.
  void took(std::uint32_t row, std::int64_t duration_ns, std::uint32_t counters = 1);
  /// `add` and `took` may have been told of rows that did not exist yet: `first`, which is rows() at
  /// that time, and those after it. They were `rows`.
  void settle(std::uint32_t first, const std::vector<std::uint32_t>& rows);

  /// All rows of a table with Counter_Name and Counter_Value. An Error if it has no Dispatch_ID or no
  /// Kernel_Name. `shown` is what notes call it.
  /// Dispatches of an id in `ids` have the id that stands there.
  void add_table(const CounterTable& table, const std::string& shown,
                 std::vector<ProfileNote>& notes,
                 const std::unordered_map<std::int64_t, std::int64_t>& ids = {});

  std::uint32_t rows() const { return rows_; }
  bool counts(const std::string& counter) const { return counters_.contains(counter); }
  /// Of each row, by rule 1; nothing where no times are known.
  std::vector<std::optional<double>> durations();
  CounterTable table(const std::string& shown, Multiplexing multiplexing,
                     std::vector<ProfileNote>& notes) &&;

 private:
  /// Id, grid, workgroup and LDS; the kernel comes with it.
  using Key = std::array<std::int64_t, 4>;
  Key key_of(std::uint32_t row) const;
  /// The place of the row of that kind in `places_`, or a free one.
  std::size_t place_of(const Key& key, std::uint32_t kernel) const;
  /// Puts rows that are not in `places_` there.
  void index_rows();

  struct Took {
    std::uint32_t row = 0;
    std::uint32_t counters = 0;
    std::int64_t duration_ns = 0;
  };

  void share_counters(Multiplexing multiplexing, const std::string& shown,
                      std::vector<ProfileNote>& notes);

  ColumnStore store_;
  std::vector<std::uint32_t> places_;  ///< rows, by the hash of their key; at most half are taken
  std::unordered_map<std::string, std::size_t> counters_;
  std::uint32_t rows_ = 0;
  std::uint32_t indexed_ = 0;    ///< how many rows `places_` holds
  std::int64_t largest_id_ = 0;  ///< of all rows
  std::size_t values_ = 0;
  std::vector<Took> took_;
  std::vector<std::size_t> whole_columns_;
  std::size_t kernel_column_ = 0;
  std::size_t gpu_column_ = 0;
};

/// Whether a row of the table is one counter of a dispatch.
bool is_long(const CounterTable& table);

}  // namespace heddle::profile
