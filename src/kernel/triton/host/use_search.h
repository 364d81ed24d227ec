// Follows the values of a kernel's parameters through its statements, for parameter_uses.h.
//
// Rules
//   1. Branches are followed from the same start and joined behind; loops twice, so that what a turn
//      hands to the next is seen.
//   2. Work and the depth of calls are bounded; what is left out shows nothing.
#pragma once

#include "kernel/triton/host/parameter_uses.h"

namespace heddle::kernel::triton::host {

class UseSearch {
 public:
  using Names = std::set<std::string>;

  /// What an expression is made of.
  struct Flow {
    Names bases = {};    ///< parameters it points with
    Names loaded = {};   ///< parameters it was loaded from
    Names views = {};    ///< parameters that it is a block pointer or a descriptor of
    Names placing = {};  ///< what such a view's place was loaded from
    Names factors = {};  ///< parameters that it, or a term of it, is multiplied by
    std::map<std::string, Names> scales = {};  ///< of what was loaded: ParameterUse::indices
    bool has_lane = false;                     ///< of tl.arange, by no factor
  };

  UseSearch(TritonSource& source, std::map<std::string, ParameterUse>& uses)
      : source_(source), uses_(uses) {}

  /// `given`: what the function's parameters stand for.
  Flow run(const Module& module, const Node& function, const std::map<std::string, Flow>& given);

 private:
  using Environment = std::map<std::string, Flow>;

  // parameter_uses.cpp: statements and expressions
  bool is_spent() const { return work_ > 400'000; }
  void visit_all(const std::vector<Node>& list);
  void statement(const Node& node);
  void branch(const Node& node);
  void loop(const Node& node);
  void turn(const Node& node);
  void spend(const Environment& names);
  void join_names(const Environment& other);
  void assign(const Node& target, const Flow& flow);
  void assign_operated(const Node& node);
  void integers(const Flow& flow, bool bits);
  void asked(const Node& test);
  void compared(const Node& node);
  std::string number_of(const Node& node) const;
  Flow value(const Node& node);
  Flow operated(const Node& node);
  Flow subscript(const Node& node);

  // use_calls.cpp: calls and accesses
  Flow call(const Node& node);
  Flow method(const Node& node);
  Flow memory(const Node& node, bool is_memory);
  void pointer(const Node& node, bool is_store);
  void read_beside(const Node& node, const Names& bases);
  void bound(const Node& node);
  void type(const Flow& flow);
  void reinterpreted(const Node& type_node, const Names& loaded);
  void cast(const Node& type_node, const Flow& given, Flow& flow);
  bool is_module(const Node& node) const;
  const Node* helper_of(const Node& function);
  Flow inline_helper(const Node& node, const Node& helper);

  TritonSource& source_;
  std::map<std::string, ParameterUse>& uses_;
  Environment names_;
  std::map<std::string, std::map<std::string, std::set<int>>> places_;  ///< of parameters' loads
  const Module* module_ = nullptr;
  const Module* helper_module_ = nullptr;
  Flow result_;
  int depth_ = 0;
  int work_ = 0;
};

void join(UseSearch::Names& into, const UseSearch::Names& more);
void join(UseSearch::Flow& into, const UseSearch::Flow& more);
bool is_bit_operator(const std::string& op);
bool is_integer_operator(const std::string& op);

}  // namespace heddle::kernel::triton::host
