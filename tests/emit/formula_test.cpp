// Formulas keep their meaning in every language they are emitted in, on every grid they are proved
// for: negative divisions, wrapping and wide arithmetic, blocks that do nothing, guarded divisions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "formulas.h"
#include "host_program.h"
#include "order/space_range.h"
#include "python_program.h"

namespace heddle::emit_tests {
namespace {

struct ProvedFormula {
  std::string title;
  order::SpaceRange range;
  std::string reason;      ///< why it is not proved; empty: it is
  std::size_t number = 0;  ///< among the subjects
};

/// All formulas, proved once, and one program of them for each dialect: compilers take far longer
/// to start than to compile one more.
class ProvedFormulas {
 public:
  ProvedFormulas() {
    for (const Formula& formula : all_formulas()) {
      const order::Bindings bindings(formula.lets);
      const order::SpaceRange range(formula.grids, formula.tiles, bindings);
      const auto order = order::Order::from_formula(
          formula.text, formula.name, {formula.language, formula.results, formula.constexprs});
      RangeReport report;
      const auto proven = proof::prove_range(order, range, bindings, {}, report);
      formulas_.push_back({formula.name, range, "", subjects_.size()});
      if (proven)
        subjects_.push_back({formula.name, *proven, order.program(range.shape(), bindings)});
      else
        formulas_.back().reason = report.smallest_failure
                                      ? report.smallest_failure->counterexample->message
                                      : report.reason;
    }
  }

  const ProvedFormula& formula(const std::string& title) const {
    for (const ProvedFormula& each : formulas_)
      if (each.title == title) return each;
    throw Error("no formula is called " + title);
  }
  const std::vector<Subject>& subjects() const { return subjects_; }

  /// The command that runs them; empty where they do not compile.
  const std::string& program(emit::Dialect dialect, const std::string& name) {
    const auto known = programs_.find(dialect);
    if (known != programs_.end()) return known->second;
    const char* const shard = std::getenv("GTEST_SHARD_INDEX");  // they run side by side
    const std::string stem = std::string(HEDDLE_WORK_DIR) + "/formulas_" + name + "_" +
                             (shard != nullptr ? shard : "all");
    return programs_[dialect] = build_program(subjects_, {dialect, false, {}}, stem);
  }

 private:
  std::vector<ProvedFormula> formulas_;
  std::vector<Subject> subjects_;
  std::map<emit::Dialect, std::string> programs_;
};

ProvedFormulas& proved_formulas() {
  static ProvedFormulas formulas;
  return formulas;
}

class FormulaTest : public testing::TestWithParam<Formula> {
 protected:
  void SetUp() override {
    formula_ = &proved_formulas().formula(GetParam().name);
    ASSERT_EQ(formula_->reason, "") << "not proved";
  }

  const Subject& subject() const { return proved_formulas().subjects()[formula_->number]; }

  std::string stem(const std::string& dialect) const {
    return std::string(HEDDLE_WORK_DIR) + "/formula_" + GetParam().name + "_" + dialect;
  }

  /// `number`: of the formula among `subjects`, which the driver knows.
  void expect_agreement(const std::vector<Subject>& subjects, std::size_t number,
                        const std::string& driver, const std::string& dialect) {
    ASSERT_NE(driver, "") << "the formulas do not compile";
    std::vector<Request> requests;
    formula_->range.for_each([&](const order::Space& space) {
      requests.push_back(whole_map(
          number, space, subject().proven.bindings().values(subject().program.names, space)));
      return true;
    });
    compare(subjects, requests, driver, stem(dialect));
  }

  void expect_agreement_in(emit::Dialect dialect, const std::string& name) {
    ProvedFormulas& all = proved_formulas();
    expect_agreement(all.subjects(), formula_->number, all.program(dialect, name), name);
    if (HasFailure()) ADD_FAILURE() << subject().emit(dialect);
  }

  const ProvedFormula* formula_ = nullptr;
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
  const std::vector<Subject> alone = {subject()};
  expect_agreement(alone, 0, python_program(alone, true, stem("triton"), constexprs), "triton");
  if (HasFailure()) ADD_FAILURE() << subject().emit(emit::Dialect::triton);
}

INSTANTIATE_TEST_SUITE_P(Formulas, FormulaTest, testing::ValuesIn(all_formulas()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace heddle::emit_tests
