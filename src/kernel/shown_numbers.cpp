#include "kernel/shown_numbers.h"

#include <utility>

namespace heddle::kernel {

Instruction made_instruction(Opcode op, std::vector<ValueId> results, std::vector<ValueId> operands,
                             std::vector<std::int64_t> integers) {
  Instruction one;
  one.op = op;
  one.results = std::move(results);
  one.operands = std::move(operands);
  one.integers = std::move(integers);
  return one;
}

ShownNumbers::ShownNumbers(KernelProgram& program, config::Launch& launch,
                           std::vector<Instruction>& code)
    : program_(program), parameter_(static_cast<int>(program.parameters.size())) {
  config::Tensor tensor;
  tensor.name = "index";
  tensor.dtype = DType::int8;
  tensor.shape = {kShownBytes};
  tensor.strides = {1};
  tensor.address = kShownAt;
  tensor.bytes = kShownBytes;
  launch.tensors.push_back(tensor);
  config::Argument argument;
  argument.name = "index";
  argument.value.data = config::TensorReference{launch.tensors.size() - 1};
  launch.arguments.push_back(argument);
  base_ = new_value({DType::int8, true, {}});
  program.parameters.push_back({"index", base_, launch.arguments.size() - 1, -1});
  code.push_back(made_instruction(Opcode::parameter, {base_}, {}, {parameter_}));
  zero_ = new_value({DType::int64, false, {}});
  code.push_back(made_instruction(Opcode::constant_int, {zero_}, {}, {kShownZero}));
  if (program.places.empty()) program.places.emplace_back();
}

ValueId ShownNumbers::new_value(Type type) {
  code_of(program_).values.push_back(std::move(type));
  return static_cast<ValueId>(code_of(program_).values.size()) - 1;
}

void ShownNumbers::show(ValueId number, std::vector<Instruction>& code) {
  const Type wide{DType::int64, false, {}};
  const ValueId widened = new_value(wide);
  code.push_back(made_instruction(Opcode::cast, {widened}, {number}));
  const ValueId offset = new_value(wide);
  code.push_back(made_instruction(Opcode::add, {offset}, {widened, zero_}));
  store_at(offset, code);
}

void ShownNumbers::store_at(ValueId offset, std::vector<Instruction>& code) {
  const ValueId pointer = new_value({DType::int8, true, {}});
  code.push_back(made_instruction(Opcode::add_pointer, {pointer}, {base_, offset}));
  const auto site = static_cast<std::int64_t>(program_.sites.size());
  Site store;
  store.kind = MemoryKind::write;
  store.element = DType::int8;
  store.parameters = {parameter_};
  program_.sites.push_back(store);
  code.push_back(made_instruction(Opcode::store, {}, {pointer, kNoValue, kNoValue}, {site}));
}

}  // namespace heddle::kernel
