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
    "typedef decltype(sizeof(0)) uintptr_t; typedef long long intptr_t;\n"
    "namespace std { using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;\n"
    "using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; }\n";

inline constexpr const char* kSizes =
    "#pragma once\n"
    "typedef decltype(sizeof(0)) size_t;\n"
    "typedef decltype((char*)0 - (char*)0) ptrdiff_t;\n"
    "namespace std { using ::size_t; using ::ptrdiff_t; }\n";

inline constexpr std::array<VirtualHeader, 17> kVirtualHeaders = {{
    {"cuda.h", ""},
    {"cuda_runtime.h", ""},
    {"cuda_runtime_api.h", ""},
    {"device_launch_parameters.h", ""},
    {"hip/hip_runtime.h", ""},
    {"math.h", ""},
    {"cmath", ""},
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
