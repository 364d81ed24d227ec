#include "history/rows.h"

#include <type_traits>

namespace heddle::history {
namespace {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// The list of names and types.
class Columns {
 public:
  template <class T>
  void field(const char* name, const T&) {
    if constexpr (IsOptional<T>::value) {
      field(name, typename T::value_type{});
    } else {
      const Value sample = encode(T{});
      columns.push_back({name, std::holds_alternative<std::int64_t>(sample) ? "INTEGER"
                               : std::holds_alternative<double>(sample)     ? "REAL"
                                                                            : "TEXT"});
    }
  }
  template <class T, class Fields>
  void part(const char* name, const std::optional<T>&, Fields fields) {
    columns.push_back({name, "INTEGER"});
    const T sample{};
    fields(sample);
  }

  std::vector<Column> columns;
};

/// The cells of a row.
class Writer {
 public:
  template <class T>
  void field(const char*, const T& value) {
    row.push_back(absent_ ? Value{} : encode(value));
  }
  template <class T, class Fields>
  void part(const char*, const std::optional<T>& value, Fields fields) {
    row.push_back(absent_ ? Value{} : encode(value.has_value()));
    const bool outer = absent_;
    absent_ = outer || !value;
    const T absent{};
    fields(value ? *value : absent);
    absent_ = outer;
  }

  Row row;

 private:
  bool absent_ = false;
};

/// Puts the cells of a row into their fields.
class Reader {
 public:
  Reader(const Row& row, std::size_t first) : row_(row), next_(first) {}

  template <class T>
  void field(const char*, T& value) {
    const Value& cell = row_.at(next_++);
    if (!absent_) decode(cell, value);
  }
  template <class T, class Fields>
  void part(const char*, std::optional<T>& value, Fields fields) {
    bool there = false;
    const Value& cell = row_.at(next_++);
    if (!absent_) decode(cell, there);
    const bool outer = absent_;
    absent_ = !there;
    T read;
    fields(read);
    absent_ = outer;
    value.reset();
    if (there) value = std::move(read);
  }

