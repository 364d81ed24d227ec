#include "proof/proven_order.h"

namespace heddle::proof {

std::optional<ProvenOrder> prove_range(const order::Order& order, const order::SpaceRange& range,
                                       const order::Bindings& bindings, const CheckOptions& options,
                                       RangeReport& report) {
  report = check_range(order, range, bindings, options);
  if (report.verdict != Verdict::proved) return std::nullopt;
  ProvenOrder proven(order, bindings, range.shape(), range.text());
  proven.plain_division_ = !report.negative_division;
  proven.plain_integers_ = !report.beyond_int32;
  return proven;
}

std::optional<ProvenOrder> prove_all_sizes(const order::Order& order, const order::Shape& shape,
                                           const order::Bindings& bindings,
                                           const CheckOptions& options, AllSizesReport& report) {
  report = check_all_sizes(order, shape, bindings, options);
  if (report.verdict != Verdict::proved) return std::nullopt;
  ProvenOrder proven(order, bindings, shape, "every grid under 2^31 blocks");
  proven.plain_division_ = proven.plain_integers_ = report.plain;
  return proven;
}

}  // namespace heddle::proof
