// heddle gpus: the GPUs that heddle knows, and where their numbers come from.
#include <fmt/format.h>

#include <memory>

#include "config/gpu.h"
#include "output.h"
#include "report/gpu_report.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kGpusExamples = R"text(
Examples:
  heddle gpus
  heddle gpus mi300x
  heddle gpus mi300x:CPX --json
  heddle gpus my_gpu.toml
To describe your own GPU, see docs/add-a-gpu.md. $HEDDLE_GPUS names a folder with such files.)text";

struct GpusArguments {
  std::string gpu;
  OutputArguments output;
};

/// The same GPU in each of its modes.
std::vector<config::Gpu> all_modes(const std::string& asked, const config::Gpu& gpu) {
  std::vector<config::Gpu> modes;
  // "mi300x:cpx" -> "mi300x"; read_gpu has made sure that what follows the colon is a mode.
  const std::string ending = ":" + gpu.mode;
  std::string name = asked;
  if (asked.size() > ending.size() && asked[asked.size() - ending.size()] == ':')
    name = asked.substr(0, asked.size() - ending.size());
  for (const std::string& mode : gpu.modes) modes.push_back(config::read_gpu(name + ":" + mode));
  return modes;
}

ExitCode run_gpus(const GpusArguments& arguments) {
  const OutputArguments& output = arguments.output;
  if (arguments.gpu.empty()) {
    std::vector<config::Gpu> gpus;
    for (const std::string& name : config::known_gpus()) gpus.push_back(config::read_gpu(name));
    output.print(output.wants_json() ? json_text(report::gpu_list_json(gpus))
                                     : report::gpu_list_text(gpus, output.style()));
    return ExitCode::good;
  }
  const config::Gpu gpu = config::read_gpu(arguments.gpu);
  const std::vector<config::Gpu> modes = all_modes(arguments.gpu, gpu);
  output.print(output.wants_json() ? json_text(report::gpu_json(gpu, modes))
                                   : report::gpu_text(gpu, modes, output.style()));
  return ExitCode::good;
}

}  // namespace

void add_gpus(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb(
      "gpus", "list the GPUs that heddle knows, with the sources of their parameters");
  const auto arguments = std::make_shared<GpusArguments>();
  verb.add_option("NAME", arguments->gpu,
                  "a GPU, with a mode after ':' (mi300x:CPX), or a file; all GPUs by default");
  arguments->output.add(verb);
  verb.footer(kGpusExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_gpus(*arguments); });
}

}  // namespace heddle::tool
