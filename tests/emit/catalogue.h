// The orders and the spaces that the tests of emission try.
//
// Rules
//   1. Every family of order::families() appears, with several parameters, forward and inverted;
//      digit orders of one to three axes do.
//   2. A shape's small spaces are all of them up to 12x12x3; its large ones are drawn from a fixed
//      seed, with the extreme ones (2^31-1 blocks) added by hand.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "order/compact.h"
#include "order/family.h"
#include "order/order.h"
#include "order/space.h"

namespace heddle::emit_tests {

inline std::vector<std::string> parameter_texts(const order::Family& family) {
  if (family.parameters.empty()) return {""};
  if (family.parameters.size() == 1) return {"(1)", "(2)", "(3)", "(8)", "(304)"};
  return {"(1, 1)", "(2, 3)", "(3, 2)", "(8, 64)", "(304, 5)"};
}

/// Every family with every choice of parameters, and its inverse.
inline std::vector<std::string> family_texts() {
  std::vector<std::string> texts;
  for (const order::Family& family : order::families()) {
    for (const std::string& parameters : parameter_texts(family)) {
      const std::string plain = std::string(family.name) + parameters;
      texts.push_back(plain);
      texts.push_back("inverse(" + plain + ")");
    }
  }
  return texts;
}

inline std::vector<std::string> composition_texts() {
  return {"xcd(8) | group(4)",
          "xcd_chunk(8, 64) | group(8)",
          "group(3) | xcd(8)",
          "inverse(group_snake(2)) | hilbert",
          "inverse(xcd(8) | group(4)) | hilbert",
          "morton | xcd(3)",
          "reverse | xcd_tail(8) | inverse(morton)",
          "hilbert | inverse(hilbert)",
          "snake | columns | inverse(snake)",
          "xcd_panel(8, 40) | group_columns_snake(3) | reverse",
          "inverse(xcd_chunk(3, 5)) | xcd(3)",
          "head_first(8) | inverse(block_first(3))"};
}

/// Digit orders of one, two and three axes, most of which leave tiles over.
inline std::vector<std::string> digit_texts() {
  return {"digits(a die=8 -> die a)", "digits(x r=3 y die=8 -> y r, die x)",
          "inverse(digits(y r=4 x q=2 -> q y, x r)) | xcd(3)",
          "digits(z r=2 x y die=3 -> r z, y, die x)",
          "inverse(digits(x z r=2 y q=5 -> q z, y r, x))"};
}

inline std::vector<std::string> all_texts() {
  std::vector<std::string> texts = family_texts();
  for (std::string& text : composition_texts()) texts.push_back(std::move(text));
  for (std::string& text : digit_texts()) texts.push_back(std::move(text));
  return texts;
}

/// One parameter choice per family, forward and inverted, and the compositions.
inline std::vector<std::string> some_texts() {
  std::vector<std::string> texts;
  for (const order::Family& family : order::families()) {
    const char* parameters = family.parameters.empty()       ? ""
                             : family.parameters.size() == 1 ? "(3)"
                                                             : "(3, 2)";
    texts.push_back(std::string(family.name) + parameters);
    texts.push_back("inverse(" + texts.back() + ")");
  }
  for (std::string& text : composition_texts()) texts.push_back(std::move(text));
  for (std::string& text : digit_texts()) texts.push_back(std::move(text));
  return texts;
}

inline std::vector<order::Shape> all_shapes() {
  return {{1, 1, false}, {2, 2, false}, {3, 3, false}, {1, 2, true}, {1, 3, true}};
}

inline bool fits(const order::Order& order, const order::Shape& shape) {
  for (const order::Stage& stage : order.stages()) {
    if (stage.family->kind == order::FamilyKind::walk && shape.tile_axes < 2) return false;
    if (stage.family->kind == order::FamilyKind::solid && shape.tile_axes < 3) return false;
  }
  return true;
}

inline std::string shape_text(const order::Shape& shape) {
  if (shape.own_tiles) return "1-D launch over " + std::to_string(shape.tile_axes) + "-D tiles";
  return std::to_string(shape.launch_axes) + "-D launch";
}

inline order::Space make_space(const order::Shape& shape,
                               const std::vector<std::int64_t>& extents) {
  order::Space space;
  if (shape.own_tiles) {
    space.tiles = Grid(extents);
    space.launch = Grid({space.tiles->count()});
  } else {
    space.launch = Grid(extents);
  }
  return space;
}

/// Every space up to 12x12x3; a line has as many blocks as those hold at most.
inline std::vector<order::Space> small_spaces(const order::Shape& shape) {
  std::vector<order::Space> spaces;
  const int axes = shape.tile_axes;
  if (axes == 1) {
    for (std::int64_t n = 1; n <= 432; ++n) spaces.push_back(make_space(shape, {n}));
    return spaces;
  }
  for (std::int64_t a = 1; a <= (axes == 3 && shape.own_tiles ? 3 : 12); ++a) {
    for (std::int64_t b = 1; b <= 12; ++b) {
      if (axes == 2) spaces.push_back(make_space(shape, {a, b}));
      for (std::int64_t c = 1; axes == 3 && c <= (shape.own_tiles ? 12 : 3); ++c) {
        spaces.push_back(make_space(shape, {a, b, c}));
      }
    }
  }
  return spaces;
}

/// Random large spaces, and the largest there are.
inline std::vector<order::Space> large_spaces(const order::Shape& shape, int count) {
  std::vector<order::Space> spaces;
  std::mt19937_64 random(20250311);
  const auto upto = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  const int axes = shape.tile_axes;
  const std::int64_t most = kBlockLimit - 1;
  if (axes == 1) {
    spaces.push_back(make_space(shape, {most}));
    while (static_cast<int>(spaces.size()) < count)
      spaces.push_back(make_space(shape, {upto(most)}));
    return spaces;
  }
  if (axes == 2) {
    for (const auto& extents :
         {std::vector<std::int64_t>{1, most}, {most, 1}, {46340, 46340}, {65536, 32767}}) {
      spaces.push_back(make_space(shape, extents));
    }
  } else {
    for (const auto& extents :
         {std::vector<std::int64_t>{1, 1, most}, {most, 1, 1}, {1, most, 1}, {1290, 1290, 1290}}) {
      spaces.push_back(make_space(shape, extents));
    }
  }
  while (static_cast<int>(spaces.size()) < count) {
    std::vector<std::int64_t> extents;
    std::int64_t left = most;
    for (int axis = 0; axis < axes; ++axis) {
      const std::int64_t limit =
          axis + 1 == axes ? left : std::min<std::int64_t>(left, upto(3) == 1 ? 70000 : 3000);
      extents.push_back(upto(limit));
      left /= extents.back();
    }
    spaces.push_back(make_space(shape, extents));
  }
  return spaces;
}

}  // namespace heddle::emit_tests
