#include "profile/plausibility/amounts.h"

namespace heddle::profile {

std::optional<FabricBytes> fabric_bytes(const Recording& recording, const Dispatch& dispatch) {
  const Recording::FabricNames& names = recording.fabric_names();
  const auto of = [&](std::string_view name) { return recording.counter(name, dispatch); };
  const auto reads = of(names.reads), short_reads = of(names.short_reads);
  const auto writes = of(names.writes), long_writes = of(names.long_writes);
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
  const auto single =
      recording.sum({"SQ_INSTS_VALU_ADD_F16", "SQ_INSTS_VALU_MUL_F16", "SQ_INSTS_VALU_TRANS_F16",
                     "SQ_INSTS_VALU_ADD_F32", "SQ_INSTS_VALU_MUL_F32", "SQ_INSTS_VALU_TRANS_F32",
                     "SQ_INSTS_VALU_ADD_F64", "SQ_INSTS_VALU_MUL_F64", "SQ_INSTS_VALU_TRANS_F64"},
                    dispatch);
  if (!single) return std::nullopt;
  const auto fused = recording.sum(
      {"SQ_INSTS_VALU_FMA_F16", "SQ_INSTS_VALU_FMA_F32", "SQ_INSTS_VALU_FMA_F64"}, dispatch);
  if (!fused) return std::nullopt;
  return 64 * (*single + 2 * *fused);
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
