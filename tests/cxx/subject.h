// What the tests of C++ kernels are made of: kernels in files of their own, launches of them, and
// the accesses of their tiles thread by thread.
//
//   const Folder folder;
//   Subject subject = folder.load("k.hip", "__global__ void k(int* x) { ... }", kJob);
//   subject.set("mode", 3);
//   const std::vector<Instruction> stream = subject.trace({0, 0, 0});
//
// Rules
//   1. One compiled kernel serves many launches: scalars, the grid and the threads of a block may
//   be
//      changed in `launch` afterwards.
//   2. Tests that need Clang begin with HEDDLE_NEED_CLANG().
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/contents.h"
#include "config/job.h"
#include "kernel/cxx/clang.h"
#include "kernel/native.h"
#include "pipeline.h"
#include "support/error.h"
#include "trace/native/launch.h"
#include "trace/tracer.h"

#define HEDDLE_NEED_CLANG() \
  if (!heddle::test::has_clang()) GTEST_SKIP() << "clang-19 is not installed"

namespace heddle::test {

using Tile = std::array<std::int64_t, 3>;

inline bool has_clang() {
  try {
    return kernel::cxx::run_clang({"--version"}).good;
  } catch (const Error&) {
    return false;
  }
}

inline std::string example(const std::string& name) {
  return std::string(HEDDLE_TESTS_DIR) + "/../examples/" + name + ".toml";
}

/// The Error that an action ends in; fails the test if there is none.
inline Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error";
  return Error("none");
}

/// One memory instruction of a tile.
struct Instruction {
  std::string tensor;  ///< "?" where threads touch several
  kernel::MemoryKind kind = kernel::MemoryKind::read;
  int bytes = 0;
  int line = 0;
  std::map<std::int64_t, std::int64_t> at;  ///< thread: byte of the tensor
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

inline void PrintTo(const Instruction& one, std::ostream* out) {
  *out << (one.kind == kernel::MemoryKind::read    ? "read "
           : one.kind == kernel::MemoryKind::write ? "write "
                                                   : "atomic ")
       << one.bytes << " B of " << one.tensor << ", line " << one.line << ":";
  for (const auto& [thread, byte] : one.at) *out << ' ' << thread << "->" << byte;
}

/// Takes patterns apart by their definition (trace/pattern.h), element by element.
class Recorder final : public trace::AccessSink {
 public:
  Recorder(const kernel::KernelProgram& program, const config::Launch& launch)
      : program_(program), launch_(launch) {}

  void access(const trace::AccessPattern& pattern) override {
    const auto& site = program_.sites[static_cast<std::size_t>(pattern.site)];
    Instruction one;
    const config::Tensor* tensor =
        pattern.tensor < 0 ? nullptr : &launch_.tensors[static_cast<std::size_t>(pattern.tensor)];
    one.tensor = tensor != nullptr ? tensor->name : "?";
    one.kind = site.kind;
    one.bytes = pattern.element_bytes;
    one.line = program_.places[static_cast<std::size_t>(site.place)].position.line;
    EXPECT_EQ(pattern.elements(), launch_.thread_count());
    for (std::int64_t index = 0; index < pattern.elements(); ++index) {
      std::int64_t rest = index;
      std::int64_t address = pattern.base;
      bool active = pattern.active == nullptr || pattern.active[index] != 0;
      for (int k = pattern.axes; k-- > 0;) {
        const trace::PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
        const std::int64_t i = rest % axis.extent;
        rest /= axis.extent;
        address += axis.table != nullptr ? axis.table[i] : axis.stride * i;
        active = active && i >= axis.first && i < axis.last &&
                 (axis.flags == nullptr || axis.flags[i] != 0);
      }
      if (!active) continue;
      if (pattern.addresses != nullptr) address = pattern.addresses[index];
      one.at[index] = address - static_cast<std::int64_t>(tensor != nullptr ? tensor->address : 0);
    }
    stream.push_back(std::move(one));
  }

  std::vector<Instruction> stream;

 private:
  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
};

struct Subject {
  config::Launch launch;
  std::shared_ptr<const kernel::KernelProgram> program;

  void set(const std::string& name, std::int64_t value) {
    for (config::Argument& argument : launch.arguments)
      if (argument.name == name) argument.value.data = value;
  }
  std::size_t index_of(const std::string& tensor) const {
    for (std::size_t k = 0; k < launch.tensors.size(); ++k)
      if (launch.tensors[k].name == tensor) return k;
    ADD_FAILURE() << "no tensor " << tensor;
    return 0;
  }
  std::vector<Instruction> trace(Tile tile) const {
    trace::Tracer tracer(*program, launch, {});
    return trace(tracer, tile);
  }
  std::vector<Instruction> trace(trace::Tracer& tracer, Tile tile) const {
    Recorder recorder(*program, launch);
    tracer.run(tile, recorder);
    return std::move(recorder.stream);
  }
  /// What a tensor holds before the launch, as numbers.
  std::vector<double> before(const std::string& tensor) const {
    const config::Tensor& its = launch.tensors[index_of(tensor)];
    const config::TensorData data(launch, its, std::int64_t{1} << 28);
    std::vector<double> numbers(
        static_cast<std::size_t>(its.bytes / config::byte_width(its.dtype)));
    for (std::size_t k = 0; data.is_known() && k < numbers.size(); ++k)
      numbers[k] = data.real(static_cast<std::int64_t>(k));
    return numbers;
  }
  /// What all tensors hold after it, by name; those that did not change are not there.
  std::map<std::string, std::vector<double>> run() const {
    std::map<std::string, std::vector<double>> results;
    for (const auto& [tensor, bytes] : trace::native::run_launch(*program, launch))
      results[launch.tensors[tensor].name] = numbers_of(bytes, launch.tensors[tensor].dtype);
    return results;
  }

 private:
  template <class T>
  static std::vector<double> numbers_as(const std::vector<char>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return {values.begin(), values.end()};
  }
  static std::vector<double> numbers_of(const std::vector<char>& bytes, config::DType dtype) {
    switch (dtype) {
      case config::DType::float64:
        return numbers_as<double>(bytes);
      case config::DType::float32:
        return numbers_as<float>(bytes);
      case config::DType::int32:
        return numbers_as<std::int32_t>(bytes);
      case config::DType::uint32:
        return numbers_as<std::uint32_t>(bytes);
      case config::DType::int64:
        return numbers_as<std::int64_t>(bytes);
      default:
        ADD_FAILURE() << "a type that the tests do not know";
        return {};
    }
  }
};

inline Subject load(const std::string& job, const std::vector<std::string>& overrides) {
  LoadedKernel loaded = load_kernel(job, overrides);
  return {std::move(loaded.launch),
          std::make_shared<const kernel::KernelProgram>(std::move(loaded.program))};
}

/// The same kernel for other sizes: nothing is compiled.
inline Subject with_sizes(const Subject& subject, const std::string& job,
                          const std::vector<std::string>& overrides) {
  const config::Job read = config::read_job(job, overrides);
  return {config::make_launch(read, config::resolve_arguments(read, {}), {}), subject.program};
}

/// A folder for kernels and jobs, which goes with the test.
class Folder {
 public:
  Folder() : path_(std::string(HEDDLE_WORK_DIR) + "/cxx-XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  /// `job` is everything but the line that names the kernel.
  Subject load(const std::string& name, const std::string& source, const std::string& job) const {
    write(name, source);
    return test::load(write(name + ".toml", "kernel = \"" + name + "\"\n" + job), {});
  }

 private:
  std::string path_;
};

}  // namespace heddle::test
