// Orders of a search as bundles to measure. Every bundle has the job's launch and, where all of its
// orders hold for all sizes, a ragged one: odd numbers of tiles, the last ones not full.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emit/patched_kernel.h"
#include "optimize/ragged_launch.h"
#include "optimize/request.h"
#include "proof/proven_order.h"
#include "tiles/other_launches.h"

namespace heddle::optimize {

class OrderBundles {
 public:
  /// All must outlive this, and this the bundles.
  OrderBundles(const OptimizeRequest& request, const search::Prepared& prepared)
      : OrderBundles(request, prepared.subject, prepared.memory, prepared.independent) {}
  /// The same of what was traced and not replayed.
  OrderBundles(const OptimizeRequest& request, const search::Subject& subject,
               const TraceReport& memory, const std::optional<trace::IndependentTiles>& independent)
      : request_(request),
        subject_(subject),
        memory_(memory),
        independent_(independent),
        loaded_(subject.kernel()) {}

  struct OrderBundle {
    measure::Bundle bundle;
    std::vector<int> orders;  ///< numbers of the attempts that are candidates 1, 2, ...
  };
  /// Nothing where there is nothing to measure beside the original.
  std::optional<OrderBundle> make(const search::Attempts& attempts, const std::vector<int>& orders,
                                  const std::vector<search::GivenText>& files);

  /// The kernel with an order in it, compared with the original. Throws Error where that fails.
  emit::PatchedKernel patched(const proof::ProvenOrder& proven);

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  measure::Bundle empty_bundle() const;
  std::optional<std::string> rewritten(const proof::ProvenOrder& proven, const std::string& title);
  void add_launches(bool all_sizes, measure::Bundle& bundle);
  /// Found once.
  const RaggedLaunch& ragged_launch();

  const OptimizeRequest& request_;
  const search::Subject& subject_;
  const TraceReport& memory_;
  const std::optional<trace::IndependentTiles>& independent_;
  const kernel::LoadedKernel& loaded_;
  std::optional<RaggedLaunch> ragged_;                     ///< what ragged_launch found
  std::optional<std::vector<tiles::OtherLaunch>> others_;  ///< of a lifted kernel
  std::vector<std::string> notes_;
};

}  // namespace heddle::optimize
