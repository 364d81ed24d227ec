// Bundles build the agent with one command and nothing of this build: c++ agent/*.cpp.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "running.h"

namespace heddle::agent {
namespace {

namespace fs = std::filesystem;

TEST(Plain, files_include_one_another_and_nothing_else) {
  const fs::path sources = HEDDLE_TESTS_DIR "/../src/agent/program";
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(sources)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".cpp" && ending != ".h") continue;
    ++files;
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) {
      const std::string begin = "#include \"";
      if (line.compare(0, begin.size(), begin) != 0) continue;
      const std::string name = line.substr(begin.size(), line.rfind('"') - begin.size());
      EXPECT_EQ(name.find('/'), std::string::npos) << entry.path() << ": " << name;
      EXPECT_TRUE(fs::exists(sources / name)) << entry.path() << ": " << name;
    }
  }
  EXPECT_GT(files, 20);
}

TEST(Plain, every_source_is_built_here_as_well) {
  const fs::path sources = HEDDLE_TESTS_DIR "/../src/agent/program";
  const std::string list = text_of((sources.parent_path() / "CMakeLists.txt").string());
  for (const fs::directory_entry& entry : fs::directory_iterator(sources)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string name = "program/" + entry.path().filename().string();
    EXPECT_NE(list.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace heddle::agent
