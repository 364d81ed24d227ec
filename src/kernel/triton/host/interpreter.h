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
#include <span>

#include "kernel/triton/host/heap.h"
#include "kernel/triton/host/knowledge.h"
#include "kernel/triton/host/value.h"

namespace heddle::kernel::triton::host {

struct LaunchRecord {
  Value grid;
  Values positional;
  Dict keywords;
  Origin origin;
};

class Interpreter {
 public:
  Interpreter(TritonSource& source, const Node& kernel, Knowledge& knowledge, Effort& effort);

  /// Follows a function from its start, its parameters unknown; methods with the class they are in.
  void follow(const Module& module, const Node& function, const Node* owner);
  std::vector<LaunchRecord> launches;
  bool opens_flags = false;        ///< a default of True, False or None is not believed
  std::map<Origin, bool> choices;  ///< conditions that are not known, and what they were taken for

  /// An expression of a file, outside its functions.
  Value evaluate_at(const Module& module, const Node& node) { return evaluate_in(module, node); }
  Value call_value(const Value& function, Values positional, Dict keywords, const Node& node);
  /// A size of the job, by its name.
  Number size(const std::string& name);
  const std::map<std::string, Number>& sizes() const { return used_sizes_; }
  void learn_tensor(const Value& value, int rank = 0);
  void learn_number(const Value& value);
  const Fact* fact(const std::string& key) const { return knowledge_.find(key); }
  /// N_CTX=q.shape[2]: the kernel's name for a size says more than the rank of a tensor.
  void name_size(const Number& size, const std::string& name);
  void learn(const Value& value, const std::function<void(Fact&)>& change);
  /// The unknown as what it is known to be by now.
  Value resolve(const Value& value);
  Number axis(const TensorPointer& tensor, int index);
  TensorPointer new_tensor(std::vector<Number> shape, std::string dtype, const Node& node);
  TensorPointer tensor_of(const Value& value);
  Heap& heap() { return heap_; }

 private:
  friend class TensorCalls;
  enum class Flow { next, returned, broken, continued };
  static constexpr int kDepthLimit = 60;
  static constexpr int kWorkLimit = 100'000;

  // interpreter.cpp: functions
  Value run_function(const Function& function, Values positional, Dict keywords);
  void bind(Scope& scope, const Function& function, const Values& positional, const Dict& keywords);
  Value bound_default(const Function& function, const std::string& name, const Node* value);
  void follow_forward(const Module& module, const Node& owner, Object& context);
  void add_gradients(const Object& context, const std::vector<Node>& parameters,
                     Values& positional) const;
  bool is_spent() const { return work_ > kWorkLimit || effort_.spent > Effort::kMost; }
  void spend(std::size_t work);

  // statements.cpp
  Flow run(const std::vector<Node>& statements);
  Flow statement(const Node& node);
  Flow branch(const Node& node);
  Flow maybe(const Node& node);
  void choose(const Node& node, bool truth);
  Flow loop(const Node& node);
  Flow for_loop(const Node& node);
  Flow while_loop(const Node& node);
  void forget_assigned(const Node& loop);
  void assign(const Node& target, const Value& value);
  void assign_list(const Node& target, const Value& value);
  void learn_axes(const TensorPointer& tensor, std::span<const Node> names);
  void learn_spread(const Node& target, const Node& value);
  void assign_axes(const std::vector<Node>& targets, const TensorPointer& tensor);
  void assign_item(const Node& target, const Value& value);
  bool mentions_target(const Node& node);
  bool skips_launch(std::span<const Node> statements);

  // assumptions.cpp
  void assume(const Node& test, bool truth);
  void assume_comparison(const Node& test, bool truth);
  bool assume_shape(const Value& a, const Value& b, const Node& right);
  bool assume_none(const Node& left, const Value& a, const std::string& op);
  void assume_member(const Node& left, const Value& a, const Value& b);
  void assume_equal(const Number& x, const Number& y);
  void assume_at_most(const Number& low, const Number& high, bool is_strict);
  void assume_quotient(const Number& x, const Number& y);
  bool assume_rank(const Number& rank, const Number& wanted);

  // unknowns.cpp
  void learn_axis(const TensorPointer& tensor, int index);
  void add_axis(const TensorPointer& tensor);
  static std::string axis_name(const std::string& key, int place);
  void learn_extents(const Tensor& tensor, const Values& extents);
  void name_plain_axes(const Tensor& tensor, const std::vector<Node>& extents);
  std::string sibling_axis(const std::string& key, int place) const;
  std::string head_axis() const;

