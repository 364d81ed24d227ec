// Whole numbers as polynomials over names and quotients, in one form for each value that is read off
// an order's text. For by_division.cpp.
//
//   pid - pid // n * n      remainder(pid, n)
//   (pid % (a * n)) // n    remainder(quotient(pid, n), a)
//
// Rules
//   1. Equal texts are equal values. Unequal texts may be equal, too.
//   2. All of it holds for dividends that are not negative and divisors that are positive, in whole
//      numbers without an end: by_division.h says where that is known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace heddle::proof {

/// Products of atoms, by the atoms' numbers in ascending order, with their factors; none is 0.
using Polynomial = std::map<std::vector<int>, std::int64_t>;

struct Atom {
  enum class Kind { name, quotient, remainder, minimum, opaque };
  Kind kind = Kind::name;
  std::string text;  ///< of a name; else the operation
  Polynomial a = {};
  Polynomial b = {};
  friend bool operator<(const Atom& left, const Atom& right) {
    return std::tie(left.kind, left.text, left.a, left.b) <
           std::tie(right.kind, right.text, right.a, right.b);
  }
};

class Polynomials {
 public:
  Polynomial constant(std::int64_t value) const;
  Polynomial name(const std::string& text) { return atom({Atom::Kind::name, text}); }
  /// Something that is not looked into.
  Polynomial opaque(const std::string& operation, Polynomial a, Polynomial b);

  Polynomial add(const Polynomial& a, const Polynomial& b, std::int64_t factor = 1) const;
  Polynomial multiply(const Polynomial& a, const Polynomial& b) const;
  Polynomial quotient(const Polynomial& a, const Polynomial& b);
  Polynomial remainder(const Polynomial& a, const Polynomial& b);
  Polynomial minimum(const Polynomial& a, const Polynomial& b);
  /// x - x // y * y is x % y.
  Polynomial with_remainders(Polynomial value);

  /// a / b, where b is a product of names that divides all of a.
  std::optional<Polynomial> exact(const Polynomial& a, const Polynomial& b) const;
  std::optional<std::int64_t> number(const Polynomial& value) const;
  /// The atom that it is, if it is one.
  const Atom* only_atom(const Polynomial& value) const;
  const Atom& at(int atom) const { return atoms_[static_cast<std::size_t>(atom)]; }
  int count() const { return static_cast<int>(atoms_.size()); }
  /// Whether a name takes part.
  bool has(const Polynomial& value, const std::string& name) const;

 private:
  Polynomial atom(Atom atom);
  std::vector<Atom> atoms_;
  std::map<Atom, int> numbers_;
};

}  // namespace heddle::proof
