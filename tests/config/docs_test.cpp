// The examples of docs/jobs.md are jobs.
#include <filesystem>

#include "config/testing.h"
#include "support/file.h"

namespace heddle::testing {
namespace {

/// The ```toml blocks of a page.
std::vector<std::string> toml_blocks(const std::string& page) {
  const std::string open = "```toml\n";
  std::vector<std::string> blocks;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    blocks.push_back(page.substr(at, page.find("```", at) - at));
  }
  return blocks;
}

TEST(JobDocs, EveryExampleIsAJob) {
  const std::string page = read_text(std::string(HEDDLE_TESTS_DIR) + "/../docs/jobs.md", 1 << 20);
  const std::vector<std::string> blocks = toml_blocks(page);
  EXPECT_GE(blocks.size(), 7U);
  for (const std::string& block : blocks) {
    const bool whole = block.find("kernel = ") != std::string::npos;
    try {
      const Launch launch = launch_of(whole ? block : kHead + block);
      for (const Tensor& tensor : launch.tensors) TensorData(launch, tensor, 1 << 28);
    } catch (const Error& error) {
      ADD_FAILURE() << error.full_text() << "\n" << block;
    }
  }
}

TEST(JobDocs, TheFirstExampleIsAsDescribed) {
  const std::string page = read_text(std::string(HEDDLE_TESTS_DIR) + "/../docs/jobs.md", 1 << 20);
  const Launch launch = launch_of(toml_blocks(page).at(0));
  EXPECT_EQ(launch.grid.text(), "64x32");
  EXPECT_EQ(launch.find("stride_bk")->value, integer(8192));
}

TEST(JobDocs, EveryExampleOfTheProjectIsAJob) {
  const std::filesystem::path folder = std::string(HEDDLE_TESTS_DIR) + "/../examples";
  int jobs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    ++jobs;
    EXPECT_NO_THROW(read_job(entry.path().string(), {})) << entry.path();
  }
  EXPECT_GT(jobs, 0);
}

}  // namespace
}  // namespace heddle::testing
