#include "proof/by_division.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "proof/polynomial.h"

namespace heddle::proof {
namespace {

using order::Node;
using order::Operation;
using order::Step;

/// What the text is not made of; with its reason.
struct NotRead {
  std::string reason;
};

std::string launch_name(std::int64_t axis) {
  return fmt::format("p{}", axis);
}

class Division {
 public:
  Division(const order::Program& program, const std::string& tiles)
      : program_(program), tiles_(tiles) {}

  DivisionProof run() {
    try {
      slots_.resize(program_.variables.size());
      read(program_.steps);
      match();
    } catch (const NotRead& not_read) {
      proof_.reason = not_read.reason;
    }
    return std::move(proof_);
  }

 private:
  // ---- the text as polynomials

  void read(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::stop) throw NotRead{"a block may return at once"};
      if (step.kind == Step::Kind::loop) throw NotRead{"the index lines loop"};
      if (step.kind == Step::Kind::branch) {
        read_branch(step);
        continue;
      }
      const Polynomial value = evaluate(step.node);
      slots_[static_cast<std::size_t>(step.variable)] = value;
      remember(value, program_.variables[static_cast<std::size_t>(step.variable)]);
    }
  }

  void read_branch(const Step& step) {
    const Polynomial condition = evaluate(step.node);
    const std::vector<Polynomial> before = slots_;
    read(step.body);
    std::vector<Polynomial> then = std::move(slots_);
    slots_ = before;
    read(step.otherwise);
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (then[i] != slots_[i])
        slots_[i] = all_.opaque("if", condition, all_.opaque("else", then[i], slots_[i]));
  }

  /// The shortest way to say a value that is the same in every block.
  void remember(const Polynomial& value, const std::string& name) {
    if (!is_uniform(value) || all_.number(value) || name.empty()) return;
    if (const Atom* atom = all_.only_atom(value); atom && atom->kind == Atom::Kind::name) return;
    texts_.emplace(value, name);
  }

  Polynomial evaluate(int index) {
    const Node& node = program_.nodes[static_cast<std::size_t>(index)];
    switch (node.kind) {
      case Node::Kind::constant:
        return all_.constant(node.value);
      case Node::Kind::launch:
        return all_.name(launch_name(node.value));
      case Node::Kind::grid:
        return all_.name(fmt::format("g{}", node.value));
      case Node::Kind::tile_extent:
        return all_.name(fmt::format("t{}", node.value));
      case Node::Kind::name:
        return all_.name(program_.names[static_cast<std::size_t>(node.value)]);
      case Node::Kind::variable:
        return slots_[static_cast<std::size_t>(node.value)];
      case Node::Kind::cast:
        return evaluate(node.a);
      case Node::Kind::unary:
        return unary(node);
      case Node::Kind::binary:
        return binary(node);
      case Node::Kind::logical_and:
      case Node::Kind::logical_or:
        return all_.opaque(node.kind == Node::Kind::logical_and ? "and" : "or", evaluate(node.a),
                           evaluate(node.b));
      case Node::Kind::select:
        return choose(node);
    }
    return {};
  }

  /// a < b ? a : b is a minimum.
  Polynomial choose(const Node& node) {
    const Node& test = program_.nodes[static_cast<std::size_t>(node.a)];
    const Polynomial then = evaluate(node.b);
    const Polynomial otherwise = evaluate(node.c);
    if (test.kind == Node::Kind::binary &&
        (test.operation == Operation::less || test.operation == Operation::less_equal ||
         test.operation == Operation::greater || test.operation == Operation::greater_equal)) {
      const bool is_less =
          test.operation == Operation::less || test.operation == Operation::less_equal;
      const Polynomial a = evaluate(test.a);
      const Polynomial b = evaluate(test.b);
      if ((is_less ? a : b) == then && (is_less ? b : a) == otherwise)
        return all_.minimum(then, otherwise);
    }
    return all_.opaque("if", evaluate(node.a), all_.opaque("else", then, otherwise));
  }

  Polynomial unary(const Node& node) {
    const Polynomial a = evaluate(node.a);
    if (node.operation == Operation::negate) return all_.add({}, a, -1);
    return all_.opaque(std::string(order::symbol(node.operation)), a, {});
  }

