// heddle: the program. Parses flags, runs a verb, turns errors into messages and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <new>
#include <string_view>

#include "verbs.h"

namespace {

constexpr const char* kFooter = R"text(
Examples:
  heddle check "xcd(8)" --grids 1..4096
  heddle check remap.py --grid 256x256 --let M=8192,BLOCK_SIZE_M=32
  heddle emit "xcd(8) | group(4)" --axes 2 --lang hip
  heddle analyze -p workloads/vcopy/MI200 -b 2 16.3
  heddle audit optimiser.log --grid 256x256 --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32

Exit codes: 0 good, 1 refuted, 2 usage, 3 inconclusive, 4 something needed is missing.)text";

int complain(const heddle::Error& error) {
  fmt::print(stderr, "heddle: {}\n", error.full_text());
  return static_cast<int>(error.code());
}

/// `heddle profile ... -- ./program -n 3`: what the program is given is not read as ours. Of other
/// verbs nothing is taken away.
int words_before_target(int argc, char** argv, std::vector<std::string>& target) {
  if (argc < 2 || std::string_view(argv[1]) != "profile") return argc;
  int words = 0;
  while (words < argc && std::string_view(argv[words]) != "--") ++words;
  for (int i = words + 1; i < argc; ++i) target.emplace_back(argv[i]);
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "heddle proves, compares and writes the order in which a GPU runs a kernel's blocks."};
  app.name("heddle");
  app.set_version_flag("--version", std::string("heddle ") + HEDDLE_VERSION);
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  heddle::tool::Outcome outcome;
  heddle::tool::add_optimize(app, outcome);
  heddle::tool::add_check(app, outcome);
  heddle::tool::add_emit(app, outcome);
  heddle::tool::add_audit(app, outcome);
  heddle::tool::add_trace(app, outcome);
  heddle::tool::add_simulate(app, outcome);
  heddle::tool::add_validate(app, outcome);
  heddle::tool::add_calibrate(app, outcome);
  heddle::tool::add_history(app, outcome);
  heddle::tool::add_roofline(app, outcome);
  heddle::tool::add_new_job(app, outcome);
  heddle::tool::add_analyze(app, outcome);
  heddle::tool::add_explain(app, outcome);
  heddle::tool::add_profile(app, outcome);
  heddle::tool::add_gpus(app, outcome);
  try {
    app.parse(words_before_target(argc, argv, outcome.target), argv);
    if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string verb = chosen.empty() ? "" : " " + chosen.front()->get_name();
    fmt::print(stderr, "heddle{}: {}\n  try: heddle{} --help\n", verb, error.what(), verb);
    return static_cast<int>(heddle::ExitCode::usage);
  } catch (const heddle::Error& error) {
    return complain(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(heddle::Error(error.what(), "check the path and its permissions",
                                  heddle::ExitCode::missing));
  } catch (const std::bad_alloc&) {
    return complain(
        heddle::Error("not enough memory", "use a smaller grid", heddle::ExitCode::missing));
  }
  return static_cast<int>(outcome.code);
}
