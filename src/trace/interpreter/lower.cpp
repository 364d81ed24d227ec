#include "trace/interpreter/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "support/lists.h"
#include "trace/interpreter/operate.h"
#include "trace/interpreter/shapes.h"

namespace heddle::trace::interpreter {
namespace {

using kernel::Instruction;
using kernel::kNoValue;

class Lowering {
 public:
  Lowering(Context& context, Code& code)
      : context_(context), program_(context.program), code_(code) {}

  void run() {
    const std::vector<bool> used = used_values();
    for (std::size_t value = 0; value < kernel::code_of(program_).values.size(); ++value) {
      // What remove_unneeded left without a use may be of any size.
      const kernel::Type type =
          used[value] ? kernel::code_of(program_).values[value] : kernel::Type{};
      try {
        code_.registers.emplace_back(
            code_.types.emplace_back(make_block_type(type, element_limit())), context_.budget);
      } catch (const Error& error) {
        throw error.at(program_.source_path, place_of_type(type));
      }
    }
    code_.blocks.resize(kernel::code_of(program_).blocks.size());
    for (std::size_t block = 0; block < kernel::code_of(program_).blocks.size(); ++block) {
      for (const Instruction& instruction : kernel::code_of(program_).blocks[block].code) {
        try {
          lower(instruction, code_.blocks[block]);
        } catch (const Error& error) {
          throw error.at(program_.source_path,
                         program_.places[static_cast<std::size_t>(instruction.place)].position);
        }
      }
    }
    find_sole_writers();
    std::unordered_set<const Value*> set;
    find_unsure(code_.blocks[0], set);
  }

 private:
  std::vector<bool> used_values() const {
    std::vector<bool> used(kernel::code_of(program_).values.size(), false);
    for (const kernel::Block& block : kernel::code_of(program_).blocks) {
      for (const Instruction& instruction : block.code) {
        for (const auto* list : {&instruction.results, &instruction.operands}) {
          for (const kernel::ValueId value : *list) {
            if (value != kNoValue) used[static_cast<std::size_t>(value)] = true;
          }
        }
      }
    }
    return used;
  }

  void find_sole_writers() {
    std::unordered_map<const Value*, int> writers;
    for (const CodeBlock& block : code_.blocks) {
      for (const Step& step : block.steps) {
        for (const Value* result : step.results) ++writers[result];
      }
    }
    for (CodeBlock& block : code_.blocks) {
      for (Step& step : block.steps) {
        step.is_sole_writer = std::ranges::all_of(
            step.results, [&](const Value* result) { return writers[result] == 1; });
      }
    }
  }

  /// Surely set is what an earlier step of the block, or of a block around it, has written.
  void find_unsure(CodeBlock& block, std::unordered_set<const Value*>& set) {
    std::vector<const Value*> added;
    const auto add = [&](const Value* value) {
      if (value != nullptr && set.insert(value).second) added.push_back(value);
    };
    for (Step& step : block.steps) {
      for (Value* operand : step.operands) {
        if (!set.contains(operand)) step.unsure.push_back(operand);
      }
      const bool is_loop = step.op == Opcode::for_range;  // sets its index if it runs at all
      if (is_loop && step.out != nullptr && !set.contains(step.out)) {
        set.insert(step.out);
        find_unsure(*step.body, set);
        set.erase(step.out);
        continue;
      }
      for (CodeBlock* inner : {step.body, step.other}) {
        if (inner != nullptr) find_unsure(*inner, set);
      }
      for (const Value* result : step.results) add(result);
    }
    for (const Value* value : added) set.erase(value);
  }

  std::int64_t element_limit() const { return context_.options.limits.block_elements; }

  /// The first instruction that makes a value of a type that is too large.
  Position place_of_type(const kernel::Type& type) const {
    for (const kernel::Block& block : kernel::code_of(program_).blocks) {
      for (const Instruction& instruction : block.code) {
        for (const kernel::ValueId result : instruction.results) {
          if (result == kNoValue ||
              kernel::code_of(program_).values[static_cast<std::size_t>(result)] != type)
            continue;
          return program_.places[static_cast<std::size_t>(instruction.place)].position;
        }
      }
    }
    return {};
  }

  Value* register_of(kernel::ValueId value) {
    return value == kNoValue ? nullptr : &code_.registers[static_cast<std::size_t>(value)];
  }
  CodeBlock* block_of(kernel::BlockId block) {
    return block == kernel::kNoBlock ? nullptr : &code_.blocks[static_cast<std::size_t>(block)];
  }

