#include "emit/kernel_code.h"

#include <fmt/format.h>

#include "emit/simplify.h"

namespace heddle::emit {
namespace {

using order::Node;
using order::Operation;
using order::Program;
using order::Step;
using order::Type;

int add_node(Program& program, Node node) {
  program.nodes.push_back(node);
  return static_cast<int>(program.nodes.size()) - 1;
}

/// A tile id is never negative: either rounding gives the same, and each language has its own.
int binary(Program& program, Operation operation, int a, int b, order::Rounding rounding) {
  Node node;
  node.kind = Node::Kind::binary;
  node.operation = operation;
  node.rounding = rounding;
  node.a = a;
  node.b = b;
  return add_node(program, node);
}

int launch_value(Program& program, Node::Kind kind, int axis) {
  Node node;
  node.kind = kind;
  node.value = axis;
  return add_node(program, node);
}

void add_result(Program& program, int node) {
  Step step;
  step.variable = static_cast<int>(program.variables.size());
  step.node = node;
  program.variables.emplace_back();  // no name of its own
  program.results.push_back(step.variable);
  program.steps.push_back(step);
}

/// The type a variable was last assigned; branches leave one type behind.
Type type_of(const Program& program, const std::vector<Step>& steps, int variable, Type known) {
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::assign && step.variable == variable)
      known = program.nodes[static_cast<std::size_t>(step.node)].type;
    known = type_of(program, step.body, variable, known);
    known = type_of(program, step.otherwise, variable, known);
  }
  return known;
}

/// A linear tile id becomes an index per axis, x fastest: t % g0, t // g0 % g1, t // g0 // g1.
void take_apart(Program& program, int axes, order::Rounding rounding) {
  const int linear = program.results.front();
  Node tile;
  tile.kind = Node::Kind::variable;
  tile.value = linear;
  tile.type = type_of(program, program.steps, linear, Type::i32);
  int rest = add_node(program, tile);
  if (tile.type != Type::i32) {
    Node cast;
    cast.kind = Node::Kind::cast;
    cast.operand_type = tile.type;
    cast.a = rest;
    rest = add_node(program, cast);
  }
  program.results.clear();
  for (int axis = 0; axis + 1 < axes; ++axis) {
    const int extent = launch_value(program, Node::Kind::grid, axis);
    add_result(program, binary(program, Operation::remainder, rest, extent, rounding));
    rest = binary(program, Operation::divide, rest, extent, rounding);
  }
  add_result(program, rest);
}

std::vector<std::string> index_names(int axes) {
  if (axes == 1) return {"tile"};
  std::vector<std::string> names = {"tile_x", "tile_y", "tile_z"};
  names.resize(static_cast<std::size_t>(axes));
  return names;
}

Program kernel_program(const proof::ProvenOrder& proven, Dialect dialect) {
  const order::Shape& shape = proven.shape();
  if (shape.own_tiles)
    throw Error("the order's tile space is not the launch grid",
                "the host code would have to change; give an order of the launch grid, without "
                "--tiles and --tile-axes");
  Program program = proven.order().program(shape, proven.bindings());
  if (program.stops)
    throw Error("the order has blocks that do nothing",
                "give an order of the launch grid in which every block computes a tile");
  for (Node& node : program.nodes)
    if (node.kind == Node::Kind::tile_extent) node.kind = Node::Kind::grid;
  if (program.results.size() == 1 && shape.launch_axes > 1)
    take_apart(program, shape.launch_axes,
               dialect == Dialect::triton ? order::Rounding::floor : order::Rounding::truncate);
  if (program.results.size() == 2 && shape.launch_axes == 3)  // the third axis is left alone
    add_result(program, launch_value(program, Node::Kind::launch, 2));
  program.result_names = index_names(shape.launch_axes);
  return program;
}

/// The name, with underscores behind it until it is free.
std::string free_name(std::string name, std::set<std::string>& taken) {
  while (!taken.insert(name).second) name += '_';
  return name;
}

}  // namespace

std::vector<std::string> free_names(const proof::ProvenOrder& proven) {
  return proven.order().program(proven.shape(), proven.bindings()).names;
}

