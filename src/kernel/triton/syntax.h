// Python's syntax tree of a kernel file, as Python's own `ast` module gives it.
//
//   x = tl.load(p + i)     Assign
//                            targets: [Name text "x"]
//                            value:   [Call  func: [Attribute text "load", value: [Name "tl"]]
//                                            args: [BinOp text "Add" ...] keywords: []]
//
// Rules
//   1. A python3 child process parses the text; it is given no file and runs none of the code. The
//      trees of the last few texts are kept.
//   2. Node kinds and field names are those of the `ast` module. Identifiers, attribute names,
//      operators and texts of strings are in `text`. Every field that means something is there;
//      numbers that are not 0 (a level, a conversion) are nodes of kind Number.
//   3. Size and depth are bounded; a syntax error is an Error at its place. What is nested too
//      deeply is a node of kind kTooDeep, an Error only where a kernel needs it.
//   4. The text of the Module node is "damaged" if the file is not UTF-8, else empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace heddle::kernel::triton {

struct Node;

struct Field {
  std::string name;
  std::vector<Node> nodes;  ///< one for a plain field, none where it is absent
};

inline constexpr const char* kTooDeep = "TooDeep";

/// What a Constant node holds.
enum class ConstantKind { none, boolean, integer, real, text, ellipsis, other };

struct Node {
  std::string kind;
  Position begin;
  Position end;  ///< just behind; columns count bytes, from 1
  std::string text;
  ConstantKind constant = ConstantKind::none;
  double real = 0;
  std::vector<Field> fields;

  /// All nodes of a field; empty where it is absent.
  const std::vector<Node>& list(std::string_view field) const;
  /// The only node of a field. Throws Error if it is absent.
  const Node& at(std::string_view field) const;
  bool has(std::string_view field) const { return !list(field).empty(); }
  bool is(std::string_view name) const { return kind == name; }
};

/// The Module node of a text. `path` is for messages.
Node parse_python(const std::string& text, const std::string& path);

}  // namespace heddle::kernel::triton
