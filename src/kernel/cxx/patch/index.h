// The index code of a C++ kernel: integer arithmetic on the block's index, as typed steps.
//
//   const unsigned last = gridDim.x - 1;          index
//   const int tile = flip(blockIdx.x, last);      index; sees the block
//   x[tile * 256 + threadIdx.x] = 0;              work; `tile * 256` in it is an index value
//
// Rules
//   1. The grammar is closed. Values: integer literals, template integers, blockIdx, gridDim and
//      blockDim, integer parameters that the kernel never writes, constants of the file, local
//      index variables, enumerators with a value, + - * / % & | ^ ~ << >> && || !, comparisons, ?:,
//      casts between integers, min and max, and functions of integers whose bodies are index code
//      and return. Statements: declarations of and assignments to integer variables, if, for,
//      while, do, switch, break, continue, and calls of functions that write int& parameters; such
//      a call is a whole statement, or all that a variable is given. A group of integers (int2, dim3,
//      a struct) is a variable for each of its members; functions may return one, and a structured
//      binding may take it apart. A lambda of the kernel is a function; what it captures and does
//      not write are more arguments. int* parameters that are only read and written as *p are
//      references. Integer members of a kernel's parameter that nothing writes are parameters.
//   2. An index variable is local, and never has its address taken or a reference bound to it, but
//      for parameters and captures of index functions; index statements at the outermost level
//      of the kernel write it, no others. A kernel with a label has none.
//   3. Types are Clang's, and so is which function or variable a name means.
//   4. A guard, `if (block >= tiles) return;`, is index code where nothing but index code and
//      declarations without effects stand before it: the blocks that it lets return are idle. So is
//      the head of `if (block < tiles) { ... }` around all the rest, whose statements then stand at
//      the outermost level.
//   5. `refusal` names the first construct of a statement that is not in the grammar.
//
// Does not model: char, enumerations but for their constants, 128-bit integers, sizeof.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/tree.h"

namespace heddle::kernel::cxx {

/// bool has one bit.
struct IntegerType {
  int bits = 32;
  bool is_signed = true;
  friend bool operator==(const IntegerType&, const IntegerType&) = default;
};

/// "const unsigned int" -> 32 bits, unsigned.
std::optional<IntegerType> integer_type(std::string type);

enum class IndexOp {
  // Values. `value` is the number, the slot, the axis, the parameter or the function.
  constant,
  variable,
  parameter,
  block,
  grid,
  threads,
  cast,
  negate,
  complement,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  select,
  minimum,
  maximum,
  call,
  // Statements.
  assign,
  undefine,
  sequence,
  branch,
  choose,  ///< `value` pairs of a comparison (-1: default) and where it goes; then the statements
  loop,
  do_loop,
  result,
  leave,
  next,
  idle,  ///< of a guard
};

/// int2, dim3 or a struct of the user's that holds integers and nothing else: its members in order.
struct IntegerGroup {
  std::vector<std::string> names;
  std::vector<IntegerType> types;
  bool is_braced = false;  ///< {a, b} makes one
};

struct IndexStep {
  IndexOp op = IndexOp::constant;
  IntegerType type;
  std::int64_t value = 0;
  std::vector<int> parts;  ///< steps; of a loop: condition, step, body; -1: there is none
  /// Of a template's integer, as another launch may give another; of a member of a parameter.
  std::string name = {};
  int line = 0;   ///< of the kernel's file, about
  int field = 0;  ///< of a call that gives a group: which member
};

struct IndexFunction {
  std::string name;
  int parameters = 0;  ///< the first slots
  int slots = 0;
  int body = -1;
  unsigned sees = 0;
  bool is_void = false;
  std::vector<bool> is_reference = {};  ///< per parameter: the caller's variable itself
};

inline constexpr unsigned kSeesBlock = 1;
inline constexpr unsigned kSeesLaunch = 2;  ///< gridDim or blockDim

struct IndexRefusal {
  std::string what;  ///< "a call of rand"
  int line = 0;
  int pass = 0;  ///< a smaller one is nearer to the cause
};

class CxxIndex {
 public:
  /// `tree` must outlive this.
  explicit CxxIndex(const CxxTree& tree);

  /// A statement at the outermost level of the kernel; index code has a step, work -1.
  struct Statement {
    const CxxNode* node = nullptr;
    int step = -1;
    IndexRefusal refusal;        ///< of work
    bool is_integer = false;     ///< work that writes nothing but local integers
    bool is_around = false;      ///< a branch of which `node` has the body's statements, too
    bool is_late_guard = false;  ///< work: it would be a guard if it stood earlier
  };
  const std::vector<Statement>& statements() const { return statements_; }

  /// The step of an index value; -1: it is none.
  int value(const CxxNode& node);
  /// The function is index code.
  bool is_function(const CxxNode& function);
  /// The variable of the file is a constant that index code can use.
  bool is_constant(const CxxNode& variable);
  /// The constant of an enumeration has a value in the text that index code can compute.
  bool is_enumerator(const CxxNode& constant);
  /// The members of a type; null: it is no group.
  const IntegerGroup* group_of(const std::string& type) const;
  /// What a value depends on, of what differs between blocks and launches.
  unsigned sees(int step) const { return sees(step, false); }
  unsigned function_sees(const CxxNode& function);
  /// Equal texts are equal computations: variables stand for how they are computed.
  std::string text(int step) const;

