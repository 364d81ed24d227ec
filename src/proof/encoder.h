// An order's program as formulas for Z3. Other folders include proof/smt.h.
//
// Rules
//   1. Bounds of a term hold for every size as long as the obligations before it hold; obligations
//      are proved first, so the first one to break would be seen.
//   2. What is left out (a product of extents, say) only makes more things possible: a proof
//      stands, a suspect is asked about again with everything said.
#pragma once

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "order/bindings.h"
#include "order/order.h"
#include "order/program.h"
#include "order/syntax.h"

namespace heddle::proof {

using order::Node;
using order::Operation;
using order::Rounding;
using order::Step;
using order::Type;

constexpr std::int64_t kFar = std::int64_t{1} << 60;         ///< "no bound known"
constexpr std::int64_t kVast = (std::int64_t{1} << 62) + 1;  ///< more than any product of two int32
constexpr std::int64_t kFewCases = 64;  ///< a factor with this many values is split
constexpr std::int64_t kInt32Max = 2147483647;

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

/// Two ways of saying "integer". Linear arithmetic settles sums over symbolic sizes; bit vectors
/// settle digit shuffles by powers of two. 64 bits hold every product of two int32 exactly; what
/// may need more is refused.
enum class Sort { integers, bits };

/// The symbols that occur in some formulas.
class Mentioned {
 public:
  void visit(const z3::expr& root);
  bool has(const z3::expr& symbol) const { return seen_.count(symbol.id()) > 0; }

 private:
  std::set<unsigned> seen_;
  std::vector<z3::expr> kept_;  ///< so that ids stay theirs
};

class Encoder {
 public:
  /// `exact`: say from the start that the extents multiply to the number of tiles, and allow
  /// dividends to be negative.
  Encoder(z3::context& context, Sort sort, bool exact, const order::Program& program,
          const order::Shape& shape, const order::Bindings& bindings);

  /// The result values for one launched block; obligations collect what must hold besides.
  std::vector<Term> block(const std::string& suffix);

  /// The ids of this block along the lines its formula uses: different blocks differ in them.
  const std::map<int, Term>& lines() const { return lines_; }

  z3::expr inside(const std::vector<Term>& results);

  const std::vector<Term>& launch() const { return launch_; }
  const std::vector<Term>& extents() const { return extents_; }
  /// What holds of the symbols in a question. Divisions by a size bring products of variables with
  /// them, so only those that the question (or another fact) mentions are told.
  z3::expr_vector facts_for(const z3::expr& question) const;
  z3::expr obligations() const;

 private:
  z3::expr number(std::int64_t value);
  z3::expr symbol(const char* name);
  Term constant(std::int64_t value) { return {number(value), value, value}; }

  Term variable(const std::string& name, std::int64_t low, std::int64_t high);
  Term grid_extent(int axis);
  Term tile_extent(int axis);
  void oblige(const z3::expr& path, const z3::expr& claim) {
    obligations_.push_back(z3::implies(path, claim));
  }

  // ---- arithmetic -------------------------------------------------------------------------

  Term choose(const z3::expr& condition, const Term& then, const Term& otherwise);

  /// p1 * g0 + p0 numbers the blocks of a 2-D grid (as p0 * g1 + p1 does): one variable below n.
  std::optional<Term> line_through(const Term& a, const Term& b);

  /// (c // g1, c % g1) is tile c of a 2-D grid: inside and met exactly as c is.
  std::optional<Term> as_line(const std::vector<Term>& results);

  /// The extents multiply to the number of tiles.
  void state_product();
  Term add(const Term& a, const Term& b);
  Term subtract(const Term& a, const Term& b);
  Term multiply(const Term& a, const Term& b);

  struct Division {
    Term quotient;
    Term remainder;
  };

  /// a = q*b + r with 0 <= r < b, for a divisor of at least 1.
  Division floor_division(const Term& a, const Term& b, const z3::expr& path);
  Term divide(Operation operation, Rounding rounding, const Term& a, const Term& b,
              const z3::expr& path);
  Term bit_operation(const Node& node, const Term& a, const Term& b, const z3::expr& path);
  Term fit(Term term, Type type, const z3::expr& path);

  // ---- nodes ------------------------------------------------------------------------------

  Term truth(const z3::expr& condition);
  z3::expr condition(int index, const z3::expr& path);
  Term term(int index, const z3::expr& path);
  Term unary(const Node& node, const Term& a);
  Term binary(const Node& node, const Term& a, const Term& b, const z3::expr& path);

  // ---- bound names ------------------------------------------------------------------------

  Term named(const std::string& name, int depth);
  Term bound(const order::Expression& expression, int depth);

  // ---- steps ------------------------------------------------------------------------------

  void run(const std::vector<Step>& steps, const z3::expr& path);
  void branch(const Step& step, const z3::expr& path);

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

}  // namespace heddle::proof
