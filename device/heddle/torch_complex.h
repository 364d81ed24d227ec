/* c10::complex: two numbers, real_ and imag_, with the arithmetic of std::complex. */
#ifndef HEDDLE_TORCH_COMPLEX_H
#define HEDDLE_TORCH_COMPLEX_H

#include "heddle/math.h"

namespace c10 {

template <class T>
struct alignas(2 * sizeof(T)) complex {
  using value_type = T;
  T real_ = T(0);
  T imag_ = T(0);
  constexpr complex() = default;
  HEDDLE_BOTH constexpr complex(const T& real, const T& imaginary = T()) : real_(real), imag_(imaginary) {}
  template <class U>
  HEDDLE_BOTH explicit constexpr complex(const complex<U>& other)
      : real_(static_cast<T>(other.real_)), imag_(static_cast<T>(other.imag_)) {}
  HEDDLE_BOTH constexpr T real() const { return real_; }
  HEDDLE_BOTH constexpr T imag() const { return imag_; }
  HEDDLE_BOTH constexpr complex& operator+=(const complex& b) {
    return *this = complex(real_ + b.real_, imag_ + b.imag_);
  }
  HEDDLE_BOTH constexpr complex& operator-=(const complex& b) {
    return *this = complex(real_ - b.real_, imag_ - b.imag_);
  }
  HEDDLE_BOTH constexpr complex& operator*=(const complex& b) {
    return *this = complex(real_ * b.real_ - imag_ * b.imag_, real_ * b.imag_ + imag_ * b.real_);
  }
  HEDDLE_BOTH constexpr complex& operator/=(const complex& b) {
    const T norm = b.real_ * b.real_ + b.imag_ * b.imag_;
    return *this = complex((real_ * b.real_ + imag_ * b.imag_) / norm,
                           (imag_ * b.real_ - real_ * b.imag_) / norm);
  }
  friend HEDDLE_BOTH constexpr complex operator+(complex a, const complex& b) { return a += b; }
  friend HEDDLE_BOTH constexpr complex operator-(complex a, const complex& b) { return a -= b; }
  friend HEDDLE_BOTH constexpr complex operator*(complex a, const complex& b) { return a *= b; }
  friend HEDDLE_BOTH constexpr complex operator/(complex a, const complex& b) { return a /= b; }
  friend HEDDLE_BOTH constexpr complex operator-(const complex& a) {
    return complex(-a.real_, -a.imag_);
  }
  friend HEDDLE_BOTH constexpr bool operator==(const complex& a, const complex& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
};

}  // namespace c10

/* Where PyTorch puts them: callers write std::conj(x). */
namespace std {
template <class T>
HEDDLE_BOTH constexpr T real(const c10::complex<T>& a) {
  return a.real_;
}
template <class T>
HEDDLE_BOTH constexpr T imag(const c10::complex<T>& a) {
  return a.imag_;
}
template <class T>
HEDDLE_BOTH constexpr T norm(const c10::complex<T>& a) {
  return a.real_ * a.real_ + a.imag_ * a.imag_;
}
template <class T>
HEDDLE_BOTH constexpr c10::complex<T> conj(const c10::complex<T>& a) {
  return c10::complex<T>(a.real_, -a.imag_);
}
}  // namespace std

#endif
