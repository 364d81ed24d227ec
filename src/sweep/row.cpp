#include "sweep/row.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "support/csv.h"
#include "support/error.h"

namespace heddle::sweep {
namespace {

using nlohmann::ordered_json;

struct JsonWriter {
  ordered_json& json;
  void operator()(Field field, const std::string& value) const {
    if (!value.empty()) json[field.name] = value;
  }
  void operator()(Field field, bool value) const {
    if (value) json[field.name] = true;
  }
  void operator()(Field field, int value) const { json[field.name] = value; }
  template <class Number>
  void operator()(Field field, const std::optional<Number>& value) const {
    if (value) json[field.name] = *value;
  }
};

[[noreturn]] void no_row(std::string_view why) {
  throw Error(fmt::format("not a row of a sweep{}{}", why.empty() ? "" : ": ", why),
              "sweep into another folder");
}

/// Takes the values of a row as the parser comes to them: a sweep may have millions of rows. What is
/// deeper than the row, and what it does not know, is passed over.
class RowReader : public nlohmann::json_sax<ordered_json> {
 public:
  explicit RowReader(SweepRow& row) : row_(row) {}

  bool null() override { return take(nullptr); }
  bool boolean(bool value) override { return take(value); }
  bool number_integer(std::int64_t value) override { return take(value); }
  bool number_unsigned(std::uint64_t value) override { return take(value); }
  bool number_float(double value, const std::string& /*text*/) override { return take(value); }
  bool string(std::string& value) override { return take(value); }
  bool binary(binary_t& /*value*/) override { return take(nullptr); }
  bool start_object(std::size_t /*size*/) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override {
    if (depth_ == 0) no_row("");
    return open();
  }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    if (depth_ == 1) key_.swap(name);
    return true;
  }
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    no_row(error.what());
  }

 private:
  bool open() {
    if (depth_ == 1) take(nullptr);
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  template <class Given>
  bool take(const Given& given) {
    if (depth_ == 0) no_row("");
    if (depth_ > 1) return true;
    const auto set = [&](Field field, auto& value) {
      if (key_ == field.name) assign(value, given);
    };
    SweepRow::fields(set, row_);
    if (key_ == "patch") assign(row_.patch, given);
    return true;
  }

  template <class Value, class Given>
  void assign(std::optional<Value>& value, const Given& given) const {
    assign(value.emplace(), given);
  }
  template <class Value, class Given>
  void assign(Value& value, const Given& given) const {
    constexpr bool kNumbers = !std::is_same_v<Given, bool> && std::is_arithmetic_v<Given> &&
                              !std::is_same_v<Value, bool> && std::is_arithmetic_v<Value>;
    if constexpr (std::is_same_v<Value, Given>) {
      value = given;
    } else if constexpr (kNumbers && std::is_integral_v<Value> && std::is_integral_v<Given>) {
      if (!std::in_range<Value>(given)) no_row(fmt::format("'{}' is out of range", key_));
      value = static_cast<Value>(given);
    } else if constexpr (kNumbers && std::is_floating_point_v<Value>) {
      value = static_cast<Value>(given);
    } else {
      no_row(fmt::format("'{}' has another type", key_));
    }
  }

  SweepRow& row_;
  std::string key_;
  int depth_ = 0;
};

/// Each cell with a comma behind it.
struct CsvWriter {
  std::string& text;
  void operator()(Field /*field*/, const std::string& value) const {
    text += csv_field(value);
    text += ',';
  }
  void operator()(Field /*field*/, bool value) const { text += value ? "1," : "0,"; }
  void operator()(Field /*field*/, int value) const {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},"), value);
  }
  template <class Number>
  void operator()(Field /*field*/, const std::optional<Number>& value) const {
    if (value)
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},"), *value);
    else
      text += ',';
  }
};

}  // namespace

std::string row_json(const SweepRow& row) {
  ordered_json json = ordered_json::object();
  SweepRow::fields(JsonWriter{json}, row);
  if (!row.patch.empty()) json["patch"] = row.patch;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

SweepRow read_row(std::string_view text) {
  SweepRow row;
  RowReader reader(row);
  ordered_json::sax_parse(text, &reader);
  return row;
}

std::string csv_head() {
  std::string text;
  SweepRow row;
  const auto add = [&](Field field, const auto&) {
    text += (text.empty() ? "" : ",") + std::string(field.name);
  };
  SweepRow::fields(add, row);
  return text + "\n";
}

std::string csv_row(const SweepRow& row) {
  std::string text;
  SweepRow::fields(CsvWriter{text}, row);
  text.back() = '\n';
  return text;
}

}  // namespace heddle::sweep
