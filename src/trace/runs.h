// The bytes of one memory instruction: as runs, as cache lines, as elements.
//
//   load a[32, 128] of fp32, row pitch 8192 B, base 0x1000_0000
//     runs        0x1000_0000 + 512 B, 0x1000_2000 + 512 B, ...          32 runs
//     lines       0x1000_0000, 0x1000_0080, 0x1000_0100, 0x1000_0180, 0x1000_2000, ...     128
//     lines elements    0x1000_0000, 0x1000_0004, ...                          4096 addresses
//
// Rules
//   1. Runs are maximal: no two of them touch or overlap. They come in ascending order of address,
//      which for a strided block is the order of its rows.
//   2. A byte counts once, however many elements lie on it (broadcast axes, windows that overlap).
//   3. Lines are the distinct lines of those bytes, ascending, each as the address of its first
//      byte.
//   4. Inactive elements have no bytes.
//   5. Strided blocks cost per row or line; tables cost per entry of the table's axis; dense
//      addresses and masks cost per element.
//
// Does not model: which lane asks for which byte (coalesce.h does).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/elements.h"
#include "trace/pattern.h"
#include "trace/rows.h"

namespace heddle::trace {

struct Run {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

/// Appends the bytes touched. Earlier entries of `runs` are not merged with.
void append_runs(const AccessPattern& pattern, std::vector<Run>& runs);

/// Appends pieces of a block whose axes are strides and tables, in any order; false for other blocks.
bool append_table_pieces(const AccessPattern& pattern, std::vector<Run>& runs);

/// Calls visit(run) for pieces that cover the same bytes: quicker, as they are not sorted, but in
/// any order, and a byte may come again.
template <class Visit>
void for_each_piece(const AccessPattern& pattern, Visit visit) {
  Rows rows;
  if (make_rows(pattern, rows)) {
    for_each_row(rows, [&](std::uint64_t start) { visit(Run{start, rows.run_bytes}); });
    return;
  }
  if (std::vector<Run> runs; append_table_pieces(pattern, runs)) {
    for (const Run& run : runs) visit(run);
    return;
  }
  Run piece;
  const auto bytes = static_cast<std::uint64_t>(pattern.element_bytes);
  for_each_active(pattern, [&](std::uint64_t address) {
    if (piece.bytes > 0 && piece.address + piece.bytes == address) {
      piece.bytes += bytes;
      return;
    }
    if (piece.bytes > 0) visit(piece);
    piece = {address, bytes};
  });
  if (piece.bytes > 0) visit(piece);
}

/// Appends the lines touched. `line_bytes` is a power of two.
void append_lines(const AccessPattern& pattern, int line_bytes, std::vector<std::uint64_t>& lines);

/// How many elements are active; equal addresses count each.
std::int64_t active_elements(const AccessPattern& pattern);

/// Appends the address of every active element in row-major order: slow, for tests and dumps.
void append_elements(const AccessPattern& pattern, std::vector<std::uint64_t>& addresses);

}  // namespace heddle::trace
