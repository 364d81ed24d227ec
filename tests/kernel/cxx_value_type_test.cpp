// What the types of C++ parameters say.
#include "kernel/cxx/value_type.h"

#include <gtest/gtest.h>

namespace heddle::testing {
namespace {

using config::DType;
using kernel::cxx::value_type;
using kernel::cxx::ValueType;

std::string words(const std::string& written) {
  const ValueType type = value_type(written);
  std::string text = type.element ? std::string(config::dtype_text(*type.element)) : type.name;
  if (type.elements > 1) text += " x" + std::to_string(type.elements);
  return text + std::string(static_cast<std::size_t>(type.pointers), '*');
}

TEST(CxxValueType, Pointers) {
  EXPECT_EQ(words("const float* __restrict__"), "fp32*");
  EXPECT_EQ(words("double *"), "fp64*");
  EXPECT_EQ(words("const __half*"), "fp16*");
  EXPECT_EQ(words("__hip_bfloat16 const * const"), "bf16*");
  EXPECT_EQ(words("__nv_bfloat162*"), "bf16 x2*");
  EXPECT_EQ(words("float4*"), "fp32 x4*");
  EXPECT_EQ(words("float**"), "fp32**");
  EXPECT_EQ(words("int[]"), "int32*");
  EXPECT_EQ(words("int[16][4]"), "int32**");
  EXPECT_EQ(words("void*"), "void*");
  EXPECT_EQ(words("const T*"), "T*");
}

TEST(CxxValueType, Numbers) {
  EXPECT_EQ(words("int"), "int32");
  EXPECT_EQ(words("unsigned"), "uint32");
  EXPECT_EQ(words("unsigned long long int"), "uint64");
  EXPECT_EQ(words("long long"), "int64");
  EXPECT_EQ(words("short unsigned int"), "uint16");
  EXPECT_EQ(words("signed char"), "int8");
  EXPECT_EQ(words("unsigned char"), "uint8");
  EXPECT_EQ(words("const std::size_t"), "uint64");
  EXPECT_EQ(words("bool"), "int1");
  EXPECT_EQ(words("const float&"), "fp32");
  EXPECT_EQ(words("Params"), "Params");
  EXPECT_EQ(words(""), "");
  EXPECT_EQ(words("\"a"), "");
}

}  // namespace
}  // namespace heddle::testing
