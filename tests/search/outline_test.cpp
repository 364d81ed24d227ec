#include "search/outline.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "search/jobs.h"
#include "search/loop.h"

namespace heddle::search {
namespace {

/// A stencil with more tiles than are searched whole.
class Outlines : public ::testing::Test {
 protected:
  Outlines() {
    request_.job_path = stencil_job(folder_, 32, 16);
    request_.gpu = "mi300x";
    request_.effort = Effort::low;
    subject_ = std::make_unique<Subject>(read_subject(request_));
    pace_ = std::make_unique<Pace>(request_, subject_->since);
    prepared_ = std::make_unique<Prepared>(prepare(*subject_, request_, *pace_));
  }

  Outlined outlined(const Work& work, int threads) {
    SearchSpace space;
    space.grid = subject_->grid;
    space.dies = 8;
    space.compute_units = 304;
    Search turns(make_proposers(space));
    return outline(*prepared_, {}, turns, *pace_, work, threads);
  }

  Folder folder_;
  OptimizeRequest request_;
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<Pace> pace_;
  std::unique_ptr<Prepared> prepared_;
};

TEST_F(Outlines, the_same_orders_go_on_with_any_number_of_threads) {
  ASSERT_TRUE(prepared_->sketch);
  const Outlined one = outlined({300, 12, 2}, 1);
  const Outlined four = outlined({300, 12, 2}, 4);
  EXPECT_GE(one.tried, 300);
  EXPECT_FALSE(one.is_cut_short);
  ASSERT_EQ(one.kept.size(), 12U);
  ASSERT_EQ(four.kept.size(), one.kept.size());
  std::set<std::string> formulas;
  std::size_t published = 0;
  for (std::size_t i = 0; i < one.kept.size(); ++i) {
    EXPECT_EQ(one.kept[i].formula, four.kept[i].formula);
    EXPECT_TRUE(formulas.insert(one.kept[i].formula).second);
    if (one.kept[i].origin == Origin::published) ++published;
  }
  EXPECT_GE(published, 4U);
  EXPECT_FALSE(one.spare.empty());
}

TEST_F(Outlines, a_search_is_bounded_by_work_and_gives_the_same_report) {
  OptimizeRequest request = request_;
  request.threads = 1;
  const OptimizationReport one = optimize_job(request);
  request.threads = 4;
  const OptimizationReport four = optimize_job(request);
  EXPECT_EQ(one.search.planned, work_of(Effort::low).outlined);
  EXPECT_GT(one.search.outlined, 100);
  EXPECT_LE(one.search.replayed, work_of(Effort::low).replayed + 4);
  ASSERT_EQ(one.attempts.size(), four.attempts.size());
  EXPECT_EQ(one.best.title, four.best.title);
  EXPECT_EQ(one.best.predicted.time_us, four.best.predicted.time_us);
}

TEST_F(Outlines, a_time_limit_cuts_it_short) {
  request_.budget = std::chrono::milliseconds(1);
  const Outlined none = outlined({300, 12, 2}, 1);
  EXPECT_TRUE(none.is_cut_short);
  EXPECT_TRUE(none.kept.empty());
}

/// Every fifth digit permutation of 20 x 8 tiles, replayed in full.
TEST(Outline, The20BestInOutlineHoldOneAsGoodAsTheBestOfAll) {
  const Folder folder;
  OptimizeRequest request;
  request.gpu = "mi300x";
  request.job_path = product_job(folder, 20, 8);
  const Subject subject = read_subject(request);
  sim::Simulator simulator(subject.kernel().program, subject.kernel().launch, subject.gpu);
  const auto sketch = simulator.sketch(1);
  ASSERT_TRUE(sketch);
  const auto replayed = [&](const order::Map& map) { return simulator.run(map, {}); };
  const SimResult launch = replayed(subject.own_map());
  const sim::SketchTime clock(launch, sketch->run(subject.own_map(), 0), 0);
  const auto all = all_arrangements(subject.grid, 8000);
  ASSERT_TRUE(all);
  std::vector<std::pair<double, order::Map>> outlined;
  double least = launch.time_us;
  for (std::size_t i = 0; i < all->size(); ++i) {
    order::Map map = map_of((*all)[i], subject.grid);
    if (i % 5 == 0) least = std::min(least, replayed(map).time_us);
    outlined.emplace_back(clock.time_us(sketch->run(map, 0), 0), std::move(map));
  }
  std::ranges::stable_sort(outlined, {}, &std::pair<double, order::Map>::first);
  double found = launch.time_us;
  for (std::size_t i = 0; i < 20; ++i)
    found = std::min(found, replayed(outlined[i].second).time_us);
  EXPECT_LE(found, 1.01 * least) << all->size() << " orders";
  EXPECT_LT(least, 0.99 * launch.time_us) << "nothing to be found";
}

}  // namespace
}  // namespace heddle::search
