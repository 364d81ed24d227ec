#include "trace/runs.h"

#include <algorithm>
#include <bit>

#include "support/error.h"
#include "trace/elements.h"
#include "trace/rows.h"

namespace heddle::trace {
namespace {

/// Appends a piece of bytes that does not begin before the last one of this instruction.
void unite(std::vector<Run>& runs, std::size_t begin, Run piece) {
  if (runs.size() > begin) {
    Run& last = runs.back();
    const std::uint64_t end = last.address + last.bytes;
    if (piece.address <= end) {
      last.bytes = std::max(end, piece.address + piece.bytes) - last.address;
      return;
    }
  }
  runs.push_back(piece);
}

/// Sorts the pieces from `begin` on, where they need it, and unites them in place.
void sort_and_unite(std::vector<Run>& runs, std::size_t begin) {
  const auto start = runs.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto before = [](const Run& a, const Run& b) { return a.address < b.address; };
  if (!std::is_sorted(start, runs.end(), before)) std::sort(start, runs.end(), before);
  std::size_t kept = begin;
  for (std::size_t i = begin; i < runs.size(); ++i) {
    const Run piece = runs[i];
    Run& last = runs[kept - (kept > begin ? 1 : 0)];
    const std::uint64_t end = last.address + last.bytes;
    if (kept > begin && piece.address <= end)
      last.bytes = std::max(end, piece.address + piece.bytes) - last.address;
    else
      runs[kept++] = piece;
  }
  runs.resize(kept);
}

/// Neighbours become one piece at once: less to sort.
void add_piece(std::vector<Run>& runs, std::size_t begin, Run piece) {
  if (runs.size() > begin && runs.back().address + runs.back().bytes == piece.address)
    runs.back().bytes += piece.bytes;
  else
    runs.push_back(piece);
}

/// Pieces of a block whose axes are strides and tables: every row of the strided axes, moved by every
/// combination of table entries. Entries that adjoin become one piece before the rows are walked.
class TablePieces {
 public:
  TablePieces(const AccessPattern& pattern, std::vector<Run>& runs)
      : pattern_(pattern), runs_(runs), begin_(runs.size()) {
    AccessPattern strided = pattern;
    for (int k = 0; k < pattern.axes; ++k) {
      PatternAxis& axis = strided.axis[static_cast<std::size_t>(k)];
      if (axis.table == nullptr && axis.flags == nullptr) continue;
      listed_[static_cast<std::size_t>(listed_count_++)] = k;
      axis = PatternAxis{};
    }
    is_possible_ = listed_count_ > 0 && make_rows(strided, rows_);
  }

  bool is_possible() const { return is_possible_; }

  void append() {
    thread_local std::vector<Run>
        moves;  // how far a row goes from kNowhere; bytes: its own or more
    moves.clear();
    list_moves(0, kNowhere, moves);
    sort_and_unite(moves, 0);
    if (moves.empty() || rows_.count == 0) return;
    if (span_of_rows() <= moves.back().address - moves.front().address) {
      for (const Run& move : moves)
        for_each_row(rows_, [&](std::uint64_t start) { add(start, move); });
    } else {
      for_each_row(rows_, [&](std::uint64_t start) {
        for (const Run& move : moves) add(start, move);
      });
    }
  }

 private:
  /// In the middle, so that moves down stay below moves up.
  static constexpr std::uint64_t kNowhere = std::uint64_t{1} << 63;

  void list_moves(int position, std::uint64_t offset, std::vector<Run>& moves) const {
    if (position == listed_count_) return add_piece(moves, 0, {offset, rows_.run_bytes});
    const int k = listed_[static_cast<std::size_t>(position)];
    const PatternAxis& axis = pattern_.axis[static_cast<std::size_t>(k)];
    const ActiveRange range = active_range(axis);
    for (std::int64_t i = range.first; i < range.last; ++i) {
      if (axis.flags == nullptr || axis.flags[i] != 0)
        list_moves(position + 1, offset + axis_offset(axis, i), moves);
    }
  }

  std::uint64_t span_of_rows() const {
    std::uint64_t span = 0;
    for (int k = 0; k < rows_.axes; ++k) {
      const RowAxis& axis = rows_.axis[static_cast<std::size_t>(k)];
      span += axis.stride * (axis.extent - 1);
    }
    return span;
  }

  void add(std::uint64_t start, const Run& move) {
    add_piece(runs_, begin_, {start + (move.address - kNowhere), move.bytes});
  }

