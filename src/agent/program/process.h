// A child process that speaks in lines, watched.
//
//   ChildEnd end = run_child({"/proc/self/exe", "worker", "DIR", "device"}, limits,
//                            [](std::string_view line) { return Heard::life; }, [] {});
//
// Rules
//   1. The child is a process group of its own, which is killed when the child ends, however it
//   ends.
//   2. It is killed when it has been silent for `silent_s`, when it is `until`, or has written more than
//   `output_bytes`.
//      Only lines that the listener calls a sign of life count.
//   3. Of standard error the last 64 KiB are kept.
//   4. Standard input is empty. No file of the agent stays open in the child.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::agent {

struct ChildLimits {
  double silent_s = 60;
  std::optional<std::chrono::steady_clock::time_point> until;
  std::uint64_t output_bytes = std::uint64_t{64} << 20;
  std::size_t line_bytes = std::size_t{64} << 10;
};

enum class Heard { life, noise, enough };  ///< enough: the child is killed

enum class EndKind { exited, signalled, silent, late, flooding, stopped, not_started };

struct ChildEnd {
  EndKind kind = EndKind::exited;
  int code = 0;  ///< exit code, or number of the signal
  std::string errors;
};

using Listener = std::function<Heard(std::string_view line)>;

/// `tick` is called about ten times a second.
ChildEnd run_child(const std::vector<std::string>& words, const ChildLimits& limits,
                   const Listener& listener, const std::function<void()>& tick);

std::string end_text(const ChildEnd& end);

/// Where a program is that a shell would find; empty if nowhere. `folders` are looked at after
/// PATH.
std::string find_program(const std::string& name, const std::vector<std::string>& folders);

}  // namespace heddle::agent
