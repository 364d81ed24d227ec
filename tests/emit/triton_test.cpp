// Emitted Triton, run as Python, gives the map that the evaluator gives.
#include <gtest/gtest.h>

#include "python_program.h"

namespace heddle::emit_tests {
namespace {

enum class Amount { every_grid, some_grids };

void expect_agreement(const std::vector<std::string>& texts, Amount amount, bool typed,
                      const std::string& name) {
  if (!has_python()) GTEST_SKIP() << "python3 is not there to run emitted Triton";
  const std::vector<Subject> subjects = subjects_of(texts, all_shapes());
  const std::string stem = std::string(HEDDLE_WORK_DIR) + "/emit_" + name;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const std::vector<order::Space> spaces = small_spaces(subjects[i].shape());
    // A stride that no extent divides, so that every extent of every axis comes up.
    const std::size_t stride = amount == Amount::every_grid ? 1 : typed ? 131 : 37;
    for (std::size_t s = i % stride; s < spaces.size(); s += stride)
      requests.push_back(whole_map(i, spaces[s]));
    for (const order::Space& space : large_spaces(subjects[i].shape(), typed ? 3 : 6)) {
      for (Request& request : samples_of(i, space, 10)) requests.push_back(std::move(request));
    }
  }
  compare(subjects, requests, python_program(subjects, typed, stem), stem);
}

TEST(Triton, EveryGrid) {
  expect_agreement(
      {"xcd(8)", "xcd(8) | group(4)", "inverse(xcd_chunk(3, 2))", "hilbert", "group_snake(3)"},
      Amount::every_grid, false, "triton_every");
}

TEST(Triton, EveryFamilyOnSomeGrids) {
  expect_agreement(all_texts(), Amount::some_grids, false, "triton_some");
}

TEST(Triton, WithTheTypesOfTriton) {
  expect_agreement(some_texts(), Amount::some_grids, true, "triton_typed");
}

}  // namespace
}  // namespace heddle::emit_tests
