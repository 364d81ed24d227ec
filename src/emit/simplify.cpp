#include "emit/simplify.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "emit/liveness.h"

namespace heddle::emit {
namespace {

using order::Fault;
using order::Node;
using order::Operation;
using order::Outcome;
using order::Program;
using order::Rounding;
using order::Step;
using order::Type;

constexpr int kUnset = -1;
constexpr int kFewNodes = 4;  ///< a branch of at most this many operations becomes an expression

bool is_division(Operation operation) {
  return operation == Operation::divide || operation == Operation::remainder;
}

class Simplifier {
 public:
  Simplifier(const Program& program, bool plain) : program_(program), plain_(plain) {}

  Code run() {
    code_.names = program_.names;
    environment_.assign(program_.variables.size(), kUnset);
    scopes_.emplace_back();
    run_steps(program_.steps, code_.lines);
    for (const int result : program_.results)
      code_.results.push_back(environment_[static_cast<std::size_t>(result)]);
    code_.result_names = program_.result_names;
    remove_dead_code(code_);
    return std::move(code_);
  }

 private:
  using Key = std::tuple<int, int, int, int, int, int, int, int, std::int64_t>;
  struct Scope {
    std::map<Key, int> known;
    std::vector<CodeLine>* lines = nullptr;
  };

  CodeNode& at(int node) { return code_.nodes[static_cast<std::size_t>(node)]; }

  // ---- building nodes ---------------------------------------------------------------------

  static Key key_of(const CodeNode& n) {
    return {static_cast<int>(n.kind),
            static_cast<int>(n.operation),
            static_cast<int>(n.type),
            static_cast<int>(n.operand_type),
            static_cast<int>(n.rounding),
            n.a,
            n.b,
            n.c,
            n.value};
  }

  int find(const Key& key) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto known = scope->known.find(key);
      if (known != scope->known.end()) return known->second;
    }
    return kUnset;
  }

  int add(CodeNode node) {
    const Key key = key_of(node);
    const int known = find(key);
    if (known != kUnset) return known;
    const bool is_remainder =
        node.kind == CodeNode::Kind::binary && node.operation == Operation::remainder;
    if (is_remainder) {
      CodeNode quotient = node;
      quotient.operation = Operation::divide;
      node.quotient = add(std::move(quotient));
    }
    code_.nodes.push_back(std::move(node));
    const int index = static_cast<int>(code_.nodes.size()) - 1;
    const bool is_leaf = at(index).kind < CodeNode::Kind::unary;
    (is_leaf ? scopes_.front() : scopes_.back()).known[key] =
        index;  // leaves cost nothing: shared by all
    if (!is_leaf) {
      CodeLine line;
      line.node = index;
      if (scopes_.back().lines != nullptr) scopes_.back().lines->push_back(std::move(line));
    }
    return index;
  }

  int constant(std::int64_t value, Type type) {
    CodeNode node;
    node.value = value;
    node.type = type;
    return add(std::move(node));
  }

  bool is_constant(int node) { return at(node).kind == CodeNode::Kind::constant; }
  bool is_value(int node, std::int64_t value) {
    return is_constant(node) && at(node).value == value;
  }

  Type plain_type(Type type) const {
    if (type == Type::boolean) return type;
    return plain_ || type == Type::constexpr_int ? Type::i32 : type;
  }

  int binary(const Node& source, int a, int b) {
    CodeNode node;
    node.kind = CodeNode::Kind::binary;
    node.operation = source.operation;
    node.type = plain_type(source.type);
    node.operand_type = plain_type(source.operand_type);
    node.rounding = source.rounding;
    node.a = a;
    node.b = b;
    if (is_constant(a) && is_constant(b)) {
      const Outcome outcome = order::apply(source.operation, source.operand_type, source.rounding,
                                           at(a).value, at(b).value);
      if (outcome.fault == Fault::none) return constant(outcome.value, node.type);
    }
    const int same = identity(node);
    return same != kUnset ? same : add(std::move(node));
  }

