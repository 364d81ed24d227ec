#include "history/rows.h"

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace heddle::history {
namespace {

template <class T>
struct Content {
  using Type = T;
};
template <class T>
struct Content<std::optional<T>> {
  using Type = T;
};
template <class T>
using ContentOf = typename Content<T>::Type;
template <class T>
concept OptionalPart = HasFields<ContentOf<T>> && !HasFields<T>;

/// What all visitors share: which fields are kept, and which are parts.
template <class Cells>
class Visitor {
 public:
  explicit Visitor(Cells& cells) : cells_(cells) {}

  template <class T>
  void operator()(Field field, T& value) {
    if (field.has(Field::not_in_history)) return;
    // What passes the fabric says so in its name.
    const bool is_named = std::string_view(field.name).starts_with("fabric_");
    const std::string name = is_named ? field.name : prefix_ + field.name;
    if constexpr (std::same_as<std::remove_const_t<T>, std::optional<SimResult>>) {
      part(name, value, "", [&](auto& result) { totals(result); });
    } else if constexpr (OptionalPart<std::remove_const_t<T>>) {
      part(name, value, name + "_", [&](auto& there) {
        FieldList<std::remove_cvref_t<decltype(there)>>::fields(*this, there);
      });
    } else {
      cells_.field(name, value);
    }
  }

  /// A struct that may be absent.
  template <class T, class Fields>
  void part(const std::string& name, T& value, const std::string& prefix, Fields fields) {
    cells_.part(name, value, [&](auto& there) { with_prefix(prefix, [&] { fields(there); }); });
  }
  template <class Fields>
  void with_prefix(const std::string& prefix, Fields fields) {
    const std::string outer = std::exchange(prefix_, prefix);
    fields();
    prefix_ = outer;
  }

 private:
  template <class Result>
  void totals(Result& result);

  Cells& cells_;
  std::string prefix_;
};

/// What is kept of a replay.
template <class Cells>
template <class Result>
void Visitor<Cells>::totals(Result& result) {
  Visitor& visit = *this;
  visit("time_us", result.time_us);
  visit("limited_by", result.limited_by);
  visit("utilization", result.utilization);
  visit("permutation", result.permutation);
  visit("blocks", result.blocks);
  visit("blocks_idle", result.blocks_idle);
  with_prefix("l1_", [&] { L1Counts::fields(visit, result.l1); });
  visit("scalar", result.scalar);
  with_prefix("l2_", [&] { L2Counts::fields(visit, result.l2); });
  part("causes", result.causes, "cause_", [&](auto& causes) { MissCauses::fields(visit, causes); });
  visit("last_level", result.last_level);
  visit("hbm_read_bytes", result.hbm_read_bytes);
  visit("hbm_write_bytes", result.hbm_write_bytes);
  visit("far_sectors", result.far_sectors);
  visit("bound_hit_rate_pct", result.bound_hit_rate_pct);
  visit("bound_bytes", result.bound_bytes);
  visit("sampled", result.sample.sampled);
  with_prefix("sample_", [&] { SampleReport::fields(visit, result.sample); });
}

/// The list of names and types.
class Columns {
 public:
  template <class T>
  void field(const std::string& name, const T&) {
    const Value sample = encode(ContentOf<T>{});
    columns.push_back({name, std::holds_alternative<std::int64_t>(sample) ? "INTEGER"
                             : std::holds_alternative<double>(sample)     ? "REAL"
                                                                          : "TEXT"});
  }
  template <class T, class Fields>
  void part(const std::string& name, const std::optional<T>&, Fields fields) {
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
  void field(const std::string&, const T& value) {
    row.push_back(absent_ ? Value{} : encode(value));
  }
  template <class T, class Fields>
  void part(const std::string&, const std::optional<T>& value, Fields fields) {
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
  void field(const std::string&, T& value) {
    const Value& cell = row_.at(next_++);
    if (!absent_) decode(cell, value);
  }
  template <class T, class Fields>
  void part(const std::string&, std::optional<T>& value, Fields fields) {
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

}  // namespace

std::vector<Column> attempt_columns() {
  Columns columns;
  const OrderAttempt sample;
  OrderAttempt::order_fields(Visitor(columns), sample);
  return columns.columns;
}

std::vector<Column> prediction_columns() {
  Columns columns;
  const OrderAttempt sample;
  OrderAttempt::prediction_fields(Visitor(columns), sample);
  return columns.columns;
}

Row attempt_row(const OrderAttempt& attempt) {
  Writer writer;
  OrderAttempt::order_fields(Visitor(writer), attempt);
  return writer.row;
}

Row prediction_row(const OrderAttempt& attempt) {
  Writer writer;
  OrderAttempt::prediction_fields(Visitor(writer), attempt);
  return writer.row;
}

void read_attempt(const Row& row, std::size_t first, OrderAttempt& attempt) {
  Reader reader(row, first);
  OrderAttempt::order_fields(Visitor(reader), attempt);
}

void read_prediction(const Row& row, std::size_t first, OrderAttempt& attempt) {
  Reader reader(row, first);
  OrderAttempt::prediction_fields(Visitor(reader), attempt);
}

}  // namespace heddle::history
