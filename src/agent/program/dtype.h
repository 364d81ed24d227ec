// Types of elements: their names in bundles, and values to and from bytes.
//
//   dtype_of("bf16") -> Dtype::bf16       bytes_of(Dtype::bf16) -> 2
//   encode(Dtype::fp16, 0.1, bytes)       decode(Dtype::fp16, bytes) -> 0.0999755859375
//
// Rules
//   1. Floating types are rounded to the nearest, ties to even. Too large becomes infinity, or in a
//      type without one (fp8e4nv) the largest number.
//   2. Bytes are those of the machine, little-endian on all that are meant.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::agent {

enum class Dtype {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  fp16,
  bf16,
  fp32,
  fp64,
  fp8e4nv,
  fp8e5,
};

std::optional<Dtype> dtype_of(std::string_view name);
std::string_view name_of(Dtype dtype);
std::size_t bytes_of(Dtype dtype);
bool is_floating(Dtype dtype);

double decode(Dtype dtype, const void* bytes);
void encode(Dtype dtype, double value, void* bytes);

/// The value as text, integers exactly.
std::string value_text(Dtype dtype, const void* bytes);

/// A number as a bundle writes it into bytes; false if it is none of this type.
bool encode_text(Dtype dtype, std::string_view text, void* bytes);

}  // namespace heddle::agent