 private:
  const Row& row_;
  std::size_t next_;
  bool absent_ = false;
};

// The lists. `Attempt`, `Result` and so on are constant unless a Reader visits.

template <class Visitor, class Attempt>
void visit_attempt(Visitor& visitor, Attempt& attempt) {
  visitor.field("iteration", attempt.iteration);
  visitor.field("proposer", attempt.proposer);
  visitor.field("formula", attempt.formula);
  visitor.field("title", attempt.title);
  visitor.field("idea", attempt.idea);
  visitor.field("verdict", attempt.verdict);
  visitor.field("reason", attempt.reason);
  visitor.part("counterexample", attempt.counterexample, [&](auto& example) {
    visitor.field("counterexample_kind", example.kind);
    visitor.field("counterexample_grid", example.grid);
    visitor.field("counterexample_first", example.first);
    visitor.field("counterexample_second", example.second);
    visitor.field("counterexample_tile", example.tile);
    visitor.field("counterexample_index", example.index);
    visitor.field("counterexample_message", example.message);
  });
  visitor.field("distinct_tiles", attempt.distinct_tiles);
  visitor.field("sizes", attempt.sizes);
  visitor.field("scope", attempt.scope);
  visitor.field("same_as", attempt.same_as);
  visitor.field("identity", attempt.identity);
  visitor.field("map_hash", attempt.map_hash);
  visitor.field("triton", attempt.triton);
  visitor.field("operations", attempt.operations);
}

template <class Visitor, class L1>
void visit_l1(Visitor& visitor, L1& l1) {
  visitor.field("l1_requests", l1.cache.requests);
  visitor.field("l1_hits", l1.cache.hits);
  visitor.field("l1_misses", l1.cache.misses);
  visitor.field("l1_writes", l1.writes);
  visitor.field("l1_atomics", l1.atomics);
  visitor.field("l1_written_sectors", l1.written_sectors);
  visitor.field("l1_atomic_sectors", l1.atomic_sectors);
  visitor.field("l1_reads_to_l2", l1.reads_to_l2);
  visitor.field("l1_writes_to_l2", l1.writes_to_l2);
  visitor.field("l1_atomics_to_l2", l1.atomics_to_l2);
}

template <class Visitor, class L2>
void visit_l2(Visitor& visitor, L2& l2) {
  visitor.field("l2_requests", l2.cache.requests);
  visitor.field("l2_hits", l2.cache.hits);
  visitor.field("l2_misses", l2.cache.misses);
  visitor.field("l2_reads", l2.reads);
  visitor.field("l2_writes", l2.writes);
  visitor.field("l2_atomics", l2.atomics);
  visitor.field("fabric_reads_128", l2.fabric_reads_128);
  visitor.field("fabric_reads_64", l2.fabric_reads_64);
  visitor.field("fabric_reads_32", l2.fabric_reads_32);
  visitor.field("fabric_writes_64", l2.fabric_writes_64);
  visitor.field("fabric_writes_32", l2.fabric_writes_32);
  visitor.field("l2_writebacks", l2.writebacks);
}

template <class Visitor, class Result>
void visit_totals(Visitor& visitor, Result& result) {
  visitor.field("time_us", result.time_us);
  visitor.field("limited_by", result.limited_by);
  visitor.field("utilization", result.utilization);
  visitor.field("permutation", result.permutation);
  visitor.field("blocks", result.blocks);
  visitor.field("blocks_idle", result.blocks_idle);
  visit_l1(visitor, result.l1);
  visitor.part("scalar", result.scalar, [&](auto& scalar) {
    visitor.field("scalar_requests", scalar.cache.requests);
    visitor.field("scalar_hits", scalar.cache.hits);
    visitor.field("scalar_misses", scalar.cache.misses);
    visitor.field("scalar_duplicate_misses", scalar.duplicate_misses);
  });
  visit_l2(visitor, result.l2);
  visitor.part("causes", result.causes, [&](auto& causes) {
    visitor.field("cause_first_touch", causes.first_touch);
    visitor.field("cause_capacity", causes.capacity);
    visitor.field("cause_conflict", causes.conflict);
    visitor.field("cause_other_die", causes.other_die);
  });
  visitor.part("last_level", result.last_level, [&](auto& cache) {
    visitor.field("last_level_requests", cache.requests);
    visitor.field("last_level_hits", cache.hits);
    visitor.field("last_level_misses", cache.misses);
  });
  visitor.field("hbm_read_bytes", result.hbm_read_bytes);
  visitor.field("hbm_write_bytes", result.hbm_write_bytes);
  visitor.field("far_sectors", result.far_sectors);
  visitor.field("bound_hit_rate_pct", result.bound_hit_rate_pct);
  visitor.field("bound_bytes", result.bound_bytes);
  visitor.field("sampled", result.sample.sampled);
  visitor.field("sample_share_of_sets", result.sample.share_of_sets);
  visitor.field("sample_share_of_blocks", result.sample.share_of_blocks);
  visitor.field("sample_requests", result.sample.requests);
  visitor.field("sample_hit_rate_error_pct", result.sample.hit_rate_error_pct);
}

template <class Visitor, class Attempt>
void visit_prediction(Visitor& visitor, Attempt& attempt) {
  visitor.field("fidelity", attempt.fidelity);
  visitor.field("speedup", attempt.speedup);
  visitor.field("from_history", attempt.from_history);
  visitor.field("finalist", attempt.finalist);
  visitor.part("predicted", attempt.predicted,
               [&](auto& result) { visit_totals(visitor, result); });
}

}  // namespace

std::vector<Column> attempt_columns() {
  Columns columns;
  const OrderAttempt sample;
  visit_attempt(columns, sample);
  return columns.columns;
}

std::vector<Column> prediction_columns() {
  Columns columns;
  const OrderAttempt sample;
  visit_prediction(columns, sample);
  return columns.columns;
}

Row attempt_row(const OrderAttempt& attempt) {
  Writer writer;
  visit_attempt(writer, attempt);
  return writer.row;
}

Row prediction_row(const OrderAttempt& attempt) {
  Writer writer;
  visit_prediction(writer, attempt);
  return writer.row;
}

void read_attempt(const Row& row, std::size_t first, OrderAttempt& attempt) {
  Reader reader(row, first);
  visit_attempt(reader, attempt);
}

void read_prediction(const Row& row, std::size_t first, OrderAttempt& attempt) {
  Reader reader(row, first);
  visit_prediction(reader, attempt);
}

}  // namespace heddle::history
