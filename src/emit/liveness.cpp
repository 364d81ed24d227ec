#include "emit/liveness.h"

#include <algorithm>

namespace heddle::emit {
namespace {

class Liveness {
 public:
  explicit Liveness(Code& code) : code_(code), cells_(code.cells.size(), false) {}

  void run() {
    // A cell is live if a live line reads it; a line is live if it sets a live cell. Cells only
    // ever become live, so this ends.
    std::size_t before = 0;
    do {
      before = count_live();
      visited_.assign(code_.nodes.size(), false);
      for (const int result : code_.results) visit(result);
      mark(code_.lines);
    } while (count_live() != before);
    sweep(code_.lines);
    count_uses();
  }

 private:
  std::size_t count_live() const {
    return static_cast<std::size_t>(std::ranges::count(cells_, true));
  }

  void visit(int index) {
    if (index < 0 || visited_[static_cast<std::size_t>(index)]) return;
    visited_[static_cast<std::size_t>(index)] = true;
    const CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
    if (node.kind == CodeNode::Kind::cell) cells_[static_cast<std::size_t>(node.value)] = true;
    visit(node.a);
    visit(node.b);
    visit(node.c);
  }

  /// True if a line of the block does something that is needed.
  bool mark(const std::vector<CodeLine>& lines) {
    bool any = false;
    for (const CodeLine& line : lines) any = mark(line) || any;
    return any;
  }

  bool mark(const CodeLine& line) {
    switch (line.kind) {
      case CodeLine::Kind::value:
        return false;
      case CodeLine::Kind::stop:
        return true;
      case CodeLine::Kind::set: {
        bool any = false;
        for (const auto& [cell, node] : line.sets) {
          if (!cells_[static_cast<std::size_t>(cell)]) continue;
          visit(node);
          any = true;
        }
        return any;
      }
      case CodeLine::Kind::branch:
      case CodeLine::Kind::loop: {
        const bool body = mark(line.body);
        const bool otherwise = mark(line.otherwise);
        if (body || otherwise) visit(line.node);
        return body || otherwise;
      }
    }
    return false;
  }

  void sweep(std::vector<CodeLine>& lines) {
    std::vector<CodeLine> kept;
    for (CodeLine& line : lines) {
      if (line.kind == CodeLine::Kind::value) {
        if (!visited_[static_cast<std::size_t>(line.node)]) continue;
      } else if (line.kind == CodeLine::Kind::set) {
        std::erase_if(line.sets, [&](const auto& set) {
          return !cells_[static_cast<std::size_t>(set.first)];
        });
        if (line.sets.empty()) continue;
      } else if (line.kind != CodeLine::Kind::stop) {
        if (!mark(line)) continue;
        sweep(line.body);
        sweep(line.otherwise);
      }
      kept.push_back(std::move(line));
    }
    lines = std::move(kept);
  }

  void use(int index) {
    if (index >= 0) ++code_.nodes[static_cast<std::size_t>(index)].uses;
  }

  void store(int index) {
    use(index);
    if (index >= 0) code_.nodes[static_cast<std::size_t>(index)].stored = true;
  }

  void count_lines(const std::vector<CodeLine>& lines) {
    for (const CodeLine& line : lines) {
      if (line.kind == CodeLine::Kind::branch || line.kind == CodeLine::Kind::loop) use(line.node);
      for (const auto& [cell, node] : line.sets) store(node);
      count_lines(line.body);
      count_lines(line.otherwise);
    }
  }

  /// What stands before a loop and is used inside it gets a name: it is not computed every round.
  void find_depths(const std::vector<CodeLine>& lines, int depth) {
    for (const CodeLine& line : lines) {
      if (line.kind == CodeLine::Kind::value) depths_[static_cast<std::size_t>(line.node)] = depth;
      const int inside = depth + (line.kind == CodeLine::Kind::loop ? 1 : 0);
      find_depths(line.body, inside);
      find_depths(line.otherwise, inside);
    }
  }

  void use_at(int index, int depth) {
    if (index < 0) return;
    CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
    if (node.kind < CodeNode::Kind::unary) return;
    const int defined = depths_[static_cast<std::size_t>(index)];
    if (defined >= 0 && defined < depth) ++node.uses;
    if (defined >= 0) return;  // its own operands are used where it is defined
    for (const int operand : {node.a, node.b, node.c}) use_at(operand, depth);
  }

  void count_loops(const std::vector<CodeLine>& lines, int depth) {
    for (const CodeLine& line : lines) {
      if (line.kind == CodeLine::Kind::value) {
        const CodeNode& node = code_.nodes[static_cast<std::size_t>(line.node)];
        for (const int operand : {node.a, node.b, node.c}) use_at(operand, depth);
      }
      for (const auto& [cell, node] : line.sets) use_at(node, depth);
      const int inside = depth + (line.kind == CodeLine::Kind::loop ? 1 : 0);
      if (line.kind == CodeLine::Kind::branch || line.kind == CodeLine::Kind::loop)
        use_at(line.node, inside);
      count_loops(line.body, inside);
      count_loops(line.otherwise, inside);
    }
  }

  void count_uses() {
    for (const int result : code_.results) store(result);
    count_lines(code_.lines);
    depths_.assign(code_.nodes.size(), -1);
    find_depths(code_.lines, 0);
    count_loops(code_.lines, 0);
    for (std::size_t i = 0; i < code_.nodes.size(); ++i) {
      if (!visited_[i]) continue;
      use(code_.nodes[i].a);
      const bool is_unary = code_.nodes[i].kind == CodeNode::Kind::unary;
      const bool is_absolute = is_unary && code_.nodes[i].operation == order::Operation::absolute;
      if (is_absolute) use(code_.nodes[i].a);  // it is printed more than once
      use(code_.nodes[i].b);
      use(code_.nodes[i].c);
    }
    for (std::size_t i = 0; i < code_.nodes.size(); ++i) {
      CodeNode& node = code_.nodes[i];
      if (!visited_[i] || node.quotient < 0 || node.inline_only) continue;
      CodeNode& quotient = code_.nodes[static_cast<std::size_t>(node.quotient)];
      if (!visited_[static_cast<std::size_t>(node.quotient)] || quotient.uses == 0 ||
          quotient.inline_only)
        continue;
      node.by_quotient = true;
      quotient.uses += 2;  // certainly named
    }
  }

  Code& code_;
  std::vector<bool> cells_;
  std::vector<bool> visited_;
  std::vector<int> depths_;  ///< of loops around a node's line; -1 where it has none
};

}  // namespace

void remove_dead_code(Code& code) {
  Liveness(code).run();
}

}  // namespace heddle::emit