  // names.cpp
  Value name(const Node& node);
  Value module_name(const Module& module, const std::string& name);
  Value global_name(const Module& module, const std::string& name);
  Value unpacked_global(const Module& module, const std::string& name);
  Value imported(const Module& module, const std::string& path);
  Value attribute(const Value& value, const std::string& name, const Node& node);
  Value external_attribute(const std::string& path, const std::string& name) const;
  Value class_attribute(const Module& module, const Node& owner, const std::string& name);
  Value object_attribute(const Value& value, const std::string& name);
  Value tensor_attribute(const TensorPointer& tensor, const std::string& name, const Node& node);
  const Node* find_class(const Module& module, const std::string& name);
  const Node* find_method(const Module& module, const Node& owner, const std::string& name);

  // expressions.cpp
  Value evaluate(const Node& node);
  Value evaluate_in(const Module& module, const Node& node);
  Value constant(const Node& node);
  Value subscript(const Node& node);
  Value list_item(const List& list, const Node& slice);
  Value dict_item(const Dict& dict, const Value& key);
  Value slice_list(const List& list, const Node& slice);
  Value binary(const std::string& op, const Value& a, const Value& b, const Node& node);
  Value binary_lists(const std::string& op, const Value& a, const Value& b);
  Value unary(const Node& node);
  Value boolean(const Node& node);
  Value comparison(const Node& node);
  struct Comprehended {
    Values items;
    Dict entries;
    bool is_known = true;
  };
  Value comprehension(const Node& node);
  void comprehend(const Node& node, std::size_t level, Comprehended& made);
  Value sequence(const Node& node);
  Value mapping(const Node& node);
  Value other_expression(const Node& node);
  /// All items, those of a shape too.
  Values items_of(const List& list);
  void make_plain(List& list);

  // calls.cpp
  Value call(const Node& node);
  Value call_method(const Method& method, const Values& positional, const Dict& keywords,
                    const Node& node);
  Value call_dict(Dict& dict, const std::string& name, const Values& positional,
                  const Dict& keywords);
  Value call_list(List& list, const std::string& name, const Values& positional);
  Value make_object(const ClassName& made, Values positional, Dict keywords);
  Value apply_autograd(const ClassName& made, Values positional, Dict keywords);
  static void forget_zeros(const Node& node, const Values& positional, const Dict& keywords);
  void record(const Launcher& launcher, Values positional, Dict keywords, const Node& node);
  Origin origin_of(const Node& node) const;

  // functions.cpp: those of Python, Triton and PyTorch that make no tensors
  Value call_external(const std::string& path, const Values& positional, const Dict& keywords,
                      const Node& node);
  Value call_python(const std::string& name, const Values& positional, const Dict& keywords,
                    const Node& node);
  Value call_sequence(const std::string& name, const Values& positional, const Dict& keywords);
  Value in_rows(const std::string& name, const Values& items, const Values& positional);
  Value length_of(const Value& value, const Node& node);
  Value range(const Values& positional);
  void learn_whole(const Number& number);
  std::optional<Value> call_numbers(const std::string& name, const Values& positional);
  std::optional<std::vector<Number>> numbers_of(const std::string& name, const Values& positional);
  Value call_lowering(const std::string& path, const Values& positional);
  std::optional<Value> device_fact(const std::string& path, const std::string& name);

  /// Names that a file defines, for which Module has no table.
  struct Definitions {
    std::set<std::string> targets;                ///< those that lead to the kernel
    std::map<std::string, const Node*> classes;   ///< by name
    std::map<std::string, const Node*> unpacked;  ///< A, B = 1, 2: the assignment
  };
  const Definitions& definitions(const Module& module);

  TritonSource& source_;
  const Node& kernel_;
  Knowledge& knowledge_;
  Effort& effort_;
  Heap heap_;
  std::shared_ptr<Scope> scope_;
  Value result_;
  int depth_ = 0;
  int work_ = 0;
  int next_id_ = 1;
  bool asks_stride_ = false;
  int asked_strides_ = 0;  ///< parameters that `*x.stride()` of a launch is for; 0: not known
  int from_end_ = 0;       ///< axes are counted from the end: of a tensor of that likely rank
  std::map<std::string, TensorPointer> tensors_;                   ///< made of unknowns, by key
  std::map<std::string, std::pair<std::string, int>> axis_sizes_;  ///< "x_0" -> x, axis 0
  std::map<std::string, Number> used_sizes_;
  std::map<const Module*, Definitions> definitions_;
  std::map<const Node*, bool> mentions_;
  std::map<std::pair<const Node*, std::string>, const Node*> methods_;
  std::set<std::pair<const Module*, std::string>> being_evaluated_;
};

/// The argument of that name, or at that place.
const Value* argument(const Values& positional, const Dict& keywords, std::size_t index,
                      std::string_view name);

}  // namespace heddle::kernel::triton::host
