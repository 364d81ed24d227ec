// Which numbers of a block's index its work depends on, and a program that shows them.
//
//   pid_m = pid // tiles_n                    numbers: pid_m, pid_n, pid_m * 64, pid
//   rows = pid_m * 64 + tl.arange(0, 64)      at work: pid_m * 64, which is made of pid_m
//   tl.store(c + ...)                         an anchor: here the numbers are shown
//
//   block 5 stores twice in a loop            shown: anchor 0 pid_m 0 ..., anchor 0 pid_m 2 ...
//
// Rules
//   1. A number is an integer scalar that a block's index takes part in and that reaches work:
//      blocks of elements, addresses, loops. Index code in loops counts; so do loaded integers and
//      what is made of them, marked `is_loaded`.
//   2. An anchor is a store or an atomic of the kernel. Whenever a block gets there, the program
//      shows all of the anchor's numbers that are not loaded and fit into 33 bits, then where the
//      anchor begins to write. So a persistent block shows a set for each of its tiles, in turn.
//      Beyond the first few anchors, largest first, it shows only that a block gets there.
//   3. A branch on loaded data that skips all anchors is not taken: a tile without work is a tile.
//      With `all_blocks` that holds for branches on the block's index, too.
//   4. `reason` says why a kernel has no probe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"

namespace heddle::kernel {

struct IndexNumber {
  std::string name;              ///< the variable; else an expression: "pid // 5"
  bool is_named = false;         ///< a variable
  bool is_variable = false;      ///< of the kernel itself, not of a function that it calls
  bool is_launch_index = false;  ///< tl.program_id, blockIdx
  bool is_at_work = false;       ///< work takes this very number
  bool is_linear = false;        ///< a sum or product of `made_of`, or a loop's counter
  bool is_copy = false;          ///< the same number as the only one of `made_of`
  bool is_loaded = false;        ///< data that memory holds take part in it
  bool is_choice = false;        ///< the block's index decides which of `made_of` it is
  std::string loaded_from = {};  ///< the tensor, where it is known
  std::string loaded_divisor =
      {};  ///< loaded only in that a number of the index is divided by this
  int bits = 32;
  int line = 0;
  int distance = 0;               ///< steps from work
  std::vector<int> made_of = {};  ///< numbers that it is computed from
};

/// The hint of a site that writes memory of the block's own.
inline constexpr const char* kLocalHint = "local";

struct IndexAnchor {
  int line = 0;
  std::int64_t elements = 1;
  std::vector<int> numbers;   ///< those that have a value there
  std::vector<int> tensors;   ///< parameters that it may write through; empty: not known
  bool is_local = false;      ///< it writes memory of the block's own
  bool shows_numbers = true;  ///< one of many does not: only that a block gets there
};

/// What an access of the program shows.
struct IndexShow {
  static constexpr int kAddress = -1;  ///< where the anchor writes
  static constexpr int kBegin = -2;    ///< a block gets to the anchor; its numbers follow
  int anchor = -1;                     ///< -1: nothing
  int number = kBegin;
};

struct IndexProbe {
  std::vector<IndexNumber> numbers;
  std::vector<IndexAnchor> anchors;
  std::vector<std::int64_t> divisors;  ///< whole numbers that numbers of the index are divided by
  KernelProgram program;               ///< reduced
  KernelProgram whole;                 ///< that the numbers are of
  std::vector<std::int32_t> values;    ///< per number: its value there
  config::Launch launch;
  std::vector<IndexShow> shows;  ///< per site of the program
  std::int64_t zero = 0;         ///< the address that shows the number 0
  std::string reason;

  explicit operator bool() const { return reason.empty(); }
};

/// The work of the kernel as a number: two programs with the same one do the same, as far as that can
/// be read, if a number of the index is coordinate[number] (-1: none) in both. What is behind
/// coordinates does not count.
std::uint64_t work_behind(const IndexProbe& probe, const std::vector<int>& coordinate);

}  // namespace heddle::kernel
