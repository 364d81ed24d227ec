// Every unit of a sweep, with its key: the same list on every machine.
//
//   const Plan plan = make_plan(spec, {"heddle 0.9 model 7"});
//   plan.units[0].key         of the job's closure, the shape, the verb, the GPU file, the version
//   plan.row(plan.units[0])   a SweepRow with what the unit is
//
// Rules
//   1. Units stand kernel by kernel, then shape, verb and GPU, as the spec lists them; each once.
//   2. A unit's key depends on contents and on names relative to the root, not on where that lies.
//      Equal keys are the same work.
//   3. `audit` compares with the base revision, whose files lie in `base_root` (revision.h). Jobs and
//      kernels without a counterpart there are units as well; they fail, and say so.
//   4. A verb without its GPUs, an unknown GPU, and more than kMostUnits units are Errors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "results/sweep.h"
#include "sweep/find_kernels.h"
#include "sweep/key.h"
#include "sweep/spec.h"

namespace heddle::sweep {

inline constexpr std::size_t kMostUnits = 20'000'000;

struct Unit {
  std::uint32_t kernel = 0;  ///< places in the lists of the plan
  std::uint32_t shape = 0;
  std::uint32_t gpu = 0;
  SweepVerb verb = SweepVerb::check;
  bool at_base = false;  ///< of the base revision
  Key key;
};

struct Plan {
  std::string name;
  std::string root;       ///< absolute
  std::string base_root;  ///< absolute; may be empty
  std::string base;       ///< the revision, as the user calls it
  std::string effort;
  std::vector<KernelFile> kernels;
  std::vector<std::string> shapes;  ///< the first is empty: the job's own
  std::vector<std::string> gpus;    ///< the first is empty: none
  std::vector<Unit> units;
  std::vector<std::string> versions;  ///< files that were left out (find_kernels.h)
  Key key;                            ///< of all units

  const KernelFile& kernel(const Unit& unit) const { return kernels[unit.kernel]; }
  /// Who the row is about, without a result.
  SweepRow row(const Unit& unit) const;
};

struct PlanOptions {
  std::string version;  ///< of heddle and its model
  std::string base_root = {};
};

Plan make_plan(const Spec& spec, const PlanOptions& options);

/// Adds a unit on the working tree, or on the base revision, to a plan by hand (heddle gate).
class PlanBuilder {
 public:
  PlanBuilder(const Spec& spec, const PlanOptions& options);
  ~PlanBuilder();
  PlanBuilder(const PlanBuilder&) = delete;
  PlanBuilder& operator=(const PlanBuilder&) = delete;

  struct Wanted {
    KernelFile kernel;
    std::string shape;
    std::string gpu;
    SweepVerb verb = SweepVerb::check;
    bool at_base = false;
  };
  void add(const Wanted& wanted);
  Plan finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::sweep
