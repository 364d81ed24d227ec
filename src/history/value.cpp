#include "history/value.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/error.h"
#include "support/text.h"

namespace heddle::history {
namespace {

/// FNV-1a over bytes, 64 bits.
class Fnv {
 public:
  void add(unsigned char byte) {
    state_ ^= byte;
    state_ *= 0x100000001b3U;
  }
  void add(std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      add(static_cast<unsigned char>((number >> shift) & 0xffU));
  }
  void add(const std::string& text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

[[noreturn]] void refuse_cell(const char* wanted) {
  throw Error(fmt::format("a cell of the history holds no {}", wanted),
              "move the file away; heddle optimize starts a new one");
}

/// The one of `all` that `text_of` writes like this.
template <class T, class Text>
T word_to(const Value& cell, std::initializer_list<T> all, Text text_of, const char* wanted) {
  const auto* word = std::get_if<std::string>(&cell);
  if (word == nullptr) refuse_cell(wanted);
  for (const T one : all) {
    if (text_of(one) == *word) return one;
  }
  refuse_cell(wanted);
}

}  // namespace

std::int64_t row_checksum(const Row& row) {
  Fnv sum;
  for (const Value& cell : row) {
    sum.add(static_cast<unsigned char>(cell.index()));
    if (const auto* number = std::get_if<std::int64_t>(&cell))
      sum.add(static_cast<std::uint64_t>(*number));
    if (const auto* real = std::get_if<double>(&cell)) sum.add(std::bit_cast<std::uint64_t>(*real));
    if (const auto* text = std::get_if<std::string>(&cell)) sum.add(*text);
  }
  return std::bit_cast<std::int64_t>(sum.value());
}

Value encode(bool value) {
  return std::int64_t{value ? 1 : 0};
}
Value encode(int value) {
  return std::int64_t{value};
}
Value encode(std::int64_t value) {
  return value;
}
Value encode(double value) {
  if (std::isnan(value)) return {};  // SQLite has no NaN
  return value + 0.0;                // nor -0.0
}
Value encode(const std::string& value) {
  return value;
}
Value encode(Verdict value) {
  return verdict_text(value);
}
Value encode(ProvedSizes value) {
  return sizes_text(value);
}
Value encode(Answer value) {
  return answer_text(value);
}
Value encode(SearchEnd value) {
  return search_end_text(value);
}
Value encode(Counterexample::Kind value) {
  return kind_text(value);
}
Value encode(LaunchId value) {
  return value.value;
}
Value encode(TileId value) {
  return value.value;
}
Value encode(const std::vector<std::int64_t>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}
Value encode(const std::vector<Utilization>& value) {
  nlohmann::json list = nlohmann::json::array();
  for (const Utilization& one : value) list.push_back({one.resource, one.percent});
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void decode(const Value& cell, std::int64_t& value) {
  const auto* number = std::get_if<std::int64_t>(&cell);
  if (number == nullptr) refuse_cell("whole number");
  value = *number;
}

void decode(const Value& cell, bool& value) {
  std::int64_t number = 0;
  decode(cell, number);
  value = number != 0;
}

void decode(const Value& cell, int& value) {
  std::int64_t number = 0;
  decode(cell, number);
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
    refuse_cell("number of that size");
  value = static_cast<int>(number);
}

void decode(const Value& cell, double& value) {
  if (std::holds_alternative<std::monostate>(cell)) {
    value = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const auto* real = std::get_if<double>(&cell);
  if (real == nullptr) refuse_cell("number");
  value = *real;
}

void decode(const Value& cell, std::string& value) {
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) refuse_cell("text");
  value = *text;
}

void decode(const Value& cell, Verdict& value) {
  value =
      word_to(cell, {Verdict::proved, Verdict::refuted, Verdict::unknown}, verdict_text, "verdict");
}

void decode(const Value& cell, ProvedSizes& value) {
  value = word_to(cell, {ProvedSizes::all, ProvedSizes::grid}, sizes_text, "range of sizes");
}

void decode(const Value& cell, Answer& value) {
  // What earlier versions called two of them.
  if (const auto* word = std::get_if<std::string>(&cell)) {
    if (*word == "improved") value = Answer::improved;
    if (*word == "already best") value = Answer::already_best;
    if (*word == "improved" || *word == "already best") return;
  }
  value = word_to(cell,
                  {Answer::improved, Answer::measure, Answer::already_best, Answer::not_independent,
                   Answer::unknown},
                  answer_text, "answer");
}

void decode(const Value& cell, SearchEnd& value) {
  value = word_to(cell,
                  {SearchEnd::at_bound, SearchEnd::exhausted, SearchEnd::iterations,
                   SearchEnd::budget, SearchEnd::interrupted, SearchEnd::not_started},
                  search_end_text, "end of a search");
}

void decode(const Value& cell, Counterexample::Kind& value) {
  using Kind = Counterexample::Kind;
  value = word_to(cell, {Kind::collision, Kind::outside, Kind::missing, Kind::arithmetic},
                  kind_text, "kind of a counterexample");
}

void decode(const Value& cell, LaunchId& value) {
  decode(cell, value.value);
}
void decode(const Value& cell, TileId& value) {
  decode(cell, value.value);
}

void decode(const Value& cell, std::vector<std::int64_t>& value) {
  std::string text;
  decode(cell, text);
  value.clear();
  if (text.empty()) return;
  for (const std::string_view part : split(text, ',')) {
    const auto number = parse_integer(part);
    if (!number) refuse_cell("list of numbers");
    value.push_back(*number);
  }
}

void decode(const Value& cell, std::vector<Utilization>& value) {
  std::string text;
  decode(cell, text);
  value.clear();
  try {
    for (const nlohmann::json& one : nlohmann::json::parse(text)) {
      const nlohmann::json& percent = one.at(1);  // null: not a finite number
      value.push_back({one.at(0).get<std::string>(), percent.is_null()
                                                         ? std::numeric_limits<double>::quiet_NaN()
                                                         : percent.get<double>()});
    }
  } catch (const nlohmann::json::exception&) {
    refuse_cell("list of resources");
  }
}

}  // namespace heddle::history
