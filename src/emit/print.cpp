#include "emit/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "emit/expression.h"
#include "support/text.h"

namespace heddle::emit {
namespace {

constexpr std::size_t kLineLength = 80;  ///< of a tuple assignment, before it becomes several
constexpr std::size_t kPrintedColumns = 100;
constexpr int kLongExpression = 8;   ///< operations; a longer value gets a name of its own
constexpr int kNamedExpression = 2;  ///< operations; a value that the source names keeps that name

/// Words that no emitted name may be: keywords of the languages, their functions, our own names.
const std::set<std::string_view> kReserved = {
    // Python and Triton
    "and", "or", "not", "if", "else", "elif", "while", "for", "in", "is", "def", "return", "lambda",
    "pass", "None", "True", "False", "from", "with", "import", "as", "try", "except", "finally",
    "raise", "del", "assert", "yield", "global", "nonlocal", "async", "await", "class", "break",
    "continue", "tl", "triton", "print", "id", "range",
    // C, C++, HIP, CUDA, OpenCL
    "int", "long", "short", "char", "bool", "unsigned", "signed", "float", "double", "void",
    "const", "auto", "static", "struct", "union", "enum", "typedef", "sizeof", "volatile",
    "register", "extern", "inline", "restrict", "switch", "case", "default", "do", "goto", "new",
    "delete", "this", "template", "typename", "operator", "namespace", "using", "friend", "virtual",
    "public", "private", "protected", "explicit", "export", "mutable", "catch", "throw", "xor",
    "half", "uint", "ulong", "uchar", "ushort", "local", "kernel", "constant", "image", "std",
    "blockIdx", "gridDim", "threadIdx", "blockDim", "signbit",
    // functions used, and what is defined here
    "min", "max", "abs", "heddle_order", "p0", "p1", "p2", "g0", "g1", "g2", "t0", "t1", "t2",
    "rows", "cols", "slices", "tiles"};

class Printer {
 public:
  Printer(const Code& code, const PrintOptions& options)
      : code_(code),
        options_(options),
        expressions_(code, options.dialect, options.plain_division, options.spelling),
        taken_(options.taken) {
    find_leaves();
    for (const auto& [name, type] : names_) taken_.insert(name);
    for (const auto& list :
         {options.spelling.launch, options.spelling.grid, options.spelling.extent})
      taken_.insert(list.begin(), list.end());
    for (const std::string& name : code.result_names) result_names_.push_back(unique(name));
  }

  const std::vector<std::string>& result_names() const { return result_names_; }

  std::string run() {
    header();
    name_cells();
    print_lines(code_.lines);
    results();
    if (is_cpp()) text_ += "}\n";
    return text_;
  }

  PrintedParts run_parts() {
    in_kernel_ = true;
    header();
    name_cells();
    print_lines(code_.lines);
    PrintedParts parts{std::move(text_), {}, result_names_};
    for (const int node : code_.results) parts.results.push_back(as_int(node));
    return parts;
  }

 private:
  bool is_python() const { return options_.dialect == Dialect::triton; }
  bool is_cpp() const { return options_.dialect == Dialect::cpp; }

  void line(const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(indent_) * 4, ' ') + text + "\n";
  }
  void statement(const std::string& text) { line(is_python() ? text : text + ";"); }

  void define(const std::string& name, order::Type type, const std::string& value) {
    statement(is_python()
                  ? fmt::format("{} = {}", name, value)
                  : fmt::format("const {} {} = {}", expressions_.type_name(type), name, value));
  }

  /// A leaf may be a name that the kernel has.
  void define_leaf(const std::string& name, const std::string& value) {
    if (name != value) define(name, order::Type::i32, value);
  }

  // ---- the beginning ----------------------------------------------------------------------

  void find_leaves() {
    for (const CodeNode& node : code_.nodes) {
      if (node.uses == 0) continue;
      const auto axis = static_cast<std::size_t>(node.value);
      if (node.kind == CodeNode::Kind::launch) launch_[axis] = true;
      if (node.kind == CodeNode::Kind::grid) grid_[axis] = true;
      if (node.kind == CodeNode::Kind::tile_extent) extent_[axis] = true;
      if (node.kind == CodeNode::Kind::name) names_[code_.names[axis]] = node.type;
    }
  }

