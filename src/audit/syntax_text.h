// Syntax trees as texts that are equal if the code means the same, for comparing files.
//
//   x = f(1,  2)  # a comment      and      x = f(
//                                               1, 2)      have one text
#pragma once

#include <set>
#include <string>
#include <vector>

#include "audit/scalar_names.h"
#include "kernel/triton/source.h"

namespace heddle::audit {

class SyntaxText {
 public:
  /// `kernel` is written as one word, and so is its name; `ignored` likewise. All must outlive
  /// this.
  SyntaxText(const kernel::triton::Module& module, const kernel::triton::Node& kernel,
             const std::set<const kernel::triton::Node*>& ignored);

  /// The whole tree. What the tree does not hold in full is written as it stands in the file.
  std::string exact(const kernel::triton::Node& node) const;
  /// A statement without the statements inside of it, index arithmetic and variables left out.
  std::string outline(const kernel::triton::Node& statement, const ScalarNames& names) const;
  /// As it stands in the file, its first line if it has several, shortened; of a statement that
  /// holds others, its head.
  std::string quoted(const kernel::triton::Node& node) const;
  /// As it stands in the file.
  std::string raw(const kernel::triton::Node& node) const;
  /// The tree holds everything that is in the text.
  static bool is_complete(const kernel::triton::Node& node);

 private:
  void write(const kernel::triton::Node& node, const ScalarNames* names, bool is_statement,
             std::string& text) const;
  std::size_t offset(Position position) const;

  const kernel::triton::Module& module_;
  const kernel::triton::Node& kernel_;
  const std::set<const kernel::triton::Node*>& ignored_;
  std::vector<std::size_t> lines_;
};

/// The statements of a body without its documentation.
std::vector<const kernel::triton::Node*> statements_of(
    const std::vector<kernel::triton::Node>& body);

}  // namespace heddle::audit
