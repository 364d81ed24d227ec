// One order for several shapes: each is searched, and what is best for one is tried on all.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "config/other_sizes.h"
#include "optimize/job_search.h"
#include "search/shapes.h"
#include "search/variants.h"

namespace heddle::optimize {
namespace {

constexpr double kSearchShare = 0.7;  ///< of the budget; the rest is for orders of other shapes
constexpr std::chrono::milliseconds kLeastSearch{50};

struct ShapeRun {
  ShapeRun(OptimizeRequest asked, search::Subject read)
      : request(std::move(asked)), subject(std::move(read)), search(request, subject) {}

  OptimizeRequest request;
  search::Subject subject;
  JobSearch search;
};

class ShapeSearch {
 public:
  explicit ShapeSearch(const OptimizeRequest& request)
      : request_(request),
        since_(search::Clock::now()),
        shapes_(search::read_shapes(request.shapes)) {
    if (request.measure)
      throw Error("--shapes predicts, and measures nothing", "leave out --measure or --shapes");
  }

  OptimizationReport run() {
    for (const auto& shape : shapes_) {
      if (!runs_.empty() && is_interrupted()) break;
      search_shape(shape);
    }
    choose();
    OptimizationReport report = runs_.front()->search.report();
    report.shapes = std::move(rows_);
    if (runs_.size() < shapes_.size())
      report.notes.push_back(
          fmt::format("{} of {} shapes were searched", runs_.size(), shapes_.size()));
    return report;
  }

 private:
  bool is_interrupted() const { return request_.stop && request_.stop(); }

  void search_shape(const std::vector<std::string>& shape) {
    OptimizeRequest request = request_;
    request.shapes.clear();
    request.overrides = config::with_overrides(request_.overrides, shape);
    if (request_.budget.count() > 0) {
      const double spent = search::seconds_since(since_) * 1000;
      const double left = kSearchShare * static_cast<double>(request_.budget.count()) - spent;
      const auto open = static_cast<double>(shapes_.size() - runs_.size());
      request.budget =
          std::max(std::chrono::milliseconds(static_cast<std::int64_t>(left / open)), kLeastSearch);
    }
    search::Subject subject = read_subject(request);
    runs_.push_back(std::make_unique<ShapeRun>(std::move(request), std::move(subject)));
    JobSearch& search = runs_.back()->search;
    search.search();
    rows_.push_back(row_of(search, search::title_of(shape)));
  }

  static OrderedShape row_of(JobSearch& search, std::string title) {
    const search::Prepared& prepared = search.prepared();
    const search::Chosen& chosen = search.chosen();
    const OrderAttempt& best = chosen.searched.attempts.at(chosen.best);
    const bool is_launch = chosen.best == search::kLaunchOrder;
    OrderedShape row;
    row.title = std::move(title);
    row.grid = prepared.subject.kernel().launch.grid.extents();
    row.written_us = prepared.baseline.time_us;
    row.best = is_launch ? "as written" : best.title;
    row.best_us = is_launch ? row.written_us : best.predicted->time_us;
    row.sampled = prepared.baseline.sample.sampled;
    return row;
  }

  /// Times of every order on every shape; orders without a meaning on one are left out.
  void choose() {
    std::vector<search::CommonOrder> orders, possible;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!runs_[i]->search.prepared().independent) return refuse(i);
      const auto& run = runs_[i];
      const search::Chosen& chosen = run->search.chosen();
      search::add_common_orders(run->search.prepared(), request_, chosen.searched.attempts, orders);
    }
    std::vector<std::vector<double>> speedups;
    std::vector<std::vector<double>> times;
    for (const search::CommonOrder& order : orders) {
      const auto taken = times_of(order);
      if (taken.size() < runs_.size()) continue;
      possible.push_back(order);
      times.push_back(taken);
      speedups.emplace_back();
      for (std::size_t i = 0; i < taken.size(); ++i)
        speedups.back().push_back(rows_[i].written_us / taken[i]);
    }
    JobSearch& first = runs_.front()->search;
    const auto best = search::best_common(speedups, search::least_common_gain(request_.risk));
    if (!best) return search::take_none(first.chosen());
    search::take_common(first.prepared(), first.session(), possible[*best], first.chosen());
    if (first.chosen().answer != Answer::improved) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].with_us = times[*best][i];
    if (!has_setting(possible[*best]))
      first.chosen().searched.attempts.at(first.chosen().best).setting.clear();
  }

  /// On one of the shapes no other order is allowed.
  void refuse(std::size_t shape) {
    search::Chosen& first = runs_.front()->search.chosen();
    search::take_none(first);
    if (shape == 0) return;
    first.answer = Answer::unknown;
    first.reason = fmt::format("with {} tiles are not proved independent", rows_[shape].title);
  }

  std::vector<double> times_of(const search::CommonOrder& order) const {
    std::vector<double> times;
    for (const auto& run : runs_) {
      run->search.session().pace.show("replaying orders on every shape");
      const auto time = search::time_of(run->search.prepared(), order);
      if (!time) break;
      times.push_back(*time);
    }
    return times;
  }

  /// Whether one value of a knob gives the order on every shape.
  bool has_setting(const search::CommonOrder& order) {
    const search::Chosen& first = runs_.front()->search.chosen();
    const std::string& wanted = first.searched.attempts.at(first.best).setting;
    return !wanted.empty() && std::ranges::all_of(runs_, [&](const auto& run) {
      return std::ranges::any_of(run->subject.settings, [&](const tiles::KnobSetting& setting) {
        return setting.text() == wanted &&
               setting.own == search::map_on(run->search.prepared(), order);
      });
    });
  }

  const OptimizeRequest& request_;
  search::Clock::time_point since_;
  std::vector<std::vector<std::string>> shapes_;
  std::vector<std::unique_ptr<ShapeRun>> runs_;
  std::vector<OrderedShape> rows_;
};

}  // namespace

OptimizationReport optimize_shapes(const OptimizeRequest& request) {
  return ShapeSearch(request).run();
}

}  // namespace heddle::optimize
