#include "proof/smt.h"

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <map>
#include <set>

#include "order/syntax.h"
#include "proof/child.h"

namespace heddle::proof {
namespace {

using order::Node;
using order::Operation;
using order::Rounding;
using order::Step;
using order::Type;

constexpr std::int64_t kFar = std::int64_t{1} << 60;      ///< "no bound known"
constexpr std::int64_t kFewCases = 64;                    ///< a factor with this many values is split
constexpr std::int64_t kInt32Max = 2147483647;
constexpr std::chrono::milliseconds kGrace{500};          ///< Z3 stops itself a little late, or not at all

/// Thrown where the program says something that is not encoded; the text is the reason.
struct Unsupported {
  std::string reason;
};

/// What a term is known to be, so that "p1 * g0 + p0" is seen as one line through the grid.
struct Role {
  enum class Kind { other, launch, extent, launch_times_extent, quotient, remainder };
  Kind kind = Kind::other;
  int axis = -1;      ///< launch, extent; of the launch in a product
  int by = -1;        ///< axis of the extent that multiplies or divides
  unsigned line = 0;  ///< quotient, remainder: id of the dividend
};

/// An integer formula with bounds that hold for every size.
struct Term {
  z3::expr value;
  std::int64_t low = -kFar;
  std::int64_t high = kFar;
  Role role = {};
};

std::int64_t clamp(std::int64_t value) { return std::clamp(value, -kFar, kFar); }

std::int64_t bounded_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kFar : -kFar;
  return clamp(product);
}

/// Two ways of saying "integer". Linear arithmetic settles sums over symbolic sizes; bit vectors
/// settle digit shuffles by powers of two. 64 bits hold every product of two int32 exactly, and
/// the obligations see to it that operands are int32.
enum class Sort { integers, bits };

/// The symbols that occur in some formulas.
class Mentioned {
 public:
  void visit(const z3::expr& root) {
    std::vector<z3::expr> open = {root};
    while (!open.empty()) {
      const z3::expr next = open.back();
      open.pop_back();
      if (!seen_.insert(next.id()).second) continue;
      kept_.push_back(next);
      for (unsigned i = 0; next.is_app() && i < next.num_args(); ++i) open.push_back(next.arg(i));
    }
  }
  bool has(const z3::expr& symbol) const { return seen_.count(symbol.id()) > 0; }

 private:
  std::set<unsigned> seen_;
  std::vector<z3::expr> kept_;  ///< so that ids stay theirs
};

class Encoder {
 public:
  /// `exact`: say from the start that the extents multiply to the number of tiles, and allow
  /// dividends to be negative.
  Encoder(z3::context& context, Sort sort, bool exact, const order::Program& program, const order::Shape& shape,
          const order::Bindings& bindings)
      : context_(context), sort_(sort), exact_(exact), program_(program), shape_(shape), bindings_(bindings) {
    const int axes = shape.own_tiles ? shape.tile_axes : shape.launch_axes;
    for (int axis = 0; axis < axes; ++axis) {
      extents_.push_back(variable(fmt::format("n{}", axis), 1, kInt32Max));
      extents_.back().role = {Role::Kind::extent, axis, -1, 0};
    }
    // The number of tiles. With one axis it is the extent; with more it is the product, which is
    // said only where a product of variables is needed (state_product): Z3 is better without.
    count_ = axes == 1 ? extents_[0] : variable("n", 1, kInt32Max);
    for (const Term& extent : extents_) facts_.push_back(extent.value <= count_->value);
    if (exact) state_product();
  }

  /// The result values for one launched block; obligations collect what must hold besides.
  std::vector<Term> block(const std::string& suffix) {
    launch_.clear();
    for (int axis = 0; axis < 3; ++axis) {
      if (axis >= shape_.launch_axes) {
        launch_.push_back(constant(0));
        continue;
      }
      Term index = variable(fmt::format("p{}{}", axis, suffix), 0, kInt32Max - 1);
      facts_.push_back(index.value < grid_extent(axis).value);
      index.role = {Role::Kind::launch, axis, -1, 0};
      launch_.push_back(index);
    }
    lines_.clear();
    suffix_ = suffix;
    variables_.assign(program_.variables.size(), std::nullopt);
    run(program_.steps, context_.bool_val(true));
    std::vector<Term> results;
    for (const int result : program_.results) results.push_back(*variables_[static_cast<std::size_t>(result)]);
    if (const auto line = as_line(results)) return {*line};
    return results;
  }