  /// x+0, x*1, x//1, x%1, min(x,x), ...
  int identity(const CodeNode& node) {
    switch (node.operation) {
      case Operation::add:
        if (is_value(node.a, 0)) return node.b;
        return is_value(node.b, 0) ? node.a : kUnset;
      case Operation::subtract:
      case Operation::shift_left:
      case Operation::shift_right:
        return is_value(node.b, 0) ? node.a : kUnset;
      case Operation::multiply:
        if (is_value(node.a, 0) || is_value(node.b, 0)) return constant(0, node.type);
        if (is_value(node.a, 1)) return node.b;
        return is_value(node.b, 1) ? node.a : kUnset;
      case Operation::divide:
        return is_value(node.b, 1) ? node.a : kUnset;
      case Operation::remainder:
        return is_value(node.b, 1) ? constant(0, node.type) : kUnset;
      case Operation::minimum:
      case Operation::maximum:
        return node.a == node.b ? node.a : kUnset;
      default:
        return kUnset;
    }
  }

  int convert(const Node& source, int a) {
    const Type type = plain_type(source.type);
    if (plain_type(source.operand_type) == type ||
        (plain_ && source.type != Type::boolean && at(a).type != Type::boolean))
      return a;
    if (is_constant(a)) {
      const Outcome outcome = order::convert(at(a).value, source.operand_type, source.type);
      if (outcome.fault == Fault::none) return constant(outcome.value, type);
    }
    CodeNode node;
    node.kind = CodeNode::Kind::cast;
    node.type = type;
    node.operand_type = plain_type(source.operand_type);
    node.a = a;
    return add(std::move(node));
  }

  int select(int condition, int then, int otherwise, Type type) {
    if (is_constant(condition)) return at(condition).value != 0 ? then : otherwise;
    if (then == otherwise) return then;
    CodeNode node;
    node.kind = CodeNode::Kind::select;
    node.type = plain_type(type);
    node.a = condition;
    node.b = then;
    node.c = otherwise;
    return add(std::move(node));
  }

  int build(int index) {
    const Node& source = program_.nodes[static_cast<std::size_t>(index)];
    CodeNode node;
    node.type = plain_type(source.type);
    node.operand_type = plain_type(source.operand_type);
    node.operation = source.operation;
    node.value = source.value;
    switch (source.kind) {
      case Node::Kind::constant:
        return constant(source.value, plain_type(source.type));
      case Node::Kind::launch:
        node.kind = CodeNode::Kind::launch;
        return add(std::move(node));
      case Node::Kind::grid:
        node.kind = CodeNode::Kind::grid;
        return add(std::move(node));
      case Node::Kind::tile_extent:
        node.kind = CodeNode::Kind::tile_extent;
        return add(std::move(node));
      case Node::Kind::name:
        node.kind = CodeNode::Kind::name;
        return add(std::move(node));
      case Node::Kind::variable:
        return environment_[static_cast<std::size_t>(source.value)];
      case Node::Kind::cast:
        return convert(source, build(source.a));
      case Node::Kind::binary: {
        const int a = build(source.a);
        return binary(source, a, build(source.b));
      }
      case Node::Kind::unary: {
        node.kind = CodeNode::Kind::unary;
        node.a = build(source.a);
        if (is_constant(node.a)) {
          const Outcome outcome = order::apply(source.operation, source.operand_type,
                                               Rounding::floor, at(node.a).value, 0);
          if (outcome.fault == Fault::none) return constant(outcome.value, node.type);
        }
        return add(std::move(node));
      }
      case Node::Kind::logical_and:
      case Node::Kind::logical_or:
        return logical(source, std::move(node));
      case Node::Kind::select:
        return choice(source);
    }
    return kUnset;
  }

