// What the tests of jobs share: a job from a text, names with values, and the error of a call.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/contents.h"
#include "config/expression.h"
#include "config/job.h"
#include "support/error.h"

namespace heddle::testing {

using namespace config;
using Integers = std::vector<std::int64_t>;

/// The path of a file of this test.
inline std::string work_path(const std::string& ending) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return std::string(HEDDLE_WORK_DIR) + "/" + test->test_suite_name() + "_" + test->name() + ending;
}

inline std::string write_file(const std::string& ending, const std::string& text) {
  const std::string path = work_path(ending);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline Job job_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_job(write_file(".toml", text), overrides);
}

inline Arguments arguments_of(const std::string& text,
                              const std::vector<std::string>& overrides = {},
                              const std::vector<NamedValue>& defaults = {}) {
  return resolve_arguments(job_of(text, overrides), defaults);
}

inline Launch launch_of(const std::string& text, const std::vector<std::string>& overrides = {},
                        const std::vector<NamedValue>& defaults = {},
                        const std::vector<NamedValue>& extra = {}) {
  const Job job = job_of(text, overrides);
  return make_launch(job, resolve_arguments(job, defaults), extra);
}

/// What every job needs.
inline const std::string kHead = "kernel = \"k.py\"\ngrid = 1\n";

template <class Action>
Error thrown_by(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("");
}

/// The whole error without the folder of its file.
inline std::string error_text(const Error& error) {
  std::string text = error.full_text();
  const std::string path = work_path(".toml");
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path)) {
    text.replace(at, path.size(), "job.toml");
  }
  return text;
}

inline std::string error_of_job(const std::string& text,
                                const std::vector<std::string>& overrides = {}) {
  return error_text(thrown_by([&] { launch_of(text, overrides); }));
}

inline Value integer(std::int64_t number) {
  return Value{number};
}

/// Names that all have values; one tensor t of shape [2, 3, 4], int16.
class FixedNames : public Names {
 public:
  explicit FixedNames(std::map<std::string, Value> values = {}) : values_(std::move(values)) {
    values_.emplace("t", Value{TensorReference{0}});
  }
  std::optional<Value> find(const std::string& name) override {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> all() const override {
    std::vector<std::string> names;
    for (const auto& [name, value] : values_) names.push_back(name);
    return names;
  }
  Integers shape(TensorReference) override { return {2, 3, 4}; }
  Integers strides(TensorReference) override { return {20, 5, 1}; }
  std::int64_t element_bytes(TensorReference) override { return 2; }
  std::int64_t csr_nonzeros(std::int64_t rows, std::int64_t columns, double density,
                            std::uint64_t seed) override {
    return config::csr_nonzeros(rows, columns, density, seed, 1 << 20);
  }

 private:
  std::map<std::string, Value> values_;
};

inline Value evaluated(const std::string& text, std::map<std::string, Value> values = {}) {
  FixedNames names(std::move(values));
  return evaluate(parse_expression(text), names);
}

inline std::string shown(const std::string& text, std::map<std::string, Value> values = {}) {
  return value_text(evaluated(text, std::move(values)));
}

}  // namespace heddle::testing
