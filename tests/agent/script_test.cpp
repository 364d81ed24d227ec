// run.sh of a bundle: builds what is not built, and runs it.
#include "agent/agent_files.h"
#include "agent/running.h"

namespace heddle::agent {
namespace {

using testing::HasSubstr;

class Script : public Running {
 protected:
  Script() {
    for (const AgentFile& file : agent_files())
      write(file.path == "run.sh" ? file.path : "agent/" + file.path, file.text);
    kernel("add;time_us 100 noise 2");
    // A compiler that compiles nothing: it counts, and copies the program.
    write("bin/compiler",
          "#!/bin/sh\necho x >>'" + folder_ + "/compiled'\necho \"$@\" >'" + folder_ +
              "/arguments'\nwhile [ $1 != -o ]; do shift; done\ncp '" HEDDLE_AGENT "' \"$2\"\n",
          true);
    environment_.emplace_back("CXX", "compiler");
    run("--help");  // writes bundle.txt
  }

  int script(const std::string& arguments) {
    std::string command = "env";
    for (const auto& [name, value] : environment_) command += " " + name + "='" + value + "'";
    command += " sh '" + folder_ + "/run.sh' " + arguments + " 2>'" + folder_ + "/err.txt'";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(Script, builds_once_and_runs) {
  EXPECT_EQ(script("--only check"), 0) << errors();
  EXPECT_EQ(result("done.txt"), "done\n");
  EXPECT_THAT(text_of(folder_ + "/arguments"), testing::StartsWith("-std=c++20 -O2 "));
  EXPECT_THAT(text_of(folder_ + "/arguments"), HasSubstr("/agent/main.cpp "));
  EXPECT_EQ(script("--only check"), 0) << errors();
  EXPECT_EQ(text_of(folder_ + "/compiled"), "x\n");
  std::filesystem::last_write_time(
      folder_ + "/agent/main.cpp",
      std::filesystem::file_time_type::clock::now() + std::chrono::seconds(10));
  EXPECT_EQ(script("--only check"), 0) << errors();
  EXPECT_EQ(text_of(folder_ + "/compiled"), "x\nx\n");
}

TEST_F(Script, says_what_is_missing) {
  environment_.emplace_back("CXX", "no-such-compiler");
  EXPECT_EQ(script(""), 4);
  EXPECT_THAT(errors(), HasSubstr("there is no C++ compiler 'no-such-compiler'\n  try: "));
  environment_.emplace_back("CXX", "false");
  EXPECT_EQ(script(""), 4);
  EXPECT_THAT(errors(), HasSubstr("the agent could not be built"));
}

}  // namespace
}  // namespace heddle::agent
