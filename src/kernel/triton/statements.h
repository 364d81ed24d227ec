// The statements of a kernel: where they stand, what they read and bind, and which of them nothing
// reads.
//
//   width = GROUP * num_n         dead, where no statement behind it reads `width`
//   pid_m = pid // width          unless something reads pid_m
//
// Rules
//   1. Only plain index code can be dead: arithmetic of names and numbers, functions of
//      triton.language that touch no memory, and helpers of the file made of such. tl.assume reads
//      nothing. A constant with a type is none: GROUP: tl.constexpr = 8.
//   2. A loop may run any number of times, a branch may be taken or not.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

struct Statement {
  const Node* node = nullptr;
  const std::vector<Node>* list = nullptr;  ///< that it stands in
  std::size_t index = 0;                    ///< there
  const Statement* parent = nullptr;        ///< the loop or branch around it; null: the function
};

/// All statements of a function, in the order of the text; none of functions inside.
std::deque<Statement> statements_of(const Node& function);

/// A text's dotted name ends with one of triton.language: "cdiv", "assume". Empty: it has none.
std::string language_function(const Module& module, const Node& call);

bool is_loop(const Node& statement);
bool is_assumption(const Module& module, const Node& statement);
/// An expression that only computes (rule 1).
bool only_computes(const Module& module, const Node& expression);
/// x.to(tl.int64) -> x; else the expression itself.
const Node& without_cast(const Node& expression);
/// Names that a statement binds, nested statements included.
std::set<std::string> bound_by(const Node& statement);

class Liveness {
 public:
  /// `reads`: statements that read these names instead of their own.
  Liveness(const Module& module, const Node& function,
           std::map<const Node*, std::set<std::string>> reads);

  bool is_dead(const Node& statement) const { return dead_.count(&statement) != 0; }

 private:
  using Names = std::set<std::string>;
  Names before(const std::vector<Node>& list, Names live);
  Names before(const Node& statement, Names live);
  Names before_assignment(const Node& statement, Names live);
  Names before_loop(const Node& statement, const Names& live);
  Names before_branch(const Node& statement, const Names& live);
  bool is_all_dead(const std::vector<Node>& list) const;
  void add_reads(const Node& node, Names& names) const;

  const Module& module_;
  std::map<const Node*, Names> reads_;
  std::set<const Node*> dead_;
};

}  // namespace heddle::kernel::triton
