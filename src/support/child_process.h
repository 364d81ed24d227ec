// Runs a program with bounded time, memory and output, and nothing but a text on its input.
//
//   run_child({"python3", "-I", "-c", script}, source, {})
//     -> {exit_code 0, output "{...}", errors ""}
//
// Rules
//   1. The program is looked up in PATH; no shell is involved.
//   2. Beyond the time limit it is killed; beyond the output limit, and when `stop` says so,
//      likewise. It does not outlive the caller. What it has started ends with it, however it ends.
//   3. Where folders are named it reads and writes in no others, if the system can hold it to that
//      (support/landlock.h).
//   4. A program that is not there is an Error with ExitCode::missing that names it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct ChildLimits {
  std::chrono::milliseconds time{20'000};
  std::size_t output_bytes = std::size_t{256} << 20;
  std::size_t memory_bytes = std::size_t{2} << 30;
  std::function<bool()> stop = {};                       ///< asked now and then; may be empty
  std::function<void(std::string_view)> on_errors = {};  ///< pieces of standard error, as they come
  /// Pieces of standard output, as they come: the result has none of it then.
  std::function<void(std::string_view)> on_output = {};
  std::size_t file_bytes = 0;              ///< the largest file that it may write; 0: any
  std::string temporary = {};              ///< its TMPDIR; empty: ours
  std::vector<std::string> readable = {};  ///< files and folders; empty, with `writable`: all
  std::vector<std::string> writable = {};
  std::size_t processor_seconds = 0;  ///< of each of its processes; 0: any
};

struct ChildResult {
  int exit_code = 0;       ///< 128 + signal where a signal ended it
  bool timed_out = false;  ///< or it took more time of the processor
  bool stopped = false;    ///< because `stop` said so
  bool too_much_output = false;
  std::string output;
  std::string errors;  ///< at most 64 KiB of what it wrote to standard error
};

ChildResult run_child(const std::vector<std::string>& command, const std::string& input,
                      const ChildLimits& limits);

}  // namespace heddle
