#include "trace/interpreter/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "trace/arithmetic_sink.h"
#include "trace/interpreter/lanes.h"

namespace heddle::trace {

using interpreter::CodeBlock;
using interpreter::Form;
using interpreter::Opcode;
using interpreter::Step;
using interpreter::Value;
using interpreter::Wide;

namespace {

const kernel::KernelProgram& checked(const kernel::KernelProgram& program) {
  interpreter::check_program(program);
  return program;
}

std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::numeric_limits<std::int64_t>::max();
  return result;
}
std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::numeric_limits<std::int64_t>::max();
  return result;
}

/// Depends on its operands and nothing else, and does nothing else.
bool is_pure(const Step& step) {
  switch (step.op) {
    case Opcode::program_id:
    case Opcode::unknown:
    case Opcode::load:
    case Opcode::store:
    case Opcode::atomic:
      return false;
    default:
      return step.action != nullptr;
  }
}

}  // namespace

Machine::Machine(const kernel::KernelProgram& program, const config::Launch& launch,
                 const TraceOptions& options)
    : context_(checked(program), launch, options) {
  lower(context_, code_);
  run_invariants(code_.blocks[0]);
  for (Value& value : code_.registers) {
    if (value.form == Form::unset) per_tile_.push_back(&value);
  }
}

bool Machine::run_invariant(const Step& step) {
  if (!is_pure(step) || !step.is_sole_writer) return false;
  if (context_.options.arithmetic != nullptr && step.operands.size() > 1) return false;
  for (const Value* operand : step.operands) {
    if (operand->form == Form::unset) return false;
  }
  context_.current = &step;
  context_.steps_left = context_.options.limits.steps;
  context_.faults.mute();
  bool failed = false;
  try {
    step.action(context_, step);
  } catch (const Error&) {
    failed = true;
  }
  failed |= context_.faults.unmute();
  if (failed) {
    for (Value* result : step.results) {
      if (result != nullptr) result->form = Form::unset;
    }
  }
  return !failed;
}

void Machine::run_invariants(CodeBlock& block) {
  std::vector<Step> kept;
  for (Step& step : block.steps) {
    // A copy is how an inner block chooses a value: it stays unset where that block does not run.
    const bool chooses = step.op == Opcode::copy && &block != &code_.blocks[0];
    if (!chooses && run_invariant(step)) continue;
    for (CodeBlock* inner : {step.body, step.other}) {
      if (inner != nullptr) run_invariants(*inner);
    }
    kept.push_back(std::move(step));
  }
  block.steps = std::move(kept);
}

void Machine::run(std::array<std::int64_t, 3> tile, AccessSink& sink) {
  context_.tile = tile;
  context_.entries = 0;
  context_.sink = &sink;
  context_.current = nullptr;
  context_.steps_left = context_.options.limits.steps;
  context_.faults.start_tile(tile);
  context_.memory.start_tile();
  for (CodeBlock& block : code_.blocks) block.executions = 0;
  for (Value* value : per_tile_) value->form = Form::unset;
  try {
    run_block(code_.blocks[0]);
  } catch (const Error& error) {
    throw placed(error);
  }
}

Error Machine::placed(const Error& error) const {
  const auto axes = static_cast<std::size_t>(context_.launch.grid.axes());
  std::string index = fmt::format("{}", context_.tile[0]);
  for (std::size_t axis = 1; axis < axes; ++axis) index += fmt::format(", {}", context_.tile[axis]);
  const Error with_tile(fmt::format("tile ({}): {}", index, error.message()), error.hint(),
                        error.code());
  Position position;
  if (context_.current != nullptr)
    position = context_.program.places[static_cast<std::size_t>(context_.current->place)].position;
  return with_tile.because(error.cause()).at(context_.program.source_path, position);
}

void Machine::set_operands(const Step& step) {
  for (Value* operand : step.unsure) {
    if (operand->form != Form::unset) continue;
    context_.record(Fault::Kind::uninitialized, [] { return "the value is taken as 0"; });
    operand->set_zero();
  }
}

std::int64_t Machine::run_block(CodeBlock& block) {
  ++block.executions;
  context_.spend(static_cast<std::int64_t>(block.steps.size()) + 1);
  for (const Step& step : block.steps) {
    context_.current = &step;
    if (step.action != nullptr) {
      set_operands(step);
      if (context_.options.arithmetic != nullptr) show_arithmetic(step);
      step.action(context_, step);
    } else if (const std::int64_t leaving = run_control(step); leaving > 0) {
      return leaving;
    }
  }
  return 0;
}

