#include "profile/plausibility/amounts.h"

#include <fmt/format.h>

namespace heddle::profile {

std::optional<FabricBytes> fabric_bytes(const Recording& recording, const Dispatch& dispatch) {
  const auto of = [&](std::string_view name) {
    return recording.counter(recording.fabric(name), dispatch);
  };
  const auto reads = of("RDREQ_sum"), short_reads = of("RDREQ_32B_sum");
  const auto writes = of("WRREQ_sum"), long_writes = of("WRREQ_64B_sum");
  if (!reads || !short_reads || !writes || !long_writes) return std::nullopt;
  FabricBytes bytes{64 * *reads - 32 * *short_reads, 32 * *writes + 32 * *long_writes};
  if (recording.is_mi300()) {
    const auto lines = recording.counter("TCC_BUBBLE_sum", dispatch);
    if (!lines) return std::nullopt;
    bytes.read += 64 * *lines;
  }
  return bytes;
}

std::optional<double> vector_operations(const Recording& recording, const Dispatch& dispatch) {
  double operations = 0;
  for (const char* type : {"F16", "F32", "F64"}) {
    const auto of = [&](const char* kind) {
      return recording.counter(fmt::format("SQ_INSTS_VALU_{}_{}", kind, type), dispatch);
    };
    const auto add = of("ADD"), multiply = of("MUL"), other = of("TRANS"), fused = of("FMA");
    if (!add || !multiply || !other || !fused) return std::nullopt;
    operations += 64 * (*add + *multiply + *other + 2 * *fused);
  }
  return operations;
}

std::optional<double> matrix_operations(const Recording& recording, const Dispatch& dispatch) {
  const auto units = recording.sum({"SQ_INSTS_VALU_MFMA_MOPS_F16", "SQ_INSTS_VALU_MFMA_MOPS_BF16",
                                    "SQ_INSTS_VALU_MFMA_MOPS_F32", "SQ_INSTS_VALU_MFMA_MOPS_F64"},
                                   dispatch);
  if (!units) return std::nullopt;
  // Of newer chips.
  const double more = recording.counter("SQ_INSTS_VALU_MFMA_MOPS_F8", dispatch).value_or(0) +
                      recording.counter("SQ_INSTS_VALU_MFMA_MOPS_XF32", dispatch).value_or(0);
  return 512 * (*units + more);
}

}  // namespace heddle::profile
