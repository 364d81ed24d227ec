// Values for the free names of an order: --let M=8192,BLOCK=32,N=32*g0.
//
// Rules
//   1. A value is an expression over numbers, g0 g1 g2, t0 t1 t2 and other bound names; Python's
//      integers, 64 bits at most. So one binding serves a whole range of grids.
//   2. A name is bound once; a circle of names is an error.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "order/space.h"
#include "order/syntax.h"

namespace heddle::order {

class Bindings {
 public:
  Bindings() = default;
  /// Each text is "NAME=expression,NAME=expression"; commas inside brackets do not separate.
  explicit Bindings(const std::vector<std::string>& texts);

  bool has(std::string_view name) const;
  std::set<std::string> names() const;
  /// The expression a name is bound to; null if it is not bound.
  ExpressionPtr expression(std::string_view name) const;
  /// Names whose expression is a lone number that needs more than 32 bits.
  std::set<std::string> wide_names() const;
  /// The values of these names on this space. Throws Error naming every unbound one.
  std::vector<std::int64_t> values(const std::vector<std::string>& names, const Space& space) const;
  /// Any expression over the bound names (used for sizes).
  std::int64_t evaluate(const ExpressionPtr& expression, const Space& space) const;

 private:
  struct Entry {
    std::string name;
    ExpressionPtr expression;
  };
  void add(std::string_view text);
  /// One evaluation on one space: each name is computed once.
  struct Evaluation {
    const Space& space;
    std::map<std::string, std::int64_t> known = {};
    int depth = 0;
  };
  std::int64_t compute(const Expression& expression, Evaluation& evaluation) const;
  std::int64_t compute_name(const std::string& name, Evaluation& evaluation) const;

  std::vector<Entry> entries_;
};

}  // namespace heddle::order
