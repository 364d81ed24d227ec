#include "emit/expression.h"

#include <fmt/format.h>

namespace heddle::emit {
namespace {

using order::Operation;
using order::Rounding;
using order::Type;

// How tightly things bind; a child that binds less tightly than its context gets parentheses.
constexpr int kConditional = 1;
constexpr int kOr = 2;
constexpr int kAnd = 3;
constexpr int kNot = 4;
constexpr int kComparison = 5;
constexpr int kBits = 6;  // operands of bit operations are always wrapped: the languages disagree
constexpr int kSum = 10;
constexpr int kProduct = 11;
constexpr int kUnary = 12;
constexpr int kAtom = 13;

std::string wrap(std::string text, int level, int context) {
  return level < context ? "(" + text + ")" : text;
}

}  // namespace

std::string tile_extent_name(int axis, int axes) {
  if (axes == 1) return "tiles";
  if (axes == 2) return axis == 0 ? "rows" : "cols";
  return axis == 0 ? "slices" : axis == 1 ? "rows" : "cols";
}

std::string ExpressionPrinter::type_name(Type type) const {
  const bool opencl = dialect_ == Dialect::opencl;
  switch (type) {
    case Type::boolean:
      return opencl ? "int" : "bool";
    case Type::u32:
      return is_python() ? spelling_.language + ".uint32" : opencl ? "uint" : "unsigned int";
    case Type::i64:
      return is_python() ? spelling_.language + ".int64" : opencl ? "long" : "long long";
    case Type::u64:
      return is_python() ? spelling_.language + ".uint64" : opencl ? "ulong" : "unsigned long long";
    default:
      return is_python() ? spelling_.language + ".int32" : "int";
  }
}

std::string ExpressionPrinter::print(int index, int context) const {
  const auto named = names_.find(index);
  if (named != names_.end()) return named->second;
  return print_node(code_.nodes[static_cast<std::size_t>(index)], context);
}

std::string ExpressionPrinter::print_definition(int node) const {
  return print_node(code_.nodes[static_cast<std::size_t>(node)], 0);
}

bool ExpressionPrinter::reads_cell(int index, int cell) const {
  if (index < 0) return false;
  const CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
  if (node.kind == CodeNode::Kind::cell) return node.value == cell;
  if (is_named(index)) return false;
  if (node.by_quotient && reads_cell(node.quotient, cell)) return true;
  return reads_cell(node.a, cell) || reads_cell(node.b, cell) || reads_cell(node.c, cell);
}

std::string ExpressionPrinter::print_node(const CodeNode& node, int context) const {
  switch (node.kind) {
    case CodeNode::Kind::unary:
      return unary(node, context);
    case CodeNode::Kind::binary:
      return binary(node, context);
    case CodeNode::Kind::cast:
      return cast(node);
    case CodeNode::Kind::logical_and:
      return wrap(fmt::format("{} {} {}", print(node.a, kNot), is_python() ? "and" : "&&",
                              print(node.b, kNot)),
                  kAnd, context);
    case CodeNode::Kind::logical_or:
      return wrap(fmt::format("{} {} {}", print(node.a, kNot), is_python() ? "or" : "||",
                              print(node.b, kNot)),
                  kOr, context);
    case CodeNode::Kind::select: {
      const std::string a = print(node.a, kOr);
      const std::string b = print(node.b, kOr);
      const std::string c = print(node.c, kOr);
      return wrap(is_python() ? fmt::format("{} if {} else {}", b, a, c)
                              : fmt::format("{} ? {} : {}", a, b, c),
                  kConditional, context);
    }
    default:
      return leaf(node);
  }
}

std::string ExpressionPrinter::wide_constant(const CodeNode& node) const {
  if (is_python()) return std::to_string(node.value);
  if (node.type == Type::u32) return fmt::format("{}u", node.value);
  const std::string_view wide = dialect_ == Dialect::opencl ? "l" : "ll";
  if (node.type == Type::u64)
    return fmt::format("{}u{}", static_cast<std::uint64_t>(node.value), wide);
  if (node.type == Type::i64) return fmt::format("{}{}", node.value, wide);
  return std::to_string(node.value);
}

std::string ExpressionPrinter::leaf(const CodeNode& node) const {
  std::string text;
  switch (node.kind) {
    case CodeNode::Kind::constant:
      if (node.type == Type::boolean && is_python()) return node.value != 0 ? "True" : "False";
      if (node.value == INT32_MIN && !is_python()) return "(-2147483647 - 1)";
      text = wide_constant(node);
      return node.value < 0 && node.type != Type::u64 ? "(" + text + ")" : text;
    case CodeNode::Kind::cell:
      return cells_.at(static_cast<int>(node.value));
    case CodeNode::Kind::launch:
      text = spelling_.launch.at(static_cast<std::size_t>(node.value));
      break;
    case CodeNode::Kind::grid:
      text = spelling_.grid.at(static_cast<std::size_t>(node.value));
      break;
    case CodeNode::Kind::tile_extent:
      text = spelling_.extent.at(static_cast<std::size_t>(node.value));
      break;
    default:
      text = code_.names[static_cast<std::size_t>(node.value)];
      break;
  }
  // Launch values and names are ints in the emitted code.
  if (node.type == Type::i32 || node.type == Type::boolean) return text;
  return is_python() ? fmt::format("{}.to({})", text, type_name(node.type))
                     : fmt::format("({}){}", type_name(node.type), text);
}

std::string ExpressionPrinter::cast(const CodeNode& node) const {
  if (node.operand_type == Type::boolean) {
    return is_python() ? fmt::format("(1 if {} else 0)", print(node.a, kOr))
                       : fmt::format("({} ? 1 : 0)", print(node.a, kOr));
  }
  if (is_python()) return fmt::format("({}).to({})", print(node.a, 0), type_name(node.type));
  return fmt::format("({})({})", type_name(node.type), print(node.a, 0));
}

std::string ExpressionPrinter::unary(const CodeNode& node, int context) const {
  switch (node.operation) {
    case Operation::negate:
      return wrap("-" + print(node.a, kUnary + 1), kUnary, context);
    case Operation::bit_not:
      return wrap("~" + print(node.a, kUnary + 1), kUnary, context);
    case Operation::absolute:
      return magnitude(node.a);
    default:
      return is_python() ? wrap("not " + print(node.a, kComparison), kNot, context)
                         : wrap("!" + print(node.a, kAtom), kUnary, context);
  }
}

/// |x| as a choice: kernels know no abs (Triton), or one that is unsigned (OpenCL).
std::string ExpressionPrinter::magnitude(int index) const {
  const CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
  if (node.kind == CodeNode::Kind::constant && node.value >= 0) return print(index, kAtom);
  const std::string value = print(index, kSum + 1);
  return is_python() ? fmt::format("({0} if {0} >= 0 else -{1})", value, print(index, kUnary + 1))
                     : fmt::format("({0} >= 0 ? {0} : -{1})", value, print(index, kUnary + 1));
}

std::string ExpressionPrinter::function(const CodeNode& node) const {
  const std::string& name =
      node.operation == Operation::minimum ? spelling_.minimum : spelling_.maximum;
  return fmt::format("{}{}({}, {})", dialect_ == Dialect::cpp ? "std::" : "", name,
                     print(node.a, 0), print(node.b, 0));
}

std::string ExpressionPrinter::division(const CodeNode& node, int context) const {
  if (node.by_quotient) {
    const std::string times =
        fmt::format("{} * {}", print(node.quotient, kProduct), print(node.b, kProduct + 1));
    return wrap(fmt::format("{} - {}", print(node.a, kSum), times), kSum, context);
  }
  const bool quotient = node.operation == Operation::divide;
  const std::string_view sign = !quotient ? "%" : is_python() ? "//" : "/";
  const std::string a = print(node.a, kProduct);
  const std::string b = print(node.b, kProduct + 1);
  const bool native = (node.rounding == Rounding::floor) == is_python();
  if (plain_division_ || native || order::is_unsigned(node.operand_type)) {
    return wrap(fmt::format("{} {} {}", a, sign, b), kProduct, context);
  }
  const std::string tight_a = print(node.a, kUnary + 1);
  if (is_python()) {  // toward zero, whatever `//` means where this runs: divide magnitudes, then
                      // sign
    std::string negative = fmt::format("{} < 0", print(node.a, kSum));
    const CodeNode& divisor = code_.nodes[static_cast<std::size_t>(node.b)];
    const bool positive = divisor.kind == CodeNode::Kind::constant && divisor.value > 0;
    if (quotient && !positive)
      negative = fmt::format("({}) != ({} < 0)", negative, print(node.b, kSum));
    return wrap(fmt::format("(-1 if {} else 1) * ({} {} {})", negative, magnitude(node.a), sign,
                            magnitude(node.b)),
                kProduct, context);
  }
  const std::string off =
      fmt::format("({0} % {1} != 0 && ({0} % {1} < 0) != ({1} < 0))", tight_a, b);
  return quotient ? fmt::format("({} / {} - ({} ? 1 : 0))", tight_a, b, off)
                  : fmt::format("({} % {} + ({} ? {} : 0))", tight_a, b, off, b);
}

std::string ExpressionPrinter::binary(const CodeNode& node, int context) const {
  switch (node.operation) {
    case Operation::minimum:
    case Operation::maximum:
      return function(node);
    case Operation::divide:
    case Operation::remainder:
      return division(node, context);
    case Operation::add:
      // Never a + b - c for a + (b - c): the partial sum could overflow where the order does not.
      return wrap(fmt::format("{} + {}", print(node.a, kSum), print(node.b, kSum + 1)), kSum,
                  context);
    case Operation::subtract:
      return wrap(fmt::format("{} - {}", print(node.a, kSum), print(node.b, kSum + 1)), kSum,
                  context);
    case Operation::multiply:
      return wrap(fmt::format("{} * {}", print(node.a, kProduct), print(node.b, kProduct + 1)),
                  kProduct, context);
    default:
      break;
  }
  if (order::is_comparison(node.operation)) {
    return wrap(fmt::format("{} {} {}", print(node.a, kSum), order::symbol(node.operation),
                            print(node.b, kSum)),
                kComparison, context);
  }
  return wrap(fmt::format("{} {} {}", print(node.a, kAtom), order::symbol(node.operation),
                          print(node.b, kAtom)),
              kBits, context);
}

}  // namespace heddle::emit