  /// The ids of this block along the lines its formula uses: different blocks differ in them.
  const std::map<int, Term>& lines() const { return lines_; }

  z3::expr inside(const std::vector<Term>& results) {
    z3::expr holds = context_.bool_val(true);
    if (results.size() == 1) return results[0].value >= number(0) && results[0].value < count_->value;
    for (std::size_t axis = 0; axis < results.size(); ++axis) {
      holds = holds && results[axis].value >= number(0) && results[axis].value < extents_[axis].value;
    }
    return holds;
  }

  const std::vector<Term>& launch() const { return launch_; }
  const std::vector<Term>& extents() const { return extents_; }
  /// What holds of the symbols in a question. Divisions by a size bring products of variables with
  /// them, so only those that the question (or another fact) mentions are told.
  z3::expr_vector facts_for(const z3::expr& question) const {
    z3::expr_vector all(context_);
    Mentioned mentioned;
    mentioned.visit(question);
    for (const z3::expr& fact : facts_) all.push_back(fact);
    std::vector<bool> told(division_facts_.size(), false);
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < division_facts_.size(); ++i) {
        const DivisionFact& fact = division_facts_[i];
        if (told[i] || !(mentioned.has(fact.quotient) || mentioned.has(fact.remainder))) continue;
        told[i] = more = true;
        mentioned.visit(fact.fact);
        all.push_back(fact.fact);
      }
    }
    return all;
  }
  z3::expr obligations() const {
    z3::expr all = context_.bool_val(true);
    for (const z3::expr& obligation : obligations_) all = all && obligation;
    return all;
  }

 private:
  z3::expr number(std::int64_t value) {
    return sort_ == Sort::bits ? context_.bv_val(value, 64) : context_.int_val(value);
  }
  z3::expr symbol(const char* name) {
    return sort_ == Sort::bits ? context_.bv_const(name, 64) : context_.int_const(name);
  }

  Term constant(std::int64_t value) { return {number(value), value, value}; }

  Term variable(const std::string& name, std::int64_t low, std::int64_t high) {
    Term term{symbol(name.c_str()), low, high};
    facts_.push_back(term.value >= number(low) && term.value <= number(high));
    return term;
  }

  Term grid_extent(int axis) {
    if (axis >= shape_.launch_axes) return constant(1);
    return shape_.own_tiles ? *count_ : extents_[static_cast<std::size_t>(axis)];
  }

  Term tile_extent(int axis) {
    const auto which = static_cast<std::size_t>(axis);
    return which < extents_.size() ? extents_[which] : constant(1);
  }

  void oblige(const z3::expr& path, const z3::expr& claim) { obligations_.push_back(z3::implies(path, claim)); }

  // ---- arithmetic -------------------------------------------------------------------------

  Term choose(const z3::expr& condition, const Term& then, const Term& otherwise) {
    return {z3::ite(condition, then.value, otherwise.value), std::min(then.low, otherwise.low),
            std::max(then.high, otherwise.high)};
  }

  /// p1 * g0 + p0 numbers the blocks of a 2-D grid (as p0 * g1 + p1 does): one variable below n.
  std::optional<Term> line_through(const Term& a, const Term& b) {
    if (extents_.size() != 2 || shape_.own_tiles) return std::nullopt;
    if (a.role.kind != Role::Kind::launch_times_extent) {
      return b.role.kind == Role::Kind::launch_times_extent ? line_through(b, a) : std::nullopt;
    }
    const bool fits = b.role.kind == Role::Kind::launch && a.role.by == b.role.axis && a.role.axis == 1 - b.role.axis;
    if (!fits) return std::nullopt;
    const auto known = lines_.find(a.role.by);
    if (known != lines_.end()) return known->second;
    Term line = variable(fmt::format("line{}{}", a.role.by, suffix_), 0, kInt32Max - 1);
    facts_.push_back(line.value < count_->value);
    lines_.emplace(a.role.by, line);
    return line;
  }

  /// (c // g1, c % g1) is tile c of a 2-D grid: inside and met exactly as c is.
  std::optional<Term> as_line(const std::vector<Term>& results) {
    if (results.size() != 2 || extents_.size() != 2) return std::nullopt;
    for (std::size_t slow = 0; slow < 2; ++slow) {
      const Role& quotient = results[slow].role;
      const Role& remainder = results[1 - slow].role;
      const int fast = static_cast<int>(1 - slow);
      const bool fits = quotient.kind == Role::Kind::quotient && remainder.kind == Role::Kind::remainder &&
                        quotient.line == remainder.line && quotient.by == fast && remainder.by == fast;
      if (fits) return dividends_.at(quotient.line);
    }
    return std::nullopt;
  }

  /// The extents multiply to the number of tiles.
  void state_product() {
    if (product_stated_ || extents_.size() < 2) return;
    product_stated_ = true;
    z3::expr product = extents_[0].value;
    for (std::size_t axis = 1; axis < extents_.size(); ++axis) product = product * extents_[axis].value;
    facts_.push_back(product == count_->value);
  }

  Term add(const Term& a, const Term& b) {
    if (const auto line = line_through(a, b)) return *line;
    return {a.value + b.value, clamp(a.low + b.low), clamp(a.high + b.high)};
  }

  Term subtract(const Term& a, const Term& b) {
    return {a.value - b.value, clamp(a.low - b.high), clamp(a.high - b.low)};
  }

  Term multiply(const Term& a, const Term& b) {
    if (b.high - b.low < a.high - a.low) return multiply(b, a);  // a takes the fewer values
    Term product{number(0)};
    const auto is = [](const Term& term, Role::Kind kind) { return term.role.kind == kind; };
    if (is(a, Role::Kind::extent) && is(b, Role::Kind::extent) && a.role.axis != b.role.axis && extents_.size() == 2) {
      return *count_;
    }
    if (is(a, Role::Kind::launch) && is(b, Role::Kind::extent)) {
      product.role = {Role::Kind::launch_times_extent, a.role.axis, b.role.axis, 0};
    }
    if (is(b, Role::Kind::launch) && is(a, Role::Kind::extent)) {
      product.role = {Role::Kind::launch_times_extent, b.role.axis, a.role.axis, 0};
    }
    if (a.high - a.low <= kFewCases) {
      z3::expr cases = b.value * number(a.high);
      for (std::int64_t value = a.high - 1; value >= a.low; --value) {
        cases = z3::ite(a.value == number(value), b.value * number(value), cases);
      }
      product.value = cases;
    } else {
      product.value = a.value * b.value;
      // A product on its way into a line never shows: whether the product itself fits int32
      // follows from p * g <= line.
      if (product.role.kind == Role::Kind::other) state_product();
    }
    const std::int64_t corners[] = {bounded_product(a.low, b.low), bounded_product(a.low, b.high),
                                    bounded_product(a.high, b.low), bounded_product(a.high, b.high)};
    product.low = *std::min_element(std::begin(corners), std::end(corners));
    product.high = *std::max_element(std::begin(corners), std::end(corners));
    return product;
  }

  struct Division {
    Term quotient;
    Term remainder;
  };

  /// a = q*b + r with 0 <= r < b, for a divisor of at least 1.
  Division floor_division(const Term& a, const Term& b, const z3::expr& path) {
    if (b.low < 1) oblige(path, b.value >= number(1));
    const std::int64_t least = std::max<std::int64_t>(b.low, 1);
    Division result{{number(0)}, {number(0)}};
    if (sort_ == Sort::bits) {
      if (a.low < 0) throw Unsupported{"a dividend may be negative"};
      if (b.low != b.high) throw Unsupported{"a division by a size"};
      result.quotient.value = z3::udiv(a.value, b.value);
      result.remainder.value = z3::urem(a.value, b.value);
    } else if (b.low == b.high) {
      result.quotient.value = a.value / b.value;
      result.remainder.value = z3::mod(a.value, b.value);
    } else {
      const auto key = std::make_pair(a.value.id(), b.value.id());
      auto known = divisions_.find(key);
      if (known == divisions_.end()) {
        const std::string suffix = std::to_string(divisions_.size());
        const z3::expr q = symbol(("q" + suffix).c_str());
        const z3::expr r = symbol(("r" + suffix).c_str());
        division_facts_.push_back(
            {q, r, z3::implies(b.value >= number(1), a.value == q * b.value + r && r >= number(0) && r < b.value)});
        kept_.push_back(a.value);
        kept_.push_back(b.value);
        known = divisions_.emplace(key, std::make_pair(q, r)).first;
      }
      result.quotient.value = known->second.first;
      result.remainder.value = known->second.second;
    }
    const auto floor = [](std::int64_t x, std::int64_t y) { return x >= 0 ? x / y : -((-x + y - 1) / y); };
    result.quotient.low = a.low <= -kFar ? -kFar : a.low >= 0 ? a.low / std::max(b.high, least) : floor(a.low, least);
    result.quotient.high = a.high >= kFar ? kFar : a.high >= 0 ? a.high / least : floor(a.high, b.high);
    result.remainder.low = 0;
    result.remainder.high = std::max<std::int64_t>(b.high - 1, 0);
    if (a.low >= 0) result.remainder.high = std::min(result.remainder.high, a.high);
    if (b.role.kind == Role::Kind::extent) {
      dividends_.emplace(a.value.id(), a);
      result.quotient.role = {Role::Kind::quotient, -1, b.role.axis, a.value.id()};
      result.remainder.role = {Role::Kind::remainder, -1, b.role.axis, a.value.id()};
    }
    return result;
  }

  Term divide(Operation operation, Rounding rounding, const Term& a, const Term& b, const z3::expr& path) {
    const bool quotient = operation == Operation::divide;
    if (!exact_ && a.low < 0) {  // orders rarely divide what is negative: try to show that this one does not
      oblige(path, a.value >= number(0));
      Term dividend = a;
      dividend.low = 0;
      return divide(operation, rounding, dividend, b, path);
    }
    const Division floor = floor_division(a, b, path);
    if (a.low >= 0 || rounding == Rounding::floor) return quotient ? floor.quotient : floor.remainder;
    const Term minus = subtract(constant(0), a);
    const Division mirrored = floor_division(minus, b, path);
    const Term there = subtract(constant(0), quotient ? mirrored.quotient : mirrored.remainder);
    return choose(a.value >= number(0), quotient ? floor.quotient : floor.remainder, there);
  }

  Term bit_operation(const Node& node, const Term& a, const Term& b, const z3::expr& path) {
    const bool constant_amount = b.low == b.high && b.low >= 0 && b.low < 31;
    if (node.operation == Operation::shift_left && constant_amount) return multiply(a, constant(std::int64_t{1} << b.low));
    if (node.operation == Operation::shift_right && constant_amount) {
      return floor_division(a, constant(std::int64_t{1} << b.low), path).quotient;
    }
    const bool is_mask = b.low == b.high && b.low >= 0 && (b.low & (b.low + 1)) == 0;
    if (node.operation == Operation::bit_and && is_mask && a.low >= 0) {
      return floor_division(a, constant(b.low + 1), path).remainder;
    }
    const bool is_bitwise = node.operation == Operation::bit_and || node.operation == Operation::bit_or ||
                            node.operation == Operation::bit_xor;
    if (sort_ == Sort::bits && is_bitwise) {
      const z3::expr value = node.operation == Operation::bit_and  ? a.value & b.value
                             : node.operation == Operation::bit_or ? a.value | b.value
                                                                   : a.value ^ b.value;
      if (a.low < 0 || b.low < 0) return {value};
      std::int64_t most = 1;
      while (most <= std::max(a.high, b.high) && most < kFar) most *= 2;
      return {value, 0, most - 1};
    }
    throw Unsupported{fmt::format("line {}: '{}' is not encoded for all sizes", node.at.line, order::symbol(node.operation))};
  }

  Term fit(Term term, Type type, const z3::expr& path) {
    // p * g of the other axis stays below the number of blocks.
    if (term.role.kind == Role::Kind::launch_times_extent && term.role.axis != term.role.by && extents_.size() == 2 &&
        !shape_.own_tiles) {
      return term;
    }
    std::int64_t low = -kFar;
    std::int64_t high = kFar;
    if (type == Type::i32) low = -kInt32Max - 1, high = kInt32Max;
    if (type == Type::u32) low = 0, high = 2 * kInt32Max + 1;
    if (type == Type::u64) low = 0;
    if (term.low < low) oblige(path, term.value >= number(low));
    if (term.high > high) oblige(path, term.value <= number(high));
    term.low = std::max(term.low, low);
    term.high = std::min(term.high, high);
    return term;
  }

  // ---- nodes ------------------------------------------------------------------------------

  Term truth(const z3::expr& condition) {
    return {z3::ite(condition, number(1), number(0)), 0, 1};
  }

  z3::expr condition(int index, const z3::expr& path) {
    const Node& node = program_.nodes[static_cast<std::size_t>(index)];
    if (node.kind == Node::Kind::binary && order::is_comparison(node.operation)) {
      const Term a = term(node.a, path);
      const Term b = term(node.b, path);
      switch (node.operation) {
        case Operation::less: return a.value < b.value;
        case Operation::less_equal: return a.value <= b.value;
        case Operation::greater: return a.value > b.value;
        case Operation::greater_equal: return a.value >= b.value;
        case Operation::equal: return a.value == b.value;
        default: return a.value != b.value;
      }
    }
    if (node.kind == Node::Kind::unary && node.operation == Operation::logical_not) return !condition(node.a, path);
    if (node.kind == Node::Kind::logical_and) {
      const z3::expr left = condition(node.a, path);
      return left && condition(node.b, path && left);
    }
    if (node.kind == Node::Kind::logical_or) {
      const z3::expr left = condition(node.a, path);
      return left || condition(node.b, path && !left);
    }
    return term(index, path).value != number(0);
  }

  Term term(int index, const z3::expr& path) {
    const Node& node = program_.nodes[static_cast<std::size_t>(index)];
    const auto which = static_cast<std::size_t>(node.value);
    switch (node.kind) {
      case Node::Kind::constant: return constant(node.value);
      case Node::Kind::launch: return launch_[which];
      case Node::Kind::grid: return grid_extent(static_cast<int>(node.value));
      case Node::Kind::tile_extent: return tile_extent(static_cast<int>(node.value));
      case Node::Kind::name: return fit(named(program_.names[which], 0), node.type, path);
      case Node::Kind::variable:
        if (!variables_[which]) throw Unsupported{"a variable is not set on every path"};
        return *variables_[which];
      case Node::Kind::select: {
        const z3::expr chosen = condition(node.a, path);
        const Term then = term(node.b, path && chosen);
        return choose(chosen, then, term(node.c, path && !chosen));
      }
      case Node::Kind::cast: return fit(term(node.a, path), node.type, path);
      case Node::Kind::logical_and:
      case Node::Kind::logical_or: return truth(condition(index, path));
      case Node::Kind::unary:
        if (node.operation == Operation::logical_not) return truth(condition(index, path));
        return fit(unary(node, term(node.a, path)), node.type, path);
      case Node::Kind::binary:
        if (order::is_comparison(node.operation)) return truth(condition(index, path));
        return fit(binary(node, term(node.a, path), term(node.b, path), path), node.type, path);
    }
    throw Unsupported{"an unknown operation"};
  }

  Term unary(const Node& node, const Term& a) {
    const Term minus = subtract(constant(0), a);
    if (node.operation == Operation::negate) return minus;
    if (node.operation == Operation::absolute) return choose(a.value >= number(0), a, minus);
    return subtract(minus, constant(1));  // ~a
  }

  Term binary(const Node& node, const Term& a, const Term& b, const z3::expr& path) {
    switch (node.operation) {
      case Operation::add: return add(a, b);
      case Operation::subtract: return subtract(a, b);
      case Operation::multiply: return multiply(a, b);
      case Operation::divide:
      case Operation::remainder: return divide(node.operation, node.rounding, a, b, path);
      case Operation::minimum:
        return {z3::ite(b.value < a.value, b.value, a.value), std::min(a.low, b.low), std::min(a.high, b.high)};
      case Operation::maximum:
        return {z3::ite(b.value > a.value, b.value, a.value), std::max(a.low, b.low), std::max(a.high, b.high)};
      default: return bit_operation(node, a, b, path);
    }
  }

  // ---- bound names ------------------------------------------------------------------------

  Term named(const std::string& name, int depth) {
    const order::ExpressionPtr expression = bindings_.expression(name);
    if (!expression || depth > 64) throw Unsupported{fmt::format("'{}' has no value", name)};
    return bound(*expression, depth);
  }

  Term bound(const order::Expression& expression, int depth) {
    using Kind = order::Expression::Kind;
    const z3::expr always = context_.bool_val(true);
    if (expression.kind == Kind::number) return constant(expression.value);
    if (expression.kind == Kind::name) {
      const std::string& name = expression.text;
      const bool is_extent = name.size() == 2 && name[1] >= '0' && name[1] <= '2' && !bindings_.has(name);
      if (is_extent && name[0] == 'g') return grid_extent(name[1] - '0');
      if (is_extent && name[0] == 't') return tile_extent(name[1] - '0');
      return named(name, depth + 1);
    }
    if (expression.kind == Kind::binary && !order::is_comparison(expression.operation)) {
      Node node;
      node.operation = expression.operation;
      node.rounding = Rounding::floor;
      return binary(node, bound(*expression.arguments[0], depth), bound(*expression.arguments[1], depth), always);
    }
    if (expression.kind == Kind::call && expression.arguments.size() == 2) {
      const Term a = bound(*expression.arguments[0], depth);
      const Term b = bound(*expression.arguments[1], depth);
      Node node;
      node.operation = expression.text == "min" ? Operation::minimum : Operation::maximum;
      if (expression.text == "min" || expression.text == "max") return binary(node, a, b, always);
      return divide(Operation::divide, Rounding::floor, subtract(add(a, b), constant(1)), b, always);
    }
    throw Unsupported{"a --let value is not encoded for all sizes"};
  }

  // ---- steps ------------------------------------------------------------------------------

  void run(const std::vector<Step>& steps, const z3::expr& path) {
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::assign) {
        variables_[static_cast<std::size_t>(step.variable)] = term(step.node, path);
      } else if (step.kind == Step::Kind::branch) {
        branch(step, path);
      } else if (step.kind == Step::Kind::loop) {
        throw Unsupported{fmt::format("line {}: loops are not encoded for all sizes", step.at.line)};
      } else {
        throw Unsupported{fmt::format("line {}: blocks that do nothing are not encoded for all sizes", step.at.line)};
      }
    }
  }

  void branch(const Step& step, const z3::expr& path) {
    const z3::expr chosen = condition(step.node, path);
    const auto before = variables_;
    run(step.body, path && chosen);
    const auto then = variables_;
    variables_ = before;
    run(step.otherwise, path && !chosen);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (!then[i] || !variables_[i]) {
        if (then[i]) variables_[i] = then[i];  // read only where it was set: lowering saw to that
        continue;
      }
      if (!z3::eq(then[i]->value, variables_[i]->value)) variables_[i] = choose(chosen, *then[i], *variables_[i]);
    }
  }

  z3::context& context_;
  Sort sort_;
  bool exact_;
  const order::Program& program_;
  order::Shape shape_;
  const order::Bindings& bindings_;
  std::vector<Term> extents_;
  std::optional<Term> count_;
  std::vector<Term> launch_;
  std::vector<std::optional<Term>> variables_;
  std::vector<z3::expr> facts_;
  std::vector<z3::expr> obligations_;
  std::vector<z3::expr> kept_;  ///< keeps ids of divisions_ keys from being reused
  std::map<std::pair<unsigned, unsigned>, std::pair<z3::expr, z3::expr>> divisions_;
  struct DivisionFact {
    z3::expr quotient;
    z3::expr remainder;
    z3::expr fact;
  };
  std::vector<DivisionFact> division_facts_;
  std::map<unsigned, Term> dividends_;  ///< by id; holding them keeps the ids theirs
  std::map<int, Term> lines_;           ///< by the axis that is fast along the line
  std::string suffix_;
  bool product_stated_ = false;
};

