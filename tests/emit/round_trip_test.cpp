// heddle reads back what it emitted, and means the same by it.
#include <gtest/gtest.h>

#include "host_program.h"

namespace heddle::emit_tests {
namespace {

struct Reading {
  emit::Dialect dialect;
  order::Language language;
  const char* name;

  friend std::ostream& operator<<(std::ostream& out, const Reading& reading) {
    return out << reading.name;
  }
};

const std::vector<Reading> kReadings = {{emit::Dialect::triton, order::Language::triton, "Triton"},
                                        {emit::Dialect::cuda, order::Language::c_like, "CUDA"},
                                        {emit::Dialect::opencl, order::Language::c_like, "OpenCL"}};

/// The emitted text as an order; the kernel's rows and columns are the tile space's.
order::Order read_back(const Subject& subject, const Reading& reading,
                       std::vector<std::string> results) {
  const order::Shape& shape = subject.shape();
  const std::vector<std::string> extents = shape.tile_axes == 2
                                               ? std::vector<std::string>{"t0", "t1"}
                                               : std::vector<std::string>{"t0", "t1", "t2"};
  const std::string text = emit::emit_order(
      subject.proven, {reading.dialect, shape.own_tiles ? extents : std::vector<std::string>{}});
  return order::Order::from_formula(text, reading.name, {std::nullopt, std::move(results), {}});
}

/// Every 11th small space, beginning elsewhere for each order, and two large ones in samples.
void expect_same_map(const Subject& subject, const order::Order& read, std::size_t salt) {
  const order::Program program = read.program(subject.shape(), {});
  const std::vector<order::Space> spaces = small_spaces(subject.shape());
  for (std::size_t s = salt % 11; s < spaces.size(); s += 11) {
    ASSERT_EQ(order::materialize(read, spaces[s], {}),
              order::materialize(subject.proven.order(), spaces[s], {}))
        << spaces[s].launch.text() << " tiles " << spaces[s].tile_grid().text();
  }
  for (const order::Space& space : large_spaces(subject.shape(), 6)) {
    for (const Request& request : samples_of(0, space, 10)) {
      for (std::int64_t i = 0; i < request.count; ++i) {
        const LaunchId id{request.first + i * request.step};
        ASSERT_EQ(oracle::tile_of(program, space, {}, id),
                  oracle::tile_of(subject.program, space, {}, id))
            << space.launch.text() << " tiles " << space.tile_grid().text() << " launch id "
            << id.value;
      }
    }
  }
}

class RoundTrip : public testing::TestWithParam<Reading> {};

TEST_P(RoundTrip, GivesTheSameMap) {
  const std::vector<Subject> subjects = subjects_of(some_texts(), all_shapes());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    SCOPED_TRACE(subjects[i].title + " in " + GetParam().name);
    ASSERT_NO_FATAL_FAILURE(expect_same_map(
        subjects[i], read_back(subjects[i], GetParam(), subjects[i].program.result_names), i));
  }
}

/// Nobody has to say which names are the tile: --result is not needed.
TEST_P(RoundTrip, FindsTheResultsAlone) {
  for (const order::Shape& shape : all_shapes()) {
    const Subject subject = make_subject(order::read_compact("xcd(8)"), shape);
    const order::Order read = read_back(subject, GetParam(), {});
    EXPECT_EQ(read.program(shape, {}).result_names, subject.program.result_names) << subject.title;
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, RoundTrip, testing::ValuesIn(kReadings),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace heddle::emit_tests
