#include "order/evaluate.h"

#include "order/cost.h"

#include <algorithm>

namespace heddle::order {
void Evaluator::Lanes::store(const Column& values) {
  if (!column) column = std::make_unique<Column>();
  uniform = false;
  *column = values;
}

Column& Evaluator::Lanes::vary() {
  if (!column) column = std::make_unique<Column>();
  if (uniform) {
    column->fill(scalar);
    uniform = false;
  }
  return *column;
}

Evaluator::Evaluator(const Program& program, const Space& space,
                     std::vector<std::int64_t> name_values)
    : program_(program),
      space_(space),
      name_values_(std::move(name_values)),
      variables_(program.variables.size()) {}

void Evaluator::rebind(const Space& space, std::vector<std::int64_t> name_values) {
  space_ = space;
  name_values_ = std::move(name_values);
  launch_ = {};
  first_fault_.reset();
  wrapped_ = negative_ = wide_ = false;
}

void Evaluator::run(LaunchId first, std::span<std::int64_t> tiles) {
  start(first, static_cast<int>(tiles.size()));
  Mask all;
  all.on.fill(1);  // lanes past the end repeat the last launch id, so no mask is needed for them
  all.any = all.full = true;
  run_steps(program_.steps, all);
  collect(tiles);
}

std::vector<std::int64_t> Evaluator::index_of(LaunchId launch) {
  std::int64_t tile = 0;
  run(launch, {&tile, 1});
  if (tile == kFailed || tile == kIdle) return {};
  std::vector<std::int64_t> index;
  for (const int variable : program_.results)
    index.push_back(variables_[static_cast<std::size_t>(variable)].at(0));
  return index;
}

void Evaluator::start(LaunchId first, int count) {
  first_ = first;
  count_ = count;
  if (any_failed_) failed_.fill(0);
  if (any_idle_) idle_.fill(0);
  any_failed_ = any_idle_ = false;
  rounds_.fill(0);
  const Grid& grid = space_.launch;
  auto block = block_of(grid, first);
  if (grid.axes() == 1) {
    Column& x = launch_[0].vary();
    const std::int64_t last = first.value + count - 1;
    for (std::size_t i = 0; i < kLanes; ++i)
      x[i] = std::min(first.value + static_cast<std::int64_t>(i), last);
    return;
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t axis = 0; axis < 3; ++axis) launch_[axis].vary()[lane] = block[axis];
    if (lane + 1 >= static_cast<std::size_t>(count)) continue;
    if (++block[0] == grid.extent(0)) {
      block[0] = 0;
      if (++block[1] == grid.extent(1)) {
        block[1] = 0;
        ++block[2];
      }
    }
  }
}

void Evaluator::run_steps(const std::vector<Step>& steps, const Mask& mask) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::assign:
        assign(variables_[static_cast<std::size_t>(step.variable)], evaluate(step.node, mask, 0),
               mask);
        break;
      case Step::Kind::branch:
        run_branch(step, mask);
        break;
      case Step::Kind::loop:
        run_loop(step, mask);
        break;
      case Step::Kind::stop:
        any_idle_ = true;
        for (std::size_t lane = 0; lane < kLanes; ++lane) idle_[lane] |= mask.on[lane];
        return;
    }
  }
}

void Evaluator::run_branch(const Step& step, const Mask& mask) {
  const Lanes& condition = evaluate(step.node, mask, 0);
  if (condition.uniform) return run_steps(condition.scalar != 0 ? step.body : step.otherwise, mask);
  const Mask then = masked(mask, condition, true);
  const Mask otherwise = masked(mask, condition, false);
  if (then.any) run_steps(step.body, then);
  if (otherwise.any) run_steps(step.otherwise, otherwise);
}

void Evaluator::run_loop(const Step& step, const Mask& mask) {
  Mask active = mask;
  Node where;
  where.at = step.at;
  while (true) {
    const Lanes& condition = evaluate(step.node, active, 0);
    if (condition.uniform && condition.scalar == 0) return;
    active = masked(active, condition, true);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      rounds_[at] += active.on[at];
      if (rounds_[at] > kLoopLimit && active.on[at] != 0)
        fail_lane(lane, Fault::too_many_steps, where);
    }
    if (any_failed_) {
      active.any = false;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        active.on[lane] = active.on[lane] != 0 && failed_[lane] == 0;
        active.any = active.any || active.on[lane] != 0;
      }
      active.full = false;
    }
    if (!active.any) return;
    run_steps(step.body, active);
  }
}

