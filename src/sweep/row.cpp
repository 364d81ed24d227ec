#include "sweep/row.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/csv.h"
#include "support/error.h"

namespace heddle::sweep {
namespace {

using nlohmann::ordered_json;

/// Every field, in the order in which it is written. The patch comes last, and not in CSV.
template <class Row, class Visit>
void each_field(Row& row, const Visit& visit) {
  visit("verb", row.verb);
  visit("job", row.job);
  visit("function", row.function);
  visit("shape", row.shape);
  visit("gpu", row.gpu);
  visit("at_base", row.at_base);
  visit("failed", row.failed);
  visit("exit_code", row.exit_code);
  visit("answer", row.answer);
  visit("order", row.order);
  visit("time_us", row.time_us);
  visit("best_us", row.best_us);
  visit("speedup", row.speedup);
  visit("speedup_low", row.speedup_low);
  visit("speedup_high", row.speedup_high);
  visit("l2_hit_pct", row.l2_hit_pct);
  visit("hbm_bytes", row.hbm_bytes);
  visit("limited_by", row.limited_by);
  visit("checks", row.checks);
  visit("reason", row.reason);
}

struct JsonWriter {
  ordered_json& json;
  void operator()(const char* name, const std::string& value) const {
    if (!value.empty()) json[name] = value;
  }
  void operator()(const char* name, bool value) const {
    if (value) json[name] = true;
  }
  void operator()(const char* name, int value) const { json[name] = value; }
  template <class Number>
  void operator()(const char* name, const std::optional<Number>& value) const {
    if (value) json[name] = *value;
  }
};

struct JsonReader {
  const ordered_json& json;
  template <class Value>
  void operator()(const char* name, Value& value) const {
    if (const auto at = json.find(name); at != json.end()) value = at->get<Value>();
  }
  template <class Number>
  void operator()(const char* name, std::optional<Number>& value) const {
    if (const auto at = json.find(name); at != json.end()) value = at->get<Number>();
  }
};

struct CsvWriter {
  std::string& text;
  void cell(const std::string& value) const { text += (text.empty() ? "" : ",") + value; }
  void operator()(const char* /*name*/, const std::string& value) const { cell(csv_field(value)); }
  void operator()(const char* /*name*/, bool value) const { cell(value ? "1" : "0"); }
  void operator()(const char* /*name*/, int value) const { cell(std::to_string(value)); }
  template <class Number>
  void operator()(const char* /*name*/, const std::optional<Number>& value) const {
    cell(value ? fmt::format("{}", *value) : "");
  }
};

}  // namespace

std::string row_json(const SweepRow& row) {
  ordered_json json = ordered_json::object();
  each_field(row, JsonWriter{json});
  if (!row.patch.empty()) json["patch"] = row.patch;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

SweepRow read_row(std::string_view text) {
  SweepRow row;
  try {
    const ordered_json json = ordered_json::parse(text);
    if (!json.is_object()) throw Error("not a row of a sweep", "sweep into another folder");
    each_field(row, JsonReader{json});
    JsonReader{json}("patch", row.patch);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not a row of a sweep: {}", error.what()), "sweep into another folder");
  }
  return row;
}

std::string csv_head() {
  std::string text;
  SweepRow row;
  each_field(row, [&](const char* name, const auto&) {
    text += (text.empty() ? "" : ",") + std::string(name);
  });
  return text + "\n";
}

std::string csv_row(const SweepRow& row) {
  std::string text;
  each_field(row, CsvWriter{text});
  return text + "\n";
}

}  // namespace heddle::sweep
