// The state of reading one kernel: Python syntax in, KernelProgram out. Not for other folders.
//
// Rules (those of Triton's own front end)
//   1. Constants, dtypes, tuples and functions are dealt with now; what depends on a block or on
//      memory becomes instructions. Assigning a number to a name makes it a run-time value.
//   2. `if` on something known takes one branch and does not look at the other.
//   3. Functions are inlined at every call; constexpr arguments stay constexpr inside.
//   4. Without a program (host expressions: grids, heuristics, configs, @constexpr_function) an
//      instruction is an Error, and assigned numbers stay numbers.
//   5. Nesting and work are bounded: whatever the file says, reading it ends.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/python_number.h"
#include "kernel/triton/builder.h"
#include "kernel/triton/source.h"
#include "kernel/triton/term.h"

namespace heddle::kernel::triton {

using NamedTerms = std::vector<std::pair<std::string, Term>>;

/// The function that is being read: its names and what it has returned.
struct Frame {
  const Module* module = nullptr;
  std::string function;
  std::map<std::string, Term> names;
  int regions = 0;             ///< run-time ifs and loops open around the statement
  bool has_registers = false;  ///< some return happened at run time, into `result`
  std::optional<Term> result;
  std::map<std::string, std::string> unknown;  ///< parameters without a value, and why
};

/// The arguments of a call, matched to the parameter names of a builtin.
class BoundCall {
 public:
  BoundCall(const Node& node, std::string name, const char* parameters,
            std::vector<Term> positional, NamedTerms keywords);
  const Node& node() const { return node_; }
  const std::string& name() const { return name_; }
  /// None where it was not given.
  Term get(const char* parameter) const;
  bool has(const char* parameter) const { return !get(parameter).is_none(); }
  /// Must be given.
  Term need(const char* parameter) const;

 private:
  const Node& node_;
  std::string name_;
  std::map<std::string, Term> terms_;
};

class Lowering {
 public:
  Lowering(TritonSource& source, Builder* builder) : source_(source), builder_(builder) {}

  // statement.cpp
  enum class Flow { next, returned };
  Flow statements(const std::vector<Node>& list);
  /// Inlines a function; the frame is made here.
  Term inline_function(const FunctionTerm& function, std::vector<Term> positional,
                       NamedTerms keywords, const Node& call);

  // expression.cpp
  Term expression(const Node& node);
  Term evaluate_constant(const Module& module, const Node& node);
  /// A case that is settled while reading: Builder::note_decision.
  void note_decision(Opcode op, const Term& a, const Term& b);
  Term binary(const std::string& op, const Term& a, const Term& b);
  Term compare(const std::string& op, const Term& a, const Term& b);
  Term attribute(const Term& value, const std::string& name, const Node& node);
  std::optional<Term> attribute_of_value(ValueId id, const std::string& name);
  std::optional<Term> attribute_of_place(const BlockPointer& place, bool is_descriptor,
                                         const std::string& name);
  std::optional<bool> known_truth(const Term& term);

  // call.cpp
  Term call(const Node& node);
  Term call_term(const Term& function, std::vector<Term> positional, NamedTerms keywords,
                 const Node& node);
  Term call_external(const std::string& path, std::vector<Term> positional, NamedTerms keywords,
                     const Node& node);

  // values.cpp
  Builder& builder();
  ValueId value(const Term& term);  ///< as a program value; numbers become constants
  ValueId value_as(const Term& term, DType type);
  ValueId plain_value(const Term& term);  ///< as value, but no pointer
  /// As tl.minimum and its like take it: a number loses its freedom to adapt, bf16 becomes fp32.
  Term as_tensor(const Term& term);
  ValueId scalar_condition(const Term& term);  ///< a boolean scalar
  Integer integer(const Term& term, const char* what);
  std::vector<std::int64_t> shape(const Term& term, const char* what);
  Type type_of(const Term& term);  ///< of a TypeTerm (a text naming a dtype, too)
  std::pair<ValueId, ValueId> promoted_pair(const Term& a, const Term& b, bool division);
  Term runtime(ValueId value) { return Term{RuntimeValue{value}}; }
  /// An Error for a floating value where integers are needed; it names the job's tensor that the
  /// value was loaded from.
  Error not_integer(const std::string& what, const std::string& hint,
                    const std::vector<ValueId>& values);
  /// Of an operation that fails: None is where a tensor or a number should be.
  static Cause cause_of(const std::vector<Term>& terms);
  /// What a plain assignment makes of a value: numbers become run-time scalars.
  Term sanitized(const Term& term);
  /// The values inside a term that a loop carries or an if chooses.
  std::vector<ValueId> leaves(const Term& term);
  /// The term with its leaves replaced, in the same order.
  Term with_leaves(const Term& term, const std::vector<ValueId>& values);
  std::size_t add_site(MemoryKind kind, const Node& node, DType element,
                       std::vector<std::int64_t> shape, std::string hint);
  std::int32_t place(const Node& node);
  [[noreturn]] void fail(const Node& node, const std::string& what, const std::string& hint);