void Evaluator::assign(Lanes& variable, const Lanes& value, const Mask& mask) {
  if (mask.full ||
      (mask.any && value.uniform && variable.uniform && value.scalar == variable.scalar)) {
    if (value.uniform) {
      variable.uniform = true;
      variable.scalar = value.scalar;
    } else {
      variable.store(*value.column);
    }
    return;
  }
  Column& target = variable.vary();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (mask.on[lane] != 0) target[lane] = value.uniform ? value.scalar : (*value.column)[lane];
  }
}

Evaluator::Mask Evaluator::masked(const Mask& mask, const Lanes& condition, bool wanted) const {
  Mask result;
  std::uint8_t any = 0;
  std::uint8_t all = 1;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const bool holds = (condition.uniform ? condition.scalar : (*condition.column)[lane]) != 0;
    result.on[lane] =
        static_cast<std::uint8_t>(mask.on[lane] & static_cast<std::uint8_t>(holds == wanted));
    any |= result.on[lane];
    all &= result.on[lane];
  }
  result.any = any != 0;
  result.full = all != 0;
  return result;
}

Evaluator::Lanes& Evaluator::scratch(std::size_t depth) {
  while (scratch_.size() <= depth) scratch_.emplace_back();
  return scratch_[depth];
}

const Evaluator::Lanes& Evaluator::evaluate(int index, const Mask& mask, std::size_t depth) {
  const Node& node = program_.nodes[static_cast<std::size_t>(index)];
  const auto which = static_cast<std::size_t>(node.value);
  switch (node.kind) {
    case Node::Kind::variable:
      return variables_[which];
    case Node::Kind::launch:
      return launch_[which];
    case Node::Kind::logical_and:
    case Node::Kind::logical_or:
      return evaluate_logical(node, mask, depth);
    case Node::Kind::select:
      return evaluate_select(node, mask, depth);
    case Node::Kind::unary:
    case Node::Kind::cast: {
      const Lanes& a = evaluate(node.a, mask, depth);
      if (mask.any) operations_ += weight_of(node);
      static const Lanes kZero{};
      Lanes& out = scratch(depth);
      apply_all(node, a, kZero, out, mask);
      return out;
    }
    case Node::Kind::binary: {
      const Lanes& a = evaluate(node.a, mask, depth);
      const Lanes& b = evaluate(node.b, mask, depth + 1);
      Lanes& out = scratch(depth);
      if (mask.any) operations_ += weight_of(node);
      apply_all(node, a, b, out, mask);
      return out;
    }
    default:
      break;
  }
  Lanes& out = scratch(depth);
  out.uniform = true;
  if (node.kind == Node::Kind::constant) out.scalar = node.value;
  if (node.kind == Node::Kind::grid)
    out.scalar = space_.launch.extent(static_cast<int>(node.value));
  if (node.kind == Node::Kind::tile_extent)
    out.scalar = space_.tile_grid().extent(static_cast<int>(node.value));
  if (node.kind == Node::Kind::name) {
    const Outcome outcome = convert(name_values_[which], Type::constexpr_int, node.type);
    out.scalar = outcome.value;
    if (outcome.fault != Fault::none) apply_each(node, out, out, out, mask);
  }
  wide_ = wide_ || out.scalar != static_cast<std::int32_t>(static_cast<std::uint64_t>(out.scalar));
  return out;
}

int Evaluator::weight_of(const Node& node) const {
  if (node.kind == Node::Kind::cast) return 0;
  if (node.operation != Operation::divide && node.operation != Operation::remainder) return 1;
  const bool by_constant =
      program_.nodes[static_cast<std::size_t>(node.b)].kind == Node::Kind::constant;
  return by_constant ? kConstantDivision : kDivision;
}

