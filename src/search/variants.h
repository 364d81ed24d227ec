// Other values of a job's constexprs, launch numbers and configs, to be searched beside it.
//
//   const Tuned tuned = read_tuned({"BLOCK_M=64,128", "num_warps=4,8"});
//   for (const Variant& variant : variants_of(tuned, {}, {}))    four of them
//     variant.title         "BLOCK_M = 64, num_warps = 4"
//     variant.overrides     {"BLOCK_M=64", "num_warps=4"}
//
// Rules
//   1. All combinations, the last name fastest; more than kMostVariants are an Error.
//   2. "configs" stands for every config that the kernel's @triton.autotune lists. Values that the
//      job gives itself are replaced by the config's.
//   3. A variant that touches less of a tensor than the job as it is, or goes out of bounds where
//      that does not, does not do the job's work.
//   4. The job as it is stays unless another variant takes less time by kWorthwhile; of several
//      others the one with the least time is taken, then the first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/job.h"
#include "kernel/source.h"
#include "results/trace.h"
#include "results/tuning.h"

namespace heddle::search {

inline constexpr std::size_t kMostVariants = 64;
inline constexpr std::size_t kMeasuredVariants = 3;  ///< besides the job as it is

struct TunedName {
  std::string name;
  std::vector<std::string> values;
};

struct Tuned {
  std::vector<TunedName> names;
  bool configs = false;
};

struct Variant {
  std::string title;
  std::vector<std::string> overrides;
};

/// Of `--tune`. Throws Error.
Tuned read_tuned(const std::vector<std::string>& texts);

/// `configs` are those of the kernel, where tuned.configs asks for them; `job` says what it gives
/// itself.
std::vector<Variant> variants_of(const Tuned& tuned,
                                 const std::vector<kernel::ConfigValues>& configs,
                                 const config::Job& job);

/// All combinations of one value for each name: "BLOCK_M=64", "num_warps=4".
std::vector<std::vector<std::string>> combinations(const std::vector<TunedName>& names);
/// "BLOCK_M = 64, num_warps = 4".
std::string title_of(const std::vector<std::string>& overrides);

/// "GROUP_SIZE_M=2" for "GROUP_SIZE_M = 2".
std::string override_of(std::string_view title);

/// Rule 3: what it does wrong; empty if nothing.
std::string what_is_wrong(const TraceReport& job, const TraceReport& variant);

/// Rule 4, by predicted times.
std::size_t fastest_predicted(const std::vector<TunedVariant>& variants);
/// Rule 4, by measured times; those without any are left out.
std::size_t fastest_measured(const std::vector<TunedVariant>& variants);
/// The job as it is, and the fastest others by their predicted times.
std::vector<std::size_t> variants_to_measure(const std::vector<TunedVariant>& variants);

}  // namespace heddle::search
