#include "kernel/cxx/value_type.h"

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

using config::DType;

/// Words that say nothing about the bytes.
const std::set<std::string_view> kIgnored = {"const",
                                             "volatile",
                                             "__restrict__",
                                             "__restrict",
                                             "restrict",
                                             "struct",
                                             "typename",
                                             "class",
                                             "register",
                                             "std",
                                             "::",
                                             "&",
                                             "&&",
                                             "__global",
                                             "__constant__",
                                             "__shared__",
                                             "__grid_constant__",
                                             "enum"};

const std::map<std::string_view, DType> kElementTypes = {
    {"bool", DType::boolean},
    {"char", DType::int8},
    {"int8_t", DType::int8},
    {"uint8_t", DType::uint8},
    {"uchar", DType::uint8},
    {"byte", DType::uint8},
    {"short", DType::int16},
    {"int16_t", DType::int16},
    {"uint16_t", DType::uint16},
    {"ushort", DType::uint16},
    {"int", DType::int32},
    {"int32_t", DType::int32},
    {"uint32_t", DType::uint32},
    {"uint", DType::uint32},
    {"long", DType::int64},
    {"longlong", DType::int64},
    {"int64_t", DType::int64},
    {"ptrdiff_t", DType::int64},
    {"uint64_t", DType::uint64},
    {"ulong", DType::uint64},
    {"ulonglong", DType::uint64},
    {"size_t", DType::uint64},
    {"half", DType::float16},
    {"__half", DType::float16},
    {"_Float16", DType::float16},
    {"float16_t", DType::float16},
    {"__hip_bfloat16", DType::bfloat16},
    {"hip_bfloat16", DType::bfloat16},
    {"__nv_bfloat16", DType::bfloat16},
    {"nv_bfloat16", DType::bfloat16},
    {"__bf16", DType::bfloat16},
    {"bfloat16", DType::bfloat16},
    {"__nv_fp8_e4m3", DType::float8_e4m3},
    {"__hip_fp8_e4m3", DType::float8_e4m3},
    {"__hip_fp8_e4m3_fnuz", DType::float8_e4m3},
    {"__nv_fp8_e5m2", DType::float8_e5m2},
    {"__hip_fp8_e5m2", DType::float8_e5m2},
    {"__hip_fp8_e5m2_fnuz", DType::float8_e5m2},
    {"float", DType::float32},
    {"double", DType::float64}};

DType as_unsigned(DType type) {
  switch (type) {
    case DType::int8:
      return DType::uint8;
    case DType::int16:
      return DType::uint16;
    case DType::int32:
      return DType::uint32;
    case DType::int64:
      return DType::uint64;
    default:
      return type;
  }
}

/// float4, half2, __nv_bfloat162: a number of lanes behind a type.
void read_vector(ValueType& type) {
  const char last = type.name.empty() ? '\0' : type.name.back();
  if (last < '1' || last > '4') return;
  const std::string one = type.name.substr(0, type.name.size() - 1);
  const auto found = kElementTypes.find(one);
  if (found == kElementTypes.end()) return;
  type.element = found->second;
  type.elements = last - '0';
}

/// unsigned long long int, in any order.
std::optional<DType> built_in(const std::vector<std::string_view>& words) {
  bool is_unsigned = false;
  std::optional<DType> found;
  for (const std::string_view word : words) {
    if (word == "unsigned" || word == "signed") {
      is_unsigned = is_unsigned || word == "unsigned";
      if (!found) found = DType::int32;
      continue;
    }
    const auto known = kElementTypes.find(word);
    if (known == kElementTypes.end()) return std::nullopt;
    // `int` beside short or long adds nothing.
    if (!found || word != "int") found = known->second;
  }
  if (!found) return std::nullopt;
  return is_unsigned ? as_unsigned(*found) : *found;
}

}  // namespace

ValueType value_type(const std::string& written) {
  ValueType type;
  std::vector<Token> tokens;
  try {
    tokens = tokenize(written, written);
  } catch (const Error&) {
    return type;
  }
  std::vector<std::string_view> words;
  bool in_brackets = false;
  for (const Token& token : tokens) {
    if (token.text == "[") ++type.pointers;
    in_brackets = token.text == "[" || (in_brackets && token.text != "]");
    if (token.text == "*") ++type.pointers;
    if (in_brackets || token.text == "*" || token.text == "]" || kIgnored.count(token.text) != 0)
      continue;
    words.push_back(token.text);
    type.name += (type.name.empty() ? "" : " ") + std::string(token.text);
  }
  type.element = built_in(words);
  if (!type.element) read_vector(type);
  return type;
}

}  // namespace heddle::kernel::cxx
