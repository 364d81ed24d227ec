// Formulas keep their meaning in every language they are emitted in, on every grid they are proved
// for: negative divisions, wrapping and wide arithmetic, blocks that do nothing, guarded divisions.
#include <gtest/gtest.h>

#include <set>

#include "formulas.h"
#include "host_program.h"
#include "order/space_range.h"
#include "python_program.h"

namespace heddle::emit_tests {
namespace {

class FormulaTest : public testing::TestWithParam<Formula> {
 protected:
  void SetUp() override {
    const Formula& formula = GetParam();
    const order::Bindings bindings(formula.lets);
    range_.emplace(formula.grids, formula.tiles, bindings);
    const auto order = order::Order::from_formula(
        formula.text, formula.name, {formula.language, formula.results, formula.constexprs});
    RangeReport report;
    const auto proven = proof::prove_range(order, *range_, bindings, {}, report);
    ASSERT_TRUE(proven) << "not proved: "
                        << (report.smallest_failure
                                ? report.smallest_failure->counterexample->message
                                : report.reason);
    subjects_ = {{formula.name, *proven, order.program(range_->shape(), bindings)}};
  }

  std::string stem(const std::string& dialect) const {
    return std::string(HEDDLE_WORK_DIR) + "/formula_" + GetParam().name + "_" + dialect;
  }

  void expect_agreement(const std::string& driver, const std::string& dialect) {
    if (driver.empty()) return;  // build_program said why
    std::vector<Request> requests;
    range_->for_each([&](const order::Space& space) {
      requests.push_back(whole_map(
          0, space, subjects_[0].proven.bindings().values(subjects_[0].program.names, space)));
      return true;
    });
    compare(subjects_, requests, driver, stem(dialect));
  }

  void expect_agreement_in(emit::Dialect dialect, const std::string& name) {
    expect_agreement(build_program(subjects_, {dialect, false, {}}, stem(name)), name);
    if (HasFailure()) ADD_FAILURE() << subjects_[0].emit(dialect);
  }

  std::optional<order::SpaceRange> range_;
  std::vector<Subject> subjects_;
};

TEST_P(FormulaTest, Cpp) {
  expect_agreement_in(emit::Dialect::cpp, "cpp");
}
TEST_P(FormulaTest, Hip) {
  expect_agreement_in(emit::Dialect::hip, "hip");
}
TEST_P(FormulaTest, OpenCl) {
  expect_agreement_in(emit::Dialect::opencl, "opencl");
}

TEST_P(FormulaTest, Triton) {
  if (!has_python()) GTEST_SKIP() << "python3 is not there to run emitted Triton";
  const std::set<std::string> constexprs(GetParam().constexprs.begin(),
                                         GetParam().constexprs.end());
  expect_agreement(python_program(subjects_, true, stem("triton"), constexprs), "triton");
  if (HasFailure()) ADD_FAILURE() << subjects_[0].emit(emit::Dialect::triton);
}

INSTANTIATE_TEST_SUITE_P(Formulas, FormulaTest, testing::ValuesIn(all_formulas()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace heddle::emit_tests