  /// The right side may divide by what the left side excludes: it stays inside the expression.
  int logical(const Node& source, CodeNode node) {
    const bool is_and = source.kind == Node::Kind::logical_and;
    node.kind = is_and ? CodeNode::Kind::logical_and : CodeNode::Kind::logical_or;
    node.a = build(source.a);
    if (is_constant(node.a)) {
      if ((at(node.a).value != 0) != is_and) return constant(is_and ? 0 : 1, Type::boolean);
    }
    node.b = guarded([&] { return build(source.b); });
    return add(std::move(node));
  }

  int choice(const Node& source) {
    const int condition = build(source.a);
    if (is_constant(condition)) return build(at(condition).value != 0 ? source.b : source.c);
    share_sides(source);
    const int then = guarded([&] { return build(source.b); });
    const int otherwise = guarded([&] { return build(source.c); });
    return select(condition, then, otherwise, source.type);
  }

  /// What both sides of a choice compute is certain to be computed: it moves in front of them. Each
  /// round moves one layer, innermost operands first.
  void share_sides(const Node& source) {
    for (int round = 0; round < 8; ++round) {
      const auto first = static_cast<int>(code_.nodes.size());
      const auto left = made_by(source.b);
      const auto right = made_by(source.c);
      std::vector<CodeNode> common;
      for (const auto& [key, index] : left) {
        const CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
        const bool ready = node.a < first && node.b < first && node.c < first;
        const bool lazy = node.kind == CodeNode::Kind::select ||
                          node.kind == CodeNode::Kind::logical_and ||
                          node.kind == CodeNode::Kind::logical_or;
        if (ready && !lazy && right.count(key) > 0) common.push_back(node);
      }
      if (common.empty()) return;
      for (CodeNode& node : common) {
        node.inline_only = false;
        node.quotient = kUnset;
        add(std::move(node));
      }
    }
  }

  /// The operations that building an expression would add here.
  std::map<Key, int> made_by(int expression) {
    scopes_.emplace_back();
    build(expression);
    std::map<Key, int> known = std::move(scopes_.back().known);
    scopes_.pop_back();
    return known;
  }

  /// Builds in a scope of its own whose nodes are only ever printed in place.
  int guarded(const std::function<int()>& make) {
    const std::size_t before = code_.nodes.size();
    scopes_.emplace_back();
    const int node = make();
    scopes_.pop_back();
    for (std::size_t i = before; i < code_.nodes.size(); ++i) code_.nodes[i].inline_only = true;
    return node;
  }

  // ---- steps ------------------------------------------------------------------------------

  void run_steps(const std::vector<Step>& steps, std::vector<CodeLine>& lines) {
    scopes_.back().lines = &lines;
    for (const Step& step : steps) {
      switch (step.kind) {
        case Step::Kind::assign: {
          const int node = build(step.node);
          environment_[static_cast<std::size_t>(step.variable)] = node;
          const std::string& name = program_.variables[static_cast<std::size_t>(step.variable)];
          if (at(node).hint.empty()) at(node).hint = name;
          break;
        }
        case Step::Kind::branch:
          branch(step, lines);
          break;
        case Step::Kind::loop:
          loop(step, lines);
          break;
        case Step::Kind::stop: {
          CodeLine line;
          line.kind = CodeLine::Kind::stop;
          lines.push_back(std::move(line));
          break;
        }
      }
      scopes_.back().lines = &lines;
    }
  }

  using Carried = std::vector<std::pair<std::size_t, int>>;  ///< variable, cell node

  struct Side {
    std::vector<CodeLine> lines;
    std::vector<int> environment;
    std::size_t nodes = 0;  ///< how many were made
    bool may_trap = false;
  };

