#include "kernel/cxx/clang.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "support/child_process.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::chrono::seconds kMostTime{60};
constexpr std::size_t kMostMemory = std::size_t{4} << 30;
constexpr std::size_t kMostOutput = std::size_t{64} << 20;

std::string clang_name() {
  const char* const named = std::getenv("HEDDLE_CLANG");
  return named != nullptr && *named != '\0' ? named : "clang-19";
}

/// "file:12:3: error: text" taken apart; false where a line is something else.
struct Message {
  std::string file;
  Position position;
  std::string text;
};

bool read_message(std::string_view line, Message& message) {
  std::size_t mark = line.find(": error: ");
  std::size_t length = 9;
  if (mark == std::string_view::npos) {
    mark = line.find(": fatal error: ");
    length = 15;
  }
  if (mark == std::string_view::npos) {
    if (line.substr(0, 7) != "error: " && line.find("error: ") == std::string_view::npos)
      return false;
    const std::size_t begin = line.find("error: ") + 7;
    message = {"", {}, std::string(line.substr(begin))};
    return true;
  }
  const std::string_view place = line.substr(0, mark);
  message.text = line.substr(mark + length);
  message.file = place;
  const std::size_t last = place.rfind(':');
  if (last == std::string_view::npos) return true;
  const std::size_t before = place.rfind(':', last - 1);
  const auto column = parse_integer(place.substr(last + 1));
  if (before == std::string_view::npos || !column) return true;
  const auto number = parse_integer(place.substr(before + 1, last - before - 1));
  if (!number) return true;
  message.file = place.substr(0, before);
  message.position = {static_cast<int>(*number), static_cast<int>(*column)};
  return true;
}

/// `errors` is all that Clang says: it names assembly that it could not read below its message.
std::string advice_for(const std::string& text, const std::string& errors) {
  if (text.find(" asm") != std::string::npos || text.find("inline assembly") != std::string::npos ||
      text.find("instruction mnemonic") != std::string::npos ||
      errors.find("<inline asm>") != std::string::npos)
    return "inline assembly of a GPU cannot be run here: give a variant without it";
  if (text.find("undeclared identifier") != std::string::npos ||
      text.find("no matching function") != std::string::npos ||
      text.find("no member named") != std::string::npos)
    return "docs/cxx.md lists what heddle's device header has; constexprs of the job are macros";
  return "the kernel has to compile as C++20; docs/cxx.md says what is supported";
}

}  // namespace

ClangOutput run_clang(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {clang_name(), "-w", "-fno-color-diagnostics",
                                      "-fno-caret-diagnostics", "-ferror-limit=4"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ChildLimits limits;
  limits.time = kMostTime;
  limits.memory_bytes = kMostMemory;
  limits.output_bytes = kMostOutput;
  ChildResult result;
  try {
    result = run_child(command, "", limits);
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing) throw;
    throw Error(fmt::format("C++ kernels need Clang, and there is no '{}'", command.front()),
                "apt-get install clang-19, or set HEDDLE_CLANG to its name", ExitCode::missing);
  }
  if (result.timed_out)
    throw Error(fmt::format("Clang takes longer than {} s for this kernel", kMostTime.count()),
                "make it simpler: fewer templates, less unrolling");
  if (result.too_much_output)
    throw Error("Clang makes more than 64 MiB of code of this kernel", "unroll less");
  return {result.exit_code == 0, std::move(result.output), std::move(result.errors)};
}

Error clang_error(const std::string& errors, const std::string& source_path) {
  for (const std::string_view line : split(errors, '\n')) {
    Message message;
    if (!read_message(line, message)) continue;
    const std::string advice = advice_for(message.text, errors);
    if (message.file == kMainFile)
      return Error(message.text, advice).at(source_path, message.position);
    if (message.position.line == 0) return Error(message.text, advice).in(source_path);
    const std::size_t slash = message.file.find_last_of('/');
    return Error(fmt::format(
                     "{} (in {}, line {})", message.text,
                     slash == std::string::npos ? message.file : message.file.substr(slash + 1),
                     message.position.line),
                 advice)
        .in(source_path);
  }
  return Error("Clang cannot compile the kernel", "it may need more than 4 GiB: make it simpler")
      .in(source_path);
}

std::string missing_header(const std::string& errors) {
  constexpr std::string_view kBefore = "fatal error: '";
  constexpr std::string_view kBehind = "' file not found";
  const std::size_t begin = errors.find(kBefore);
  if (begin == std::string::npos) return {};
  const std::size_t end = errors.find(kBehind, begin);
  if (end == std::string::npos) return {};
  return errors.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

bool drop_include(std::string& text, const std::string& header) {
  bool dropped = false;
  for (std::size_t at = text.find("include"); at != std::string::npos;
       at = text.find("include", at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    if (line.find('<' + header + '>') == std::string::npos &&
        line.find('"' + header + '"') == std::string::npos)
      continue;
    text.replace(begin, end - begin, end - begin, ' ');
    dropped = true;
  }
  return dropped;
}

}  // namespace heddle::kernel::cxx
