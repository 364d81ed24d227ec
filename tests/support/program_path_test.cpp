#include "support/program_path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "support/temporary_folder.h"

namespace heddle {
namespace {

class ProgramPath : public ::testing::Test {
 protected:
  ProgramPath() : path_(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "") {}
  ~ProgramPath() override { setenv("PATH", path_.c_str(), 1); }

  std::string write(const TemporaryFolder& folder, const std::string& name, const std::string& text,
                    mode_t mode) {
    const std::string file = folder.path() + "/" + name;
    std::ofstream(file) << text;
    chmod(file.c_str(), mode);
    return file;
  }

 private:
  std::string path_;
};

TEST_F(ProgramPath, FindsWhatMayBeRunInOrder) {
  const TemporaryFolder first, second;
  const std::string script = write(first, "tool", "#!/bin/sh\n", 0755);
  const std::string binary = write(second, "tool",
                                   "\x7f"
                                   "ELF",
                                   0755);
  write(first, "text", "#!/bin/sh\n", 0644);
  setenv("PATH", (first.path() + ":/nowhere:" + second.path()).c_str(), 1);
  EXPECT_EQ(programs_in_path("tool"), (std::vector<std::string>{script, binary}));
  EXPECT_TRUE(is_script(script));
  EXPECT_FALSE(is_script(binary));
  EXPECT_TRUE(programs_in_path("text").empty()) << "it may not be run";
  EXPECT_TRUE(programs_in_path("").empty());
  unsetenv("PATH");
  EXPECT_TRUE(programs_in_path("tool").empty());
}

TEST_F(ProgramPath, WhatCannotBeReadIsNoScript) {
  const TemporaryFolder folder;
  EXPECT_FALSE(is_script(folder.path()));
  EXPECT_FALSE(is_script(folder.path() + "/none"));
  EXPECT_FALSE(is_script(write(folder, "short", "#", 0755)));
}

}  // namespace
}  // namespace heddle
