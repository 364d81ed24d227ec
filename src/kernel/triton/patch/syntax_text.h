// Syntax trees as texts that are equal if the code means the same, for comparing files.
//
//   x = f(1,  2)  # a comment      and      x = f(
//                                               1, 2)      have one text
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/triton/patch/scalar_names.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

class SyntaxText {
 public:
  /// `kernel` is written as one word, and so is its name; `ignored` likewise. All must outlive
  /// this.
  SyntaxText(const Module& module, const Node& kernel, const std::set<const Node*>& ignored);

  /// The whole tree. What the tree does not hold in full is written as it stands in the file.
  std::string exact(const Node& node) const;
  /// A statement without nested statements, index arithmetic and variables left out.
  std::string outline(const Node& statement, const ScalarNames& names) const;
  /// As it stands in the file, its first line if it has several, shortened; of a statement that
  /// holds others, its head.
  std::string quoted(const Node& node) const;
  /// As it stands in the file.
  std::string raw(const Node& node) const;
  /// The tree holds everything that is in the text.
  static bool is_complete(const Node& node);

 private:
  void write(const Node& node, const ScalarNames* names, bool is_statement,
             std::string& text) const;
  bool is_left_out(const Field& field, const Node& child) const;
  std::size_t offset(Position position) const;

  const Module& module_;
  const Node& kernel_;
  const std::set<const Node*>& ignored_;
  std::vector<std::size_t> lines_;
};

/// The statements of a body without its documentation.
std::vector<const Node*> statements_of(const std::vector<Node>& body);

/// Whether the file says in its first lines that it is written in something else than UTF-8, or is:
/// then what looks like a comment may hold code.
bool has_odd_encoding(const Module& module);

}  // namespace heddle::kernel::triton
