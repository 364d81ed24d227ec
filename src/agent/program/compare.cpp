#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "words.h"

namespace heddle::agent {
namespace {

bool holds(const unsigned char* element, std::size_t size, unsigned char pattern) {
  return std::all_of(element, element + size, [&](unsigned char byte) { return byte == pattern; });
}

/// Infinite where only one of them is a number.
double distance_of(Dtype dtype, const unsigned char* one, const unsigned char* other) {
  const double a = decode(dtype, one);
  const double b = decode(dtype, other);
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (a == b) return 0;
  const double distance = std::abs(a - b);
  return std::isnan(distance) ? HUGE_VAL : distance;
}

/// Elements of one tensor: what was expected and found, with both patterns.
class Elements {
 public:
  Elements(const Tensor& tensor, const Reference& reference, const Bytes* first,
           const Bytes* second)
      : tensor_(tensor),
        reference_(reference),
        size_(bytes_of(tensor.dtype)),
        first_(first != nullptr ? *first : reference.first),
        second_(second != nullptr ? *second : reference.second) {}

  Comparison compare() {
    const std::uint64_t count = reference_.first.size() / size_;
    for (std::uint64_t i = 0; i < count; ++i) look_at(i);
    Comparison result;
    result.distance = distance_;
    if (differing_ == 0) return result;
    result.equal = false;
    result.unwritten = unwritten_ == differing_;
    const std::uint64_t at = place_ * size_;
    const bool by_first = !same(reference_.first, first_, at);
    const Bytes& expected = by_first ? reference_.first : reference_.second;
    const Bytes& found = by_first ? first_ : second_;
    result.detail = "tensor " + tensor_.name + " at " + place_text(tensor_, place_) +
                    ": expected " + value_text(tensor_.dtype, expected.data() + at) + ", found " +
                    (result.unwritten ? "what was there before"
                                      : value_text(tensor_.dtype, found.data() + at)) +
                    "; " + std::to_string(differing_) + " of " + std::to_string(count) +
                    " elements";
    if (!result.unwritten && unwritten_ > 0)
      result.detail += ", " + std::to_string(unwritten_) + " of them not written";
    return result;
  }

 private:
  bool same(const Bytes& one, const Bytes& other, std::uint64_t at) {
    if (std::memcmp(one.data() + at, other.data() + at, size_) == 0) return true;
    if (!reference_.varies) return false;
    const double distance = distance_of(tensor_.dtype, one.data() + at, other.data() + at);
    if (distance > kSpreadFactor * reference_.spread) return false;
    distance_ = std::max(distance_, distance);
    return true;
  }

  void look_at(std::uint64_t element) {
    const std::uint64_t at = element * size_;
    // First: what was not written must not pass for close.
    const bool skipped =
        has_patterns(first_, second_, at) && !has_patterns(reference_.first, reference_.second, at);
    if (!skipped && same(reference_.first, first_, at) && same(reference_.second, second_, at))
      return;
    if (differing_++ == 0) place_ = element;
    if (skipped) ++unwritten_;
  }

  bool has_patterns(const Bytes& first, const Bytes& second, std::uint64_t at) const {
    return tensor_.use == Use::write && holds(first.data() + at, size_, kFirstPattern) &&
           holds(second.data() + at, size_, kSecondPattern);
  }

  const Tensor& tensor_;
  const Reference& reference_;
  std::size_t size_;
  const Bytes& first_;
  const Bytes& second_;
  double distance_ = 0;
  std::uint64_t differing_ = 0;
  std::uint64_t unwritten_ = 0;
  std::uint64_t place_ = 0;
};

/// Whether and how far two runs of the original differ.
void look(const Tensor& tensor, const Bytes& first, const Bytes& other, bool patterns_differ,
          Reference& reference) {
  if (first == other) return;
  const std::size_t size = bytes_of(tensor.dtype);
  for (std::size_t at = 0; at + size <= first.size(); at += size) {
    if (std::memcmp(first.data() + at, other.data() + at, size) == 0) continue;
    if (patterns_differ && holds(first.data() + at, size, kFirstPattern) &&
        holds(other.data() + at, size, kSecondPattern))
      continue;
    reference.varies = true;
    const double distance = distance_of(tensor.dtype, first.data() + at, other.data() + at);
    if (std::isfinite(distance)) reference.spread = std::max(reference.spread, distance);
  }
}

}  // namespace

Reference make_reference(const Tensor& tensor, Bytes first, const Bytes& again, Bytes second) {
  Reference reference;
  look(tensor, first, again, false, reference);
  // With other patterns only what does not depend on them: an original that reads what it is said
  // to write only would seem to vary, and everything would be close to it.
  if (reference.varies) look(tensor, first, second, tensor.use == Use::write, reference);
  reference.first = std::move(first);
  reference.second = std::move(second);
  return reference;
}

void widen(const Tensor& tensor, const Bytes& again, Reference& reference) {
  look(tensor, reference.first, again, false, reference);
}

Comparison compare(const Tensor& tensor, const Reference& reference, const Bytes* first,
                   const Bytes* second) {
  if (first == nullptr && second == nullptr) return {};
  return Elements(tensor, reference, first, second).compare();
}

std::string place_text(const Tensor& tensor, std::uint64_t element) {
  const std::string plain = "element " + std::to_string(element);
  const std::size_t axes = tensor.shape.size();
  if (axes == 0) return plain;
  std::vector<std::int64_t> strides = tensor.strides;
  if (strides.empty()) {
    strides.assign(axes, 1);
    for (std::size_t i = axes - 1; i > 0; --i)
      if (__builtin_mul_overflow(strides[i], tensor.shape[i], &strides[i - 1])) return plain;
  }
  std::vector<std::size_t> by_stride(axes);
  std::iota(by_stride.begin(), by_stride.end(), std::size_t{0});
  std::stable_sort(by_stride.begin(), by_stride.end(),
                   [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  std::vector<std::int64_t> index(axes, 0);
  auto rest = static_cast<std::int64_t>(element);
  for (const std::size_t axis : by_stride) {
    if (strides[axis] <= 0) continue;
    index[axis] = std::min(rest / strides[axis], std::max<std::int64_t>(tensor.shape[axis] - 1, 0));
    rest -= index[axis] * strides[axis];
  }
  if (rest != 0) return plain;
  std::string text;
  for (const std::int64_t i : index) text += (text.empty() ? "(" : ", ") + std::to_string(i);
  return text + ")";
}

}  // namespace heddle::agent