  void header() {
    comment(fmt::format("{}: proved a permutation for {}", options_.title, options_.scope));
    std::vector<std::string> needed;
    for (const auto& [name, type] : names_) needed.push_back(name);
    for (int axis = 0; axis < 3 && !is_cpp() && options_.tile_extents.empty(); ++axis) {
      if (extent_[axis]) needed.push_back(tile_extent_name(axis, options_.shape.tile_axes));
    }
    if (!needed.empty() && !in_kernel_)
      comment(fmt::format("uses {} of the kernel", fmt::join(needed, ", ")));
    for (const std::string& remark : options_.remarks) comment(remark);
    if (is_cpp()) return cpp_signature();
    for (int axis = 0; axis < 3; ++axis) {
      const auto which = static_cast<std::size_t>(axis);
      const Spelling& spelling = options_.spelling;
      if (launch_[which]) define_leaf(spelling.launch[which], launch_text(axis));
      if (grid_[which]) define_leaf(spelling.grid[which], grid_text(axis));
    }
    for (int axis = 0; axis < 3; ++axis) {
      if (!extent_[static_cast<std::size_t>(axis)]) continue;
      const auto which = static_cast<std::size_t>(axis);
      const std::string text = which < options_.tile_extents.size()
                                   ? options_.tile_extents[which]
                                   : tile_extent_name(axis, options_.shape.tile_axes);
      define_leaf(options_.spelling.extent[which], text);
    }
  }

  void comment(const std::string& text) {
    const std::string mark = is_python() ? "#" : "//";
    std::string current = mark;
    for (const std::string_view word : split(text, ' ')) {
      if (current.size() + 1 + word.size() > options_.columns && current != mark) {
        line(current);
        current = mark;
      }
      current += " ";
      // A title may be anybody's text: nothing of it may end the comment, or make it go on.
      for (const char c : word) {
        const bool continues = c == '\\' && !is_python();
        current += static_cast<unsigned char>(c) < 0x20 ? ' ' : continues ? '/' : c;
      }
    }
    line(current);
  }

  /// Plain C++ is a function of the launch: everything it needs is a parameter.
  void cpp_signature() {
    std::vector<std::string> parameters;
    for (int axis = 0; axis < options_.shape.launch_axes; ++axis)
      parameters.push_back(fmt::format("[[maybe_unused]] int p{}", axis));
    for (int axis = 0; axis < options_.shape.launch_axes; ++axis)
      parameters.push_back(fmt::format("[[maybe_unused]] int g{}", axis));
    if (options_.shape.own_tiles) {
      for (int axis = 0; axis < options_.shape.tile_axes; ++axis)
        parameters.push_back(fmt::format("[[maybe_unused]] int t{}", axis));
    }
    for (const std::string& name : code_.names) {
      const auto used = names_.find(name);
      const order::Type type = used == names_.end() ? order::Type::i32 : used->second;
      parameters.push_back(fmt::format("{}{} {}", used == names_.end() ? "[[maybe_unused]] " : "",
                                       expressions_.type_name(type), name));
    }
    line("#include <algorithm>");
    line("#include <array>");
    line("");
    comment(fmt::format("Returns {}{}.", fmt::join(result_names_, ", "),
                        has_stop(code_.lines) ? "; -1 where the block does nothing" : ""));
    std::string signature =
        fmt::format("inline std::array<int, {}> heddle_order(", code_.results.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string next = parameters[i] + (i + 1 < parameters.size() ? ", " : ") {");
      if (signature.size() + next.size() > kPrintedColumns) {
        line(signature.substr(0, signature.find_last_not_of(' ') + 1));
        signature = std::string(8, ' ');
      }
      signature += next;
    }
    line(signature);
    indent_ = 1;
  }

  static bool has_stop(const std::vector<CodeLine>& lines) {
    return std::ranges::any_of(lines, [](const CodeLine& each) {
      return each.kind == CodeLine::Kind::stop || has_stop(each.body) || has_stop(each.otherwise);
    });
  }

  std::string launch_text(int axis) const {
    if (!options_.turn.empty()) return options_.turn;
    switch (options_.dialect) {
      case Dialect::triton:
        return fmt::format("{}.program_id({})", options_.spelling.language, axis);
      case Dialect::opencl:
        return fmt::format("get_group_id({})", axis);
      default:
        return fmt::format("blockIdx.{}", "xyz"[axis]);
    }
  }

  std::string grid_text(int axis) const {
    if (!options_.turns.empty()) return options_.turns;
    switch (options_.dialect) {
      case Dialect::triton:
        return fmt::format("{}.num_programs({})", options_.spelling.language, axis);
      case Dialect::opencl:
        return fmt::format("get_num_groups({})", axis);
      default:
        return fmt::format("gridDim.{}", "xyz"[axis]);
    }
  }

  // ---- names ------------------------------------------------------------------------------

