// Terms: sizes, arithmetic with bounds, lines through the grid.
#include "proof/encoder.h"

namespace heddle::proof {
namespace {

std::int64_t clamp(std::int64_t value) {
  return std::clamp(value, -kFar, kFar);
}

std::int64_t bounded_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kVast : -kVast;
  return std::clamp(product, -kVast, kVast);
}

}  // namespace

void Mentioned::visit(const z3::expr& root) {
  std::vector<z3::expr> open = {root};
  while (!open.empty()) {
    const z3::expr next = open.back();
    open.pop_back();
    if (!seen_.insert(next.id()).second) continue;
    kept_.push_back(next);
    for (unsigned i = 0; next.is_app() && i < next.num_args(); ++i) open.push_back(next.arg(i));
  }
}

Encoder::Encoder(z3::context& context, Sort sort, bool exact, const order::Program& program,
                 const order::Shape& shape, const order::Bindings& bindings)
    : context_(context),
      sort_(sort),
      exact_(exact),
      program_(program),
      shape_(shape),
      bindings_(bindings) {
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

z3::expr_vector Encoder::facts_for(const z3::expr& question) const {
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

z3::expr Encoder::obligations() const {
  z3::expr all = context_.bool_val(true);
  for (const z3::expr& obligation : obligations_) all = all && obligation;
  return all;
}

z3::expr Encoder::number(std::int64_t value) {
  return sort_ == Sort::bits ? context_.bv_val(value, 64) : context_.int_val(value);
}

z3::expr Encoder::symbol(const char* name) {
  return sort_ == Sort::bits ? context_.bv_const(name, 64) : context_.int_const(name);
}

Term Encoder::variable(const std::string& name, std::int64_t low, std::int64_t high) {
  Term term{symbol(name.c_str()), low, high};
  facts_.push_back(term.value >= number(low) && term.value <= number(high));
  return term;
}

Term Encoder::grid_extent(int axis) {
  if (axis >= shape_.launch_axes) return constant(1);
  return shape_.own_tiles ? *count_ : extents_[static_cast<std::size_t>(axis)];
}

Term Encoder::tile_extent(int axis) {
  const auto which = static_cast<std::size_t>(axis);
  return which < extents_.size() ? extents_[which] : constant(1);
}

Term Encoder::choose(const z3::expr& condition, const Term& then, const Term& otherwise) {
  return {z3::ite(condition, then.value, otherwise.value), std::min(then.low, otherwise.low),
          std::max(then.high, otherwise.high)};
}

std::optional<Term> Encoder::line_through(const Term& a, const Term& b) {
  if (extents_.size() != 2 || shape_.own_tiles) return std::nullopt;
  if (a.role.kind != Role::Kind::launch_times_extent) {
    return b.role.kind == Role::Kind::launch_times_extent ? line_through(b, a) : std::nullopt;
  }
  const bool fits = b.role.kind == Role::Kind::launch && a.role.by == b.role.axis &&
                    a.role.axis == 1 - b.role.axis;
  if (!fits) return std::nullopt;
  const auto known = lines_.find(a.role.by);
  if (known != lines_.end()) return known->second;
  Term line = variable(fmt::format("line{}{}", a.role.by, suffix_), 0, kInt32Max - 1);
  facts_.push_back(line.value < count_->value);
  lines_.emplace(a.role.by, line);
  return line;
}

std::optional<Term> Encoder::as_line(const std::vector<Term>& results) {
  if (results.size() != 2 || extents_.size() != 2) return std::nullopt;
  for (std::size_t slow = 0; slow < 2; ++slow) {
    const Role& quotient = results[slow].role;
    const Role& remainder = results[1 - slow].role;
    const int fast = static_cast<int>(1 - slow);
    const bool fits = quotient.kind == Role::Kind::quotient &&
                      remainder.kind == Role::Kind::remainder && quotient.line == remainder.line &&
                      quotient.by == fast && remainder.by == fast;
    if (fits) return dividends_.at(quotient.line);
  }
  return std::nullopt;
}

void Encoder::state_product() {
  if (product_stated_ || extents_.size() < 2) return;
  product_stated_ = true;
  z3::expr product = extents_[0].value;
  for (std::size_t axis = 1; axis < extents_.size(); ++axis)
    product = product * extents_[axis].value;
  facts_.push_back(product == count_->value);
}

Term Encoder::add(const Term& a, const Term& b) {
  if (const auto line = line_through(a, b)) return *line;
  return {a.value + b.value, clamp(a.low + b.low), clamp(a.high + b.high)};
}

Term Encoder::subtract(const Term& a, const Term& b) {
  return {a.value - b.value, clamp(a.low - b.high), clamp(a.high - b.low)};
}

Term Encoder::multiply(const Term& a, const Term& b) {
  if (b.high - b.low < a.high - a.low) return multiply(b, a);  // a takes the fewer values
  Term product{number(0)};
  const auto is = [](const Term& term, Role::Kind kind) { return term.role.kind == kind; };
  if (is(a, Role::Kind::extent) && is(b, Role::Kind::extent) && a.role.axis != b.role.axis &&
      extents_.size() == 2) {
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
  if (sort_ == Sort::bits && (product.high >= kVast || product.low <= -kVast)) {
    throw Unsupported{"a product that may not fit 64 bits"};
  }
  return product;
}

Encoder::Division Encoder::floor_division(const Term& a, const Term& b, const z3::expr& path) {
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
          {q, r,
           z3::implies(b.value >= number(1),
                       a.value == q * b.value + r && r >= number(0) && r < b.value)});
      kept_.push_back(a.value);
      kept_.push_back(b.value);
      known = divisions_.emplace(key, std::make_pair(q, r)).first;
    }
    result.quotient.value = known->second.first;
    result.remainder.value = known->second.second;
  }
  const auto floor = [](std::int64_t x, std::int64_t y) {
    return x >= 0 ? x / y : -((-x + y - 1) / y);
  };
  result.quotient.low = a.low <= -kFar ? -kFar
                        : a.low >= 0   ? a.low / std::max(b.high, least)
                                       : floor(a.low, least);
  result.quotient.high = a.high >= kFar ? kFar
                         : a.high >= 0  ? a.high / least
                                        : floor(a.high, std::max(b.high, least));
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

Term Encoder::divide(Operation operation, Rounding rounding, const Term& a, const Term& b,
                     const z3::expr& path) {
  const bool quotient = operation == Operation::divide;
  if (!exact_ &&
      a.low < 0) {  // orders rarely divide what is negative: try to show that this one does not
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

Term Encoder::bit_operation(const Node& node, const Term& a, const Term& b, const z3::expr& path) {
  const bool constant_amount = b.low == b.high && b.low >= 0 && b.low < 31;
  if (node.operation == Operation::shift_left && constant_amount)
    return multiply(a, constant(std::int64_t{1} << b.low));
  if (node.operation == Operation::shift_right && constant_amount) {
    return floor_division(a, constant(std::int64_t{1} << b.low), path).quotient;
  }
  const bool is_mask = b.low == b.high && b.low >= 0 && (b.low & (b.low + 1)) == 0;
  if (node.operation == Operation::bit_and && is_mask && a.low >= 0) {
    return floor_division(a, constant(b.low + 1), path).remainder;
  }
  const bool is_bitwise = node.operation == Operation::bit_and ||
                          node.operation == Operation::bit_or ||
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
  throw Unsupported{fmt::format("line {}: '{}' is not encoded for all sizes", node.at.line,
                                order::symbol(node.operation))};
}

Term Encoder::fit(Term term, Type type, const z3::expr& path) {
  // p * g of the other axis stays below the number of blocks.
  if (term.role.kind == Role::Kind::launch_times_extent && term.role.axis != term.role.by &&
      extents_.size() == 2 && !shape_.own_tiles) {
    return term;
  }
  const bool is_wide = type == Type::i64 || type == Type::u64 || type == Type::constexpr_int;
  if (exact_ && is_wide && (term.low <= -kFar || term.high >= kFar))
    throw Unsupported{"64-bit arithmetic that may overflow"};
  std::int64_t low = -kFar;
  std::int64_t high = kFar;
  if (type == Type::i32) low = -kInt32Max - 1, high = kInt32Max;
  if (type == Type::u32) low = 0, high = 2 * kInt32Max + 1;
  if (type == Type::u64) low = 0;
  if (!exact_) {  // first try to show that nothing needs more than int32
    low = std::max(low, -kInt32Max - 1);
    high = std::min(high, kInt32Max);
  }
  if (term.low < low) oblige(path, term.value >= number(low));
  if (term.high > high) oblige(path, term.value <= number(high));
  term.low = std::max(term.low, low);
  term.high = std::min(term.high, high);
  return term;
}

}  // namespace heddle::proof
