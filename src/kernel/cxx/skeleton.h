// The scalar part of a C++ kernel as instructions, so that index_probe.h can follow it: whole-number
// variables, loops, branches and calls, with marks where work takes a number.
//
//   const int tm = blockIdx.x / tiles;       %2 = divide %0, %1;  %3 = copy %2       # tm
//   const int row = tm * 16 + threadIdx.y;   %5 = multiply %3, %4;  %6 = broadcast %5   (work)
//   C[row * N + col] = sum;                  store                                   (an anchor)
//
// Rules
//   1. Numbers are as in C++: types, wrap-around and truncation are Clang's. Functions of the file
//      are inlined; plain structs are their members. A function may set the caller's variables,
//      through references and through pointers that it does nothing else with.
//   2. What depends on threads, memory or real numbers is opaque. A number that meets it is taken by
//      work. A branch or loop that opaque values decide runs once, and what it assigns is opaque.
//   3. An anchor is an assignment through a pointer, or an atomic.
//   4. Nothing of the kernel is executed; it computes no addresses.
//   5. A loop of threads that steps by a number of the whole grid is told by its line:
//      for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x).
//
// Does not model: switch, goto, integers that are loaded, arrays, members of classes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/tree.h"
#include "kernel/tile_program.h"

namespace heddle::kernel::cxx {

class Skeleton {
 public:
  Skeleton(const CxxTree& tree, const KernelProgram& kernel, const config::Launch& launch);

  /// Throws Error where the kernel is too large.
  KernelProgram run();
  /// Rule 5; 0: there is none.
  int strided_loop() const { return strided_loop_; }

 private:
  using Node = CxxNode;
  /// A number, the members of a struct, or neither: opaque.
  struct Value {
    ValueId id = kNoValue;
    std::vector<Value> members = {};
    bool is_number() const { return id != kNoValue; }
  };
  /// Where a variable lives.
  struct Variable {
    std::uint64_t declaration = 0;
    std::string name;
    Value value;
    std::vector<std::string> fields = {};  ///< of a struct
    int depth = 0;                         ///< branches and loops around its declaration
    int region = 0;                        ///< opaque ones
    bool is_of_kernel = false;             ///< declared by the kernel itself
  };
  using VariablePtr = std::shared_ptr<Variable>;
  enum class Scope { function, loop };
  /// An open function: where its result goes.
  struct Call {
    Value result;
    std::size_t scopes = 0;
    std::int32_t place = 0;
  };
  struct Restart {};

  // skeleton.cpp: values
  Value value(const Node& node);
  Value read(const Node& node);
  Value converted(const Node& node);
  Value axis(const Node& node);
  Value unary(const Node& node);
  Value binary(const Node& node);
  Value conditional(const Node& node);
  Value member(const Node& node);
  Value list(const Node& node);
  Value call(const Node& node);
  Value lambda_call(const Node& node);
  Value inlined(const Node& function, const Node& call, std::size_t argument);
  Value extents(const Node& node);
  Value assignment(const Node& node);
  Value counting(const Node& node);
  /// Work takes what is a number in it.
  Value opaque(const Node& node);
  void take(const Value& value);
  void mark(const Node& node);
  VariablePtr variable(const Node& node) const;
  VariablePtr declare(std::uint64_t id, const std::string& name, const std::string& type);
  void set(Variable& variable, const Value& value, const std::string& type);
  std::vector<std::string> fields(const std::string& type) const;
  std::string type_of_field(const std::string& type, const std::string& field) const;
  void anchor(const Node& node, bool is_outside);

  // skeleton_statements.cpp
  void statement(const Node& node);
  void declaration(const Node& node);
  void branch(const Node& node);
  void loop(const Node& node);
  void opaque_region(const std::vector<const Node*>& parts);
  bool names_grid(const Node& node) const;
  void find_stride(const Node& loop, const Node& body, const Node* step);
  void give_back(const Node& node);
  void leave(std::size_t scopes);

  // instructions
  ValueId new_value(DType type);
  ValueId constant(DType type, std::int64_t number);
  ValueId emit(Opcode op, std::vector<ValueId> operands, DType type,
               std::vector<std::int64_t> integers = {});
  Instruction& add(Opcode op, std::vector<ValueId> operands);
  void copy(ValueId to, ValueId from);
  ValueId cast(ValueId value, DType type);
  DType type(ValueId value) const;
  std::int32_t place(const Node& node);
  void name(ValueId value, const std::string& text, bool is_of_kernel);
  VariablePtr passed(const Node& function, const Node& parameter, const Node& given) const;
  BlockId new_block();

  const CxxTree& tree_;
  const config::Launch& launch_;
  KernelProgram program_;
  std::set<std::uint64_t> opaque_;  ///< variables
  std::set<ValueId> of_grid_;       ///< numbers that gridDim takes part in
  int strided_loop_ = 0;
  std::map<std::uint64_t, VariablePtr> variables_;
  std::map<std::uint64_t, VariablePtr> pointees_;  ///< of pointers that functions are called with
  std::map<const Node*, int> loops_;
  std::vector<Scope> scopes_;
  std::vector<ValueId> breaks_;  ///< per open loop: set where it is left
  std::vector<Call> calls_;
  BlockId block_ = 0;
  int depth_ = 0;
  int region_ = 0;
  int nesting_ = 0;
  std::int32_t place_ = 0;
};

}  // namespace heddle::kernel::cxx
