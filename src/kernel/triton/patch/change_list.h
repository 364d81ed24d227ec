// What differs between the files of a patch, as it is found: changes, and doubts about them.
//
//   report(&old, &new, "a store")    line 30 -> 35   other   0.125 -> 0.25
//   report(&old, &new, "")           line 16 -> 21   index
//   doubt(after, node, "a default that is not a literal")
//     line 4: exec('...'): a default that is not a literal
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/triton/patch/code_changes.h"
#include "kernel/triton/patch/scalar_names.h"
#include "kernel/triton/patch/syntax_text.h"

namespace heddle::kernel::triton {

using Statements = std::vector<const Node*>;

/// One of the two files, as it is compared.
struct ComparedSide {
  explicit ComparedSide(const CodeSide& given);

  const CodeSide& side;
  const Module& module;
  SyntaxText text;
  ScalarNames names;              ///< what may be index code
  ScalarNames listed;             ///< what can be proved to be
  std::set<std::string> helpers;  ///< scalar helpers that differ in the other file
  Statements own_helpers;         ///< their definitions here
};

class ChangeList {
 public:
  ChangeList(const ComparedSide& before, const ComparedSide& after)
      : before_(before), after_(after) {}

  /// `what` is empty for index code.
  CodeChange change(const Node* before, const Node* after, std::string what) const;
  void add(CodeChange one) { result_.changes.push_back(std::move(one)); }
  /// Shows the smallest parts that differ.
  void report(const Node* before, const Node* after, const std::string& what);
  /// Statements of both files that have no partner, between two that have one.
  void report_gap(const Statements& before, const Statements& after, const std::string& what);
  /// Something without a place.
  void report(std::string what);
  void doubt(const ComparedSide& side, const Node& node, const std::string& why);
  void doubt(std::string why);

  CodeChanges take();
  CodeChanges& result() { return result_; }

 private:
  std::pair<const Node*, const Node*> first_difference(const Node& before, const Node& after) const;
  std::pair<const Node*, const Node*> first_statement(const Node& before, const Node& after) const;

  const ComparedSide& before_;
  const ComparedSide& after_;
  CodeChanges result_;
};

/// What kind of statement it is, in plain words: "a store", "host code".
std::string what_of(const Module& module, const Node& node);

/// The path of every function that is called below a node.
std::vector<std::string> called_paths(const Module& module, const Node& node);

Statements slice(const Statements& all, std::size_t begin, std::size_t end);

}  // namespace heddle::kernel::triton