SmtAnswer candidate(z3::solver& solver, const Encoder& encoder, const order::Shape& shape) {
  const z3::model model = solver.get_model();
  SmtAnswer answer;
  answer.kind = SmtAnswer::Kind::candidate;
  for (const Term& extent : encoder.extents()) {
    std::int64_t value = 1;
    const z3::expr shown = model.eval(extent.value, true);
    const bool concrete = shown.is_bv() ? shown.is_numeral() : shown.is_numeral_i64(value);
    if (concrete && shown.is_bv()) value = static_cast<std::int64_t>(shown.get_numeral_uint64());
    if (!concrete) return {SmtAnswer::Kind::unknown, "Z3 gave no concrete grid", {}, {}};
    (shape.own_tiles ? answer.tile_extents : answer.extents).push_back(value);
  }
  return answer;
}

/// One question: can `bad` hold? Proved where it cannot.
SmtAnswer ask(z3::context& context, const Encoder& encoder, const order::Shape& shape, const z3::expr& bad,
              std::chrono::milliseconds time_limit, const std::string& what) {
  z3::solver solver(context);
  z3::params params(context);
  params.set("timeout", static_cast<unsigned>(std::max<std::int64_t>(time_limit.count(), 1)));
  solver.set(params);
  const z3::expr_vector facts = encoder.facts_for(bad);
  for (unsigned i = 0; i < facts.size(); ++i) solver.add(facts[static_cast<int>(i)]);
  solver.add(bad);
  const z3::check_result result = solver.check();
  if (result == z3::unsat) return {SmtAnswer::Kind::proved, {}, {}, {}};
  if (result == z3::sat) return candidate(solver, encoder, shape);
  return {SmtAnswer::Kind::unknown, fmt::format("Z3 could not decide whether {} ({})", what, solver.reason_unknown()), {}, {}};
}

