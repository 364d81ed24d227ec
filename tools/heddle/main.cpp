// heddle: the program. Parses flags, runs a verb, turns errors into messages and exit codes.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>
#include <system_error>

#include "output.h"
#include "report/style.h"
#include "verbs.h"

namespace {

constexpr const char* kFooter = R"text(
Examples:
  heddle check "xcd(8)" --grids 1..4096
  heddle check remap.py --grid 256x256 --let M=8192,BLOCK_SIZE_M=32
  heddle emit "xcd(8) | group(4)" --axes 2 --lang hip
  heddle analyze -p workloads/vcopy/MI200 -b 2 16.3
  heddle audit optimiser.log --grid 256x256 --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32

Exit codes: 0 good, 1 refuted, 2 usage, 3 inconclusive, 4 something needed is missing,
5 the target program failed, 130 interrupted.)text";

int complain(const heddle::Error& error) {
  fmt::print(stderr, "heddle: {}\n", error.full_text());
  return static_cast<int>(error.code());
}

/// An answer that was not written whole is not an answer.
int flushed(int code) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return code;
  return complain(heddle::tool::output_error());
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

/// Columns of the terminal that standard output is; 0 where it is not one.
std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  heddle::report::set_text_columns(heddle::report::choose_columns(terminal_columns()));
  heddle::tool::Program program(
      "heddle proves, compares and writes the order in which a GPU runs a kernel's blocks.",
      "heddle " HEDDLE_VERSION, kFooter);
  heddle::tool::Outcome outcome;
  heddle::tool::add_optimize(program, outcome);
  heddle::tool::add_bundle(program, outcome);
  heddle::tool::add_merge(program, outcome);
  heddle::tool::add_check(program, outcome);
  heddle::tool::add_emit(program, outcome);
  heddle::tool::add_audit(program, outcome);
  heddle::tool::add_trace(program, outcome);
  heddle::tool::add_simulate(program, outcome);
  heddle::tool::add_validate(program, outcome);
  heddle::tool::add_calibrate(program, outcome);
  heddle::tool::add_history(program, outcome);
  heddle::tool::add_roofline(program, outcome);
  heddle::tool::add_capture(program, outcome);
  heddle::tool::add_new_job(program, outcome);
  heddle::tool::add_analyze(program, outcome);
  heddle::tool::add_explain(program, outcome);
  heddle::tool::add_profile(program, outcome);
  heddle::tool::add_gpus(program, outcome);
  heddle::tool::add_view(program, outcome);
  heddle::tool::add_mcp(program, outcome);
  try {
    const int words = words_before_target(argc, argv, outcome.target);
    if (const auto code = program.parse(words, argv)) return flushed(*code);
  } catch (const heddle::Error& error) {
    return complain(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(heddle::Error(error.what(), "check the path and its permissions",
                                  heddle::ExitCode::missing));
  } catch (const std::system_error&) {  // fmt::print's
    return complain(heddle::tool::output_error());
  } catch (const std::bad_alloc&) {
    return complain(
        heddle::Error("not enough memory", "use a smaller grid", heddle::ExitCode::missing));
  }
  return flushed(static_cast<int>(outcome.code));
}