  void lower(const Instruction& instruction, CodeBlock& block) {
    Step step;
    step.op = instruction.op;
    step.place = instruction.place;
    step.integers = instruction.integers;
    step.number = instruction.number;
    step.body = block_of(instruction.body);
    step.other = block_of(instruction.other);
    std::vector<Value*> all;  // with null where there is no operand
    for (const kernel::ValueId operand : instruction.operands) {
      all.push_back(register_of(operand));
      if (all.back() != nullptr) step.operands.push_back(all.back());
    }
    std::vector<Step> copies;
    for (const kernel::ValueId result : instruction.results) {
      step.results.push_back(result_register(result, instruction.place, all, copies));
    }
    if (!step.results.empty()) step.out = step.results[0];
    const auto operand = [&](std::size_t index) {
      return index < all.size() ? all[index] : nullptr;
    };
    step.a = operand(0);
    step.b = operand(1);
    step.c = operand(2);
    for (std::size_t index = 0; index < all.size(); ++index)
      require(all[index] != nullptr || index >= optional_from(step.op), "an operand is missing");
    if (is_memory(step.op)) lower_memory(step, all);
    resolve_shapes(step);
    if (step.op == Opcode::subtract) step.factor = -1;
    if (step.op == Opcode::add_pointer) step.factor = step.out->type->element_bytes();
    step.action = choose_action(step);
    block.steps.push_back(std::move(step));
    for (Step& copy : copies) block.steps.push_back(std::move(copy));
  }

  static bool is_memory(Opcode op) {
    return op == Opcode::load || op == Opcode::store || op == Opcode::atomic;
  }

  /// Operands from this one on may be kNoValue.
  static std::size_t optional_from(Opcode op) {
    constexpr std::size_t kNever = 1000;
    if (op == Opcode::unknown) return 0;
    if (op == Opcode::histogram || is_memory(op)) return 1;
    return op == Opcode::dot ? 2 : kNever;
  }

  /// The register itself, or a hidden one and a copy where it is an operand, too.
  Value* result_register(kernel::ValueId result, std::int32_t place,
                         const std::vector<Value*>& operands, std::vector<Step>& copies) {
    Value* target = register_of(result);
    if (target == nullptr) return nullptr;
    if (!is_one_of(target, operands)) return target;
    Value& hidden = code_.registers.emplace_back(*target->type, context_.budget);
    Step copy;
    copy.op = Opcode::copy;
    copy.place = place;
    copy.action = interpreter::copy;
    copy.a = &hidden;
    copy.out = target;
    copy.operands = {&hidden};
    copy.results = {target};
    copies.push_back(std::move(copy));
    return &hidden;
  }

  void lower_memory(Step& step, const std::vector<Value*>& operands) {
    auto memory = std::make_unique<MemoryStep>();
    const auto operand = [&](std::size_t index) {
      return index < operands.size() ? operands[index] : nullptr;
    };
    memory->pointer = operand(0);
    require(memory->pointer != nullptr && memory->pointer->type->pointer,
            "an access without a pointer");
    memory->pointee = memory->pointer->type->element;
    if (step.op == Opcode::load) {
      memory->mask = operand(1);
      memory->other = operand(2);
    } else {
      memory->kind =
          step.op == Opcode::store ? kernel::MemoryKind::write : kernel::MemoryKind::atomic;
      memory->value = operand(1);
      memory->mask = operand(2);
      memory->compare = operand(3);
    }
    memory->result = step.out;
    kernel::Type type = {memory->pointee, true, {}};
    for (const Value* value : operands) {
      if (value != nullptr) type.shape = broadcast_shape(type.shape, value->type->shape);
    }
    const BlockType& shape = code_.types.emplace_back(make_block_type(type, element_limit()));
    require(step.out == nullptr || step.out->type->shape == shape.shape,
            "the result of an access has another shape than its pointer and mask");
    memory->shape = &shape;
    AccessPattern& pattern = memory->pattern;
    pattern.site = static_cast<std::int32_t>(step.integers[0]);
    pattern.element_bytes = shape.element_bytes();
    pattern.axes = shape.axes;
    for (int axis = 0; axis < shape.axes; ++axis)
      pattern.axis[static_cast<std::size_t>(axis)].extent = shape.extents[axis];
    if (shape.axes == 0 && !shape.shape.empty()) {  // too many axes: a row of all elements
      pattern.axes = 1;
      pattern.axis[0].extent = shape.elements;
    }
    step.memory = std::move(memory);
  }

  Context& context_;
  const kernel::KernelProgram& program_;
  Code& code_;
};

}  // namespace

void lower(Context& context, Code& code) {
  Lowering(context, code).run();
}

}  // namespace heddle::trace::interpreter
