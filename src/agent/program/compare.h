// Outputs of a candidate beside those of the original.
//
//   Reference reference = make_reference(tensor, first, again, second);
//   auto difference = compare(tensor, reference, found_first, found_second);
//   -> "tensor c at (3, 5): expected 1.5, found 2.5; 128 of 4096 elements"
//
// Rules
//   1. Each run is done twice: with kFirstPattern and kSecondPattern in what is only written. An
//      element that holds the patterns afterwards was not written.
//   2. Bits are compared. Only a tensor in which the original differs from itself is compared
//      within kSpreadFactor times the largest distance that was seen. Before anything is called
//      different, the original runs kMoreRuns times again: sums in another order may agree by
//      chance.
//   3. `unwritten` if all elements that differ were not written, `different` otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bundle.h"

namespace heddle::agent {

inline constexpr unsigned char kFirstPattern = 0xa5;
inline constexpr unsigned char kSecondPattern = 0x5a;
inline constexpr unsigned char kGuardPattern = 0x3c;
inline constexpr double kSpreadFactor = 8;
inline constexpr int kMoreRuns = 6;

using Bytes = std::vector<unsigned char>;

struct Reference {
  Bytes first;
  Bytes second;
  bool varies = false;
  double spread = 0;  ///< largest distance of the original from itself
};

/// `again`: a second run with the first pattern.
Reference make_reference(const Tensor& tensor, Bytes first, const Bytes& again, Bytes second);

/// One more run with the first pattern.
void widen(const Tensor& tensor, const Bytes& again, Reference& reference);

struct Comparison {
  bool equal = true;       ///< or close, see `distance`
  double distance = 0;     ///< of a tensor that varies: the largest that was found
  bool unwritten = false;  ///< what kind of difference it is
  std::string detail;
};

/// Null: the run gave the reference's bytes.
Comparison compare(const Tensor& tensor, const Reference& reference, const Bytes* first,
                   const Bytes* second);

/// "(3, 5)" by shape and strides, or "element 1234".
std::string place_text(const Tensor& tensor, std::uint64_t element);

}  // namespace heddle::agent
