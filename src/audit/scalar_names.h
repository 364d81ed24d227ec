// Which expressions of a Triton function are index arithmetic, judged by their text.
//
//   pid = tl.program_id(0)                       index
//   row_tile, column_tile = grouped(pid, ...)    index, if the helper is scalar arithmetic
//   steps = tl.cdiv(K, BLOCK_K)                  scalar, the same in every block
//   row = pid * BLOCK + tl.arange(0, BLOCK)      neither: a block of values; `pid * BLOCK` is index
//
// Rules
//   1. Scalar: whole numbers, scalars of the launch, names that are only ever given scalars, and
//      arithmetic, comparisons, min, max, cdiv, where, .to(int) and helpers made of that.
//   2. Index: scalar, and a program id takes part in it.
//   3. A scalar statement gives scalars to names, or is an `if`, `while` or `for` on scalars that
//      holds nothing else.
//   4. What is not known to be scalar is not.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/triton/source.h"

namespace heddle::audit {

class ScalarNames {
 public:
  /// `parameters` are those that the launch gives a number. All must outlive this.
  ScalarNames(const kernel::triton::Module& module, const kernel::triton::Node& function,
              std::set<std::string> parameters)
      : ScalarNames(module, function, std::move(parameters), std::make_shared<Helpers>()) {}

  bool is_scalar(const kernel::triton::Node& expression) const;
  bool is_from_block(const kernel::triton::Node& expression) const;
  bool is_index(const kernel::triton::Node& expression) const {
    return is_scalar(expression) && is_from_block(expression);
  }
  bool is_scalar_statement(const kernel::triton::Node& statement) const;
  /// A scalar statement that a program id takes part in, or that gives such a name a value.
  bool is_index_statement(const kernel::triton::Node& statement) const;
  /// Assigned in the function; parameters are not.
  bool is_local(const std::string& name) const { return locals_.count(name) > 0; }
  bool is_index_name(const std::string& name) const {
    return scalars_.count(name) > 0 && from_block_.count(name) > 0;
  }

 private:
  using Node = kernel::triton::Node;
  /// What is known of the file's functions.
  struct Helpers {
    std::map<std::string, bool> scalar;             ///< nothing but scalar arithmetic, or not
    std::optional<std::set<std::string>> take_ids;  ///< those that mention program_id
  };
  ScalarNames(const kernel::triton::Module& module, const kernel::triton::Node& function,
              std::set<std::string> parameters, std::shared_ptr<Helpers> helpers);
  static bool is_scalar_function(const kernel::triton::Module& module, const Node& function,
                                 const std::shared_ptr<Helpers>& helpers);
  friend bool is_scalar_function(const kernel::triton::Module&, const kernel::triton::Node&);
  bool is_scalar_ending(const Node& statement) const;
  bool is_scalar_call(const Node& call) const;
  bool is_scalar_helper(const std::string& name) const;
  bool takes_id(const std::string& helper) const;
  bool is_from_block_statement(const Node& statement) const;
  bool is_scalar_range(const Node& expression) const;
  void strike_odd_bindings(const Node& node);
  bool strike_out(const std::vector<Node>& body);
  bool mark(const std::vector<Node>& body, bool decided);

  const kernel::triton::Module& module_;
  std::set<std::string> parameters_;
  std::set<std::string> locals_;
  std::set<std::string> scalars_;     ///< locals that are only given scalars
  std::set<std::string> from_block_;  ///< locals that a program id takes part in
  std::shared_ptr<Helpers> helpers_;
};

/// A module-level number: GROUP = 8, GROUP = tl.constexpr(8).
bool is_number(const kernel::triton::Module& module, const kernel::triton::Node& value);

/// The names that the targets of an assignment, or of a loop, give a value to.
std::set<std::string> target_names(const kernel::triton::Node& statement);

/// Whether a function does nothing but scalar arithmetic on its parameters.
bool is_scalar_function(const kernel::triton::Module& module, const kernel::triton::Node& function);

}  // namespace heddle::audit