const Evaluator::Lanes& Evaluator::evaluate_select(const Node& node, const Mask& mask,
                                                   std::size_t depth) {
  if (mask.any) ++operations_;
  const Lanes& condition = evaluate(node.a, mask, depth);
  if (condition.uniform) {
    const bool is_first = condition.scalar != 0;
    if (node.eager) evaluate(is_first ? node.c : node.b, mask, depth);  // for its faults alone
    return evaluate(is_first ? node.b : node.c, mask, depth);
  }
  const Mask then = masked(mask, condition, true);
  const Mask otherwise = masked(mask, condition, false);
  const Lanes& b = evaluate(node.b, node.eager ? mask : then, depth + 1);
  const Lanes& c = evaluate(node.c, node.eager ? mask : otherwise, depth + 2);
  Lanes& out = scratch(depth);
  Column& column = out.vary();  // may be the condition's own column: `then` holds what it said
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Lanes& chosen = then.on[lane] != 0 ? b : c;
    column[lane] = chosen.uniform ? chosen.scalar : (*chosen.column)[lane];
  }
  return out;
}

const Evaluator::Lanes& Evaluator::evaluate_logical(const Node& node, const Mask& mask,
                                                    std::size_t depth) {
  if (mask.any) ++operations_;
  const bool is_and = node.kind == Node::Kind::logical_and;
  const Lanes& a = evaluate(node.a, mask, depth);
  Lanes& out = scratch(depth);
  if (a.uniform && (a.scalar != 0) != is_and) {
    if (node.eager) evaluate(node.b, mask, depth + 1);  // for its faults alone
    out.uniform = true;
    out.scalar = is_and ? 0 : 1;
    return out;
  }
  const Mask open = masked(mask, a, is_and);  // lanes where b decides
  const Lanes& b = evaluate(node.b, node.eager ? mask : open, depth + 1);
  if (a.uniform && b.uniform) {
    out.uniform = true;
    out.scalar = b.scalar != 0 ? 1 : 0;
    return out;
  }
  Column& column = out.vary();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const bool decided = (b.uniform ? b.scalar : (*b.column)[lane]) != 0;
    column[lane] = open.on[lane] != 0 ? static_cast<std::int64_t>(decided)
                                      : static_cast<std::int64_t>(!is_and);
  }
  return out;
}

void Evaluator::apply_all(const Node& node, const Lanes& a, const Lanes& b, Lanes& out,
                          const Mask& mask) {
  if (a.uniform && b.uniform) {
    const Outcome outcome =
        node.kind == Node::Kind::cast
            ? convert(a.scalar, node.operand_type, node.type)
            : apply(node.operation, node.operand_type, node.rounding, a.scalar, b.scalar);
    out.uniform = true;
    out.scalar = outcome.value;
    const bool narrow =
        outcome.value == static_cast<std::int32_t>(static_cast<std::uint64_t>(outcome.value));
    if (outcome.fault == Fault::none && !outcome.wrapped && !outcome.negative && narrow) return;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (mask.on[static_cast<std::size_t>(lane)] != 0) note(outcome, node, lane);
    }
    return;
  }
  const bool narrow = node.operand_type == Type::i32 || (is_small(a) && is_small(b));
  if (node.kind == Node::Kind::binary && narrow && apply_fast(node, a, b, out, mask)) return;
  if (node.kind == Node::Kind::cast && node.type != Type::boolean && is_small(a)) {
    if (&out != &a) assign(out, a, Mask{{}, true, true});
    return;
  }
  apply_each(node, a, b, out, mask);
}

/// All values lie in 0..2^31-1, where every type agrees on what they are.
bool Evaluator::is_small(const Lanes& lanes) {
  if (lanes.uniform) return lanes.scalar >= 0 && lanes.scalar <= INT32_MAX;
  std::int64_t all = 0;
  for (const std::int64_t value : *lanes.column) all |= value;
  return all >= 0 && all <= INT32_MAX;
}