  const std::vector<IndexStep>& steps() const { return steps_; }
  const std::vector<IndexFunction>& functions() const { return functions_; }
  const std::vector<std::string>& parameters() const { return parameters_; }
  /// Names of index variables, with how a number that is the same in every block is computed;
  /// empty texts: it is none, or there are several of that name.
  std::map<std::string, std::string> variable_texts() const;
  int slots() const { return kernel_slots_; }

 private:
  struct Frame {
    std::map<std::uint64_t, int> slots;
    int loops = 0;
    int breakable = 0;  ///< loops, and switches
    bool is_kernel = false;
  };
  using Node = CxxNode;

  void find_statements(bool looks_into_branches);
  void lower(Statement& one, bool& is_idle);
  int guard(const Node& node, bool is_around);
  bool has_odd_guards() const;
  void find_variables();
  void find_uses(const Node& node, const Node* parent, const Node* self, bool in_lambda,
                 std::set<std::uint64_t>& out);
  void find_inputs();
  bool only_reads(const Node& node, const Node* parent, std::uint64_t object, int depth) const;
  int member_input(const Node& node);
  bool is_reference_argument(const Node& call, const Node& argument);
  void lower_statements();
  void find_dependences();
  int add(IndexStep step);
  int refuse(const Node& node, const std::string& what);
  int make_value(const Node& node);
  int make_read(const Node& node);
  int make_cast(const Node& node);
  int make_unary(const Node& node);
  int make_binary(const Node& node);
  int make_call(const Node& node, int field = 0);
  int member(const Node& node);
  int member_slot(const Node& node);
  bool group_value(const Node& node, std::vector<int>& parts);
  bool construct_group(const Node& node, const IntegerGroup& group, std::vector<int>& parts);
  int declare_group(const Node& node, const IntegerGroup& group);
  int declare_lambda(const Node& node);
  bool add_capture(const Node& lambda, const Node& field, const Node& initial, IndexStep& all);
  const Node* called_lambda(const Node& call) const;
  bool strike_whole_uses(const Node& node);
  int make_axis(const Node& node);
  int make_enumerator(const Node& node, IntegerType type);
  int make_argument(const Node& node, bool is_reference);
  int cast(int step, IntegerType type);
  /// Of a whole initialiser, assignment or statement: a call there may write its arguments.
  int full_value(const Node& node);
  const Node* called(const Node& call) const;
  int statement(const Node& node);
  int declaration(const Node& node);
  int assignment(const Node& node);
  int counting(const Node& node);
  int branch(const Node& node);
  int loop(const Node& node);
  int choice(const Node& node);
  bool add_case(const Node& node, const Node& condition, IndexStep& labels, IndexStep& body);
  int variable(const Node& node);
  int slot_of(std::uint64_t id);
  int function(const Node& declaration, const std::vector<std::uint64_t>& captured = {});
  bool mark(int step, unsigned control);
  std::vector<std::int64_t> written_by(const IndexStep& call) const;
  void find_assignments(int step, int top);
  /// How a text is written: names of variables that are written more than once, and how they are.
  struct Texts {
    std::map<std::int64_t, int> named;
    std::string definitions;
    bool in_function = false;
    int steps = 0;
    int depth = 0;
  };
  unsigned sees(int step, bool in_function) const;
  std::string text(int step, Texts& texts) const;
  std::string step_text(int step, Texts& texts) const;
  std::string function_text(int function, Texts& texts) const;

  const CxxTree& tree_;
  std::vector<Statement> statements_;
  bool takes_guards_ = true;
  std::set<std::uint64_t> variables_;    ///< of the kernel, that may be index variables
  std::map<std::uint64_t, int> inputs_;  ///< parameters of the kernel
  std::set<std::uint64_t> structs_;      ///< parameters of the kernel whose members are only read
  std::vector<std::string> parameters_;
  std::vector<IndexStep> steps_;
  std::vector<IndexFunction> functions_;
  /// What a lambda captures: the kernel's steps that its calls hand over, by its variable.
  std::map<std::uint64_t, std::vector<int>> captures_;
  std::map<std::uint64_t, int> function_of_;  ///< -1: not index code
  std::map<const Node*, int> memo_;           ///< of the kernel
  /// Per slot of the kernel: its assignments; -1 - n: statement n has them inside.
  std::map<std::int64_t, std::vector<int>> writers_;
  std::map<std::int64_t, unsigned> slot_sees_;
  Frame frame_;
  int kernel_slots_ = 0;
  IndexRefusal refusal_;
  mutable std::map<std::string, std::optional<IntegerGroup>> groups_;  ///< by type
  std::set<const Node*> full_calls_;  ///< calls that may write their arguments
  int line_ = 0;
};

}  // namespace heddle::kernel::cxx
