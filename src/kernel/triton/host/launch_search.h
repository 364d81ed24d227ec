// The launch of a kernel that its job is drafted from: found, and followed until nothing new is learnt.
//
// Rules
//   1. Benchmarks and tests beside the kernel come first, where they give the shapes of all tensors;
//      then the functions that launch it (launch_sites.h).
//   2. Where the defaults of a function lead past the launch, those that are flags are left open.
//   3. Where there is none, every parameter stands for itself.
#pragma once

#include <memory>

#include "kernel/triton/host/callers.h"
#include "kernel/triton/host/kernel_parameters.h"

namespace heddle::kernel::triton::host {

struct FoundLaunch {
  std::unique_ptr<Knowledge> knowledge;  ///< outlives the interpreter
  std::unique_ptr<Interpreter> host;     ///< owns what the record holds
  LaunchRecord record;
  std::string path;       ///< of the kernel's own file
  bool is_known = false;  ///< false: no launch of the kernel was found
};

class LaunchSearch {
 public:
  /// `set`: names that decorators set.
  LaunchSearch(TritonSource& source, const Node& kernel, const KernelParameters& parameters,
               std::vector<std::string> set, Effort& effort)
      : source_(source),
        kernel_(kernel),
        parameters_(parameters),
        set_(std::move(set)),
        effort_(effort) {}

  FoundLaunch run();

 private:
  std::optional<FoundLaunch> follow(const HostFunction& site, Knowledge knowledge,
                                    bool opens_flags = false);
  FoundLaunch stand_in();
  std::size_t misfit(const LaunchRecord& record) const;
  bool is_vague(const LaunchRecord& record) const;
  void teach(Interpreter& host) const;
  void learn_lane(Interpreter& host, const LaunchRecord& record, const Value& value,
                  const ParameterUse& use) const;

  TritonSource& source_;
  const Node& kernel_;
  const KernelParameters& parameters_;
  std::vector<std::string> set_;
  Effort& effort_;
};

}  // namespace heddle::kernel::triton::host
