// The kernels of tests/device, which use everything of the device headers, can be compiled for this
// machine and for a GPU, and their first tile can be traced.
#include <fmt/format.h>

#include "config/dtype.h"
#include "kernel/cxx/compile.h"
#include "kernel/cxx/source.h"
#include "kernel/cxx/value_type.h"
#include "subject.h"

namespace heddle::test {
namespace {

/// Zeros for every pointer, ones for every number.
std::string job_for(const std::string& path, const kernel::cxx::CxxFunction& kernel) {
  std::string job = fmt::format("kernel = \"{}\"\nfunction = \"{}\"\ngrid = [1]\n", path,
                                kernel.scope + kernel.name);
  std::string scalars = "[scalars]\n";
  for (const kernel::cxx::CxxParameter& parameter : kernel.parameters) {
    const kernel::cxx::ValueType type = kernel::cxx::value_type(parameter.type);
    if (type.pointers == 0) {
      scalars += parameter.name + " = 1\n";
      continue;
    }
    job += fmt::format("[tensors.{}]\ndtype = \"{}\"\nshape = [65536]\ncontents = \"zeros\"\n",
                       parameter.name,
                       config::dtype_text(type.element.value_or(config::DType::uint8)));
  }
  return job + scalars + "[launch]\nthreads = 64\nshared_bytes = 4096\n";
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_TESTS_DIR) + "/device"))
    names.push_back(entry.path().stem().string());
  // These are run by examples_test.cpp, the last one is refused below.
  for (const char* const name : {"self_check", "matrix_check", "mfma_check", "buffer_check",
                                 "random_check", "rocprim_check", "variables"})
    std::erase(names, name);
  std::sort(names.begin(), names.end());
  return names;
}

class DeviceKernel : public testing::TestWithParam<std::string> {};

TEST_P(DeviceKernel, IsCompiledAndTraced) {
  HEDDLE_NEED_CLANG();
  std::string path = std::string(HEDDLE_TESTS_DIR) + "/device/" + GetParam() + ".hip";
  if (!std::filesystem::exists(path)) path.replace(path.size() - 3, 3, "cu");
  const kernel::cxx::CxxSource source(path);
  // All kernels of a file are compiled with any of them; one is run.
  const auto plain =
      std::find_if(source.kernels().begin(), source.kernels().end(), [](const auto& kernel) {
        return kernel.template_parameters.empty() && !kernel.parameters.empty();
      });
  ASSERT_NE(plain, source.kernels().end());
  const Folder folder;
  const Subject subject = load(folder.write("job.toml", job_for(path, *plain)), {});
  EXPECT_FALSE(subject.trace({0, 0, 0}).empty());
  EXPECT_EQ(subject.program->facts("gfx90a")->reason, "");
}

TEST(Device, VariablesThatTilesMaySpeakThroughAreRefused) {
  HEDDLE_NEED_CLANG();
  const Folder folder;
  const std::string path = std::string(HEDDLE_TESTS_DIR) + "/device/variables.hip";
  const Subject subject = load(
      folder.write("job.toml", "kernel = \"" + path +
                                   "\"\nfunction = \"variables<16>\"\ngrid = [1]\n[tensors.p]\n"
                                   "dtype = \"fp32\"\nshape = [256]\n[launch]\nthreads = 64\n"),
      {});
  const Error error = error_of([&] { subject.trace({0, 0, 0}); });
  EXPECT_EQ(error.code(), ExitCode::inconclusive);
  EXPECT_THAT(error.message(), testing::HasSubstr("writes __device__ variables"));
}

INSTANTIATE_TEST_SUITE_P(All, DeviceKernel, testing::ValuesIn(files()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace heddle::test
