// One cell of the file: nothing, a whole number, a real number or a text, and the sum over a row
// of them by which a changed bit is noticed.
//
// Rules
//   1. encode and decode are inverse. Two cases are exempt: -0.0 comes back as 0.0, and an optional
//      number that is NaN comes back absent.
//   2. Texts are bytes: quotes, zeros and broken UTF-8 come back as they were.
//   3. Words of enumerations are stored, not their numbers. An unknown word is an Error.
//   4. row_checksum depends on types, lengths and bits of all cells, and on no machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "results/optimization.h"

namespace heddle::history {

using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Value>;

std::int64_t row_checksum(const Row& row);

Value encode(bool value);
Value encode(int value);
Value encode(std::int64_t value);
Value encode(double value);
Value encode(const std::string& value);
Value encode(Verdict value);
Value encode(ProvedSizes value);
Value encode(Answer value);
Value encode(SearchEnd value);
Value encode(Counterexample::Kind value);
Value encode(LaunchId value);
Value encode(TileId value);
Value encode(const std::vector<std::int64_t>& value);  ///< "256,256"
Value encode(const std::vector<Utilization>& value);   ///< JSON, in its order

void decode(const Value& cell, bool& value);
void decode(const Value& cell, int& value);
void decode(const Value& cell, std::int64_t& value);
void decode(const Value& cell, double& value);
void decode(const Value& cell, std::string& value);
void decode(const Value& cell, Verdict& value);
void decode(const Value& cell, ProvedSizes& value);
void decode(const Value& cell, Answer& value);
void decode(const Value& cell, SearchEnd& value);
void decode(const Value& cell, Counterexample::Kind& value);
void decode(const Value& cell, LaunchId& value);
void decode(const Value& cell, TileId& value);
void decode(const Value& cell, std::vector<std::int64_t>& value);
void decode(const Value& cell, std::vector<Utilization>& value);

template <class T>
Value encode(const std::optional<T>& value) {
  return value ? encode(*value) : Value{};
}

template <class T>
void decode(const Value& cell, std::optional<T>& value) {
  value.reset();
  if (!std::holds_alternative<std::monostate>(cell)) decode(cell, value.emplace());
}

}  // namespace heddle::history
