#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "profile/roofline/roofline.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostNamedCounters = 3;
constexpr double kLanes = 64;
constexpr double kMatrixOperations = 512;
constexpr double kRequestBytes = 64;
constexpr double kHalfRequestBytes = 32;
constexpr double kWideRequestBytes = 128;

/// A counter and what one of it stands for.
struct Term {
  std::string counter;
  double weight = 1;
  bool optional = false;  ///< older profilers did not count it
};
using Sum = std::vector<Term>;

struct Formulas {
  Sum flops;
  Sum l1_bytes;
  Sum l2_bytes;
  Sum hbm_bytes;
};

/// `narrow`: types of 8 bits and less as well.
Sum flops_sum(bool narrow) {
  Sum sum;
  for (const char* type : {"F16", "F32", "F64"}) {
    for (const char* kind : {"ADD", "MUL", "TRANS", "FMA"}) {
      const double operations = std::string(kind) == "FMA" ? 2 : 1;
      sum.push_back({fmt::format("SQ_INSTS_VALU_{}_{}", kind, type), kLanes * operations});
    }
  }
  for (const char* type : {"F16", "BF16", "F32", "F64"})
    sum.push_back({fmt::format("SQ_INSTS_VALU_MFMA_MOPS_{}", type), kMatrixOperations});
  if (narrow) {
    for (const char* type : {"F8", "F6F4"})
      sum.push_back({fmt::format("SQ_INSTS_VALU_MFMA_MOPS_{}", type), kMatrixOperations, true});
  }
  return sum;
}

/// CDNA 3 and later: lines of 128 B in the L1, and reads of 128 B that TCC_BUBBLE counts.
bool has_wide_reads(const std::string& arch) {
  return arch.starts_with("gfx94") || arch.starts_with("gfx95");
}

Sum hbm_sum(bool wide) {
  const std::string port = wide ? "TCC_EA0_" : "TCC_EA_";
  // Reads are 64 B unless they are counted as 32 B (or 128 B); writes 32 B unless counted as 64 B.
  Sum sum = {{port + "RDREQ_sum", kRequestBytes},
             {port + "RDREQ_32B_sum", kHalfRequestBytes - kRequestBytes},
             {port + "WRREQ_sum", kHalfRequestBytes},
             {port + "WRREQ_64B_sum", kRequestBytes - kHalfRequestBytes}};
  if (wide) sum.push_back({"TCC_BUBBLE_sum", kWideRequestBytes - kRequestBytes});
  return sum;
}