  Polynomial binary(const Node& node) {
    const Polynomial a = evaluate(node.a);
    const Polynomial b = evaluate(node.b);
    const auto number = all_.number(b);
    const bool is_shift = number && *number >= 0 && *number < 31;
    switch (node.operation) {
      case Operation::add:
        return all_.with_remainders(all_.add(a, b));
      case Operation::subtract:
        return all_.with_remainders(all_.add(a, b, -1));
      case Operation::multiply:
        if (may_overflow(a, b) || may_overflow(b, a)) break;
        return all_.multiply(a, b);
      case Operation::divide:
        return all_.quotient(a, b);
      case Operation::remainder:
        return all_.remainder(a, b);
      case Operation::minimum:
        return all_.minimum(a, b);
      case Operation::shift_left:
        if (is_shift) {
          const Polynomial power = all_.constant(std::int64_t{1} << *number);
          if (!may_overflow(a, power)) return all_.multiply(a, power);
        }
        break;
      case Operation::shift_right:
        if (is_shift) return all_.quotient(a, all_.constant(std::int64_t{1} << *number));
        break;
      case Operation::bit_and:
        if (number && *number > 0 && (*number & (*number + 1)) == 0)
          return all_.remainder(a, all_.constant(*number + 1));
        break;
      default:
        break;
    }
    return all_.opaque(std::string(order::symbol(node.operation)), a, b);
  }

  /// A block's number times a literal one, unless it was divided by as much before.
  bool may_overflow(const Polynomial& value, const Polynomial& factor) const {
    const auto number = all_.number(factor);
    if (!number || (*number >= -1 && *number <= 1) || is_uniform(value)) return false;
    const Atom* const atom = all_.only_atom(value);
    if (atom == nullptr || atom->kind != Atom::Kind::quotient) return true;
    return std::ranges::any_of(atom->b,
                               [&](const auto& term) { return term.second % *number != 0; });
  }

  // ---- digits

  bool is_uniform(const Polynomial& value) const {
    return !all_.has(value, "p0") && !all_.has(value, "p1") && !all_.has(value, "p2");
  }

  /// A positive number: names and quotients are, and their sums and products.
  bool is_positive(const Polynomial& value) const {
    if (value.empty() || !is_uniform(value)) return false;
    return std::ranges::all_of(value, [&](const auto& term) {
      return term.second > 0 && std::ranges::all_of(term.first, [&](int one) {
               const Atom& atom = all_.at(one);
               return atom.kind == Atom::Kind::name ||
                      (atom.kind == Atom::Kind::quotient && is_count(atom));
             });
    });
  }
  /// A quotient of sizes: x // y or (x + y - 1) // y.
  bool is_count(const Atom& atom) const {
    return is_uniform(atom.a) && (is_positive(atom.a) || ceiling_of(atom));
  }
  std::optional<Polynomial> ceiling_of(const Atom& atom) const {
    const Polynomial whole =
        all_.add(all_.add(atom.a, atom.b, -1), all_.constant(1));  // x, if a is x + b - 1
    if (is_positive(whole) && is_positive(atom.b)) return whole;
    return std::nullopt;
  }

  struct Digit {
    std::size_t result = 0;
    Polynomial of;                     ///< what is split
    Polynomial below;                  ///< the ids that a step of it takes
    std::optional<Polynomial> extent;  ///< nothing: what is left
    std::optional<Polynomial> whole;   ///< the extent of one that has no bound but needs one
  };

  /// (x // below) % extent, and its shorter forms.
  Digit digit_of(const Polynomial& value) const {
    Digit digit{0, value, all_.constant(1), {}, {}};
    const Atom* atom = all_.only_atom(value);
    if (atom != nullptr && atom->kind == Atom::Kind::remainder && is_positive(atom->b)) {
      digit.extent = atom->b;
      digit.of = atom->a;
      atom = all_.only_atom(digit.of);
    }
    if (atom != nullptr && atom->kind == Atom::Kind::quotient && is_positive(atom->b)) {
      digit.below = atom->b;
      digit.of = atom->a;
    }
    return digit;
  }

  /// c - digit, where c is one less than its extent.
  std::optional<Digit> mirrored(const Polynomial& value) const {
    for (const auto& [atoms, factor] : value) {
      if (factor != -1 || atoms.size() != 1) continue;
      const Polynomial alone = {{atoms, 1}};
      const Polynomial extent = all_.add(all_.add(value, alone), all_.constant(1));
      if (!is_positive(extent)) continue;
      Digit digit = digit_of(alone);
      if (digit.extent && *digit.extent != extent) return std::nullopt;
      digit.whole = extent;
      return digit;
    }
    return std::nullopt;
  }

  /// The digits of `of`, fastest first; throws NotRead where they do not make it up.
  std::vector<Digit> chain(const Polynomial& of, std::vector<Digit> digits) const {
    std::vector<Digit> sorted;
    Polynomial below = all_.constant(1);
    while (!digits.empty()) {
      const auto next = std::ranges::find_if(
          digits, [&](const Digit& digit) { return digit.of == of && digit.below == below; });
      if (next == digits.end()) throw NotRead{"the index lines are not digits of the launch id"};
      if (!next->extent && digits.size() > 1) throw NotRead{"two of the index lines have no bound"};
      if (next->extent) below = all_.multiply(below, *next->extent);
      sorted.push_back(std::move(*next));
      digits.erase(next);
    }
    return sorted;
  }

