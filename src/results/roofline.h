// A roofline: ceilings of a GPU and where kernels stand below them, as plain data.
//
//   GFLOP/s |      ___________ matrix FP64 45.3 T
//           |     /   ________ vector FP64 22.6 T
//           |  L1/ /L2 / HBM
//           |   / /   /   x  kernel: 0.25 FLOP/byte at HBM, 169 GFLOP/s
//           +---------------------- FLOP/byte
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Bandwidth of a level of memory.
struct BandwidthCeiling {
  std::string level;  ///< "HBM", "MALL", "L2", "L1", "LDS"
  double gb_per_s = 0;
};

/// Rate of arithmetic. Integers count operations.
struct ComputeCeiling {
  std::string type;  ///< "FP64", "FP32", "FP16", "BF16", "FP8", "FP6", "FP4", "INT8"
  bool matrix = false;
  double gflop_per_s = 0;
};

struct RooflineCeilings {
  std::string source;  ///< "roofline.csv, device 0 (measured)", "GPU file mi210 (...)"; empty: none
  std::vector<BandwidthCeiling> bandwidths;
  std::vector<ComputeCeiling> rates;

  bool empty() const { return bandwidths.empty() && rates.empty(); }
};

/// A kernel, or one dispatch of it.
struct RooflinePoint {
  std::string kernel;
  std::optional<long long> dispatch;  ///< of one dispatch
  std::size_t calls = 0;
  double gflop_per_s = 0;
  double duration_ns = 0;  ///< mean of the calls
  double total_ns = 0;
  double flops = 0;         ///< per call
  double intensity_l1 = 0;  ///< FLOP per byte; 0 where no byte moved
  double intensity_l2 = 0;
  double intensity_hbm = 0;
  std::string missing;  ///< counters that were not recorded; then the point is not drawn
};

struct RooflineRun {
  std::string name;  ///< "vcopy/MI200"
  std::string gpu;   ///< "MI200"; empty: the run does not say
  std::string date;  ///< as the run says it; may be empty
  bool is_simulated = false;
  RooflineCeilings ceilings;
  std::vector<RooflinePoint> points;
};

}  // namespace heddle
