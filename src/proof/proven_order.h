// An order that was proved to be a permutation, and for what. Only this folder can make one, so
// whoever holds a ProvenOrder (emission, measurement) holds a proof.
#pragma once

#include <optional>
#include <string>

#include "order/order.h"
#include "order/space_range.h"
#include "proof/all_sizes.h"
#include "proof/check.h"
#include "results/verdict.h"

namespace heddle::proof {

class ProvenOrder {
 public:
  const order::Order& order() const { return order_; }
  const order::Bindings& bindings() const { return bindings_; }
  const order::Shape& shape() const { return shape_; }
  /// "grid 256x256", "grids 1..4096", "every grid under 2^31 blocks".
  const std::string& scope() const { return scope_; }
  /// No division meets a negative operand within the scope: C's and Python's rounding agree.
  bool plain_division() const { return plain_division_; }
  /// Every value fits int32 within the scope: types and casts make no difference.
  bool plain_integers() const { return plain_integers_; }

 private:
  friend std::optional<ProvenOrder> prove_range(const order::Order&, const order::SpaceRange&,
                                                const order::Bindings&, const CheckOptions&,
                                                RangeReport&);
  friend std::optional<ProvenOrder> prove_all_sizes(const order::Order&, const order::Shape&,
                                                    const order::Bindings&, const CheckOptions&,
                                                    AllSizesReport&);
  ProvenOrder(order::Order order, order::Bindings bindings, order::Shape shape, std::string scope)
      : order_(std::move(order)),
        bindings_(std::move(bindings)),
        shape_(shape),
        scope_(std::move(scope)) {}

  order::Order order_;
  order::Bindings bindings_;
  order::Shape shape_;
  std::string scope_;
  bool plain_division_ = false;
  bool plain_integers_ = false;
};

/// One grid or a range of them, exhaustively. Nothing unless the verdict is PROVED.
std::optional<ProvenOrder> prove_range(const order::Order& order, const order::SpaceRange& range,
                                       const order::Bindings& bindings, const CheckOptions& options,
                                       RangeReport& report);

/// Every grid under 2^31 blocks. Nothing unless the verdict is PROVED.
std::optional<ProvenOrder> prove_all_sizes(const order::Order& order, const order::Shape& shape,
                                           const order::Bindings& bindings,
                                           const CheckOptions& options, AllSizesReport& report);

}  // namespace heddle::proof
