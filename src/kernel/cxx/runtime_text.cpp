#include "kernel/cxx/runtime_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "kernel/cxx/source.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

/// Headers that a compiler at run time finds, or that the agent gives it.
constexpr std::array<std::string_view, 12> kKept = {
    "cuda_fp16.h", "cuda_bf16.h",      "cuda_fp8.h", "cooperative_groups.h",
    "cuComplex.h", "math_constants.h", "mma.h",      "stdint.h",
    "cstdint",     "hip/hip_fp16.h",   "cuda/std/",  "hip/hip_bfloat16.h"};

bool is_dropped(std::string_view line) {
  std::string_view rest = trim(line);
  if (!rest.starts_with('#')) return false;
  rest = trim(rest.substr(1));
  if (!rest.starts_with("include")) return false;
  const std::size_t open = rest.find('<');
  const std::size_t close = rest.find('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return false;
  const std::string_view name = rest.substr(open + 1, close - open - 1);
  return std::none_of(kKept.begin(), kKept.end(),
                      [&](std::string_view kept) { return name.starts_with(kept); });
}

/// Functions that HIP has and CUDA spells otherwise: all lanes of a wave take part.
constexpr const char* kHipNames =
    "#define __shfl(...) __shfl_sync(0xffffffffu, __VA_ARGS__)\n"
    "#define __shfl_up(...) __shfl_up_sync(0xffffffffu, __VA_ARGS__)\n"
    "#define __shfl_down(...) __shfl_down_sync(0xffffffffu, __VA_ARGS__)\n"
    "#define __shfl_xor(...) __shfl_xor_sync(0xffffffffu, __VA_ARGS__)\n"
    "#define __ballot(x) __ballot_sync(0xffffffffu, x)\n"
    "#define __any(x) __any_sync(0xffffffffu, x)\n"
    "#define __all(x) __all_sync(0xffffffffu, x)\n";

}  // namespace

std::string runtime_text(const std::string& path, const std::string& text,
                         const std::string& name) {
  const CxxSource source(path, text);
  // device_text says dynamic shared memory in words of its own (rule 4 of source.h).
  std::string result = "#define __extern_shared__ extern __shared__\n#define HEDDLE_DYNAMIC_NAME\n";
  if (path.ends_with(".hip") && name.ends_with(".cu")) result += kHipNames;
  result += fmt::format("#line 1 \"{}\"\n", name);
  const std::string device = source.device_text();
  for (const std::string_view line : split_lines(device))
    result += fmt::format("{}\n", is_dropped(line) ? std::string_view() : line);
  return result;
}

}  // namespace heddle::kernel::cxx