  std::string unique(std::string base) {
    for (char& c : base) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    if (base.empty() || base == "parallel" || base == "chosen") base = "value";
    if (kReserved.count(base) > 0) base += "_";
    std::string name = base;
    for (int number = 2; kReserved.count(name) > 0 || !taken_.insert(name).second; ++number) {
      name = fmt::format("{}{}", base, number);
    }
    return name;
  }

  /// The name of the result that a node is, where it is one.
  std::string result_name(int node) {
    if (code_.nodes[static_cast<std::size_t>(node)].type != order::Type::i32) return {};
    for (std::size_t i = 0; i < code_.results.size(); ++i) {
      // With several results the names are assigned at the end, axis 0 first, so that a reader
      // finds them.
      const bool alone = code_.results.size() == 1 && !is_cpp() && !in_kernel_;
      if (code_.results[i] == node && alone && given_.insert(i).second) return result_names_[i];
    }
    return {};
  }

  void name_cells() {
    for (std::size_t node = 0; node < code_.nodes.size(); ++node) {
      if (code_.nodes[node].kind != CodeNode::Kind::cell || code_.nodes[node].uses == 0) continue;
      const auto cell = static_cast<std::size_t>(code_.nodes[node].value);
      const std::string name = result_name(static_cast<int>(node));
      expressions_.name_cell(static_cast<int>(cell),
                             name.empty() ? unique(code_.cells[cell]) : name);
    }
  }

  std::string name_of(int index) {
    const CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
    const std::string name = result_name(index);
    return name.empty() ? unique(node.hint.empty() ? description(node) : node.hint) : name;
  }

  static std::string description(const CodeNode& node) {
    if (node.kind == CodeNode::Kind::select) return "choice";
    if (node.type == order::Type::boolean) return "test";
    switch (node.operation) {
      case order::Operation::divide:
        return "quotient";
      case order::Operation::remainder:
        return "rest";
      case order::Operation::multiply:
        return "product";
      case order::Operation::add:
        return "sum";
      case order::Operation::subtract:
        return "difference";
      default:
        return "value";
    }
  }

  int size_of(int index) const {
    if (index < 0) return 0;
    const CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
    if (node.kind < CodeNode::Kind::unary || expressions_.is_named(index)) return 0;
    return 1 + size_of(node.a) + size_of(node.b) + size_of(node.c) + (node.by_quotient ? 1 : 0);
  }

  bool deserves_name(int index) const {
    const CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
    if (node.inline_only || node.uses == 0 || (node.uses == 1 && node.stored)) return false;
    const int size = size_of(index);
    return node.uses >= 2 || size > kLongExpression ||
           (size >= kNamedExpression && !node.hint.empty());
  }

  // ---- lines ------------------------------------------------------------------------------

  void print_lines(const std::vector<CodeLine>& lines) {
    for (const CodeLine& each : lines) {
      declare_cells(each);
      print_line(each);
    }
  }

  void print_line(const CodeLine& each) {
    switch (each.kind) {
      case CodeLine::Kind::value:
        if (deserves_name(each.node)) {
          const CodeNode& node = code_.nodes[static_cast<std::size_t>(each.node)];
          const std::string name = name_of(each.node);
          define(name, node.type, expressions_.print_definition(each.node));
          expressions_.name_node(each.node, name);
        }
        break;
      case CodeLine::Kind::set:
        set_cells(each);
        break;
      case CodeLine::Kind::branch:
        branch(each);
        break;
      case CodeLine::Kind::loop:
        header_line("while", each.node);
        block(each.body);
        if (!is_python()) line("}");
        break;
      case CodeLine::Kind::stop:
        stop();
        break;
    }
  }

  void header_line(std::string_view word, int condition) {
    const std::string text = expressions_.print(condition);
    line(is_python() ? fmt::format("{} {}:", word, text) : fmt::format("{} ({}) {{", word, text));
  }

  void stop() {
    if (!is_cpp()) return statement("return");
    std::string values = "-1";
    for (std::size_t i = 1; i < code_.results.size(); ++i) values += ", -1";
    statement(fmt::format("return {{{}}}", values));
  }

  void block(const std::vector<CodeLine>& lines) {
    ++indent_;
    const std::size_t before = text_.size();
    print_lines(lines);
    if (is_python() && text_.size() == before) line("pass");
    --indent_;
  }

  /// True if printing the block would print nothing.
  bool is_silent(const std::vector<CodeLine>& lines) const {
    return std::ranges::all_of(lines, [&](const CodeLine& each) {
      return each.kind == CodeLine::Kind::value && !deserves_name(each.node);
    });
  }