namespace {

PrintOptions print_options(const proof::ProvenOrder& proven, const KernelContext& context) {
  PrintOptions print;
  print.dialect = context.dialect;
  print.title = proven.order().title();
  print.scope = proven.scope();
  print.shape = proven.shape();
  print.plain_division = proven.plain_division();
  print.remarks = context.remarks;
  print.columns = context.columns;
  print.spelling.language = context.language;
  if (context.own_minimum) {
    const bool is_triton = context.dialect == Dialect::triton;
    print.spelling.minimum = is_triton ? context.language + ".minimum" : "::min";
    print.spelling.maximum = is_triton ? context.language + ".maximum" : "::max";
  }
  return print;
}

/// A linear tile of a box becomes an index per axis, rows first.
void take_box_apart(Program& program, int axes, order::Rounding rounding) {
  Node tile;
  tile.kind = Node::Kind::variable;
  tile.value = program.results.front();
  tile.type = type_of(program, program.steps, program.results.front(), Type::i32);
  int rest = add_node(program, tile);
  std::vector<int> index;
  for (int axis = axes; axis-- > 1;) {
    const int extent = launch_value(program, Node::Kind::tile_extent, axis);
    index.push_back(binary(program, Operation::remainder, rest, extent, rounding));
    rest = binary(program, Operation::divide, rest, extent, rounding);
  }
  index.push_back(rest);
  program.results.clear();
  for (auto one = index.rbegin(); one != index.rend(); ++one) add_result(program, *one);
}

Program tile_program(const proof::ProvenOrder& proven, Dialect dialect) {
  const order::Shape& shape = proven.shape();
  Program program = proven.order().program(shape, proven.bindings());
  if (program.stops)
    throw Error("the order has blocks that do nothing", "give an order that does every tile");
  if (!shape.own_tiles)  // a line of tiles
    for (Node& node : program.nodes)
      if (node.kind == Node::Kind::tile_extent) node.kind = Node::Kind::grid;
  const int axes = shape.own_tiles ? shape.tile_axes : 1;
  if (program.results.size() == 1 && axes > 1)
    take_box_apart(program, axes,
                   dialect == Dialect::triton ? order::Rounding::floor : order::Rounding::truncate);
  program.result_names = {"tile", "tile_row", "tile_col"};
  if (axes == 1) program.result_names = {"tile"};
  if (axes == 2) program.result_names = {"tile_row", "tile_col"};
  return program;
}

bool is_name(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789_") == std::string::npos &&
         (text[0] < '0' || text[0] > '9');
}

}  // namespace

PrintedParts kernel_code(const proof::ProvenOrder& proven, const KernelContext& context) {
  const Code code = simplify(kernel_program(proven, context.dialect), proven.plain_integers());
  PrintOptions print = print_options(proven, context);
  std::set<std::string> taken = context.taken;
  for (auto* list : {&print.spelling.launch, &print.spelling.grid})
    for (std::string& name : *list) name = free_name(name, taken);
  print.taken = std::move(taken);
  return print_parts(code, print);
}

PrintedParts tile_code(const proof::ProvenOrder& proven, KernelContext& context,
                       const TileTexts& texts) {
  const Code code = simplify(tile_program(proven, context.dialect), proven.plain_integers());
  PrintOptions print = print_options(proven, context);
  const bool takes_names = context.dialect == Dialect::triton;  // C++ has types
  const auto spell = [&](const std::string& text, std::string& name) {
    name = takes_names && is_name(text) ? text : free_name(name, context.taken);
  };
  print.turn = texts.turn;
  print.tile_extents = texts.extents;
  std::string product;
  for (const std::string& extent : texts.extents)
    product += (product.empty() ? "" : " * ") +
               (is_name(extent) || texts.extents.size() == 1 ? extent : "(" + extent + ")");
  print.turns = product;
  spell(texts.turn, print.spelling.launch[0]);
  spell(print.turns, print.spelling.grid[0]);
  for (std::size_t i = 0; i < texts.extents.size(); ++i)
    spell(texts.extents[i], print.spelling.extent[i]);
  print.taken = context.taken;
  PrintedParts parts = print_parts(code, print);
  context.taken.insert(parts.names.begin(), parts.names.end());
  return parts;
}

}  // namespace heddle::emit
