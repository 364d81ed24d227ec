// One order for several shapes.
#include "search/shapes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/jobs.h"
#include "support/error.h"

namespace heddle::search {
namespace {

using Shape = std::vector<std::string>;

TEST(Shapes, NamesAndValues) {
  EXPECT_EQ(read_shapes({"M=1,2;N=3"}), (std::vector<Shape>{{"M=1", "N=3"}, {"M=2", "N=3"}}));
  EXPECT_EQ(read_shapes({"M=1; N = 2", "M=5"}), (std::vector<Shape>{{"M=1", "N=2"}, {"M=5"}}));
  EXPECT_EQ(read_shapes({"M=1", "M=1"}), (std::vector<Shape>{{"M=1"}}));
  for (const char* text : {"", ";", "M", "M=", "M=1,,2", "M=1,N=2", "=3"})
    EXPECT_THROW(read_shapes({text}), Error) << text;
  EXPECT_THROW(read_shapes({"M=1,2,3,4,5;N=1,2,3,4"}), Error);
}

TEST(Shapes, NoShapeGetsSlower) {
  EXPECT_EQ(best_common({}), std::nullopt);
  EXPECT_EQ(best_common({{1.30, 0.97}, {1.05, 1.03}}), 1U);
  EXPECT_EQ(best_common({{1.05, 1.03}, {1.10, 0.999}}), 1U);
  EXPECT_EQ(best_common({{1.001, 1.001}}), std::nullopt);
  EXPECT_EQ(best_common({{1.02, 1.02}}), std::nullopt);
  EXPECT_EQ(best_common({{1.02, 1.02}}, least_common_gain(Risk::high)), 0U);
  EXPECT_EQ(best_common({{1.05, 1.05}, {1.0501, 1.0501}}), 0U);
}

OptimizeRequest shapes_request(const std::string& job, std::vector<std::string> shapes) {
  OptimizeRequest request;
  request.job_path = job;
  request.gpu = "mi300x";
  request.iterations = 24;
  request.shapes = std::move(shapes);
  return request;
}

TEST(Shapes, OneOrderForAll) {
  const Folder folder;
  OptimizeRequest request =
      shapes_request(std::string(HEDDLE_TESTS_DIR) + "/../examples/stencil_2d.toml",
                     {"rows=1024;columns=8192", "rows=2048;columns=4096,8192"});
  request.iterations = 12;
  request.risk = Risk::high;
  request.gpu = quick_gpu(folder);
  const OptimizationReport report = optimize_job(request);
  ASSERT_EQ(report.shapes.size(), 3U);
  EXPECT_EQ(report.shapes[0].title, "rows = 1024, columns = 8192");
  EXPECT_EQ(report.grid, report.shapes[0].grid);
  ASSERT_EQ(report.answer, Answer::improved);
  EXPECT_EQ(report.best.sizes, ProvedSizes::all);
  double product = 1;
  for (const OrderedShape& shape : report.shapes) {
    ASSERT_TRUE(shape.with_us);
    EXPECT_GE(shape.speedup(), 0.998) << shape.title;
    product *= shape.speedup();
  }
  EXPECT_NEAR(mean_speedup(report.shapes), std::cbrt(product), 1e-12);
  EXPECT_DOUBLE_EQ(report.best.predicted.time_us, *report.shapes[0].with_us);
  // Each figure is what simulate says of that order on that shape.
  SimulationRequest simulation;
  simulation.job_path = request.job_path;
  simulation.gpu = request.gpu;
  simulation.order = order::read_compact(report.best.formula);
  simulation.overrides = {"rows=2048", "columns=8192"};
  EXPECT_DOUBLE_EQ(simulate_job(simulation).time_us, *report.shapes[2].with_us);
}

TEST(Shapes, TilesThatDependOnOneAnother) {
  const Folder folder;
  const OptimizationReport report =
      optimize_job(shapes_request(dependent_job(folder), {"n=256,512"}));
  EXPECT_EQ(report.answer, Answer::not_independent);
  EXPECT_TRUE(report.patch.empty());
  EXPECT_EQ(report.shapes.size(), 2U);
}

TEST(Shapes, AreNotMeasured) {
  const Folder folder;
  OptimizeRequest request = shapes_request(stencil_job(folder, 4, 4), {"rows=16"});
  request.measure = [](const measure::Bundle&) { return std::nullopt; };
  EXPECT_THROW(optimize_job(request), Error);
}

}  // namespace
}  // namespace heddle::search