void Machine::show_arithmetic(const Step& step) {
  ArithmeticSink& sink = *context_.options.arithmetic;
  const auto is_number = [](const Value& value) {
    return value.type->elements == 1 && value.is_uniform_integer();
  };
  const auto is_truth = [](const Value& value) {
    return value.type->elements == 1 && value.type->family == interpreter::Family::boolean;
  };
  if (step.op == Opcode::select && step.operands.size() == 3 && is_truth(*step.operands[0]) &&
      is_number(*step.operands[1]) && is_number(*step.operands[2]))
    sink.choice(step.place, is_true(*step.operands[0]), step.operands[1]->base,
                step.operands[2]->base);
  if (step.operands.size() != 2) return;
  if (is_truth(*step.operands[0]) && is_truth(*step.operands[1])) {
    if (step.op == Opcode::bit_and || step.op == Opcode::bit_or)
      sink.truths(step.place, step.op, is_true(*step.operands[0]), is_true(*step.operands[1]));
    return;
  }
  if (is_number(*step.operands[0]) && is_number(*step.operands[1]))
    sink.operation(step.place, step.op, step.operands[0]->base, step.operands[1]->base);
}

bool Machine::is_true(const Value& condition) {
  if (condition.type->elements != 1) throw Error("the condition of a branch or loop is a block");
  return *read_flags(context_, condition, *condition.type, {}, 0) != 0;
}

std::int64_t Machine::run_control(const Step& step) {
  if (step.op != Opcode::while_loop) set_operands(step);  // a loop computes its condition itself
  switch (step.op) {
    case Opcode::for_range:
      return run_for(step);
    case Opcode::while_loop:
      return run_while(step);
    case Opcode::if_else: {
      CodeBlock* chosen = is_true(*step.a) ? step.body : step.other;
      return chosen == nullptr ? 0 : run_block(*chosen);
    }
    case Opcode::scope:
      return std::max<std::int64_t>(0, run_block(*step.body) - 1);
    case Opcode::leave:
      return std::max<std::int64_t>(1, step.integers[0]);
    default:
      return 0;
  }
}

std::int64_t Machine::loop_bound(const Value& value) {
  if (value.type->elements != 1) throw Error("the bound of a loop is a block");
  return *read_integers(context_, value, *value.type, {}, 0);
}

std::int64_t Machine::run_for(const Step& step) {
  const Wide lower = loop_bound(*step.a);
  const Wide upper = loop_bound(*step.b);
  const Wide stride = loop_bound(*step.c);
  if (stride == 0) throw Error("the step of a loop is 0", "count up or down by at least 1");
  const Wide distance = stride > 0 ? upper - lower : lower - upper;
  if (distance <= 0) return 0;
  ++context_.entries;
  const Wide size = stride > 0 ? stride : -stride;
  const Wide turns = (distance + size - 1) / size;
  const auto index = [&](Wide turn) { return static_cast<std::int64_t>(lower + turn * stride); };
  if (step.body->steps.empty()) {  // only its arithmetic is counted
    const Wide most = std::numeric_limits<std::int64_t>::max();
    step.body->executions =
        saturated_sum(step.body->executions, static_cast<std::int64_t>(std::min(turns, most)));
    if (step.out != nullptr) step.out->set_integer(step.out->type->integers.wrap(index(turns - 1)));
    return 0;
  }
  for (Wide turn = 0; turn < turns; ++turn) {
    if (step.out != nullptr) step.out->set_integer(step.out->type->integers.wrap(index(turn)));
    if (const std::int64_t leaving = run_block(*step.body); leaving > 0) return leaving;
    context_.current = &step;
  }
  return 0;
}

std::int64_t Machine::run_while(const Step& step) {
  while (true) {
    if (const std::int64_t leaving = run_block(*step.other); leaving > 0) return leaving;
    context_.current = &step;
    set_operands(step);
    if (!is_true(*step.a)) return 0;
    if (const std::int64_t leaving = run_block(*step.body); leaving > 0) return leaving;
  }
}

std::vector<kernel::ArithmeticCount> Machine::arithmetic() const {
  std::map<std::pair<kernel::ArithmeticKind, config::DType>, std::int64_t> totals;
  for (std::size_t i = 0; i < code_.blocks.size(); ++i) {
    const std::int64_t executions = code_.blocks[i].executions;
    if (executions == 0) continue;
    for (const kernel::ArithmeticCount& entry :
         kernel::code_of(context_.program).blocks[i].counts) {
      std::int64_t& total = totals[{entry.kind, entry.type}];
      total = saturated_sum(total, saturated_product(entry.count, executions));
    }
  }
  std::vector<kernel::ArithmeticCount> result;
  for (const auto& [key, count] : totals) result.push_back({key.first, key.second, count});
  return result;
}

std::vector<Fault> Machine::faults() const {
  return context_.faults.sorted(context_.program);
}

}  // namespace heddle::trace
