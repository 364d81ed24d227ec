#include "oracle/scalar_evaluator.h"

#include <array>

#include "order/evaluate.h"

namespace heddle::oracle {
namespace {

using order::Fault;
using order::Node;
using order::Operation;
using order::Outcome;
using order::Step;
using order::Type;

struct Failed {};
struct Idle {};

class Machine {
 public:
  Machine(const order::Program& program, const order::Space& space,
          const std::vector<std::int64_t>& names, LaunchId id)
      : program_(program),
        space_(space),
        names_(names),
        block_(block_of(space.launch, id)),
        variables_(program.variables.size(), 0) {}

  std::int64_t tile() {
    run(program_.steps);
    std::vector<std::int64_t> index;
    for (const int result : program_.results)
      index.push_back(variables_[static_cast<std::size_t>(result)]);
    if (index.size() == 1)
      return index[0] >= 0 && index[0] < space_.tile_count() ? index[0] : order::kOutside;
    while (static_cast<int>(index.size()) < space_.tile_axes())
      index.push_back(block_[index.size()]);
    const auto tile = space_.tile_at(index);
    return tile ? tile->value : order::kOutside;
  }

 private:
  static std::int64_t checked(const Outcome& outcome) {
    if (outcome.fault != Fault::none) throw Failed{};
    return outcome.value;
  }

  void run(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      switch (step.kind) {
        case Step::Kind::assign:
          variables_[static_cast<std::size_t>(step.variable)] = value(step.node);
          break;
        case Step::Kind::branch:
          run(value(step.node) != 0 ? step.body : step.otherwise);
          break;
        case Step::Kind::loop:
          while (value(step.node) != 0) {
            if (++rounds_ > order::kLoopLimit) throw Failed{};
            run(step.body);
          }
          break;
        case Step::Kind::stop:
          throw Idle{};
      }
    }
  }

  std::int64_t value(int index) {
    const Node& node = program_.nodes[static_cast<std::size_t>(index)];
    const auto which = static_cast<std::size_t>(node.value);
    switch (node.kind) {
      case Node::Kind::constant:
        return node.value;
      case Node::Kind::launch:
        return block_[which];
      case Node::Kind::grid:
        return space_.launch.extent(static_cast<int>(node.value));
      case Node::Kind::tile_extent:
        return space_.tile_grid().extent(static_cast<int>(node.value));
      case Node::Kind::name:
        return checked(order::convert(names_[which], Type::constexpr_int, node.type));
      case Node::Kind::variable:
        return variables_[which];
      case Node::Kind::unary:
        return checked(
            order::apply(node.operation, node.operand_type, node.rounding, value(node.a), 0));
      case Node::Kind::cast:
        return checked(order::convert(value(node.a), node.operand_type, node.type));
      case Node::Kind::logical_and:
        if (node.eager) value(node.b);
        return value(node.a) != 0 && value(node.b) != 0 ? 1 : 0;
      case Node::Kind::logical_or:
        if (node.eager) value(node.b);
        return value(node.a) != 0 || value(node.b) != 0 ? 1 : 0;
      case Node::Kind::select:
        if (node.eager) value(node.b), value(node.c);
        return value(node.a) != 0 ? value(node.b) : value(node.c);
      case Node::Kind::binary: {
        const std::int64_t a = value(node.a);
        return checked(
            order::apply(node.operation, node.operand_type, node.rounding, a, value(node.b)));
      }
    }
    throw Failed{};
  }

  const order::Program& program_;
  const order::Space& space_;
  const std::vector<std::int64_t>& names_;
  std::array<std::int64_t, 3> block_;
  std::vector<std::int64_t> variables_;
  int rounds_ = 0;
};

}  // namespace

std::int64_t tile_of(const order::Program& program, const order::Space& space,
                     const std::vector<std::int64_t>& name_values, LaunchId launch) {
  try {
    return Machine(program, space, name_values, launch).tile();
  } catch (const Failed&) {
    return order::kFailed;
  } catch (const Idle&) {
    return order::kIdle;
  }
}

}  // namespace heddle::oracle