/// Whole columns at a time, for i32 and for small values of the other types. False: some active
/// lane needs a closer look.
bool Evaluator::apply_fast(const Node& node, const Lanes& a, const Lanes& b, Lanes& out,
                           const Mask& mask) {
  Column result;
  if (!apply_to_columns(node.operation, a.operand(), b.operand(), result)) return false;
  if (may_overflow(node.operation)) {
    std::int64_t bad = 0;
    const std::int64_t sign = is_unsigned(node.operand_type) ? INT64_MIN : 0;  // 0 - 1 wraps
    for (std::size_t i = 0; i < kLanes; ++i) {
      bad |= (result[i] & sign & -std::int64_t{mask.on[i]});
      bad |= (result[i] ^ static_cast<std::int32_t>(static_cast<std::uint64_t>(result[i]))) &
             -std::int64_t{mask.on[i]};
    }
    if (bad != 0) return false;
  }
  out.store(result);
  return true;
}

void Evaluator::apply_each(const Node& node, const Lanes& a, const Lanes& b, Lanes& out,
                           const Mask& mask) {
  Column result;
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    result[at] = 0;
    if (mask.on[at] == 0) continue;
    Outcome outcome;
    if (node.kind == Node::Kind::cast)
      outcome = convert(a.at(lane), node.operand_type, node.type);
    else if (node.kind == Node::Kind::name)
      outcome = {0, Fault::overflow};
    else
      outcome = apply(node.operation, node.operand_type, node.rounding, a.at(lane), b.at(lane));
    note(outcome, node, lane);
    result[at] = outcome.fault == Fault::none ? outcome.value : 0;
  }
  out.store(result);
}

void Evaluator::note(const Outcome& outcome, const Node& node, int lane) {
  wrapped_ = wrapped_ || outcome.wrapped;
  negative_ = negative_ || outcome.negative;
  wide_ = wide_ ||
          outcome.value != static_cast<std::int32_t>(static_cast<std::uint64_t>(outcome.value));
  if (outcome.fault != Fault::none) fail_lane(lane, outcome.fault, node);
}

void Evaluator::fail_lane(int lane, Fault fault, const Node& node) {
  const auto at = static_cast<std::size_t>(lane);
  if (failed_[at] != 0) return;
  failed_[at] = 1;
  any_failed_ = true;
  const LaunchId launch{first_.value + std::min(lane, count_ - 1)};
  if (!first_fault_ || launch < first_fault_->launch) {
    first_fault_ = FaultReport{
        launch, fault, node.kind == Node::Kind::cast ? node.type : node.operand_type, node.at};
  }
}

void Evaluator::collect(std::span<std::int64_t> tiles) {
  const Grid& grid = space_.tile_grid();
  const auto& results = program_.results;
  const auto column = [&](std::size_t axis) -> const Lanes& {
    return variables_[static_cast<std::size_t>(results[axis])];
  };
  if (results.size() == 1) {
    const std::int64_t count = space_.tile_count();
    for (std::size_t lane = 0; lane < tiles.size(); ++lane) {
      const std::int64_t tile = column(0).at(static_cast<int>(lane));
      tiles[lane] = tile >= 0 && tile < count ? tile : kOutside;
    }
  } else {
    std::ranges::fill(tiles, 0);
    for (int axis = 0; axis < grid.axes(); ++axis) {
      // An axis without a result (the third of a 3-D launch) stays as it was launched.
      const bool given = static_cast<std::size_t>(axis) < results.size();
      const Lanes& index =
          given ? column(static_cast<std::size_t>(axis)) : launch_[static_cast<std::size_t>(axis)];
      const std::int64_t stride = space_.stride(axis);
      const std::int64_t extent = grid.extent(axis);
      for (std::size_t lane = 0; lane < tiles.size(); ++lane) {
        const std::int64_t value = index.at(static_cast<int>(lane));
        const bool inside = value >= 0 && value < extent && tiles[lane] >= 0;
        tiles[lane] = inside ? tiles[lane] + value * stride : kOutside;
      }
    }
  }
  if (!any_failed_ && !any_idle_) return;
  for (std::size_t lane = 0; lane < tiles.size(); ++lane) {
    if (idle_[lane] != 0) tiles[lane] = kIdle;
    if (failed_[lane] != 0) tiles[lane] = kFailed;
  }
}

}  // namespace heddle::order