  Side run_side(const std::vector<Step>& steps, const std::vector<int>& before) {
    Side side;
    const std::size_t first = code_.nodes.size();
    environment_ = before;
    scopes_.emplace_back();
    run_steps(steps, side.lines);
    scopes_.pop_back();
    side.environment = environment_;
    for (std::size_t i = first; i < code_.nodes.size(); ++i) {
      const CodeNode& node = code_.nodes[i];
      if (node.kind < CodeNode::Kind::unary) continue;
      ++side.nodes;
      if (node.kind == CodeNode::Kind::binary && is_division(node.operation)) side.may_trap = true;
    }
    const bool only_values =
        std::all_of(side.lines.begin(), side.lines.end(),
                    [](const CodeLine& line) { return line.kind == CodeLine::Kind::value; });
    if (!only_values) side.may_trap = true;
    return side;
  }

  void branch(const Step& step, std::vector<CodeLine>& lines) {
    const int condition = build(step.node);
    if (is_constant(condition)) {
      return run_steps(at(condition).value != 0 ? step.body : step.otherwise, lines);
    }
    if (all_stop(step.body)) return leave_early(condition, step.body, step.otherwise, lines);
    if (all_stop(step.otherwise)) {
      CodeNode opposite;
      opposite.kind = CodeNode::Kind::unary;
      opposite.operation = Operation::logical_not;
      opposite.type = Type::boolean;
      opposite.operand_type = at(condition).type;
      opposite.a = condition;
      return leave_early(add(std::move(opposite)), step.otherwise, step.body, lines);
    }
    const std::vector<int> before = environment_;
    const std::size_t first = code_.nodes.size();
    Side then = run_side(step.body, before);
    Side otherwise = run_side(step.otherwise, before);
    scopes_.back().lines = &lines;
    const bool small =
        then.nodes + otherwise.nodes <= kFewNodes && !then.may_trap && !otherwise.may_trap;
    if (small) {
      for (std::size_t i = first; i < code_.nodes.size(); ++i) code_.nodes[i].inline_only = true;
    }
    environment_ = before;
    CodeLine line;
    line.kind = CodeLine::Kind::branch;
    line.node = condition;
    std::map<std::pair<int, int>, int> joined;
    for (std::size_t v = 0; v < before.size(); ++v) {
      const int a = then.environment[v];
      const int b = otherwise.environment[v];
      if (a == b) {
        environment_[v] = b;
      } else if (b == kUnset) {
        environment_[v] = a;
      } else if (a == kUnset) {
        environment_[v] = b;
      } else {
        auto known = joined.find({a, b});
        if (known == joined.end()) {
          const int merged =
              small ? select(condition, a, b, at(a).type) : join_cell(v, a, b, then, otherwise);
          if (at(merged).hint.empty()) at(merged).hint = program_.variables[v];
          known = joined.emplace(std::make_pair(a, b), merged).first;
        }
        environment_[v] = known->second;
      }
    }
    if (small) return;
    line.body = std::move(then.lines);
    line.otherwise = std::move(otherwise.lines);
    lines.push_back(std::move(line));
  }

  /// No path through the steps goes on.
  static bool all_stop(const std::vector<Step>& steps) {
    if (steps.empty()) return false;
    const Step& last = steps.back();
    if (last.kind == Step::Kind::branch) return all_stop(last.body) && all_stop(last.otherwise);
    return last.kind == Step::Kind::stop;
  }

  /// if condition: stop; what follows is the other side, which needs no branch of its own.
  void leave_early(int condition, const std::vector<Step>& stopping, const std::vector<Step>& rest,
                   std::vector<CodeLine>& lines) {
    const std::vector<int> before = environment_;
    CodeLine line;
    line.kind = CodeLine::Kind::branch;
    line.node = condition;
    line.body = run_side(stopping, before).lines;
    lines.push_back(std::move(line));
    environment_ = before;
    run_steps(rest, lines);
  }

  int new_cell(std::size_t variable, Type type) {
    code_.cells.push_back(program_.variables[variable]);
    code_.cell_types.push_back(type);
    CodeNode node;
    node.kind = CodeNode::Kind::cell;
    node.value = static_cast<std::int64_t>(code_.cells.size()) - 1;
    node.type = type;
    return add(std::move(node));
  }

