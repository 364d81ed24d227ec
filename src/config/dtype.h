// Element types of tensors and kernel values.
//
//   dtype_from_text("fp16") == dtype_from_text("float16") == DType::float16
//   byte_width(DType::bfloat16) == 2
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::config {

enum class DType : std::uint8_t {
  boolean,  ///< one byte in memory, as Triton stores it
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float8_e4m3,
  float8_e5m2,
  float16,
  bfloat16,
  float32,
  float64,
};

/// Accepts the names of Triton (int32, fp16, bf16, fp8e4nv, uint8, ...), of PyTorch (float16,
/// bfloat16, float8_e4m3fn) and the short ones (i32, f16, u8).
std::optional<DType> dtype_from_text(std::string_view text);

/// Triton's name: "fp16", "int32", "int1", "fp8e4nv", ...
std::string_view dtype_text(DType type);

/// The attribute of triton.language: "float16", "int32", "int1", "float8e4nv", ...
std::string_view language_text(DType type);

/// Bytes of one element in memory.
int byte_width(DType type);

/// Bits of the value: 1 for boolean, else 8 x byte_width.
int bit_width(DType type);

bool is_float(DType type);
/// int8..int64; not boolean.
bool is_signed(DType type);
/// Every integer type, signed, unsigned and boolean.
bool is_integer(DType type);

}  // namespace heddle::config
