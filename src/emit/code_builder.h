// Makes the nodes of short code from a program's expressions: constants folded, every value once.
//
//   build(pid % 8)   ->   q = p0 // 8; p0 - q * 8      (a quotient that is there is used)
//
// Rules
//   1. A node that is known in an enclosing scope is that node; one made in a scope is forgotten
//      with it.
//   2. What stands on one side of `and`, `or` or a choice is printed in place only.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "emit/simplify.h"

namespace heddle::emit {

inline constexpr int kUnset = -1;

class CodeBuilder {
 protected:
  CodeBuilder(const order::Program& program, bool plain)
      : program_(program), environment_(program.variables.size(), kUnset), plain_(plain) {}
  ~CodeBuilder() = default;

  using Key = std::tuple<int, int, int, int, int, int, int, int, std::int64_t>;
  struct Scope {
    std::map<Key, int> known;
    std::vector<CodeLine>* lines = nullptr;
  };

  CodeNode& at(int node) { return code_.nodes[static_cast<std::size_t>(node)]; }
  bool is_constant(int node) { return at(node).kind == CodeNode::Kind::constant; }
  int add(CodeNode node);
  int select(int condition, int then, int otherwise, order::Type type);
  int build(int index);
  /// Builds in a scope of its own whose nodes are only ever printed in place.
  int guarded(const std::function<int()>& make);

  const order::Program& program_;
  Code code_;
  std::vector<int> environment_;  ///< the node that each variable holds
  std::vector<Scope> scopes_;

 private:
  bool is_value(int node, std::int64_t value) {
    return is_constant(node) && at(node).value == value;
  }
  static Key key_of(const CodeNode& n);
  int find(const Key& key) const;
  int constant(std::int64_t value, order::Type type);
  order::Type plain_type(order::Type type) const;
  int binary(const order::Node& source, int a, int b);
  /// x+0, x*1, x//1, x%1, min(x,x), ...
  int identity(const CodeNode& node);
  int convert(const order::Node& source, int a);
  /// The right side may divide by what the left side excludes: it stays inside the expression.
  int logical(const order::Node& source, CodeNode node);
  int choice(const order::Node& source);
  /// What both sides of a choice compute is certain to be computed: it moves in front of them. Each
  /// round moves one layer, innermost operands first.
  void share_sides(const order::Node& source);
  /// The operations that building an expression would add here.
  std::map<Key, int> made_by(int expression);

  bool plain_;
};

}  // namespace heddle::emit