  const AccessPattern& pattern_;
  std::vector<Run>& runs_;
  std::size_t begin_;
  Rows rows_;
  std::array<int, kMaxAxes> listed_{};
  int listed_count_ = 0;
  bool is_possible_ = false;
};

/// Everything that is not plain rows.
void append_gathered(const AccessPattern& pattern, std::vector<Run>& runs) {
  const std::size_t begin = runs.size();
  if (!append_table_pieces(pattern, runs)) {
    const auto bytes = static_cast<std::uint64_t>(pattern.element_bytes);
    for_each_active(pattern, [&](std::uint64_t address) {
      add_piece(runs, begin, {address, bytes});
    });
  }
  sort_and_unite(runs, begin);
}

int line_shift(int line_bytes) {
  const auto bytes = static_cast<unsigned>(line_bytes);
  if (line_bytes <= 0 || !std::has_single_bit(bytes))
    throw Error("a cache line is a power of two of bytes", "use 32, 64 or 128");
  return std::countr_zero(bytes);
}

/// The most lines a run can touch, exact where every run begins at the same place of its line.
std::uint64_t lines_of_run(const Rows& rows, int shift) {
  const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
  std::uint64_t strides = 0;
  for (int k = 0; k < rows.axes; ++k) strides |= rows.axis[static_cast<std::size_t>(k)].stride;
  const std::uint64_t begin = (strides & mask) == 0 ? rows.base & mask : mask;
  return ((begin + rows.run_bytes - 1) >> shift) + 1;
}

void append_lines_of_rows(const Rows& rows, int shift, std::vector<std::uint64_t>& lines) {
  const std::size_t begin = lines.size();
  lines.resize(begin + rows.count * lines_of_run(rows, shift));
  std::uint64_t* const start = lines.data() + begin;
  std::uint64_t* next = start;
  const std::uint64_t reach = rows.run_bytes - 1;
  const std::uint64_t line_bytes = std::uint64_t{1} << shift;
  const std::uint64_t line_mask = ~(line_bytes - 1);
  std::uint64_t previous = ~(rows.base & line_mask);  // no line of these
  for_each_row(rows, [&](std::uint64_t address) {
    std::uint64_t line = address & line_mask;
    const std::uint64_t last = (address + reach) & line_mask;
    // Rows ascend, so only the line that two of them share can come again.
    if (line == previous) line += line_bytes;
    // Compared by !=: the last line of the address space has no successor.
    for (const std::uint64_t end = last + line_bytes; line != end; line += line_bytes)
      *next++ = line;
    previous = last;
  });
  lines.resize(begin + static_cast<std::size_t>(next - start));
}

}  // namespace

bool append_table_pieces(const AccessPattern& pattern, std::vector<Run>& runs) {
  if (pattern.addresses != nullptr || pattern.active != nullptr) return false;
  TablePieces pieces(pattern, runs);
  if (pieces.is_possible()) pieces.append();
  return pieces.is_possible();
}

void append_runs(const AccessPattern& pattern, std::vector<Run>& runs) {
  Rows rows;
  if (!make_rows(pattern, rows)) return append_gathered(pattern, runs);
  const std::size_t begin = runs.size();
  for_each_row(rows, [&](std::uint64_t start) { unite(runs, begin, {start, rows.run_bytes}); });
}

void append_lines(const AccessPattern& pattern, int line_bytes, std::vector<std::uint64_t>& lines) {
  const int shift = line_shift(line_bytes);
  Rows rows;
  if (make_rows(pattern, rows)) {
    if (rows.count > 0) append_lines_of_rows(rows, shift, lines);
    return;
  }
  thread_local std::vector<Run> runs;
  runs.clear();
  append_gathered(pattern, runs);
  const std::size_t begin = lines.size();
  for (const Run& run : runs) {
    Rows row;
    row.base = run.address;
    row.run_bytes = run.bytes;
    row.count = 1;
    const bool repeats = lines.size() > begin && lines.back() >> shift == run.address >> shift;
    if (repeats) lines.pop_back();
    append_lines_of_rows(row, shift, lines);
  }
}

std::int64_t active_elements(const AccessPattern& pattern) {
  if (!pattern.scalar_active) return 0;
  std::int64_t count = 0;
  if (pattern.active != nullptr) {
    for_each_active(pattern, [&count](std::uint64_t) { ++count; });
    return count;
  }
  count = 1;
  for (int k = 0; k < pattern.axes; ++k) {
    const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
    const ActiveRange range = active_range(axis);
    std::int64_t along = std::max<std::int64_t>(range.last - range.first, 0);
    if (axis.flags != nullptr) {
      along = 0;
      for (std::int64_t i = range.first; i < range.last; ++i) along += axis.flags[i] != 0 ? 1 : 0;
    }
    count *= along;
  }
  return count;
}

void append_elements(const AccessPattern& pattern, std::vector<std::uint64_t>& addresses) {
  for_each_active(pattern, [&](std::uint64_t address) { addresses.push_back(address); });
}

}  // namespace heddle::trace