SmtAnswer ask_in(Sort sort, bool exact, const order::Program& program, const order::Shape& shape, const order::Bindings& bindings,
                 std::chrono::milliseconds time_limit) {
  try {
    z3::context context;
    Encoder encoder(context, sort, exact, program, shape, bindings);
    const std::vector<Term> first = encoder.block("");
    const std::vector<Term> launch = encoder.launch();
    const std::map<int, Term> lines = encoder.lines();
    const auto share = time_limit / 3;
    SmtAnswer answer = ask(context, encoder, shape, !encoder.obligations(), share, "no operation overflows");
    if (answer.kind != SmtAnswer::Kind::proved) return answer;
    answer = ask(context, encoder, shape, !encoder.inside(first), share, "every tile index lies inside the grid");
    if (answer.kind != SmtAnswer::Kind::proved) return answer;
    const std::vector<Term> second = encoder.block("'");
    z3::expr meet = context.bool_val(true);
    for (std::size_t i = 0; i < first.size(); ++i) meet = meet && first[i].value == second[i].value;
    if (first.size() != 1 && static_cast<int>(first.size()) < shape.launch_axes && !shape.own_tiles) {
      meet = meet && launch[2].value == encoder.launch()[2].value;  // the third axis stays as launched
    }
    z3::expr differ = context.bool_val(false);
    for (std::size_t axis = 0; axis < launch.size(); ++axis) {
      differ = differ || launch[axis].value != encoder.launch()[axis].value;
    }
    for (const auto& [axis, line] : lines) {
      const auto other = encoder.lines().find(axis);
      if (other != encoder.lines().end()) differ = differ && line.value != other->second.value;
    }
    return ask(context, encoder, shape, meet && differ, share, "two launch ids can meet on one tile");
  } catch (const Unsupported& unsupported) {
    return {SmtAnswer::Kind::unknown, unsupported.reason, {}, {}};
  } catch (const z3::exception& exception) {
    return {SmtAnswer::Kind::unknown, fmt::format("Z3 failed: {}", exception.msg()), {}, {}};
  }
}

}  // namespace

SmtAnswer ask_z3(const order::Program& program, const order::Shape& shape, const order::Bindings& bindings,
                 std::chrono::milliseconds time_limit) {
  const auto half = time_limit / 2;
  const auto ask_child = [&](Sort sort) {
    const auto work = [&] {
      // Leaving the product out makes more things possible than are: a suspect is asked about again.
      SmtAnswer first = ask_in(sort, false, program, shape, bindings, half / 2);
      if (first.kind != SmtAnswer::Kind::candidate) return first;
      return ask_in(sort, true, program, shape, bindings, half / 2);
    };
    return in_child(work, half + kGrace);
  };
  const SmtAnswer answer = ask_child(Sort::integers);
  if (answer.kind != SmtAnswer::Kind::unknown) return answer;
  const SmtAnswer second = ask_child(Sort::bits);
  return second.kind == SmtAnswer::Kind::unknown ? answer : second;
}

}  // namespace heddle::proof
