// Emitted code agrees with the order: plain C++, HIP, CUDA and OpenCL, compiled by the host's
// compiler, give the map that the evaluator gives; on every grid up to 12x12x3 and on large ones.
#include <gtest/gtest.h>

#include "host_program.h"

namespace heddle::emit_tests {
namespace {

/// Compiles the subjects once and compares them on all small spaces and on some large ones.
void expect_agreement(const std::vector<Subject>& subjects, emit::Dialect dialect,
                      const std::string& name) {
  const std::string stem = std::string(HEDDLE_WORK_DIR) + "/emit_" + name;
  const std::string program = build_program(subjects, {dialect, true, {}}, stem);
  if (program.empty()) return;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    for (const order::Space& space : small_spaces(subjects[i].shape()))
      requests.push_back(whole_map(i, space));
    for (const order::Space& space : large_spaces(subjects[i].shape(), 12)) {
      for (Request& request : samples_of(i, space, 50)) requests.push_back(std::move(request));
    }
  }
  compare(subjects, requests, program, stem);
}

TEST(Agreement, PlainCppOnALine) {
  expect_agreement(subjects_of(all_texts(), {{1, 1, false}}), emit::Dialect::cpp, "cpp_line");
}

TEST(Agreement, PlainCppOnA2dLaunch) {
  expect_agreement(subjects_of(all_texts(), {{2, 2, false}}), emit::Dialect::cpp, "cpp_2d");
}

TEST(Agreement, PlainCppOnA3dLaunch) {
  expect_agreement(subjects_of(all_texts(), {{3, 3, false}}), emit::Dialect::cpp, "cpp_3d");
}

TEST(Agreement, PlainCppOnOwnTilesOf2Axes) {
  expect_agreement(subjects_of(all_texts(), {{1, 2, true}}), emit::Dialect::cpp, "cpp_tiles_2d");
}

TEST(Agreement, PlainCppOnOwnTilesOf3Axes) {
  expect_agreement(subjects_of(all_texts(), {{1, 3, true}}), emit::Dialect::cpp, "cpp_tiles_3d");
}

TEST(Agreement, HipOnEveryShape) {
  expect_agreement(subjects_of(some_texts(), all_shapes()), emit::Dialect::hip, "hip");
}

TEST(Agreement, OpenClOnEveryShapeAsC99) {
  expect_agreement(subjects_of(some_texts(), all_shapes()), emit::Dialect::opencl, "opencl");
}

TEST(Agreement, CudaIsHip) {
  for (const Subject& subject : subjects_of(some_texts(), all_shapes())) {
    EXPECT_EQ(subject.emit(emit::Dialect::cuda), subject.emit(emit::Dialect::hip)) << subject.title;
  }
}

/// Random pipelines of families, up to four stages of any kind.
TEST(Agreement, RandomCompositionsInHipAndCpp) {
  std::mt19937_64 random(77);
  const std::vector<std::string> stages = family_texts();
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    std::string text = stages[random() % stages.size()];
    for (std::size_t more = random() % 4; more > 0; --more)
      text += " | " + stages[random() % stages.size()];
    texts.push_back(random() % 4 == 0 ? "inverse(" + text + ")" : text);
  }
  const std::vector<order::Shape> shapes = {{2, 2, false}, {1, 3, true}};
  expect_agreement(subjects_of(texts, shapes), emit::Dialect::hip, "random_hip");
  expect_agreement(subjects_of(texts, {{3, 3, false}}), emit::Dialect::cpp, "random_cpp");
}

}  // namespace
}  // namespace heddle::emit_tests
