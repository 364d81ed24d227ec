// heddle-agent: measures the kernels of a bundle on this machine's GPU. docs/agent.md says how.
#include <cstdio>
#include <string>
#include <vector>

#include "batch.h"
#include "failure.h"
#include "words.h"
#include "worker.h"

namespace heddle::agent {
namespace {

constexpr const char* kHelp =
    "usage: heddle-agent DIR... [--python PROGRAM] [--no-counters] [--only check|time|counters]\n"
    "                    [--resume] [--budget SECONDS]\n"
    "\n"
    "Measures the kernels of bundles on the GPU of this machine; DIR/results holds what it saw.\n"
    "DIR is a bundle or a folder of bundles.\n"
    "\n"
    "  --python PROGRAM   runs Triton kernels; python3 by default\n"
    "  --no-counters      leaves the counters of caches out\n"
    "  --only PHASE       check, time or counters alone\n"
    "  --resume           leaves bundles that are done as they are\n"
    "  --budget SECONDS   ends in that time, with the bundles that are done by then\n"
    "  --version, --help\n"
    "\n"
    "Codes: 0 measured, 2 not understood, 4 something is missing, 5 the original kernel failed.\n"
    "Variables name other libraries: HEDDLE_CUDA_LIBRARY, HEDDLE_NVRTC_LIBRARY,\n"
    "HEDDLE_HIP_LIBRARY, HEDDLE_HIPRTC_LIBRARY, HEDDLE_NVML_LIBRARY.\n";

constexpr const char* kSeeHelp = "heddle-agent --help shows what can be asked";

Options read_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw Failure(kUsage, word + " needs a word after it", kSeeHelp);
      return words[++i];
    };
    if (word == "--python") {
      options.python = value();
    } else if (word == "--no-counters") {
      options.counters = false;
    } else if (word == "--only") {
      options.only = value();
      if (options.only != "check" && options.only != "time" && options.only != "counters")
        throw Failure(kUsage, "there is no phase '" + printable(options.only, 80) + "'",
                      "write check, time or counters");
    } else if (word == "--resume") {
      options.resume = true;
    } else if (word == "--budget") {
      const auto seconds = real(value());
      if (!seconds || !(*seconds > 0 && *seconds < 1e7))
        throw Failure(kUsage, "--budget needs a number of seconds", kSeeHelp);
      options.budget_s = *seconds;
    } else if (word.substr(0, 1) == "-") {
      throw Failure(kUsage, "unknown option " + printable(word, 80), kSeeHelp);
    } else {
      options.folders.push_back(word);
    }
  }
  if (options.folders.empty()) throw Failure(kUsage, "which folder?", kSeeHelp);
  return options;
}

int run(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "worker") return work({words.begin() + 1, words.end()});
  for (const std::string& word : words) {
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout) < 0;
    if (word == "--version") return std::printf("heddle-agent %s\n", kVersion) < 0;
  }
  return run_batch(read_options(words));
}

}  // namespace
}  // namespace heddle::agent

int main(int count, char** words) {
  using heddle::agent::Failure;
  try {
    return heddle::agent::run({words + 1, words + count});
  } catch (const Failure& failure) {
    std::fprintf(stderr, "heddle-agent: %s\n", failure.what());
    if (!failure.attempt().empty()) std::fprintf(stderr, "  try: %s\n", failure.attempt().c_str());
    return failure.code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-agent: %s\n", error.what());
    return 1;
  }
}
