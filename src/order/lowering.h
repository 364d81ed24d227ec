// The state of one lowering; shared by lower.cpp (statements), lower_join.cpp (where paths meet),
// lower_function.cpp, lower_results.cpp, lower_expression.cpp and lower_call.cpp. Not for other
// folders: include order/lower.h.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "order/lower.h"

namespace heddle::order {

class Flow;

struct Value {
  int node = -1;
  Type type = Type::i32;
  bool fixed = false;  ///< known before the launch: constants, constexprs and what is made of them
};

struct Bound {
  int variable = -1;
  Type type = Type::i32;
  bool maybe_unset = false;
  std::optional<Type> declared;
  bool outer = false;  ///< seen from inside a helper: may be read, not written
  int version = 0;     ///< of the last assignment: the same on two paths that left it alone
};

using Environment = std::map<std::string, Bound>;

class Lowering {
 public:
  Lowering(const Module& module, const LowerOptions& options)
      : module_(module), options_(options) {}
  Program run();

 private:
  /// Where `return` goes: the variables of an inlined function, or "this block does nothing".
  struct Context {
    const Statement* function = nullptr;  ///< null at the top level
    std::vector<int> results;
    std::vector<Type> types;
    bool returned = false;
    bool types_known = false;        ///< second pass: every return converts to `types`
    bool types_differ = false;       ///< the returns do not agree on a type
    int run_time_branches = 0;       ///< that enclose the current statement
    std::vector<std::string> names;  ///< of the values returned, where they are plain names
  };

  /// A list of statements from some index on, and what follows it.
  struct Rest {
    const std::vector<Statement>* list = nullptr;
    std::size_t from = 0;
    const Rest* next = nullptr;
    const Environment* outer = nullptr;  ///< C-like: bindings to restore when the list ends
  };

  // lower.cpp: statements
  bool lower_rest(const Rest& rest, Environment& environment, std::vector<Step>& steps,
                  Context& context);
  bool lower_statement(const Statement& statement, Environment& environment,
                       std::vector<Step>& steps, Context& context);
  void assign(const Statement& statement, Environment& environment, std::vector<Step>& steps,
              Context& context);
  Value settle(const Target& target, Value value);
  void store(const Target& target, Value value, Environment& environment, std::vector<Step>& steps);
  bool branch(const Statement& statement, const Rest* after, Environment& environment,
              std::vector<Step>& steps, Context& context);
  void loop(const Statement& statement, Environment& environment, std::vector<Step>& steps,
            Context& context);
  void count_loop(const Statement& statement, Environment& environment, std::vector<Step>& steps,
                  Context& context);
  void give_back(const Statement& statement, Environment& environment, std::vector<Step>& steps,
                 Context& context);
  void seed_bound_names(const Statement& statement, Environment& environment,
                        std::vector<Step>& steps);

  // lower_join.cpp: where paths meet
  struct Path {
    Environment& environment;
    std::vector<Step>& steps;
  };
  Environment join(Path left, Path right, bool at_run_time, Position at);
  static Type joined_type(Type left, Type right, bool at_run_time);
  void convert_slot(const Bound& from, int variable, Type type, std::vector<Step>& steps,
                    Position at);

  // lower_function.cpp, lower_results.cpp
  const Statement* entry_function() const;
  void run_entry(const Statement& entry, Environment environment);
  void find_results(const Environment& environment);
  bool take_lone_expression(const Environment& environment);
  bool take_reassigned(const Environment& environment, const Flow& flow);
  void take_unread(const Environment& environment, const Flow& flow);
  std::vector<int> unread_results(const Flow& flow) const;
  bool numbers_blocks(int node, bool& uses_launch) const;
  void take_results(const std::vector<std::string>& names, const Environment& environment);

  // lower_expression.cpp: values
  Value lower_expression(const ExpressionPtr& expression, Environment& environment,
                         std::vector<Step>& steps);
  std::vector<Value> lower_values(const ExpressionPtr& expression, Environment& environment,
                                  std::vector<Step>& steps);
  Value lower_name(const Expression& expression, const Environment& environment);
  std::optional<Value> launch_name(const std::string& text, Position at);
  Value binary(Operation operation, Value left, Value right, Position at);
  Value unary(Operation operation, Value operand, Position at);
  Value logical(const Expression& expression, Environment& environment, std::vector<Step>& steps);
  Value logical_from(const Expression& expression, const std::vector<ExpressionPtr>& parts,
                     std::size_t first, Path path);
  Value conditional(const Expression& expression, Environment& environment,
                    std::vector<Step>& steps);
  struct Side {
    Value value;
    std::vector<Step> steps;
  };
  Value choose(Value condition, Side then, Side otherwise, std::vector<Step>& steps, Position at);
  Value select(Value condition, Value then, Value otherwise, Position at);
  Value constant(std::int64_t value, Type type, Position at);
  Value leaf(Node::Kind kind, std::int64_t value, Type type, Position at);
  Value convert_to(Value value, Type type, Position at);
  Value read(const Bound& bound, Position at);
  Type joint_type(Value left, Value right) const;
  bool is_constant(Value value) const;
  int add(Node node);

  // lower_call.cpp: functions
  std::vector<Value> call(const Expression& expression, Environment& environment,
                          std::vector<Step>& steps);
  std::optional<Value> builtin(const Expression& expression, const std::vector<Value>& arguments);
  std::vector<Value> inline_function(const Statement& function, const Expression& expression,
                                     Environment& environment, std::vector<Step>& steps);
  std::vector<Value> swizzle2d(const std::vector<Value>& arguments, Position at,
                               std::vector<Step>& steps);
  int axis_argument(const Expression& expression) const;
  void store_parameters(const Statement& function, const Expression& expression, Path caller,
                        Environment& inside);

  /// Outside the function that is the order, on the host: everything is Python there.
  bool is_python() const { return has_entry_ && !in_entry_; }
  int new_variable(const std::string& name);
  Value keep(Value value, const std::string& name, std::vector<Step>& steps, Position at);

  struct Assigned {
    std::string name;
    int axis = -1;      ///< assigned directly from the program id of that axis
    bool lone = false;  ///< an expression on its own
    bool line = false;  ///< numbers the blocks: a sum of products of program ids and extents
  };
  struct Function {
    const Statement* statement = nullptr;
    bool nested = false;  ///< defined inside the function that is the order
  };

  const Module& module_;
  const LowerOptions& options_;
  Program program_;
  Environment* top_ = nullptr;
  bool has_entry_ = false;
  bool in_entry_ = false;  ///< inside the function that is the order
  /// The scope outside all helpers, as it stands at the call that entered them.
  const Environment* caller_scope_ = nullptr;
  std::map<std::string, Function> functions_;
  std::vector<Assigned> history_;
  std::set<int> launch_variables_;  ///< slots that hold a program id
  std::vector<std::string> inlining_;
  int versions_ = 0;
  int returning_branches_ = 0;
};

}  // namespace heddle::order
