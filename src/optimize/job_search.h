// One search that its steps can be taken of: optimize_job takes all of them in a row, a search over
// variants or shapes looks at what is chosen in between.
//
//   JobSearch one(request, subject);
//   one.search();                      propose, prove, replay, choose
//   one.measure();                     where the request measures
//   one.report();                      with the patch
#pragma once

#include "history/book.h"
#include "optimize/order_bundles.h"
#include "optimize/request.h"
#include "search/measure.h"

namespace heddle::optimize {

class JobSearch {
 public:
  /// `subject` is what read_subject read for the request; both must outlive this.
  JobSearch(const OptimizeRequest& request, const search::Subject& subject);
  JobSearch(const JobSearch&) = delete;
  JobSearch& operator=(const JobSearch&) = delete;

  void search();
  void measure();
  /// Ends the search in the history.
  OptimizationReport report();

  const search::Prepared& prepared() const { return prepared_; }
  const search::Session& session() const { return session_; }
  /// After search().
  search::Chosen& chosen() { return measured_->chosen; }
  const search::Measured& measured() const { return *measured_; }

 private:
  const OptimizeRequest& request_;
  history::Book book_;
  search::Session session_;
  search::Prepared prepared_;
  std::optional<search::Measured> measured_;
  OrderBundles bundles_;
};

/// The job with all values of request.tune; `subject` is the job as it is.
OptimizationReport optimize_variants(const OptimizeRequest& request,
                                     const search::Subject& subject);
/// One order for all shapes of request.shapes.
OptimizationReport optimize_shapes(const OptimizeRequest& request);

}  // namespace heddle::optimize
