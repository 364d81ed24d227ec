// Any bytes as an optimiser's log.
#include <cstdint>
#include <string_view>

#include "audit/audit_log.h"
#include "optlog/read.h"
#include "support/error.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto attempts = optlog::read_log({reinterpret_cast<const char*>(data), size});
    order::Space space;
    space.launch = Grid({4, 4});
    audit::audit_log(attempts, space, order::Bindings({"M=64,N=64"}), {});
  } catch (const Error&) {
  }
  return 0;
}
