// Any bytes as a compact form, as --let, --grid and --tiles.
#include <cstdint>
#include <string>

#include "order/bindings.h"
#include "order/compact.h"
#include "order/space_range.h"
#include "proof/check.h"
#include "support/error.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const order::Order order = order::read_compact(text);
    order::Space space;
    space.launch = Grid({5, 7});
    proof::check_grid(order, space, {}, {});
  } catch (const Error&) {
  }
  try {
    const order::Bindings bindings({text});
    order::Space space;
    const auto names = bindings.names();
    bindings.values({names.begin(), names.end()}, space);
  } catch (const Error&) {
  }
  const std::size_t half = text.find('|');
  try {
    const order::SpaceRange range(text.substr(0, half),
                                  half == std::string::npos ? "" : text.substr(half + 1), {});
    int visited = 0;
    range.for_each([&](const order::Space&) { return ++visited < 100; });
  } catch (const Error&) {
  }
  return 0;
}
