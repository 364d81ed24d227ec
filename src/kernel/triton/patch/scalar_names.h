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
//      holds nothing else. A name may be annotated with a type or tl.constexpr, with nothing else.
//   4. A helper is a @triton.jit function of the file, given one value once, with parameters whose
//      defaults are literal and whose annotations are types.
//   5. Grammar::listed is that list, and closed: only what is on it can be proved. Grammar::likely
//      also takes calls, operators and annotations that are not on it but could compute an index:
//      what differs there is UNKNOWN, not other code. unlisted() names the construct.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

enum class Grammar { listed, likely };

class ScalarNames {
 public:
  /// `parameters` are those that the launch gives a number. All must outlive this.
  ScalarNames(const Module& module, const Node& function, std::set<std::string> parameters,
              Grammar grammar)
      : ScalarNames(module, function, std::move(parameters), make_helpers(module, grammar), false) {
  }

  bool is_scalar(const Node& expression) const;
  bool is_from_block(const Node& expression) const;
  bool is_index(const Node& expression) const {
    return is_scalar(expression) && is_from_block(expression);
  }
  bool is_scalar_statement(const Node& statement) const;
  /// A scalar statement that a program id takes part in, or that gives such a name a value.
  bool is_index_statement(const Node& statement) const;
  /// range(...) of scalars; keywords, which only tune the compiler, are ignored.
  bool is_scalar_range(const Node& node) const;
  /// One whose bounds the block decides, of a loop over tiles for example: index code as a whole.
  bool is_block_range(const Node& node) const;
  /// tl.assume and tl.static_assert of scalars; nothing in Grammar::listed.
  bool is_hint(const Node& statement) const;
  /// Assigned in the function; parameters are not.
  bool is_local(const std::string& name) const { return locals_.count(name) > 0; }
  bool is_index_name(const std::string& name) const {
    return scalars_.count(name) > 0 && from_block_.count(name) > 0;
  }
  /// The first part of a statement or expression that the grammar does not hold; null: none.
  const Node* unlisted(const Node& node) const;

 private:
  /// What is known of the file's functions.
  struct Helpers {
    Grammar grammar = Grammar::listed;
    std::map<std::string, int> bindings;            ///< of the file: bindings.h
    std::map<std::string, bool> scalar;             ///< nothing but scalar arithmetic, or not
    std::optional<std::set<std::string>> take_ids;  ///< those that mention program_id
  };
  ScalarNames(const Module& module, const Node& function, std::set<std::string> parameters,
              std::shared_ptr<Helpers> helpers, bool is_helper);
  static std::shared_ptr<Helpers> make_helpers(const Module& module, Grammar grammar);
  static bool is_scalar_function(const Module& module, const Node& function,
                                 const std::shared_ptr<Helpers>& helpers);
  friend bool is_scalar_function(const Module&, const Node&, Grammar);
  bool is_likely() const { return helpers_->grammar == Grammar::likely; }
  int bindings(const std::string& name) const;
  bool is_likely_call(const Node& call) const;
  bool is_typed(const Node& assignment) const;
  bool is_scalar_ending(const Node& statement) const;
  bool is_scalar_call(const Node& call) const;
  bool is_multiple_hint(const Node& call) const;
  bool is_scalar_helper(const std::string& name) const;
  bool takes_id(const std::string& helper) const;
  bool is_from_block_statement(const Node& statement) const;
  void strike_odd_bindings(const Node& node);
  bool strike_out(const std::vector<Node>& body);
  bool mark(const std::vector<Node>& body, bool decided, bool is_outermost);

  const Module& module_;
  std::set<std::string> parameters_;
  std::set<std::string> locals_;
  std::set<std::string> scalars_;     ///< locals that are only given scalars
  std::set<std::string> from_block_;  ///< locals that a program id takes part in
  std::shared_ptr<Helpers> helpers_;
};

/// A module-level number: GROUP = 8, GROUP = 4 * 2, GROUP = tl.constexpr(8).
bool is_number(const Module& module, const Node& value);

/// The names that the targets of an assignment, or of a loop, give a value to.
std::set<std::string> target_names(const Node& statement);

/// Whether a function does nothing but scalar arithmetic on its parameters, and nothing when it is
/// defined: see rule 4.
bool is_scalar_function(const Module& module, const Node& function, Grammar grammar);

/// A parameter without annotation or with a type, and a default that is a literal, if any.
bool is_plain_parameter(const Module& module, const Node& argument, const Node* default_value);

/// The part of a function's head that is not on the list; null: none.
const Node* unlisted_head(const Module& module, const Node& function);

}  // namespace heddle::kernel::triton
