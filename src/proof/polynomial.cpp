#include "proof/polynomial.h"

#include <algorithm>

namespace heddle::proof {
namespace {

void add_term(Polynomial& to, const std::vector<int>& atoms, std::int64_t factor) {
  const auto [entry, is_new] = to.emplace(atoms, factor);
  if (!is_new) entry->second += factor;
  if (entry->second == 0) to.erase(entry);
}

}  // namespace

Polynomial Polynomials::constant(std::int64_t value) const {
  return value == 0 ? Polynomial{} : Polynomial{{{}, value}};
}

Polynomial Polynomials::atom(Atom atom) {
  const auto [entry, is_new] = numbers_.emplace(atom, count());
  if (is_new) atoms_.push_back(std::move(atom));
  return {{{entry->second}, 1}};
}

Polynomial Polynomials::opaque(const std::string& operation, Polynomial a, Polynomial b) {
  return atom({Atom::Kind::opaque, operation, std::move(a), std::move(b)});
}

Polynomial Polynomials::add(const Polynomial& a, const Polynomial& b, std::int64_t factor) const {
  Polynomial sum = a;
  for (const auto& [atoms, times] : b) add_term(sum, atoms, factor * times);
  return sum;
}

Polynomial Polynomials::multiply(const Polynomial& a, const Polynomial& b) const {
  Polynomial product;
  for (const auto& [first, times] : a) {
    for (const auto& [second, more] : b) {
      std::vector<int> atoms = first;
      atoms.insert(atoms.end(), second.begin(), second.end());
      std::ranges::sort(atoms);
      add_term(product, atoms, times * more);
    }
  }
  return product;
}

std::optional<std::int64_t> Polynomials::number(const Polynomial& value) const {
  if (value.empty()) return 0;
  if (value.size() > 1 || !value.begin()->first.empty()) return std::nullopt;
  return value.begin()->second;
}

const Atom* Polynomials::only_atom(const Polynomial& value) const {
  if (value.size() != 1 || value.begin()->second != 1 || value.begin()->first.size() != 1)
    return nullptr;
  return &at(value.begin()->first.front());
}

std::optional<Polynomial> Polynomials::exact(const Polynomial& a, const Polynomial& b) const {
  if (b.size() != 1) {
    if (a == b && !b.empty()) return constant(1);
    return std::nullopt;
  }
  const auto& [divisor, times] = *b.begin();
  Polynomial result;
  for (const auto& [atoms, factor] : a) {
    if (!std::ranges::includes(atoms, divisor) || factor % times != 0) return std::nullopt;
    std::vector<int> rest;
    std::ranges::set_difference(atoms, divisor, std::back_inserter(rest));
    add_term(result, rest, factor / times);
  }
  return result;
}

Polynomial Polynomials::quotient(const Polynomial& a, const Polynomial& b) {
  if (const auto whole = exact(a, b)) return *whole;
  if (const Atom* inner = only_atom(a)) {
    const Polynomial dividend = inner->a;
    const Polynomial divisor = inner->b;
    if (inner->kind == Atom::Kind::quotient) return quotient(dividend, multiply(divisor, b));
    if (inner->kind == Atom::Kind::remainder)
      if (const auto fewer = exact(divisor, b)) return remainder(quotient(dividend, b), *fewer);
  }
  return atom({Atom::Kind::quotient, "//", a, b});
}

Polynomial Polynomials::remainder(const Polynomial& a, const Polynomial& b) {
  if (exact(a, b)) return {};
  if (const Atom* inner = only_atom(a); inner != nullptr && inner->kind == Atom::Kind::remainder) {
    const Polynomial dividend = inner->a;
    if (exact(inner->b, b)) return remainder(dividend, b);
  }
  return atom({Atom::Kind::remainder, "%", a, b});
}

Polynomial Polynomials::minimum(const Polynomial& a, const Polynomial& b) {
  if (a == b) return a;
  return a < b ? atom({Atom::Kind::minimum, "min", a, b})
               : atom({Atom::Kind::minimum, "min", b, a});
}

Polynomial Polynomials::with_remainders(Polynomial value) {
  for (const auto& [atoms, factor] : Polynomial(value)) {
    if (factor > 0) continue;
    for (const int one : atoms) {
      if (at(one).kind != Atom::Kind::quotient) continue;
      const Polynomial x = at(one).a;
      const Polynomial y = at(one).b;
      const Polynomial whole = multiply({{{one}, 1}}, y);
      const Polynomial rest = add(add(value, x, -1), whole);
      if (rest.size() < value.size()) return with_remainders(add(rest, remainder(x, y)));
    }
  }
  return value;
}

bool Polynomials::has(const Polynomial& value, const std::string& name) const {
  for (const auto& [atoms, factor] : value)
    for (const int one : atoms) {
      const Atom& part = at(one);
      if (part.kind == Atom::Kind::name ? part.text == name
                                        : has(part.a, name) || has(part.b, name))
        return true;
    }
  return false;
}

}  // namespace heddle::proof
