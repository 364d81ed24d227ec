#include "config/dtype.h"

#include <array>

namespace heddle::config {
namespace {

struct Name {
  std::string_view text;
  DType type;
};

/// The first name of a type is the one dtype_text gives.
constexpr std::array kNames = {
    Name{"int1", DType::boolean},
    Name{"bool", DType::boolean},
    Name{"boolean", DType::boolean},
    Name{"i1", DType::boolean},
    Name{"int8", DType::int8},
    Name{"i8", DType::int8},
    Name{"uint8", DType::uint8},
    Name{"u8", DType::uint8},
    Name{"int16", DType::int16},
    Name{"i16", DType::int16},
    Name{"short", DType::int16},
    Name{"uint16", DType::uint16},
    Name{"u16", DType::uint16},
    Name{"int32", DType::int32},
    Name{"i32", DType::int32},
    Name{"int", DType::int32},
    Name{"uint32", DType::uint32},
    Name{"u32", DType::uint32},
    Name{"int64", DType::int64},
    Name{"i64", DType::int64},
    Name{"long", DType::int64},
    Name{"uint64", DType::uint64},
    Name{"u64", DType::uint64},
    Name{"fp8e4nv", DType::float8_e4m3},
    Name{"float8e4nv", DType::float8_e4m3},
    Name{"float8_e4m3", DType::float8_e4m3},
    Name{"float8_e4m3fn", DType::float8_e4m3},
    Name{"fp8e4b8", DType::float8_e4m3},
    Name{"float8e4b8", DType::float8_e4m3},
    Name{"float8_e4m3fnuz", DType::float8_e4m3},
    Name{"fp8e4b15", DType::float8_e4m3},
    Name{"float8e4b15", DType::float8_e4m3},
    Name{"fp8e5", DType::float8_e5m2},
    Name{"float8e5", DType::float8_e5m2},
    Name{"float8_e5m2", DType::float8_e5m2},
    Name{"fp8e5b16", DType::float8_e5m2},
    Name{"float8e5b16", DType::float8_e5m2},
    Name{"float8_e5m2fnuz", DType::float8_e5m2},
    Name{"fp16", DType::float16},
    Name{"float16", DType::float16},
    Name{"f16", DType::float16},
    Name{"half", DType::float16},
    Name{"bf16", DType::bfloat16},
    Name{"bfloat16", DType::bfloat16},
    Name{"fp32", DType::float32},
    Name{"float32", DType::float32},
    Name{"f32", DType::float32},
    Name{"float", DType::float32},
    Name{"fp64", DType::float64},
    Name{"float64", DType::float64},
    Name{"f64", DType::float64},
    Name{"double", DType::float64},
};

}  // namespace

std::optional<DType> dtype_from_text(std::string_view text) {
  for (const std::string_view module : {"tl.", "torch."}) {
    if (text.substr(0, module.size()) == module) {
      text.remove_prefix(module.size());
      break;
    }
  }
  for (const Name& name : kNames) {
    if (name.text == text) return name.type;
  }
  return std::nullopt;
}

std::string_view dtype_text(DType type) {
  for (const Name& name : kNames) {
    if (name.type == type) return name.text;
  }
  return "?";
}

std::string_view language_text(DType type) {
  switch (type) {
    case DType::float8_e4m3:
      return "float8e4nv";
    case DType::float8_e5m2:
      return "float8e5";
    case DType::float16:
      return "float16";
    case DType::bfloat16:
      return "bfloat16";
    case DType::float32:
      return "float32";
    case DType::float64:
      return "float64";
    default:
      return dtype_text(type);
  }
}

int byte_width(DType type) {
  switch (type) {
    case DType::boolean:
    case DType::int8:
    case DType::uint8:
    case DType::float8_e4m3:
    case DType::float8_e5m2:
      return 1;
    case DType::int16:
    case DType::uint16:
    case DType::float16:
    case DType::bfloat16:
      return 2;
    case DType::int32:
    case DType::uint32:
    case DType::float32:
      return 4;
    case DType::int64:
    case DType::uint64:
    case DType::float64:
      return 8;
  }
  return 1;
}

int bit_width(DType type) {
  constexpr int kBitsPerByte = 8;
  return type == DType::boolean ? 1 : kBitsPerByte * byte_width(type);
}

bool is_float(DType type) {
  switch (type) {
    case DType::float8_e4m3:
    case DType::float8_e5m2:
    case DType::float16:
    case DType::bfloat16:
    case DType::float32:
    case DType::float64:
      return true;
    default:
      return false;
  }
}

bool is_signed(DType type) {
  return type == DType::int8 || type == DType::int16 || type == DType::int32 ||
         type == DType::int64;
}

bool is_integer(DType type) {
  return !is_float(type);
}

}  // namespace heddle::config
