// Headers that kernels include and that a run-time compiler needs nothing of, or has no file for.
#pragma once

#include <array>

namespace heddle::agent {

struct VirtualHeader {
  const char* name;
  const char* text;
};

inline constexpr const char* kIntegers =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
    "typedef long long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;\n"
    "typedef unsigned int uint32_t; typedef unsigned long long uint64_t;\n"
    "typedef unsigned long long uintptr_t; typedef long long intptr_t;\n"
    "namespace std { using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;\n"
    "using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; }\n";

inline constexpr const char* kSizes =
    "#pragma once\n"
    "typedef decltype(sizeof(0)) size_t;\n"
    "typedef decltype((char*)0 - (char*)0) ptrdiff_t;\n"
    "namespace std { using ::size_t; using ::ptrdiff_t; }\n";

inline constexpr const char* kMathematics =
    "#pragma once\n"
    "#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\n"
    "#ifndef NAN\n#define NAN __int_as_float(0x7fffffff)\n#endif\n"
    "#ifndef M_PI\n#define M_PI 3.14159265358979323846\n#endif\n";

inline constexpr const char* kIntegerLimits =
    "#pragma once\n"
    "#ifndef INT_MAX\n"
    "#define CHAR_BIT 8\n#define SCHAR_MAX 127\n#define UCHAR_MAX 255\n#define SHRT_MAX 32767\n"
    "#define USHRT_MAX 65535\n#define INT_MAX 2147483647\n#define INT_MIN (-INT_MAX - 1)\n"
    "#define UINT_MAX 4294967295U\n#define LLONG_MAX 9223372036854775807LL\n"
    "#define LLONG_MIN (-LLONG_MAX - 1)\n#define ULLONG_MAX 18446744073709551615ULL\n"
    "#endif\n";

inline constexpr const char* kFloatLimits =
    "#pragma once\n"
    "#ifndef FLT_MAX\n"
    "#define FLT_MAX 3.402823466e+38F\n#define FLT_MIN 1.175494351e-38F\n"
    "#define FLT_EPSILON 1.192092896e-07F\n#define DBL_MAX 1.7976931348623158e+308\n"
    "#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.2204460492503131e-16\n"
    "#endif\n";

inline constexpr std::array<VirtualHeader, 21> kVirtualHeaders = {{
    {"cuda.h", ""},
    {"cuda_runtime.h", ""},
    {"cuda_runtime_api.h", ""},
    {"device_launch_parameters.h", ""},
    {"hip/hip_runtime.h", ""},
    {"math.h", kMathematics},
    {"cmath", kMathematics},
    {"limits.h", kIntegerLimits},
    {"climits", kIntegerLimits},
    {"float.h", kFloatLimits},
    {"cfloat", kFloatLimits},
    {"stdio.h", ""},
    {"cstdio", ""},
    {"stdlib.h", ""},
    {"cstdlib", ""},
    {"assert.h", ""},
    {"cassert", ""},
    {"stdint.h", kIntegers},
    {"cstdint", kIntegers},
    {"stddef.h", kSizes},
    {"cstddef", kSizes},
}};

}  // namespace heddle::agent
