// Any bytes as a Triton kernel: they choose a syntax tree, so that no Python is started. Reading it
// must give a program or an Error, and running the program on a tile likewise.
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/triton/compile.h"
#include "kernel/triton/lowering.h"
#include "support/error.h"
#include "trace/tracer.h"

using namespace heddle;
using kernel::triton::ConstantKind;
using kernel::triton::Node;

namespace {

constexpr int kDeepest = 7;
constexpr std::size_t kMostNodes = 3000;

std::vector<std::string> language_functions() {
  namespace triton = kernel::triton;
  std::vector<std::string> names;
  for (const auto& list :
       {triton::basic_builtins(), triton::shape_builtins(), triton::math_builtins(),
        triton::reduce_builtins(), triton::memory_builtins(), triton::inductor_builtins()})
    for (const triton::Builtin& builtin : list) names.emplace_back(builtin.name);
  return names;
}

/// Makes a tree of Python's `ast` from bytes; past their end everything is small.
class Grower {
 public:
  Grower(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  Node module() {
    Node root = node("Module");
    std::vector<Node> body = {import("triton", ""), import("triton.language", "tl"),
                              assign(name("G"), constant())};
    for (const char* function : {"k", "f", "g"}) body.push_back(definition(function));
    put(root, "body", std::move(body));
    return root;
  }

 private:
  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  std::size_t pick(std::size_t count) { return byte() % count; }
  template <std::size_t count>
  const char* one_of(const char* const (&words)[count]) {
    return words[pick(count)];
  }

  Node node(const char* kind, std::string text = {}) {
    Node result;
    result.kind = kind;
    result.text = std::move(text);
    result.begin = result.end = {static_cast<int>(++nodes_), 1};
    return result;
  }
  static void put(Node& to, const char* field, std::vector<Node> nodes) {
    to.fields.push_back({field, std::move(nodes)});
  }
  static void put(Node& to, const char* field, Node one) {
    to.fields.push_back({field, {std::move(one)}});
  }

  Node name(const std::string& text) { return node("Name", text); }
  Node attribute(Node value, const std::string& text) {
    Node result = node("Attribute", text);
    put(result, "value", std::move(value));
    return result;
  }
  Node import(const std::string& module, const std::string& as) {
    Node alias = node("alias", module);
    if (!as.empty()) put(alias, "asname", name(as));
    Node result = node("Import");
    put(result, "names", std::move(alias));
    return result;
  }
  Node assign(Node target, Node value) {
    Node result = node("Assign");
    put(result, "targets", std::move(target));
    put(result, "value", std::move(value));
    return result;
  }

  Node constant() {
    static const char* const kNumbers[] = {"0x0", "0x1",  "0x2",  "0x3",        "0x4",
                                           "0x8", "0x20", "0x80", "0x7fffffff", "0x10000000000000"};
    Node result = node("Constant");
    switch (pick(8)) {
      case 4:
        result.constant = ConstantKind::none;
        break;
      case 1:
        result.constant = ConstantKind::boolean;
        result.text = pick(2) == 0 ? "" : "1";
        break;
      case 2:
        result.constant = ConstantKind::real;
        result.real = static_cast<double>(byte()) / 4 - 8;
        break;
      case 3:
        result.constant = ConstantKind::text;
        result.text = one_of({"relu", "fp16", "", "a"});
        break;
      default:
        result.constant = ConstantKind::integer;
        result.text = one_of(kNumbers);
    }
    return result;
  }

  Node integer(const std::string& digits) {
    Node result = node("Constant", digits);
    result.constant = ConstantKind::integer;
    return result;
  }

  Node variable() {
    return name(one_of({"x", "y", "z", "i", "n", "m", "x", "i", "o", "p", "B", "D", "G", "f"}));
  }

  /// What the names hold at first: x, y a block and a mask, z a float, i and m scalars.
  std::vector<Node> beginnings() {
    Node mask = node("Compare", "Lt");
    put(mask, "left", name("x"));
    put(mask, "comparators", integer("0x7"));
    Node half = node("Constant", "0.5");
    half.constant = ConstantKind::real;
    half.real = 0.5;
    return {assign(name("x"), language("arange", {integer("0x0"), integer("0x10")})),
            assign(name("y"), std::move(mask)), assign(name("z"), std::move(half)),
            assign(name("i"), language("program_id", {integer("0x0")})),
            assign(name("m"), integer("0x3"))};
  }

  std::vector<Node> several(int depth, std::size_t most) {
    std::vector<Node> result;
    for (std::size_t i = pick(most + 1); i > 0; --i) result.push_back(expression(depth));
    return result;
  }

  Node call(Node function, std::vector<Node> arguments, int depth) {
    Node result = node("Call");
    put(result, "func", std::move(function));
    put(result, "args", std::move(arguments));
    if (depth > 0 && pick(6) == 5) {
      Node keyword = node("keyword", one_of({"mask", "axis", "other", "dtype", "shape", "dims",
                                             "keep_dims", "boundary_check", "acc", "x", "B"}));
      put(keyword, "value", expression(depth));
      put(result, "keywords", std::move(keyword));
    }
    return result;
  }

  Node language(const std::string& function, std::vector<Node> arguments, int depth = 0) {
    return call(attribute(name("tl"), function), std::move(arguments), depth);
  }

  /// Blocks and accesses that make sense, so that what is built on them does at times.
  Node sensible(int depth) {
    switch (pick(6)) {
      case 0:
        return language("arange", {integer("0x0"), integer(one_of({"0x10", "0x1", "0x2", "0x4"}))});
      case 1:
        return language("program_id", {integer(one_of({"0x0", "0x1", "0x2"}))});
      case 2: {
        Node sum = node("BinOp", "Add");
        put(sum, "left", name(one_of({"o", "p"})));
        put(sum, "right", pick(3) != 0 ? name("x") : expression(depth));
        return language(one_of({"load", "store", "atomic_add"}), {std::move(sum), name("y")},
                        depth);
      }
      case 3: {
        Node shape = node("List");
        put(shape, "elts", {constant(), constant()});
        return language("zeros", {std::move(shape), attribute(name("tl"), "float32")}, depth);
      }
      case 4:
        return attribute(name("tl"), one_of({"int1", "int8", "int32", "int64", "uint32", "float16",
                                             "bfloat16", "float32", "float8e5"}));
      default:
        return call(name(one_of({"f", "g", "len", "min", "max", "range", "float", "int", "zip"})),
                    several(depth, 3), depth);
    }
  }

  Node expression(int depth) {
    if (depth >= kDeepest || nodes_ > kMostNodes) return pick(2) == 0 ? constant() : variable();
    const int next = depth + 1;
    switch (pick(16)) {
      case 0:
        return constant();
      case 1:
      case 2:
        return variable();
      case 3:
      case 4: {
        Node result = node("BinOp", one_of({"Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow",
                                            "LShift", "RShift", "BitAnd", "BitOr", "BitXor"}));
        put(result, "left", expression(next));
        put(result, "right", expression(next));
        return result;
      }
      case 5: {
        Node result = node("UnaryOp", one_of({"USub", "Not", "Invert", "UAdd"}));
        put(result, "operand", expression(next));
        return result;
      }
      case 6: {
        Node result =
            node("Compare", one_of({"Lt", "LtE", "Eq", "NotEq", "Is", "IsNot", "In", "Lt Lt"}));
        put(result, "left", expression(next));
        put(result, "comparators", {expression(next), expression(next)});
        return result;
      }
      case 7: {
        Node result = node("BoolOp", one_of({"And", "Or"}));
        put(result, "values", {expression(next), expression(next)});
        return result;
      }
      case 8: {
        static const std::vector<std::string> kFunctions = language_functions();
        const std::size_t which = byte() * std::size_t{256} + byte();
        return language(kFunctions[which % kFunctions.size()], several(next, 5), next);
      }
      case 9:
        return attribute(expression(next), one_of({"shape", "dtype", "T", "to", "type", "numel",
                                                   "element_ty", "load", "store", "value"}));
      case 10:
        return subscript(next);
      case 11: {
        Node result = node(pick(2) == 0 ? "Tuple" : "List");
        put(result, "elts", several(next, 4));
        return result;
      }
      case 12: {
        Node result = node("IfExp");
        for (const char* field : {"test", "body", "orelse"}) put(result, field, expression(next));
        return result;
      }
      case 13:
        return call(attribute(expression(next), one_of({"to", "sum", "reshape", "load", "store"})),
                    several(next, 3), next);
      default:
        return sensible(next);
    }
  }

  Node subscript(int depth) {
    Node index = node("Tuple");
    std::vector<Node> parts;
    for (std::size_t i = pick(4); i > 0; --i) {
      Node none = node("Constant");
      none.constant = pick(4) == 0 ? ConstantKind::ellipsis : ConstantKind::none;
      parts.push_back(pick(2) == 0 ? node("Slice") : std::move(none));
    }
    put(index, "elts", std::move(parts));
    Node result = node("Subscript");
    put(result, "value", expression(depth));
    put(result, "slice", pick(4) == 0 ? expression(depth) : std::move(index));
    return result;
  }

  Node condition() {
    if (pick(4) == 0) return expression(3);
    Node result = node("Compare", one_of({"Lt", "Eq", "GtE"}));
    put(result, "left", name(one_of({"i", "m", "n"})));
    put(result, "comparators", constant());
    return result;
  }

  Node target() {
    if (pick(16) != 0) return variable();
    Node result = node("Tuple");
    put(result, "elts", {variable(), variable()});
    return result;
  }

  std::vector<Node> statements(int depth) {
    std::vector<Node> result;
    const std::size_t count = nodes_ > kMostNodes ? 1 : 1 + pick(depth == 0 ? 8 : 4);
    for (std::size_t i = 0; i < count; ++i) result.push_back(statement(depth));
    return result;
  }

  Node statement(int depth) {
    const bool nests = depth < 4 && nodes_ < kMostNodes;
    switch (pick(nests ? 14 : 9)) {
      case 0:
        return node("Pass");
      case 7: {
        Node result = node("AugAssign", one_of({"Add", "Sub", "Mult", "FloorDiv"}));
        put(result, "target", variable());
        put(result, "value", expression(1));
        return result;
      }
      case 1: {
        Node result = node("Expr");
        put(result, "value", expression(1));
        return result;
      }
      case 2: {
        Node result = node("Return");
        if (pick(3) != 0) put(result, "value", expression(2));
        return result;
      }
      case 3: {
        Node result = node("AnnAssign");
        put(result, "target", variable());
        put(result, "annotation", attribute(name("tl"), "constexpr"));
        put(result, "value", expression(2));
        return result;
      }
      case 4:
      case 5:
      case 6:
      case 8:
        return assign(target(), expression(1));
      case 9:
      case 10: {
        Node result = node("If");
        put(result, "test", condition());
        put(result, "body", statements(depth + 1));
        if (pick(2) == 0) put(result, "orelse", statements(depth + 1));
        return result;
      }
      case 11: {
        Node result = node("While");
        put(result, "test", condition());
        put(result, "body", statements(depth + 1));
        return result;
      }
      default: {
        Node result = node("For");
        put(result, "target", target());
        Node range = pick(3) == 0 ? attribute(name("tl"), "static_range") : name("range");
        std::vector<Node> bounds = several(5, 2);
        bounds.push_back(pick(3) != 0 ? variable() : constant());
        put(result, "iter", call(std::move(range), std::move(bounds), 4));
        put(result, "body", statements(depth + 1));
        return result;
      }
    }
  }

  Node definition(const std::string& text) {
    Node arguments = node("arguments");
    std::vector<Node> parameters;
    for (const char* parameter : {"o", "p", "n", "B", "D"}) {
      if (text != "k" && parameters.size() == 2) break;
      Node one = node("arg", text == "k" ? parameter : (parameters.empty() ? "x" : "y"));
      if (*parameter == 'B') put(one, "annotation", attribute(name("tl"), "constexpr"));
      parameters.push_back(std::move(one));
    }
    put(arguments, "args", std::move(parameters));
    if (text != "k") put(arguments, "defaults", constant());
    Node result = node("FunctionDef", text);
    put(result, "args", std::move(arguments));
    std::vector<Node> body;
    if (text == "k") body = beginnings();
    for (Node& one : statements(0)) body.push_back(std::move(one));
    put(result, "body", std::move(body));
    put(result, "decorator_list", attribute(name("triton"), "jit"));
    return result;
  }

  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
};

config::Tensor tensor(const char* name, config::DType dtype, std::uint64_t address) {
  config::Tensor result;
  result.name = name;
  result.dtype = dtype;
  result.shape = {16, 64};
  result.strides = {64, 1};
  result.address = address;
  result.bytes = 1024 * config::byte_width(dtype);
  result.contents.kind = config::Contents::Kind::range;
  return result;
}

config::Launch launch() {
  config::Launch result;
  result.function = "k";
  result.grid = Grid({3, 2});
  result.tensors = {tensor("o", config::DType::float32, 0x10000000),
                    tensor("p", config::DType::int32, 0x20000000),
                    tensor("D", config::DType::float16, 0x30000000)};
  result.tensors[2].block = {2, 8};
  for (std::size_t i = 0; i < 3; ++i)
    result.arguments.push_back(
        {result.tensors[i].name, config::Value{config::TensorReference{i}}, false, std::nullopt});
  result.arguments.push_back({"n", config::Value{std::int64_t{37}}, false, std::nullopt});
  result.arguments.push_back({"B", config::Value{std::int64_t{8}}, true, std::nullopt});
  return result;
}

class Nothing : public trace::AccessSink {
 public:
  void access(const trace::AccessPattern&) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const config::Launch given = launch();
  try {
    kernel::triton::TritonSource source("fuzz.py", Grower(data, size).module());
    const kernel::KernelProgram program = kernel::triton::compile(source, given);
    kernel::program_text(program);
    for (const kernel::Keep keep : {kernel::Keep::all, kernel::Keep::writes}) {
      const kernel::KernelProgram small = kernel::remove_unneeded(program, keep);
      try {
        trace::TraceOptions options;
        options.limits.steps = 200'000;
        trace::Tracer tracer(small, given, options);
        Nothing sink;
        tracer.run({1, 0, 0}, sink);
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
