#include "order/flow.h"

#include <algorithm>

#include "support/lists.h"

namespace heddle::order {
namespace {

/// Whether two writes can happen in one block: they stand on no two sides of a branch.
bool on_one_path(const std::vector<int>& a, const std::vector<int>& b) {
  return std::ranges::none_of(a, [&](int side) { return is_one_of(-side, b); });
}

}  // namespace

Flow::Flow(const Program& program, std::vector<int> own)
    : program_(program), order_(std::move(own)), own_(order_.begin(), order_.end()) {
  do {  // until nothing more is found to vary: loops carry values backwards
    changed_ = false;
    writes_.clear();
    branches_ = 0;
    find_varying_nodes();
    std::vector<int> sides;
    collect(program.steps, sides, false);
  } while (changed_);
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    const Write& write = writes_[i];
    writes_of_[write.slot].push_back(i);
    if (program.nodes[static_cast<std::size_t>(write.node)].type != Type::boolean)
      numbers_.insert(write.slot);
    find_reads(i);
  }
}

void Flow::collect(const std::vector<Step>& steps, std::vector<int>& sides, bool control_varies) {
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::assign) {
      writes_.push_back({step.variable, step.node, sides});
      if (control_varies || node_varies(step.node))
        changed_ = varying_.insert(step.variable).second || changed_;
      continue;
    }
    if (step.kind == Step::Kind::stop) continue;
    const bool inside = control_varies || node_varies(step.node);
    const int side = ++branches_;
    const bool is_branch = step.kind == Step::Kind::branch;
    if (is_branch) sides.push_back(side);
    collect(step.body, sides, inside);
    if (is_branch) sides.back() = -side;
    collect(step.otherwise, sides, inside);
    if (is_branch) sides.pop_back();
  }
}

/// Operands have lower numbers than the nodes they belong to.
void Flow::find_varying_nodes() {
  varying_nodes_.assign(program_.nodes.size(), false);
  const auto known = [&](int node) { return node >= 0 && node_varies(node); };
  for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
    const Node& node = program_.nodes[i];
    const bool is_variable = node.kind == Node::Kind::variable;
    varying_nodes_[i] = node.kind == Node::Kind::launch ||
                        (is_variable && varies(static_cast<int>(node.value))) || known(node.a) ||
                        known(node.b) || known(node.c);
  }
}

void Flow::find_reads(std::size_t write) {
  std::vector<int> open = {writes_[write].node};
  std::set<int> seen;
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (at < 0 || !seen.insert(at).second) continue;
    const Node& node = program_.nodes[static_cast<std::size_t>(at)];
    if (node.type == Type::boolean) continue;
    if (node.kind == Node::Kind::variable) {
      std::vector<std::size_t>& reads = reads_of_[static_cast<int>(node.value)];
      if (reads.empty() || reads.back() != write) reads.push_back(write);
    }
    if (node.kind != Node::Kind::select) open.push_back(node.a);
    open.push_back(node.b);
    open.push_back(node.c);
  }
}

bool Flow::is_index(int slot) const {
  return varies(slot) && numbers_.count(slot) > 0;
}

std::set<int> Flow::readers(int slot) const {
  std::set<int> result;
  std::set<int> seen = {slot};
  std::vector<int> open = {slot};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    const auto reads = reads_of_.find(at);
    if (reads == reads_of_.end()) continue;
    for (const std::size_t read : reads->second) {
      const int reader = writes_[read].slot;
      if (seen.count(reader) > 0 || is_assigned_over(at, read)) continue;
      seen.insert(reader);
      if (own_.count(reader) == 0)
        open.push_back(reader);
      else if (is_index(reader))
        result.insert(reader);
    }
  }
  return result;
}

/// Whether what a write reads of a slot is not what the slot holds at the end.
bool Flow::is_assigned_over(int slot, std::size_t read) const {
  const auto written = writes_of_.find(slot);
  return written != writes_of_.end() &&
         std::ranges::any_of(written->second, [&](std::size_t later) {
           return later > read && on_one_path(writes_[read].sides, writes_[later].sides);
         });
}

std::vector<int> Flow::unread() const {
  std::vector<int> result;
  std::copy_if(order_.begin(), order_.end(), std::back_inserter(result),
               [&](int slot) { return is_index(slot) && readers(slot).empty(); });
  return result;
}

std::optional<int> Flow::only_value(int slot) const {
  const auto writes = writes_of_.find(slot);
  if (writes == writes_of_.end() || writes->second.size() != 1) return std::nullopt;
  return writes_[writes->second.front()].node;
}

std::optional<int> Flow::offset_of(int slot) const {
  std::optional<int> at = only_value(slot);
  bool is_multiple = false;
  while (at) {
    const Node& node = program_.nodes[static_cast<std::size_t>(*at)];
    if (node.kind == Node::Kind::variable)
      return is_multiple && is_index(static_cast<int>(node.value))
                 ? std::optional(static_cast<int>(node.value))
                 : std::nullopt;
    if (node.kind == Node::Kind::cast) {
      at = node.a;
      continue;
    }
    const bool moves = node.operation == Operation::add || node.operation == Operation::subtract;
    const bool scales =
        node.operation == Operation::multiply || node.operation == Operation::shift_left;
    if (node.kind != Node::Kind::binary || !(moves || scales)) return std::nullopt;
    is_multiple = is_multiple || scales;
    if (node_varies(node.a) == node_varies(node.b)) return std::nullopt;
    at = node_varies(node.a) ? node.a : node.b;
  }
  return std::nullopt;
}

}  // namespace heddle::order
