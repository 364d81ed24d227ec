#include "emit/simplify.h"

#include <algorithm>
#include <map>
#include <set>

#include "emit/code_builder.h"
#include "emit/liveness.h"

namespace heddle::emit {
namespace {

using order::Operation;
using order::Program;
using order::Step;
using order::Type;

constexpr int kFewNodes = 4;  ///< a branch of at most this many operations becomes an expression

bool is_division(Operation operation) {
  return operation == Operation::divide || operation == Operation::remainder;
}

class Simplifier final : CodeBuilder {
 public:
  Simplifier(const Program& program, bool plain) : CodeBuilder(program, plain) {}

  Code run() {
    code_.names = program_.names;
    scopes_.emplace_back();
    run_steps(program_.steps, code_.lines);
    for (const int result : program_.results)
      code_.results.push_back(environment_[static_cast<std::size_t>(result)]);
    code_.result_names = program_.result_names;
    remove_dead_code(code_);
    return std::move(code_);
  }

 private:
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
    const bool only_values = std::ranges::all_of(
        side.lines, [](const CodeLine& line) { return line.kind == CodeLine::Kind::value; });
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
};

}  // namespace

Code simplify(const Program& program, bool plain_integers) {
  return Simplifier(program, plain_integers).run();
}

}  // namespace heddle::emit
