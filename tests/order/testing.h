// What the tests of orders and proofs share: short ways to make spaces, orders and maps.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "order/bindings.h"
#include "order/compact.h"
#include "order/evaluate.h"
#include "order/order.h"
#include "order/space.h"
#include "support/error.h"

namespace heddle::testing {

using order::Bindings;
using order::Map;
using order::Order;
using order::ReadOptions;
using order::Space;

inline Space launch(std::vector<std::int64_t> extents) {
  Space space;
  space.launch = Grid(std::move(extents));
  return space;
}

/// A line of as many blocks as there are tiles, over a row-major tile space.
inline Space tiled(std::vector<std::int64_t> extents) {
  Space space;
  space.tiles = Grid(std::move(extents));
  space.launch = Grid({space.tiles->count()});
  return space;
}

/// A text, how to read it, and values for its names.
struct Text {
  std::string text;
  std::string let = {};
  std::vector<std::string> results = {};
  std::vector<std::string> constexprs = {};
  std::optional<order::Language> language = order::Language::triton;

  Order order() const {
    return Order::from_formula(text, "order", ReadOptions{language, results, constexprs});
  }
  Bindings bindings() const { return let.empty() ? Bindings() : Bindings({let}); }
  Map on(const Space& space) const { return order::materialize(order(), space, bindings()); }
  order::Program program(const Space& space) const {
    return order().program(order::Shape::of(space), bindings());
  }
};

inline Text triton(std::string text, std::string let = {}) {
  return Text{std::move(text), std::move(let)};
}

inline Text c_like(std::string text, std::string let = {}) {
  Text result{std::move(text), std::move(let)};
  result.language = order::Language::c_like;
  return result;
}

/// The tiles on a line of `count` blocks.
inline Map line_map(const Text& text, std::int64_t count) {
  return text.on(launch({count}));
}

inline Map counting(std::int64_t count) {
  Map map;
  for (std::int64_t i = 0; i < count; ++i) map.push_back(i);
  return map;
}

/// The values a text computes at launch id `id` (of each result); empty where it fails or is idle.
inline std::vector<std::int64_t> values_at(const Text& text, std::int64_t id, const Space& space) {
  const order::Program program = text.program(space);
  order::Evaluator evaluator(program, space, text.bindings().values(program.names, space));
  return evaluator.index_of(LaunchId{id});
}

/// The value of `tile` (or of the only function) at launch id `id` of a line of 100 blocks.
inline std::optional<std::int64_t> value_at(Text text, std::int64_t id = 0) {
  if (text.results.empty() && text.text.find("tile") != std::string::npos) text.results = {"tile"};
  const std::vector<std::int64_t> values = values_at(text, id, launch({100}));
  if (values.size() != 1) return std::nullopt;
  return values[0];
}

/// The error a text gives on a line of 8 blocks; fails the test where it gives none.
inline Error error_of(const Text& text, const Space& space = launch({8})) {
  try {
    text.on(space);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error for: " << text.text.substr(0, 200);
  return Error("none");
}

/// Runs some code that must throw an Error and gives it back.
template <class Function>
Error thrown_by(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error("none");
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace heddle::testing
