// What suggests orders, behind one interface.
//
//   while (auto proposal = proposer.next()) {
//     Trial trial = looked at, or replayed ...;
//     proposer.report(trial);
//   }
//
// Rules
//   1. A proposer claims nothing: every proposal is read, proved and replayed by others.
//   2. `next` gives nothing when the proposer has no more to say for now; a report may change that.
//   3. `report` is called for every order that was tried, whoever proposed it, in their order.
//   4. Proposers are deterministic: the same reports give the same proposals.
//   5. One proposer, one file in proposers/; list.h names them, and make_proposers lines them up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "order/order.h"
#include "results/optimization.h"
#include "support/grid.h"

namespace heddle::search {

/// What there is to order, and where it runs.
struct SearchSpace {
  Grid grid{{1}};
  int dies = 1;
  std::int64_t compute_units = 1;     ///< of all dies
  std::vector<std::int64_t> extents;  ///< numbers that the kernel may split its ids by
};

/// An order that somebody suggests.
struct Proposal {
  std::string proposer;
  std::string formula;                ///< the compact form, or a text
  std::optional<order::Order> order;  ///< nothing where the text could not be read
  std::string unreadable;             ///< why
  std::string idea;                   ///< one sentence
  Origin origin = Origin::given;
  bool own = false;       ///< written by heddle: in its own families
  std::string said = {};  ///< of a model: what it says of it
};

/// What came of an order.
struct Trial {
  std::string formula;
  double cost = 0;        ///< in microseconds
  bool measured = false;  ///< on a GPU: what was known of it before no longer counts
};

class Proposer {
 public:
  virtual ~Proposer() = default;
  virtual std::string_view name() const = 0;
  virtual std::optional<Proposal> next() = 0;
  virtual void report(const Trial& trial) = 0;
};

/// A proposal of heddle's own families.
Proposal propose(std::string_view proposer, const order::Order& order,
                 Origin origin = Origin::heddle);
/// What the stages of an order do with tiles, in one sentence.
std::string idea_of(const order::Order& order);

/// heddle's own proposers, in the order in which they are asked.
std::vector<std::unique_ptr<Proposer>> make_proposers(const SearchSpace& space);

}  // namespace heddle::search
