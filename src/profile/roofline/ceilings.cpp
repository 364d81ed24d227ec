#include <fmt/format.h>

#include <algorithm>

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
constexpr RateColumn kRates[] = {
    {"FP64Flops", "FP64", false},    {"MFMAF64Flops", "FP64", true}, {"FP32Flops", "FP32", false},
    {"MFMAF32Flops", "FP32", true},  {"FP16Flops", "FP16", false},   {"MFMAF16Flops", "FP16", true},
    {"MFMABF16Flops", "BF16", true}, {"MFMAI8Ops", "INT8", true},    {"BF16Flops", "BF16", false},
    {"I8Ops", "INT8", false},        {"FP8Flops", "FP8", false},     {"MFMAF8Flops", "FP8", true},
    {"MFMAF6Flops", "FP6", true},    {"MFMAF4Flops", "FP4", true}};

/// GB/s or GFLOP/s; what is larger is damage.
constexpr double kMostCeiling = 1e12;

std::optional<double> positive(const CounterTable& table, const char* column, std::size_t row) {
  const auto place = table.find(column);
  if (!place) return std::nullopt;
  const auto value = table.number(*place, row);
  return value && *value > 0 && *value <= kMostCeiling ? value : std::nullopt;
}

/// What the row says it is of; the number of the row where there is no such column.
std::int64_t device_of(const CounterTable& table, std::size_t row) {
  const auto column = table.find("device");
  const auto id = column ? table.integer(*column, row) : std::nullopt;
  return id.value_or(static_cast<std::int64_t>(row));
}

std::optional<std::size_t> row_of(const CounterTable& table, std::size_t device) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!table.damaged(row) && device_of(table, row) == static_cast<std::int64_t>(device))
      return row;
  }
  return std::nullopt;
}

/// A ceiling of a GPU file, and the key of its number.
struct KnownFigure {
  std::string name;
  std::string key;
};

bool is_estimated(const config::Gpu& gpu, const KnownFigure& figure) {
  return std::ranges::any_of(gpu.facts, [&](const config::GpuFact& fact) {
    return fact.key == figure.key && fact.source == "estimated";
  });
}

/// "GPU file mi300x:SPX (not measured here; estimated: vector FP16; ...)".
std::string source_text(const config::Gpu& gpu, const std::vector<KnownFigure>& figures) {
  std::vector<std::string> estimated;
  for (const KnownFigure& figure : figures) {
    if (is_estimated(gpu, figure)) estimated.push_back(figure.name);
  }
  const std::string name = gpu.mode.empty() ? gpu.name : gpu.name + ":" + gpu.mode;
  return fmt::format(
      "GPU file {} (not measured here{}; heddle gpus {} cites the sources)", name,
      estimated.empty() ? "" : fmt::format("; estimated: {}", fmt::join(estimated, ", ")), name);
}

}  // namespace

std::optional<std::size_t> first_device(const Workload& workload) {
  if (row_of(workload.roofline, 0)) return 0;
  for (std::size_t row = 0; row < workload.roofline.rows(); ++row) {
    if (!workload.roofline.damaged(row) && device_of(workload.roofline, row) >= 0)
      return static_cast<std::size_t>(device_of(workload.roofline, row));
  }
  return std::nullopt;
}

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
  ceilings.source = fmt::format("roofline.csv, device {} ({})", device,
                                workload.system_text("simulated_by") == nullptr
                                    ? "measured"
                                    : "of the GPU file, as it is simulated");
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
  std::vector<KnownFigure> figures;
  const double ghz = gpu.compute.clock_mhz / 1e3;
  const double units = static_cast<double>(gpu.compute.dies) * gpu.compute.compute_units;
  const double channels = static_cast<double>(gpu.compute.dies) * gpu.l2.channels;
  const auto bandwidth = [&](const char* level, const char* key, double gb_per_s) {
    if (gb_per_s <= 0) return;
    ceilings.bandwidths.push_back({level, gb_per_s});
    figures.push_back({level, key});
  };
  bandwidth("HBM", "memory.peak_bytes_per_second", gpu.memory.peak_bytes_per_second / 1e9);
  if (gpu.last_level)
    bandwidth("MALL", "last_level.bytes_per_second", gpu.last_level->bytes_per_second / 1e9);
  bandwidth("L2", "l2.read_bytes_per_clock", gpu.l2.read_bytes_per_clock * channels * ghz);
  bandwidth("L1", "l1.bytes_per_clock", gpu.l1.bytes_per_clock * units * ghz);
  const auto rate = [&](const char* type, bool matrix, const char* key, double per_clock) {
    if (per_clock <= 0) return;
    ceilings.rates.push_back({type, matrix, per_clock * units * ghz});
    figures.push_back({std::string(matrix ? "matrix " : "vector ") + type, key});
  };
  const config::GpuArithmetic& known = gpu.arithmetic;
  rate("FP64", false, "arithmetic.vector_fp64", known.vector_fp64);
  rate("FP64", true, "arithmetic.matrix_fp64", known.matrix_fp64);
  rate("FP32", false, "arithmetic.vector_fp32", known.vector_fp32);
  rate("FP32", true, "arithmetic.matrix_fp32", known.matrix_fp32);
  rate("FP16", false, "arithmetic.vector_fp16", known.vector_fp16);
  rate("FP16", true, "arithmetic.matrix_fp16", known.matrix_fp16);
  // Keys of GPU files stand for two types each (docs/add-a-gpu.md).
  rate("BF16", true, "arithmetic.matrix_fp16", known.matrix_fp16);
  rate("INT8", true, "arithmetic.matrix_fp8", known.matrix_fp8);
  ceilings.source = source_text(gpu, figures);
  return ceilings;
}

}  // namespace heddle::profile
