// Any bytes as a C++ file: its kernels, and its text without host code and assembly.
#include <cstdint>
#include <string>

#include "kernel/cxx/gpu_assembly.h"
#include "kernel/cxx/source.h"
#include "support/error.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const kernel::cxx::CxxSource source("fuzz.hip",
                                        std::string(reinterpret_cast<const char*>(data), size));
    kernel::cxx::without_gpu_assembly(source.device_text());
    source.kernel("k<1>");
  } catch (const Error&) {
  }
  return 0;
}