  Frame& frame() { return *frame_; }
  void set_frame(Frame* frame) { frame_ = frame; }
  /// The job's word on a global of the file.
  void set_global(const Module& module, const std::string& name, Term term) {
    constants_[{&module, name}] = std::move(term);
  }
  TritonSource& source() { return source_; }

 private:
  /// Counts what reading costs, in units of a tenth of a microsecond or so.
  void spend(std::int64_t units, const Node& node);
  static constexpr int kDepthLimit = 300;
  void check_depth(const Node& node);
  struct Level;
  Flow statement(const Node& node);
  Flow if_statement(const Node& node);
  Flow run_time_if(const Node& node, ValueId condition);
  void merge_names(const Node& node, const std::map<std::string, Term>& before,
                   std::map<std::string, Term> (&after)[2], const BlockId (&ends)[2]);
  Flow for_statement(const Node& node);
  Flow static_for(const Node& node, const std::vector<Term>& items);
  void run_time_for(const Node& node, std::vector<Term> bounds);
  Flow while_statement(const Node& node);
  Flow known_while(const Node& node);
  void return_statement(const Node& node);
  void assign(const Node& target, const Term& value);
  Term merged(const Term& a, BlockId block_a, const Term& b, BlockId block_b, const Node& node);
  /// A name that a loop changes, and the registers it lives in meanwhile. A name that holds no
  /// value before the loop (None, a dtype) has none, and must not get one.
  struct Carried {
    std::string name;
    std::vector<ValueId> registers;
  };
  /// As Triton does: a name that a loop brings up is gone after it.
  std::set<std::string> names_now() const;
  void leave_scope(const std::set<std::string>& before);
  std::vector<Carried> carry(const Node& loop);
  void carry_back(const std::vector<Carried>& carried, const Node& loop);
  void bind_arguments(Frame& frame, const FunctionTerm& function, std::vector<Term> positional,
                      NamedTerms keywords, const Node& call);
  Term run_body(Frame& frame, const FunctionTerm& function);
  std::optional<bool> constexpr_truth(const Node& test);
  void collect_assigned(const std::vector<Node>& list, const std::set<std::string>& changing,
                        std::set<std::string>& names);

  Term name(const Node& node);
  Term module_name(const Module& module, const std::string& name, const Node& node);
  Term imported_name(const Module& module, const std::string& path, const Node& node);
  Term constant(const Node& node);
  Term unary(const Node& node);
  Term boolean(const Node& node);
  Term conditional(const Node& node);
  Term subscript(const Node& node);
  Term block_subscript(ValueId block, const Term& index, const Node& node);
  Term comprehension(const Node& node);
  Term comparison_chain(const Node& node);
  Term sequence(const Node& node);
  Term dictionary(const Node& node);
  Term other_expression(const Node& node);
  Term attribute_expression(const Node& node);
  Term tensor_method(const TupleTerm& tensor, const std::string& name,
                     const std::vector<Term>& positional, const Node& node);
  Term pointer_binary(const std::string& op, const Term& a, const Term& b);
  Term call_method(const MethodTerm& method, std::vector<Term> positional, NamedTerms keywords,
                   const Node& node);

  TritonSource& source_;
  Builder* builder_ = nullptr;
  Frame* frame_ = nullptr;
  int depth_ = 0;
  std::int64_t spent_ = 0;
  std::map<std::pair<const Module*, std::string>, Term> constants_;
  std::set<std::pair<const Module*, std::string>> being_evaluated_;
  std::map<std::tuple<int, int, int, int, std::string>, std::int32_t> places_;
};

/// `x: tl.constexpr = ...`
bool is_constexpr_annotation(const Node& node);

/// Arithmetic on known numbers with Python's meaning; nothing if the operands are something else.
std::optional<Term> python_binary(const std::string& op, const Term& a, const Term& b);
std::optional<bool> python_compare(const std::string& op, const Term& a, const Term& b);
/// An int, a bool or a float that is known, for config/python_number.h.
std::optional<config::Number> known_number(const Term& term);

/// Nesting of expressions, statements and calls.
struct Lowering::Level {
  int& depth;
  explicit Level(int& now) : depth(now) { ++depth; }
  ~Level() { --depth; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
};

/// One function of triton.language (or of a module it stands in for).
struct Builtin {
  const char* name;
  const char* parameters;  ///< "pointer mask other"; "*shape" takes the rest of the positional
                           ///< arguments, "**" any keyword
  Term (*run)(Lowering&, const BoundCall&);
};
/// The builtin of that name; null if there is none.
const Builtin* find_builtin(const std::string& name);
// One list per file.
std::vector<Builtin> basic_builtins();
std::vector<Builtin> shape_builtins();
std::vector<Builtin> math_builtins();
std::vector<Builtin> reduce_builtins();
std::vector<Builtin> memory_builtins();
std::vector<Builtin> inductor_builtins();
std::vector<Builtin> host_builtins();
/// exp, sqrt, tanh, ...: known by name wherever it is imported from.
bool is_math_function(const std::string& name);
/// Methods of tensor descriptors: load, store, gather, scatter, atomic_*.
Term descriptor_method(Lowering& lowering, const Descriptor& descriptor, const std::string& name,
                       std::vector<Term> positional, NamedTerms keywords, const Node& node);

}  // namespace heddle::kernel::triton