  void set_cells(std::vector<CodeLine>& lines, std::vector<std::pair<int, int>> sets) {
    if (sets.empty()) return;
    CodeLine line;
    line.kind = CodeLine::Kind::set;
    line.sets = std::move(sets);
    lines.push_back(std::move(line));
  }

  int join_cell(std::size_t variable, int a, int b, Side& then, Side& otherwise) {
    const int node = new_cell(variable, std::max(at(a).type, at(b).type));
    const int cell = static_cast<int>(at(node).value);
    set_cells(then.lines, {{cell, a}});
    set_cells(otherwise.lines, {{cell, b}});
    return node;
  }

  static void assigned_in(const std::vector<Step>& steps, std::set<int>& variables) {
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::assign) variables.insert(step.variable);
      assigned_in(step.body, variables);
      assigned_in(step.otherwise, variables);
    }
  }

  void loop(const Step& step, std::vector<CodeLine>& lines) {
    std::set<int> assigned;
    assigned_in(step.body, assigned);
    Carried carried;
    std::vector<std::pair<int, int>> initial;
    for (const int variable : assigned) {
      const auto v = static_cast<std::size_t>(variable);
      if (environment_[v] == kUnset) continue;
      const int before = environment_[v];
      const int node = new_cell(v, std::max(at(before).type, Type::i32));
      initial.emplace_back(static_cast<int>(at(node).value), before);
      carried.emplace_back(v, node);
    }
    for (const auto& [cell, node] : initial) set_cells(lines, {{cell, node}});
    for (const auto& [variable, node] : carried) environment_[variable] = node;
    CodeLine line;
    line.kind = CodeLine::Kind::loop;
    line.node = guarded([&] { return build(step.node); });
    const std::vector<int> head = environment_;
    run_tail(step.body, carried, line.body);
    scopes_.back().lines = &lines;
    environment_ = head;
    lines.push_back(std::move(line));
  }

  /// The end of a loop's body: where it branches, each side sets the cells itself, so that no
  /// value is carried through a join only to be copied.
  void run_tail(const std::vector<Step>& steps, const Carried& carried,
                std::vector<CodeLine>& lines) {
    scopes_.emplace_back();
    const bool branches = !steps.empty() && steps.back().kind == Step::Kind::branch;
    run_steps(branches ? std::vector<Step>(steps.begin(), steps.end() - 1) : steps, lines);
    if (branches && !is_small(steps.back())) {
      CodeLine line;
      line.kind = CodeLine::Kind::branch;
      line.node = build(steps.back().node);
      const std::vector<int> before = environment_;
      run_tail(steps.back().body, carried, line.body);
      environment_ = before;
      run_tail(steps.back().otherwise, carried, line.otherwise);
      lines.push_back(std::move(line));
    } else {
      if (branches) run_steps({steps.back()}, lines);
      std::vector<std::pair<int, int>> next;
      for (const auto& [variable, node] : carried) {
        if (environment_[variable] != node)
          next.emplace_back(static_cast<int>(at(node).value), environment_[variable]);
      }
      set_cells(lines, std::move(next));
    }
    scopes_.pop_back();
  }

  /// A branch with a single plain assignment on either side.
  static bool is_small(const Step& step) {
    const auto plain = [](const std::vector<Step>& steps) {
      return steps.empty() || (steps.size() == 1 && steps[0].kind == Step::Kind::assign);
    };
    return plain(step.body) && plain(step.otherwise);
  }

  const Program& program_;
  bool plain_;
  Code code_;
  std::vector<int> environment_;
  std::vector<Scope> scopes_;
};

}  // namespace

Code simplify(const Program& program, bool plain_integers) {
  return Simplifier(program, plain_integers).run();
}

}  // namespace heddle::emit
