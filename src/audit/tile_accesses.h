// The accesses of one tile as a list of numbers: equal lists, equal work.
//
//   stream   read 4 B: rows of 128 B at 0x7f..00, stride 8192, 32 of them; write 4 B: ...
//   bytes    read [0x7f..00, 0x7f..80), ...; written ...; updated by atomics ...
//
// Rules
//   1. `stream` keeps the instructions, in the order of the program: kind, size of an element,
//      function of an atomic, bytes. One pattern may have several forms, so lists that differ may
//      still mean the same bytes.
//   2. `bytes` is the set of bytes, per kind, however they are asked for: sorted, maximal runs. It
//      is the same for the same bytes.
//   3. Instructions with nothing active leave no trace.
//   4. A tile with more than kMostWords numbers is an Error.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/program.h"
#include "results/trace.h"
#include "trace/pattern.h"
#include "trace/runs.h"

namespace heddle::audit {

enum class AccessForm { stream, bytes };

/// 128 bits of a list of numbers.
struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

Digest digest_of(const std::vector<std::uint64_t>& words);

class TileAccesses : public trace::AccessSink {
 public:
  static constexpr std::size_t kMostWords = std::size_t{1} << 25;

  /// `whole` is the program before it was reduced: it knows the atomics. Both must outlive this.
  TileAccesses(const kernel::KernelProgram& whole, AccessForm form);

  void begin();
  void access(const trace::AccessPattern& pattern) override;
  /// The list of the tile; valid until the next begin.
  const std::vector<std::uint64_t>& words();

  /// Form bytes: the sorted runs of a kind, after words().
  const std::vector<trace::Run>& runs(AccessKind kind) const {
    return runs_[static_cast<std::size_t>(kind)];
  }

  /// Form bytes: runs that the tile asked for, before they were merged.
  std::int64_t pieces() const { return pieces_; }
  /// Form bytes: elements that atomics updated, of all tiles so far.
  std::int64_t updates() const { return updates_; }

 private:
  void add_stream(const trace::AccessPattern& pattern, std::uint64_t head);
  void check_size(std::size_t size) const;

  AccessForm form_;
  std::vector<std::uint64_t> heads_;  ///< per site: kind, element bytes, function
  std::vector<AccessKind> kinds_;     ///< per site
  std::vector<std::uint64_t> words_;
  std::array<std::vector<trace::Run>, 3> runs_;
  std::vector<trace::Run> scratch_;
  std::int64_t pieces_ = 0;
  std::int64_t updates_ = 0;
  std::size_t merge_at_ = 0;  ///< runs beyond which they are merged on the way
};

/// Sorts the runs and joins those that touch or overlap.
void merge_runs(std::vector<trace::Run>& runs);

}  // namespace heddle::audit