/// Of "sm_90" and the like. Pairs of FP16 count twice; sectors of the L1 have 32 bytes.
Formulas nvidia_formulas(std::int64_t version) {
  Formulas result;
  const auto vector = [&](const char* operation, double weight) {
    result.flops.push_back(
        {fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", operation), weight});
  };
  for (const char type : {'f', 'd', 'h'}) {
    const double width = type == 'h' ? 2 : 1;
    vector(fmt::format("{}add", type).c_str(), width);
    vector(fmt::format("{}mul", type).c_str(), width);
    vector(fmt::format("{}fma", type).c_str(), 2 * width);
  }
  std::vector<const char*> sources = {"fp16"};
  if (version >= 80) append(sources, std::array{"bf16_dst_fp32", "tf32_dst_fp32", "fp64"});
  if (version >= 89) sources.push_back("fp8_sparsity_off");
  for (const char* source : sources)
    result.flops.push_back({fmt::format("sm__ops_path_tensor_src_{}.sum", source), 1});
  for (const char* access : {"global_op_ld", "global_op_st", "global_op_atom", "global_op_red",
                             "local_op_ld", "local_op_st"})
    result.l1_bytes.push_back(
        {fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}.sum", access), kHalfRequestBytes});
  result.l2_bytes = {{"l1tex__m_xbar2l1tex_read_bytes.sum", 1},
                     {"l1tex__m_l1tex2xbar_write_bytes.sum", 1}};
  result.hbm_bytes = {{"dram__bytes_read.sum", 1}, {"dram__bytes_write.sum", 1}};
  return result;
}

Formulas formulas(const std::string& arch, bool compat) {
  if (arch.starts_with("sm_"))
    return nvidia_formulas(parse_integer(std::string_view(arch).substr(3)).value_or(0));
  const bool wide = has_wide_reads(arch);
  Formulas result;
  result.flops = flops_sum(wide && !compat);
  result.l1_bytes = {
      {"TCP_TOTAL_CACHE_ACCESSES_sum", wide && !compat ? kWideRequestBytes : kRequestBytes}};
  for (const char* kind : {"READ", "WRITE", "ATOMIC_WITH_RET", "ATOMIC_WITHOUT_RET"})
    result.l2_bytes.push_back({fmt::format("TCP_TCC_{}_REQ_sum", kind), kRequestBytes});
  result.hbm_bytes = hbm_sum(wide);
  return result;
}

/// A formula with the places of its columns.
class RooflineEvaluator {
 public:
  RooflineEvaluator(const CounterTable& table, const Sum& sum) : table_(table), sum_(sum) {
    for (const Term& term : sum) places_.push_back(table.find(term.counter));
  }

  /// Nothing, and the counters' names in `missing`, where one has no number in the row.
  std::optional<double> at(std::size_t row, std::set<std::string>& missing) const {
    double total = 0;
    bool complete = true;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      if (!places_[i] && sum_[i].optional) continue;
      const auto value = places_[i] ? table_.number(*places_[i], row) : std::nullopt;
      if (!value) {
        missing.insert(sum_[i].counter);
        complete = false;
        continue;
      }
      total += *value * sum_[i].weight;
    }
    return complete ? std::optional(total) : std::nullopt;
  }

 private:
  const CounterTable& table_;
  const Sum& sum_;
  std::vector<std::optional<std::size_t>> places_;
};

/// Sums over the dispatches of a point.
struct Totals {
  std::size_t calls = 0;
  double flops = 0;
  double l1_bytes = 0;
  double l2_bytes = 0;
  double hbm_bytes = 0;
  double duration_ns = 0;
  double time_ns = 0;  ///< of all dispatches, those without counters as well
  std::set<std::string> missing;
};

class Collector {
 public:
  Collector(const Workload& workload, const Formulas& formulas)
      : flops_(workload.counters, formulas.flops),
        l1_(workload.counters, formulas.l1_bytes),
        l2_(workload.counters, formulas.l2_bytes),
        hbm_(workload.counters, formulas.hbm_bytes) {}

  void add(const Dispatch& dispatch, Totals& totals) const {
    const bool timed = dispatch.duration_ns && *dispatch.duration_ns > 0;
    if (timed) totals.time_ns += *dispatch.duration_ns;
    if (!timed) totals.missing.insert("its duration");
    const auto flops = flops_.at(dispatch.row, totals.missing);
    const auto l1 = l1_.at(dispatch.row, totals.missing);
    const auto l2 = l2_.at(dispatch.row, totals.missing);
    const auto hbm = hbm_.at(dispatch.row, totals.missing);
    if (!timed || !flops || !l1 || !l2 || !hbm) return;
    ++totals.calls;
    totals.flops += *flops;
    totals.l1_bytes += *l1;
    totals.l2_bytes += *l2;
    totals.hbm_bytes += *hbm;
    totals.duration_ns += *dispatch.duration_ns;
  }

 private:
  RooflineEvaluator flops_;
  RooflineEvaluator l1_;
  RooflineEvaluator l2_;
  RooflineEvaluator hbm_;
};

std::string names_text(const std::set<std::string>& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == kMostNamedCounters)
      return text + fmt::format(" and {} more", names.size() - kMostNamedCounters);
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

RooflinePoint point_of(const std::string& kernel, const Totals& totals) {
  RooflinePoint point;
  point.kernel = kernel;
  point.calls = totals.calls;
  point.total_ns = totals.time_ns;
  if (totals.calls == 0) {
    point.missing = names_text(totals.missing);
    return point;
  }
  const double calls = static_cast<double>(totals.calls);
  const auto intensity = [&](double bytes) { return bytes > 0 ? totals.flops / bytes : 0.0; };
  point.flops = totals.flops / calls;
  point.duration_ns = totals.duration_ns / calls;
  point.gflop_per_s = totals.flops / totals.duration_ns;
  point.intensity_l1 = intensity(totals.l1_bytes);
  point.intensity_l2 = intensity(totals.l2_bytes);
  point.intensity_hbm = intensity(totals.hbm_bytes);
  return point;
}

}  // namespace

std::vector<RooflinePoint> roofline_points(const Workload& workload, const Selection& selection,
                                           const RooflineOptions& options) {
  const Formulas sums = formulas(workload.arch, options.compat);
  const Collector collector(workload, sums);
  std::vector<RooflinePoint> points;
  if (options.by_dispatch) {
    for (const std::size_t place : selection.measured) {
      const Dispatch& dispatch = workload.dispatches[place];
      Totals totals;
      collector.add(dispatch, totals);
      points.push_back(point_of(dispatch.kernel, totals));
      points.back().dispatch = dispatch.id;
    }
  } else {
    std::map<std::string, Totals> kernels;
    for (const std::size_t place : selection.measured) {
      const Dispatch& dispatch = workload.dispatches[place];
      collector.add(dispatch, kernels[dispatch.kernel]);
    }
    for (const auto& [name, totals] : kernels) points.push_back(point_of(name, totals));
  }
  std::ranges::stable_sort(points, [](const auto& a, const auto& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return a.kernel < b.kernel;
  });
  if (options.most_points > 0 && points.size() > options.most_points)
    points.resize(options.most_points);
  return points;
}

}  // namespace heddle::profile
