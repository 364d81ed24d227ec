// The lines of a kernel that compute its tile's coordinates from the block's index, as an order's
// text: for whoever reads orders.
//
//   12  pid = tl.program_id(0)                  text: lines 12 to 14, all others blank
//   13  pid_m = pid // num_n                    at_work: pid_m, pid_n
//   14  pid_n = pid % num_n
//   15  rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
//
// Rules
//   1. Lines keep their numbers. Helpers and constants that they need stand where the file has them.
//   2. Between `heddle: begin order` and `heddle: end order`, in comments, every line is taken; the
//      marks win over what is found.
//   3. A loop over tiles, range(block, tiles, blocks), counts as the launch: its counter takes the
//      block's place, and `tiles` is its end.
//   4. Nothing of the file is executed, and nothing is claimed of the lines. What may change their
//      meaning and is not read, a header, is a `doubt`: nothing may be PROVED then.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::kernel {

/// A scalar that a block's index takes part in.
struct IndexName {
  std::string name;
  std::set<std::string> reads;   ///< other such names
  std::set<std::string> scales;  ///< what work multiplies it by: "BLOCK_M", "64"
  bool is_sum = false;           ///< nothing but sums and products of what it reads
  bool is_divided = false;       ///< divided, or handed to a function, somewhere in the kernel
};

struct IndexLines {
  std::string text;
  std::string with_counts;           ///< with numbers of tiles that no coordinate needs; or empty
  std::vector<int> lines;            ///< numbers, ascending
  std::vector<std::string> at_work;  ///< names that other code reads
  std::vector<IndexName> names;
  std::vector<std::string> constexprs;
  std::map<std::string, std::set<std::int64_t>> values;  ///< that the file gives to names
  std::string tiles;  ///< a name of the text: the end of a loop over tiles
  std::string loop;   ///< "range(start, num_tiles, NUM_SMS)" of such a loop
  bool is_marked = false;
  std::string doubt;   ///< why the lines may mean something else than they say; or empty
  std::string reason;  ///< why there are none

  explicit operator bool() const { return reason.empty(); }
};

/// The name that holds the end of a loop over tiles.
inline constexpr const char* kLoopEnd = "heddle_tiles";

/// Rule 2: the lines between the marks; false: the text has none.
bool take_marked(const std::string& text, const std::string& comment, IndexLines& result);

}  // namespace heddle::kernel
