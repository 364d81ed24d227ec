// A bundle of fake kernels, run by the real agent against the fake GPU of fake/fake.h.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::agent {

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// One launch of add(a, b, c, n) over 256 numbers.
inline constexpr const char* kLaunch =
    "grid 4 1 1\nthreads 64 1 1\n"
    "tensor a fp32 1024 read random\ntensor b fp32 1024 read random\n"
    "tensor c fp32 1024 write random\nshape c 16 16\nstrides c 16 1\n"
    "argument a tensor a\nargument b tensor b\nargument c tensor c\nargument n int32 256\nend\n";

class Running : public testing::Test {
 protected:
  Running() {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::string(HEDDLE_WORK_DIR) + "/agent_" + info->test_suite_name() + "_" + info->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/kernels");
    std::filesystem::create_directories(folder_ + "/agent");
    std::filesystem::create_directories(folder_ + "/bin");
    environment_ = {
        {"HEDDLE_CUDA_LIBRARY", library("fake_cuda")},
        {"HEDDLE_NVRTC_LIBRARY", library("fake_nvrtc")},
        {"HEDDLE_HIP_LIBRARY", library("fake_hip")},
        {"HEDDLE_HIPRTC_LIBRARY", library("fake_hiprtc")},
        {"HEDDLE_NVML_LIBRARY", library("fake_nvml")},
        // The fake GPU gives nothing back, and looking for leaks takes seconds a process.
        {"ASAN_OPTIONS", "detect_leaks=0"},
        {"CUDA_HOME", "/nonexistent"},
        {"PATH", folder_ + "/bin:/usr/bin:/bin"}};
  }
  ~Running() override {
    if (!HasFailure()) std::filesystem::remove_all(folder_);
  }

  static std::string library(const std::string& name) {
    return std::string(HEDDLE_FAKE_DIR) + "/lib" + name + ".so";
  }

  /// The next candidate; the first is the original.
  void kernel(const std::string& markers) {
    std::istringstream lines(markers);
    std::string text;
    for (std::string line; std::getline(lines, line, ';');) text += "// fake: " + line + "\n";
    const std::string name = "kernels/" + std::to_string(kernels_) + ".cu";
    write(name, text);
    candidates_ += "candidate " + std::to_string(kernels_++) + " " + name + " title\n";
  }

  void write(const std::string& name, const std::string& text, bool program = false) const {
    std::ofstream(folder_ + "/" + name) << text;
    if (program)
      std::filesystem::permissions(folder_ + "/" + name, std::filesystem::perms::owner_all);
  }

  /// Runs the agent; returns its code.
  int run(const std::string& arguments = "") {
    write_bundle();
    return run_on("'" + folder_ + "'", arguments);
  }

  void write_bundle() const {
    write("bundle.txt", "heddle-bundle 1\njob a job\ngpu fake\nlanguage " + language_ +
                            "\nfunction " + function_ + "\nseeds 1 2\nlimit_s 2\nrounds " +
                            std::to_string(rounds_) + "\nbudget_s 20\n" + more_ + candidates_ +
                            "launch main\n" + kLaunch + launches_);
  }

  int run_on(const std::string& folders, const std::string& arguments) const {
    std::string command = "env";
    for (const auto& [name, value] : environment_) command += " " + name + "='" + value + "'";
    command += " '" + std::string(HEDDLE_AGENT) + "' " + folders + " " + arguments + " >'" +
               folder_ + "/out.txt' 2>'" + folder_ + "/err.txt'";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string result(const std::string& name) const {
    return text_of(folder_ + "/results/" + name);
  }
  std::string errors() const { return text_of(folder_ + "/err.txt"); }

  std::size_t count_lines(const std::string& name, const std::string& beginning) const {
    std::istringstream lines(result(name));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);)
      count += line.substr(0, beginning.size()) == beginning ? 1U : 0U;
    return count;
  }

  std::string folder_;
  std::string language_ = "cuda";
  std::string function_ = "add";
  std::string launches_;
  std::string more_;  ///< statements in front of the candidates
  int rounds_ = 20;
  std::vector<std::pair<std::string, std::string>> environment_;

 private:
  int kernels_ = 0;
  std::string candidates_;
};

}  // namespace heddle::agent
