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
  std::size_t count_live() const { return static_cast<std::size_t>(std::count(cells_.begin(), cells_.end(), true)); }

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
      case CodeLine::Kind::value: return false;
      case CodeLine::Kind::stop: return true;
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
        std::erase_if(line.sets, [&](const auto& set) { return !cells_[static_cast<std::size_t>(set.first)]; });
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

  void count_lines(const std::vector<CodeLine>& lines) {
    for (const CodeLine& line : lines) {
      if (line.kind == CodeLine::Kind::branch || line.kind == CodeLine::Kind::loop) use(line.node);
      for (const auto& [cell, node] : line.sets) use(node);
      count_lines(line.body);
      count_lines(line.otherwise);
    }
  }

  void count_uses() {
    for (const int result : code_.results) use(result);
    count_lines(code_.lines);
    for (std::size_t i = 0; i < code_.nodes.size(); ++i) {
      if (!visited_[i]) continue;
      use(code_.nodes[i].a);
      use(code_.nodes[i].b);
      use(code_.nodes[i].c);
    }
    for (std::size_t i = 0; i < code_.nodes.size(); ++i) {
      CodeNode& node = code_.nodes[i];
      if (!visited_[i] || node.quotient < 0 || node.inline_only) continue;
      CodeNode& quotient = code_.nodes[static_cast<std::size_t>(node.quotient)];
      if (!visited_[static_cast<std::size_t>(node.quotient)] || quotient.uses == 0 || quotient.inline_only) continue;
      node.by_quotient = true;
      quotient.uses += 2;  // certainly named
    }
  }

  Code& code_;
  std::vector<bool> cells_;
  std::vector<bool> visited_;
};

}  // namespace

void remove_dead_code(Code& code) { Liveness(code).run(); }

}  // namespace heddle::emit
