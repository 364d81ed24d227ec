#include "kernel/tile_program.h"

#include <fmt/format.h>

#include <algorithm>

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
  for (const Instruction& one : code_of(program).blocks[static_cast<std::size_t>(block)].code) {
    std::vector<std::string> results;
    for (const ValueId result : one.results)
      results.push_back(fmt::format(
          "%{}:{}", result, code_of(program).values[static_cast<std::size_t>(result)].text()));
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
  if (!code_of(program).blocks.empty()) print_block(program, 0, 0, out);
  return out;
}

const TileProgram& code_of(const KernelProgram& program) {
  static const TileProgram none;
  const auto* code = dynamic_cast<const TileProgram*>(Body::of(program).get());
  return code != nullptr ? *code : none;
}

TileProgram& code_of(KernelProgram& program) {
  const std::shared_ptr<Body>& body = Body::of(program);
  auto* code = dynamic_cast<TileProgram*>(body.get());
  if (code != nullptr && body.use_count() == 1) return *code;
  auto own =
      code != nullptr ? std::make_shared<TileProgram>(*code) : std::make_shared<TileProgram>();
  TileProgram& result = *own;
  Body::set(program, std::move(own));
  return result;
}

KernelTraits TileProgram::traits() const {
  return {};
}

std::vector<AtomicUse> TileProgram::atomics(const KernelProgram& program) const {
  std::vector<bool> is_used(values.size(), false);
  for (const Block& block : blocks)
    for (const Instruction& instruction : block.code)
      for (const ValueId operand : instruction.operands)
        if (operand != kNoValue) is_used[static_cast<std::size_t>(operand)] = true;
  std::vector<AtomicUse> uses(program.sites.size());
  for (const Block& block : blocks) {
    for (const Instruction& instruction : block.code) {
      if (instruction.op != Opcode::atomic) continue;
      AtomicUse& use = uses[static_cast<std::size_t>(instruction.integers[0])];
      use.function = static_cast<AtomicFunction>(instruction.integers[1]);
      use.result_used =
          std::any_of(instruction.results.begin(), instruction.results.end(),
                      [&](ValueId id) { return is_used[static_cast<std::size_t>(id)]; });
    }
  }
  return uses;
}

/// Loads whose value reaches an address: those of a reduced program that still have a result.
std::vector<std::uint8_t> TileProgram::awaited(const KernelProgram& program) const {
  std::vector<std::uint8_t> awaited(program.sites.size(), 0);
  for (const Block& block : blocks)
    for (const Instruction& instruction : block.code)
      if ((instruction.op == Opcode::load || instruction.op == Opcode::atomic) &&
          !instruction.results.empty())
        awaited[static_cast<std::size_t>(instruction.integers[0])] = 1;
  return awaited;
}

std::vector<PassedArgument> TileProgram::passed(const KernelProgram& program,
                                                const config::Launch& launch) const {
  std::vector<PassedArgument> passed;
  const auto is_global = [&](const std::string& name) {
    return std::ranges::any_of(
        program.defines, [&](const std::string& define) { return define.starts_with(name + "="); });
  };
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    if (!is_global(launch.arguments[i].name))
      passed.push_back({i, launch.arguments[i].is_constexpr, launch.arguments[i].dtype, {}});
  return passed;
}

std::shared_ptr<const TargetFacts> TileProgram::facts(const KernelProgram&,
                                                      const std::string&) const {
  return nullptr;
}

}  // namespace heddle::kernel
