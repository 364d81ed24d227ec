// Jobs as bundles.
#include "measure/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/source.h"
#include "pipeline.h"
#include "support/error.h"
#include "support/file.h"

namespace heddle::measure {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string kExamples = HEDDLE_TESTS_DIR "/../examples/";

Bundle bundle_of(const LoadedKernel& loaded, const std::string& job) {
  Bundle bundle;
  bundle.job = job;
  bundle.gpu = "h200";
  bundle.kernel_path = loaded.launch.kernel_path;
  const std::string text = read_text(loaded.launch.kernel_path, 1 << 20);
  bundle.candidates = {{"identity", "identity", "", text, {}}, {"mine.py", "", "", text, {}}};
  bundle.launches = {{"main", loaded.launch, &loaded.program, nullptr}};
  return bundle;
}

TEST(Bundle, SaysEverythingALaunchNeeds) {
  const LoadedKernel loaded = load_kernel(kExamples + "attention_heads.toml", {"sequence=256"});
  const std::string text = bundle_text(bundle_of(loaded, "job.toml"));
  EXPECT_THAT(text, HasSubstr("heddle-bundle 1\njob job.toml\ngpu h200\nlanguage triton\n"
                              "function attention_heads_kernel\n"));
  EXPECT_THAT(text, HasSubstr("candidate 1 kernels/1.py mine.py\n"));
  EXPECT_THAT(text, HasSubstr("launch main\ngrid 64 2 1\nthreads 0 0 0\n"));
  EXPECT_THAT(text, HasSubstr("tensor q_ptr fp16 4194304 read random\n"
                              "shape q_ptr 256 64 128\nstrides q_ptr 8192 128 1\n"));
  EXPECT_THAT(text, HasSubstr("tensor out_ptr fp16 4194304 write random\n"));
  EXPECT_THAT(text, HasSubstr("argument out_ptr tensor out_ptr\n"));
  EXPECT_THAT(text, HasSubstr("argument sequence int32 256\n"));
  EXPECT_THAT(text, HasSubstr("argument scale fp32 0.0883883"));
  EXPECT_THAT(text, HasSubstr("constexpr BLOCK_KEYS int 64\n"));
  EXPECT_TRUE(text.ends_with("end\n"));
}

TEST(Bundle, WhatDecidesAddressesTravels) {
  const std::string folder = HEDDLE_WORK_DIR "/measure_spmv";
  fs::remove_all(folder);
  const LoadedKernel loaded = load_kernel(kExamples + "spmv.toml", {});
  write_bundle(bundle_of(loaded, kExamples + "spmv.toml"), folder);
  const std::string text = read_text(folder + "/bundle.txt", 1 << 20);
  EXPECT_THAT(text, HasSubstr(" file data/main."));
  bool is_any = false;
  for (const auto& entry : fs::directory_iterator(folder + "/data")) {
    for (const config::Tensor& tensor : loaded.launch.tensors)
      if (entry.path().filename() == "main." + tensor.name + ".bin") {
        EXPECT_EQ(fs::file_size(entry.path()), static_cast<std::uintmax_t>(tensor.bytes));
        is_any = true;
      }
  }
  EXPECT_TRUE(is_any);
  const BundleRecord record = read_record(folder);
  EXPECT_EQ(record.candidates.size(), 2u);
  EXPECT_EQ(record.candidates[1].title, "mine.py");
  EXPECT_FALSE(record.candidates[1].predicted);
  EXPECT_EQ(record.function, loaded.program.function);
  EXPECT_TRUE(fs::exists(folder + "/run.sh"));
}

TEST(Bundle, DoesNotOverwriteSomethingElse) {
  const std::string folder = HEDDLE_WORK_DIR "/measure_taken";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/thesis.tex") << "precious";
  const LoadedKernel loaded = load_kernel(kExamples + "copy.toml", {});
  EXPECT_THROW(write_bundle(bundle_of(loaded, "copy.toml"), folder), Error);
  EXPECT_TRUE(fs::exists(folder + "/thesis.tex"));
  fs::remove(folder + "/thesis.tex");
  write_bundle(bundle_of(loaded, "copy.toml"), folder);
  write_bundle(bundle_of(loaded, "copy.toml"), folder);  // a bundle is written anew
}

TEST(Bundle, ArgumentsOfCxxKernelsHaveTheirTypes) {
  const LoadedKernel loaded = load_kernel(kExamples + "histogram_shared.toml", {"count=65536"});
  TraceReport memory;
  AccessSummary read, atomic;
  read.tensor = "input";
  atomic.tensor = "counts";
  atomic.kind = AccessKind::atomic;
  memory.accesses = {read, atomic};
  Bundle bundle = bundle_of(loaded, "histogram_shared.toml");
  bundle.launches[0].memory = &memory;
  const std::string text = bundle_text(bundle);
  EXPECT_THAT(text, HasSubstr("language cuda\nfunction histogram_shared\ndefine BINS=256\n"));
  EXPECT_THAT(text, HasSubstr("threads 256 1 1\n"));
  EXPECT_THAT(text, HasSubstr("tensor input uint8 65536 read uniform 0 256\n"));
  EXPECT_THAT(text, HasSubstr("tensor counts uint32 1024 update zeros\n"));
  EXPECT_THAT(text, HasSubstr("argument input tensor input\nargument counts tensor counts\n"
                              "argument count int32 65536\n"));
}

TEST(Bundle, DeviceSourceHasNoHostCode) {
  const std::string path = kExamples + "kernels/histogram_shared.cu";
  const std::string text = kernel::language_of(path).runtime_text(
      {path, read_text(path, 1 << 20), "kernels/0.cu", config::Launch{}});
  EXPECT_THAT(text, HasSubstr("histogram_shared"));
  EXPECT_THAT(text, Not(HasSubstr("cudaMalloc")));
  EXPECT_THAT(text, Not(HasSubstr("cuda_runtime.h")));
  EXPECT_THAT(text, HasSubstr("#line 1 \"kernels/0.cu\""));
}

}  // namespace
}  // namespace heddle::measure
