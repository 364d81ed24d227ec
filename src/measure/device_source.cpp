#include "measure/device_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "kernel/cxx/source.h"
#include "support/text.h"

namespace heddle::measure {
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

}  // namespace

std::string device_source(const std::string& path, const std::string& text,
                          const std::string& name) {
  const kernel::cxx::CxxSource source(path, text);
  // device_text says dynamic shared memory in words of its own (rule 4 of source.h).
  std::string result = fmt::format(
      "#define __extern_shared__ extern __shared__\n#define HEDDLE_DYNAMIC_NAME\n#line 1 \"{}\"\n",
      name);
  const std::string device = source.device_text();
  for (const std::string_view line : split_lines(device))
    result += fmt::format("{}\n", is_dropped(line) ? std::string_view() : line);
  return result;
}

}  // namespace heddle::measure
