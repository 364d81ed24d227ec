#include <fmt/format.h>

#include "profile/roofline/roofline.h"
#include "support/error.h"

namespace heddle::profile {
namespace {

struct BandwidthColumn {
  const char* column;
  const char* level;
};
constexpr BandwidthColumn kBandwidths[] = {
    {"HBMBw", "HBM"}, {"MALLBw", "MALL"}, {"L2Bw", "L2"}, {"L1Bw", "L1"}, {"LDSBw", "LDS"}};

struct RateColumn {
  const char* column;
  const char* type;
  bool matrix;
};
constexpr RateColumn kRates[] = {{"FP64Flops", "FP64", false},    {"MFMAF64Flops", "FP64", true},
                                 {"FP32Flops", "FP32", false},    {"MFMAF32Flops", "FP32", true},
                                 {"FP16Flops", "FP16", false},    {"MFMAF16Flops", "FP16", true},
                                 {"MFMABF16Flops", "BF16", true}, {"MFMAI8Ops", "INT8", true}};

/// GB/s or GFLOP/s; what is larger is damage.
constexpr double kMostCeiling = 1e12;

std::optional<double> positive(const CounterTable& table, const char* column, std::size_t row) {
  const auto place = table.find(column);
  if (!place) return std::nullopt;
  const auto value = table.number(*place, row);
  return value && *value > 0 && *value <= kMostCeiling ? value : std::nullopt;
}

/// The row that says it is of the device; the row of that number where there is no such column.
std::optional<std::size_t> row_of(const CounterTable& table, std::size_t device) {
  const auto column = table.find("device");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.damaged(row)) continue;
    const auto id = column ? table.integer(*column, row) : std::nullopt;
    if (id ? *id == static_cast<std::int64_t>(device) : row == device) return row;
  }
  return std::nullopt;
}

}  // namespace

RooflineCeilings measured_ceilings(const Workload& workload, std::size_t device) {
  const CounterTable& table = workload.roofline;
  if (table.rows() == 0)
    throw Error(fmt::format("'{}' has no roofline.csv", workload.path),
                "take the ceilings of a GPU file: --gpu NAME (heddle gpus lists them)",
                ExitCode::missing);
  const auto row = row_of(table, device);
  if (!row && device < table.rows() && table.damaged(device))
    throw Error(fmt::format("row {} of '{}/roofline.csv' is damaged", device, workload.path),
                "choose another with --device N, or --gpu NAME");
  if (!row)
    throw Error(fmt::format("'{}/roofline.csv' has no row of device {}", workload.path, device),
                "choose one with --device N, or --gpu NAME");
  RooflineCeilings ceilings;
  ceilings.source = fmt::format("roofline.csv, device {} (measured)", device);
  for (const BandwidthColumn& one : kBandwidths) {
    if (const auto value = positive(table, one.column, *row))
      ceilings.bandwidths.push_back({one.level, *value});
  }
  for (const RateColumn& one : kRates) {
    if (const auto value = positive(table, one.column, *row))
      ceilings.rates.push_back({one.type, one.matrix, *value});
  }
  if (ceilings.bandwidths.empty() && ceilings.rates.empty())
    throw Error(fmt::format("'{}/roofline.csv' holds no ceiling", workload.path),
                "it should have columns HBMBw, L2Bw, FP64Flops, ...; or use --gpu NAME");
  return ceilings;
}

RooflineCeilings known_ceilings(const config::Gpu& gpu) {
  RooflineCeilings ceilings;
  ceilings.source = fmt::format("GPU file {}{} (data sheet, not measured here)", gpu.name,
                                gpu.mode.empty() ? "" : ":" + gpu.mode);
  const double ghz = gpu.compute.clock_mhz / 1e3;
  const double units = static_cast<double>(gpu.compute.dies) * gpu.compute.compute_units;
  const double channels = static_cast<double>(gpu.compute.dies) * gpu.l2.channels;
  const auto bandwidth = [&](const char* level, double gb_per_s) {
    if (gb_per_s > 0) ceilings.bandwidths.push_back({level, gb_per_s});
  };
  bandwidth("HBM", gpu.memory.peak_bytes_per_second / 1e9);
  if (gpu.last_level) bandwidth("MALL", gpu.last_level->bytes_per_second / 1e9);
  bandwidth("L2", gpu.l2.read_bytes_per_clock * channels * ghz);
  bandwidth("L1", gpu.l1.bytes_per_clock * units * ghz);
  const auto rate = [&](const char* type, bool matrix, double operations_per_clock) {
    if (operations_per_clock > 0)
      ceilings.rates.push_back({type, matrix, operations_per_clock * units * ghz});
  };
  const config::GpuArithmetic& known = gpu.arithmetic;
  rate("FP64", false, known.vector_fp64);
  rate("FP64", true, known.matrix_fp64);
  rate("FP32", false, known.vector_fp32);
  rate("FP32", true, known.matrix_fp32);
  rate("FP16", false, known.vector_fp16);
  rate("FP16", true, known.matrix_fp16);
  rate("BF16", true, known.matrix_fp16);
  rate("INT8", true, known.matrix_fp8);
  return ceilings;
}

}  // namespace heddle::profile
