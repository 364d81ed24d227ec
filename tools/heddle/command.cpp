#include "command.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "notes.h"
#include "output.h"
#include "support/version.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kFooter = R"text(
Examples:
  heddle check "xcd(8)" --grids 1..4096
  heddle check remap.py --grid 256x256 --let M=8192,BLOCK_SIZE_M=32
  heddle emit "xcd(8) | group(4)" --axes 2 --lang hip
  heddle analyze -p workloads/vcopy/MI200 -b 2 16.3
  heddle audit optimiser.log --grid 256x256 --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32

Exit codes: 0 success, 1 refuted, 2 usage, 3 inconclusive, 4 a requirement is missing,
5 the target program failed, 130 interrupted.)text";

/// On standard error; with --json on standard output too, so that a program need not read prose.
int complain(const Error& error, bool in_json, const std::string& verb = "") {
  print_message(fmt::format("heddle{}: {}\n", verb, error.full_text()));
  if (in_json) OutputArguments().print(error_json(error));
  return static_cast<int>(error.code());
}

/// `heddle profile ... -- ./program -n 3`: what the program is given is not read as ours. Of other
/// verbs nothing is taken away.
int words_before_target(int argc, char** argv, std::vector<std::string>& target) {
  if (argc < 2) return argc;
  const std::string_view verb = argv[1];
  if (verb != "profile" && verb != "capture") return argc;
  int words = 0;
  while (words < argc && std::string_view(argv[words]) != "--") ++words;
  for (int i = words + 1; i < argc; ++i) target.emplace_back(argv[i]);
  return words;
}

void add_verbs(Program& program, Outcome& outcome) {
  add_optimize(program, outcome);
  add_bundle(program, outcome);
  add_merge(program, outcome);
  add_sweep(program, outcome);
  add_gate(program, outcome);
  add_check(program, outcome);
  add_emit(program, outcome);
  add_audit(program, outcome);
  add_trace(program, outcome);
  add_simulate(program, outcome);
  add_validate(program, outcome);
  add_calibrate(program, outcome);
  add_history(program, outcome);
  add_roofline(program, outcome);
  add_capture(program, outcome);
  add_new_job(program, outcome);
  add_analyze(program, outcome);
  add_explain(program, outcome);
  add_profile(program, outcome);
  add_gpus(program, outcome);
  add_view(program, outcome);
  add_mcp(program, outcome);
  add_doctor(program, outcome);
  add_help(program, outcome);
  add_completion(program, outcome);
}

int run_verb(int argc, char** argv, bool& in_json) {
  Program program("heddle finds and proves a faster order in which a GPU runs a kernel's blocks.",
                  "heddle " + version_text(), kFooter);
  Outcome outcome;
  add_verbs(program, outcome);
  const int words = words_before_target(argc, argv, outcome.target);
  for (int i = 1; i < words; ++i) in_json |= std::string_view(argv[i]) == "--json";
  if (!program.parse(words, argv)) return static_cast<int>(ExitCode::good);
  return static_cast<int>(outcome.code);
}

int run_or_complain(int argc, char** argv) {
  bool in_json = false;
  try {
    return run_verb(argc, argv, in_json);
  } catch (const FlagError& error) {
    return complain(error, in_json, " " + error.verb());
  } catch (const Error& error) {
    return complain(error, in_json);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(Error(error.what(), "check the path and its permissions", ExitCode::missing),
                    in_json);
  } catch (const std::system_error&) {  // fmt::print's
    return complain(output_error(), false);
  } catch (const std::bad_alloc&) {
    return complain(Error("not enough memory", "use a smaller grid", ExitCode::missing), in_json);
  }
}

}  // namespace

int run_command(int argc, char** argv) {
  set_loudness(Loudness::normal);
  try {
    return run_or_complain(argc, argv);
  } catch (const Error& error) {  // the complaint itself could not be written
    return complain(error, false);
  }
}

}  // namespace heddle::tool