  void match() {
    std::vector<Polynomial> results;
    for (const int slot : program_.results)
      results.push_back(slots_[static_cast<std::size_t>(slot)]);
    proof_.extents.resize(results.size());
    std::vector<Digit> digits;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < results.size(); ++i) {
      Digit digit = digit_of(results[i]);
      const auto backwards = mirrored(results[i]);
      if (backwards) digit = *backwards;
      digit.result = i;
      if (!is_split(digit.of))
        open.push_back(i);
      else
        digits.push_back(std::move(digit));
    }
    if (!open.empty()) match_bands(results, open, digits);
    match_axes(std::move(digits));
    std::set<std::string> names;
    for (const std::string& name : program_.names) names.insert(name);
    proof_.names.assign(names.begin(), names.end());
    proof_.is_proved = true;
  }

  /// A launch id, or the number that bands were made of.
  bool is_split(const Polynomial& of) const {
    const Atom* atom = all_.only_atom(of);
    return atom != nullptr && atom->kind == Atom::Kind::name && atom->text.size() == 2 &&
           atom->text[0] == 'p' && !is_uniform(of);
  }

  void match_axes(std::vector<Digit> digits) {
    std::vector<std::string> walks;
    for (const char* axis : {"p0", "p1", "p2"}) {
      const Polynomial id = all_.name(axis);
      std::vector<Digit> mine;
      for (const Digit& digit : digits)
        if (digit.of == id) mine.push_back(digit);
      const bool is_used = std::ranges::any_of(program_.nodes, [&](const Node& node) {
        return node.kind == Node::Kind::launch && launch_name(node.value) == axis;
      });
      if (mine.empty() && is_used) throw NotRead{"an axis of the launch reaches no coordinate"};
      std::vector<Digit> sorted = chain(id, mine);
      if (!tiles_.empty() && !sorted.empty()) compare_tiles(sorted);
      for (const Digit& digit : sorted) {
        const auto extent = digit.extent ? digit.extent : digit.whole;
        if (digit.result < proof_.extents.size() && extent)
          proof_.extents[digit.result] = extent_of(*extent);
      }
      if (sorted.size() > 1 && sorted.front().result < proof_.extents.size())
        walks.push_back(fmt::format("{} fastest", program_.result_names[sorted.front().result]));
    }
    if (proof_.walk.empty()) proof_.walk = fmt::format("{}", fmt::join(walks, ", "));
  }

  /// The ids of a line are as many as the text says; that bounds the slowest digit.
  void compare_tiles(std::vector<Digit>& sorted) const {
    const auto slot = std::ranges::find(program_.variables, tiles_);
    if (slot == program_.variables.end()) throw NotRead{"the end of the loop is not known"};
    const Polynomial& tiles = slots_[static_cast<std::size_t>(slot - program_.variables.begin())];
    Polynomial below = all_.constant(1);
    for (Digit& digit : sorted) {
      if (!digit.extent && digit.whole) digit.extent = digit.whole;
      if (!digit.extent) {
        digit.extent = all_.exact(tiles, below);
        if (!digit.extent || !is_positive(*digit.extent))
          throw NotRead{"the loop does not end at a whole number of rows of tiles"};
      }
      below = all_.multiply(below, *digit.extent);
    }
    if (below != tiles) throw NotRead{"the loop does not end at the number of tiles"};
  }

  // ---- bands

  struct Band {
    Polynomial of;      ///< the id that is split
    Polynomial height;  ///< of a full band
    Polynomial rows;
    Polynomial columns;
    Polynomial tall;  ///< of this band
    Polynomial first;
    Polynomial per_band;
  };

  /// min(rows - x // per_band * height, height).
  std::optional<Band> band_of(const Atom& atom) {
    for (const bool is_swapped : {false, true}) {
      Band band;
      band.height = is_swapped ? atom.a : atom.b;
      const Polynomial left = is_swapped ? atom.b : atom.a;
      if (!is_positive(band.height)) continue;
      for (int i = 0; i < all_.count(); ++i) {
        const Atom quotient = all_.at(i);
        if (quotient.kind != Atom::Kind::quotient) continue;
        band.first = all_.multiply({{{i}, 1}}, band.height);
        band.rows = all_.add(left, band.first);
        const auto columns = all_.exact(quotient.b, band.height);
        if (!columns || !is_positive(*columns) || !is_positive(band.rows)) continue;
        band.of = quotient.a;
        band.per_band = quotient.b;
        band.columns = *columns;
        band.tall = all_.minimum(left, band.height);
        return band;
      }
    }
    return std::nullopt;
  }

  void match_bands(const std::vector<Polynomial>& results, const std::vector<std::size_t>& open,
                   std::vector<Digit>& digits) {
    if (open.size() != 2) throw NotRead{"the index lines are neither digits nor bands"};
    for (int i = 0; i < all_.count(); ++i) {
      const Atom atom = all_.at(i);
      if (atom.kind != Atom::Kind::minimum) continue;
      const auto band = band_of(atom);
      if (!band) continue;
      const Polynomial inside = all_.remainder(band->of, band->per_band);
      const Polynomial column = all_.quotient(inside, band->tall);
      for (const bool is_swapped : {false, true}) {
        const std::size_t row = open[is_swapped ? 1 : 0];
        const std::size_t col = open[is_swapped ? 0 : 1];
        if (results[col] != column) continue;
        const Polynomial rest = all_.add(results[row], band->first, -1);
        if (rest != all_.remainder(inside, band->tall) &&
            rest != all_.remainder(band->of, band->tall))
          continue;
        finish_bands(*band, row, col, digits);
        return;
      }
    }
    throw NotRead{"the index lines are neither digits nor bands"};
  }

  void finish_bands(const Band& band, std::size_t row, std::size_t col,
                    std::vector<Digit>& digits) {
    Digit plane = digit_of(band.of);
    plane.result = proof_.extents.size();  // of two results
    const Polynomial tiles = all_.multiply(band.rows, band.columns);
    if (!is_split(plane.of)) throw NotRead{"the bands are not of the launch id"};
    if (plane.extent && *plane.extent != tiles)
      throw NotRead{"the bands are of another number of tiles than the launch id is split by"};
    plane.whole = tiles;
    digits.push_back(plane);
    proof_.extents[row] = extent_of(band.rows);
    proof_.extents[col] = extent_of(band.columns);
    proof_.walk =
        fmt::format("bands of {} along {}", text(band.height), program_.result_names[row]);
    proof_.limits.push_back(text(band.per_band, false));
  }

  // ---- words

  DivisionExtent extent_of(const Polynomial& value) const {
    DivisionExtent extent;
    extent.text = text(value);
    extent.is_sum = value.size() > 1 && !is_rounded_up(value);
    if (const Atom* atom = all_.only_atom(value); atom && atom->kind == Atom::Kind::quotient)
      extent.tile = text(atom->b);
    std::set<std::string> names;
    for (const auto& [atoms, factor] : value)
      for (const int one : atoms) {
        const Atom& atom = all_.at(one);
        if (atom.kind == Atom::Kind::name) names.insert(atom.text);
        const Polynomial dividend = ceiling_of(atom).value_or(atom.a);
        for (const auto& [parts, times] : dividend)
          for (const int part : parts)
            if (all_.at(part).kind == Atom::Kind::name) names.insert(all_.at(part).text);
      }
    extent.sizes.assign(names.begin(), names.end());
    return extent;
  }

  /// (x - 1) // y + 1
  bool is_rounded_up(const Polynomial& value) const {
    const Polynomial rest = all_.add(value, all_.constant(1), -1);
    const Atom* const atom = all_.only_atom(rest);
    return atom != nullptr && atom->kind == Atom::Kind::quotient && is_positive(atom->b) &&
           !is_count(*atom) && is_positive(all_.add(atom->a, all_.constant(1)));
  }

  std::string text(const Polynomial& value, bool by_name = true) const {
    if (const auto known = texts_.find(value); by_name && known != texts_.end())
      return known->second;
    std::string result;
    for (const auto& [atoms, factor] : value) {
      std::vector<std::string> parts;
      if (factor != 1 || atoms.empty()) parts.push_back(fmt::format("{}", factor));
      for (const int one : atoms) parts.push_back(atom_text(one));
      result += (result.empty() ? "" : " + ") + fmt::format("{}", fmt::join(parts, " * "));
    }
    return result.empty() ? "0" : result;
  }

  std::string atom_text(int one) const {
    const Atom& atom = all_.at(one);
    if (const auto known = texts_.find({{{one}, 1}}); known != texts_.end()) return known->second;
    if (atom.kind == Atom::Kind::name) return atom.text;
    if (atom.kind == Atom::Kind::quotient) {
      if (const auto whole = ceiling_of(atom))
        return fmt::format("cdiv({}, {})", text(*whole), text(atom.b));
      return fmt::format("({}) // ({})", text(atom.a), text(atom.b));
    }
    return atom.text;
  }

  const order::Program& program_;
  const std::string tiles_;
  Polynomials all_;
  std::vector<Polynomial> slots_;
  std::map<Polynomial, std::string> texts_;
  DivisionProof proof_;
};

}  // namespace

DivisionProof prove_by_division(const order::Program& program, const std::string& tiles) {
  return Division(program, tiles).run();
}

}  // namespace heddle::proof
