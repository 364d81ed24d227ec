// Follows host code to the launch of a kernel without running it. What it does not know it gives a
// name and a likely value, and says so.
//
//   def matmul(a, b):                      a, b: unknown
//       M, K = a.shape                     a is a tensor of rank 2, its axes are M and K
//       K, N = b.shape                     K again: the same size
//       c = torch.empty((M, N), dtype=a.dtype)
//       kernel[grid](a, b, c, M, ...)      recorded: what each argument is
//
// Rules
//   1. A branch that leads to the launch is taken, and what its condition asks is taken for true; of
//      other branches the one that host code would take, where that is known.
//   2. `raise` is never reached: its condition is taken for false.
//   3. What is learnt of an unknown (a rank, the name of an axis, a dtype) is kept in Knowledge, and
//      the code is followed again until nothing new is learnt.
//   4. Work, depth and lists are bounded. Nothing of the file is executed.
#pragma once

#include <functional>
#include <set>

#include "kernel/triton/host/value.h"

namespace heddle::kernel::triton::host {

/// What its uses show of an unknown.
struct Fact {
  bool is_tensor = false;
  bool is_number = false;
  bool is_none = false;
  int rank = 0;                           ///< at least
  bool exact_rank = false;                ///< exactly
  int from_start = 0;                     ///< axes of the shape that are asked for by number
  int from_end = 0;                       ///< and by number from the end
  int strides = 0;                        ///< strides that are asked for
  std::map<int, std::string> axis_names;  ///< below 0: from the end
  std::string dtype;
  std::optional<std::string> text;  ///< it is this text
  std::optional<bool> flag;         ///< it is true or false
};

struct Size {
  std::int64_t value = 0;
  std::string reason;  ///< "by its name"; "matmul.py:81"
};

struct Knowledge {
  std::map<std::string, Fact> facts;        ///< of unknowns, by key
  std::map<std::string, std::string> same;  ///< a size that equals another
  std::map<std::string, Size> sizes;        ///< values that are known better than by name
  int changes = 0;                          ///< counts what was learnt
};

struct LaunchRecord {
  Value grid;
  Values positional;
  Dict keywords;
  Origin origin;
};

/// The likely value of a size of that name, or of another number.
Number likely_number(const std::string& name);

class Interpreter {
 public:
  Interpreter(TritonSource& source, const Node& kernel, Knowledge& knowledge);

  /// Follows a function from its start, its parameters unknown; methods with the class they are in.
  void follow(const Module& module, const Node& function, const Node* owner);
  std::vector<LaunchRecord> launches;
  std::vector<std::string> assumed;  ///< conditions that were taken for true

  /// The kernel, and the functions and classes of a file that lead to it.
  const std::set<std::string>& targets(const Module& module);
  /// An expression of a file, outside its functions.
  Value evaluate_at(const Module& module, const Node& node) { return evaluate_in(module, node); }
  Value call_value(const Value& function, Values positional, Dict keywords, const Node& node);
  /// A size of the job, by its name.
  Number size(const std::string& name);
  const std::map<std::string, Number>& sizes() const { return used_sizes_; }
  void learn_tensor(const Value& value, int rank = 0);
  void learn_number(const Value& value);
  void learn(const Value& value, const std::function<void(Fact&)>& change);
  /// The unknown as what it is known to be by now.
  Value resolve(const Value& value);
  Number axis(const TensorPointer& tensor, int index);
  TensorPointer new_tensor(std::vector<Number> shape, std::string dtype, const Node& node);
  TensorPointer tensor_of(const Value& value);

 private:
  friend class TensorCalls;
  enum class Flow { next, returned, left };
  static constexpr int kDepthLimit = 60;
  static constexpr int kWorkLimit = 100'000;

  // interpreter.cpp
  Flow run(const std::vector<Node>& statements);
  Flow statement(const Node& node);
  Flow branch(const Node& node);
  Flow loop(const Node& node);
  void assign(const Node& target, const Value& value);
  void assign_list(const Node& target, const Value& value);
  void assume(const Node& test, bool truth);
  void assume_comparison(const Node& test, bool truth);
  Value run_function(const Function& function, Values positional, Dict keywords, const Node& node);
  void bind(Scope& scope, const Function& function, Values positional, Dict keywords);
  bool mentions_target(const Node& node);
  bool raises(const std::vector<Node>& statements);
  void follow_forward(const Module& module, const Node& owner, Object& context);

  // expressions.cpp
  Value evaluate(const Node& node);
  Value evaluate_in(const Module& module, const Node& node);
  Value name(const Node& node);
  Value module_name(const Module& module, const std::string& name);
  Value global_name(const Module& module, const std::string& name);
  Value imported(const Module& module, const std::string& path);
  Value attribute(const Value& value, const std::string& name, const Node& node);
  Value tensor_attribute(const TensorPointer& tensor, const std::string& name, const Node& node);
  Value subscript(const Node& node);
  Value index_tensor(const TensorPointer& tensor, const Node& slice, const Node& node);
  Value slice_list(const List& list, const Node& slice);
  Value binary(const std::string& op, const Value& a, const Value& b, const Node& node);
  Value boolean(const Node& node);
  Value comprehension(const Node& node);
  Value other_expression(const Node& node);
  Value constant(const Node& node);

  bool has_axis(std::initializer_list<std::string_view> names) const;
  std::string sibling_axis(const std::string& key, int place) const;

  // calls.cpp
  Value call(const Node& node);
  Value call_method(const Method& method, const Values& positional, const Dict& keywords,
                    const Node& node);
  Value call_external(const std::string& path, const Values& positional, const Dict& keywords,
                      const Node& node);
  Value call_python(const std::string& name, const Values& positional, const Node& node);
  std::optional<Value> call_numbers(const std::string& name, const Values& positional);
  Value call_lowering(const std::string& path, const Values& positional);
  Value make_object(const ClassName& made, Values positional, Dict keywords, const Node& node);
  Value apply_autograd(const ClassName& made, Values positional, Dict keywords, const Node& node);
  void record(const Launcher& launcher, Values positional, Dict keywords, const Node& node);
  Origin origin_of(const Node& node) const;

  TritonSource& source_;
  const Node& kernel_;
  Knowledge& knowledge_;
  std::shared_ptr<Scope> scope_;
  Value result_;
  int depth_ = 0;
  int work_ = 0;
  int next_id_ = 1;
  bool asks_stride_ = false;
  int from_end_ = 0;  ///< axes are counted from the end: of a tensor of that likely rank
  std::map<std::string, TensorPointer> tensors_;                   ///< made of unknowns, by key
  std::map<std::string, std::pair<std::string, int>> axis_sizes_;  ///< "x_0" -> x, axis 0
  std::map<std::string, Number> used_sizes_;
  std::map<const Module*, std::set<std::string>> targets_;
  std::map<const Node*, bool> mentions_;
  std::set<std::pair<const Module*, std::string>> being_evaluated_;
};

/// The class of that name in a file; null if there is none.
const Node* find_class(const Module& module, const std::string& name);
/// The method of a class, or of a base class in the same file.
const Node* find_method(const Module& module, const Node& owner, const std::string& name);
/// The argument of that name, or at that place.
const Value* argument(const Values& positional, const Dict& keywords, std::size_t index,
                      std::string_view name);

}  // namespace heddle::kernel::triton::host