  void branch(const CodeLine& each) {
    header_line("if", each.node);
    block(each.body);
    if (!is_silent(each.otherwise)) {
      line(is_python() ? "else:" : "} else {");
      block(each.otherwise);
    }
    if (!is_python()) line("}");
  }

  static void cells_set_in(const std::vector<CodeLine>& lines, std::vector<int>& cells) {
    for (const CodeLine& each : lines) {
      for (const auto& [cell, node] : each.sets) cells.push_back(cell);
      cells_set_in(each.body, cells);
      cells_set_in(each.otherwise, cells);
    }
  }

  /// C needs cells declared before the branch or loop that sets them.
  void declare_cells(const CodeLine& each) {
    if (is_python()) return;
    std::vector<int> cells;
    cells_set_in(each.body, cells);
    cells_set_in(each.otherwise, cells);
    for (const int cell : cells) {
      if (!declared_.insert(cell).second) continue;
      statement(fmt::format(
          "{} {} = 0", expressions_.type_name(code_.cell_types[static_cast<std::size_t>(cell)]),
          expressions_.cell_name(cell)));
    }
  }

  void set_cells(const CodeLine& each) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [cell, node] : each.sets)
      pairs.emplace_back(expressions_.cell_name(cell), expressions_.print(node));
    if (is_python() && pairs.size() > 1) {
      std::vector<std::string> left;
      std::vector<std::string> right;
      for (auto& [name, value] : pairs) {
        left.push_back(name);
        right.push_back(value);
      }
      const std::string together =
          fmt::format("{} = {}", fmt::join(left, ", "), fmt::join(right, ", "));
      if (together.size() <= kLineLength) return statement(together);
    }
    // One after the other: what a later value still reads of an earlier cell is saved first.
    for (std::size_t j = 1; j < pairs.size(); ++j) {
      bool reads_earlier = false;
      for (std::size_t i = 0; i < j; ++i)
        reads_earlier =
            reads_earlier || expressions_.reads_cell(each.sets[j].second, each.sets[i].first);
      if (!reads_earlier) continue;
      const std::string saved = unique("next_" + pairs[j].first);
      define(saved, code_.cell_types[static_cast<std::size_t>(each.sets[j].first)],
             pairs[j].second);
      pairs[j].second = saved;
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const int cell = each.sets[i].first;
      std::string text = fmt::format("{} = {}", pairs[i].first, pairs[i].second);
      if (!is_python() && declared_.insert(cell).second) {
        text =
            expressions_.type_name(code_.cell_types[static_cast<std::size_t>(cell)]) + " " + text;
      }
      statement(text);
    }
  }

  /// Tile indices are ints, whatever they were computed in.
  std::string as_int(int index) const {
    const order::Type type = code_.nodes[static_cast<std::size_t>(index)].type;
    const std::string text = expressions_.print(index);
    if (type == order::Type::i32 ||
        code_.nodes[static_cast<std::size_t>(index)].kind == CodeNode::Kind::constant)
      return text;
    if (type == order::Type::boolean)
      return is_python() ? fmt::format("1 if {} else 0", text) : fmt::format("({}) ? 1 : 0", text);
    if (is_python())
      return fmt::format("({}).to({})", text, expressions_.type_name(order::Type::i32));
    return is_cpp() ? fmt::format("static_cast<int>({})", text) : fmt::format("(int)({})", text);
  }

  void results() {
    std::vector<std::string> values;
    for (const int node : code_.results) values.push_back(as_int(node));
    if (is_cpp()) return statement(fmt::format("return {{{}}}", fmt::join(values, ", ")));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == result_names_[i]) continue;
      define(result_names_[i], order::Type::i32, values[i]);
    }
  }

  const Code& code_;
  const PrintOptions& options_;
  ExpressionPrinter expressions_;
  std::string text_;
  int indent_ = 0;
  std::set<std::string> taken_;
  std::set<int> declared_;
  std::set<std::size_t> given_;  ///< results whose name a value or cell already has
  std::vector<std::string> result_names_;
  bool in_kernel_ = false;  ///< the kernel names the results, and knows its own names
  std::map<std::string, order::Type> names_;  ///< free names that are used
  bool launch_[3] = {};
  bool grid_[3] = {};
  bool extent_[3] = {};
};

}  // namespace

std::vector<std::string> result_names(const Code& code, const PrintOptions& options) {
  return Printer(code, options).result_names();
}

std::string print_code(const Code& code, const PrintOptions& options) {
  return Printer(code, options).run();
}

PrintedParts print_parts(const Code& code, const PrintOptions& options) {
  return Printer(code, options).run_parts();
}

}  // namespace heddle::emit
