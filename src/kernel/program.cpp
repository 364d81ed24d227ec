#include "kernel/program.h"

#include <fmt/format.h>

namespace heddle::kernel {
namespace {

const char* opcode_text(Opcode op) {
  switch (op) {
    case Opcode::constant_int:
      return "constant";
    case Opcode::constant_float:
      return "constant";
    case Opcode::parameter:
      return "parameter";
    case Opcode::program_id:
      return "program_id";
    case Opcode::num_programs:
      return "num_programs";
    case Opcode::arange:
      return "arange";
    case Opcode::copy:
      return "copy";
    case Opcode::add:
      return "add";
    case Opcode::subtract:
      return "subtract";
    case Opcode::multiply:
      return "multiply";
    case Opcode::divide:
      return "divide";
    case Opcode::remainder:
      return "remainder";
    case Opcode::minimum:
      return "minimum";
    case Opcode::maximum:
      return "maximum";
    case Opcode::bit_and:
      return "bit_and";
    case Opcode::bit_or:
      return "bit_or";
    case Opcode::bit_xor:
      return "bit_xor";
    case Opcode::shift_left:
      return "shift_left";
    case Opcode::shift_right:
      return "shift_right";
    case Opcode::equal:
      return "equal";
    case Opcode::not_equal:
      return "not_equal";
    case Opcode::less:
      return "less";
    case Opcode::less_equal:
      return "less_equal";
    case Opcode::greater:
      return "greater";
    case Opcode::greater_equal:
      return "greater_equal";
    case Opcode::negate:
      return "negate";
    case Opcode::bit_not:
      return "bit_not";
    case Opcode::absolute:
      return "absolute";
    case Opcode::multiply_high:
      return "multiply_high";
    case Opcode::math:
      return "math";
    case Opcode::fused_multiply_add:
      return "fused_multiply_add";
    case Opcode::cast:
      return "cast";
    case Opcode::bitcast:
      return "bitcast";
    case Opcode::select:
      return "select";
    case Opcode::add_pointer:
      return "add_pointer";
    case Opcode::broadcast:
      return "broadcast";
    case Opcode::expand_dims:
      return "expand_dims";
    case Opcode::permute:
      return "permute";
    case Opcode::reshape:
      return "reshape";
    case Opcode::join:
      return "join";
    case Opcode::split:
      return "split";
    case Opcode::concatenate:
      return "concatenate";
    case Opcode::flip:
      return "flip";
    case Opcode::reduce:
      return "reduce";
    case Opcode::scan:
      return "scan";
    case Opcode::sort:
      return "sort";
    case Opcode::gather:
      return "gather";
    case Opcode::histogram:
      return "histogram";
    case Opcode::dot:
      return "dot";
    case Opcode::random:
      return "random";
    case Opcode::unknown:
      return "unknown";
    case Opcode::load:
      return "load";
    case Opcode::store:
      return "store";
    case Opcode::atomic:
      return "atomic";
    case Opcode::block_pointer:
      return "block_pointer";
    case Opcode::bounds_mask:
      return "bounds_mask";
    case Opcode::for_range:
      return "for_range";
    case Opcode::while_loop:
      return "while_loop";
    case Opcode::if_else:
      return "if_else";
    case Opcode::scope:
      return "scope";
    case Opcode::leave:
      return "leave";
  }
  return "?";
}

void print_block(const KernelProgram& program, BlockId block, int depth, std::string& out) {
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  for (const Instruction& one : program.blocks[static_cast<std::size_t>(block)].code) {
    std::vector<std::string> results;
    for (const ValueId result : one.results)
      results.push_back(
          fmt::format("%{}:{}", result, program.values[static_cast<std::size_t>(result)].text()));
    std::vector<std::string> parts;
    for (const ValueId operand : one.operands)
      parts.push_back(operand == kNoValue ? "-" : fmt::format("%{}", operand));
    for (const std::int64_t integer : one.integers) parts.push_back(fmt::format("{}", integer));
    if (one.op == Opcode::constant_float) parts.push_back(fmt::format("{}", one.number));
    const int line = program.places.empty()
                         ? 0
                         : program.places[static_cast<std::size_t>(one.place)].position.line;
    out += fmt::format("{}{}{}{} {}  # line {}\n", indent, fmt::join(results, ", "),
                       results.empty() ? "" : " = ", opcode_text(one.op), fmt::join(parts, ", "),
                       line);
    if (one.op == Opcode::while_loop) {
      print_block(program, one.other, depth + 1, out);
      out += indent + "do\n";
    }
    if (one.body != kNoBlock) print_block(program, one.body, depth + 1, out);
    if (one.op == Opcode::if_else && one.other != kNoBlock) {
      out += indent + "else\n";
      print_block(program, one.other, depth + 1, out);
    }
  }
}

}  // namespace

std::int64_t Type::elements() const {
  std::int64_t result = 1;
  for (const std::int64_t extent : shape) result *= extent;
  return result;
}

std::string Type::text() const {
  std::string result(config::dtype_text(element));
  if (pointer) result = "ptr<" + result + ">";
  if (!shape.empty()) result += fmt::format("[{}]", fmt::join(shape, ", "));
  return result;
}

std::string program_text(const KernelProgram& program) {
  std::string out;
  if (!program.blocks.empty()) print_block(program, 0, 0, out);
  return out;
}

}  // namespace heddle::kernel
