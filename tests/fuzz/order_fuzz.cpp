// Any bytes as an order text, in either language: an Error or an answer, never a crash or a hang.
#include <cstdint>
#include <string>

#include "emit/emit.h"
#include "order/bindings.h"
#include "order/order.h"
#include "order/space_range.h"
#include "proof/check.h"
#include "proof/proven_order.h"
#include "support/error.h"

using namespace heddle;

namespace {

void try_order(const std::string& text, order::Language language, const char* grid,
               const char* tiles) {
  try {
    order::ReadOptions options;
    options.language = language;
    const order::Order order = order::Order::from_formula(text, "fuzz", options);
    const order::Bindings bindings({"M=64,N=96,BLOCK=8,G=g0"});
    const order::SpaceRange range(grid, tiles, bindings);
    RangeReport report;
    const auto proven =
        proof::prove_range(order, range, bindings, {8, std::chrono::seconds(5)}, report);
    if (!proven) return;
    for (const emit::Dialect dialect :
         {emit::Dialect::triton, emit::Dialect::cuda, emit::Dialect::opencl, emit::Dialect::cpp}) {
      emit::emit_order(*proven, {dialect, {}});
    }
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const order::Language language : {order::Language::triton, order::Language::c_like}) {
    try_order(text, language, "13", "");
    try_order(text, language, "4x3", "");
    try_order(text, language, "12", "3x4");
  }
  return 0;
}
