// The search behind find_independence: three passes over all tiles.
//
//   survey   which regions are written and read, between which bytes, in pieces of what size
//   claim    every piece gets its owner; a second owner is a conflict
//   read     reads of pieces that another tile owns are conflicts
//
// Rules
//   1. Where the owners do not fit the memory allowed, claim and read go over the memory window by
//      window.
//   2. Conflicts are counted; of each kind the first one becomes the example, with the source line
//      of both tiles.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "trace/independence.h"
#include "trace/ownership.h"
#include "trace/regions.h"
#include "trace/runs.h"
#include "trace/source.h"
#include "trace/tracer.h"

namespace heddle::trace {

inline constexpr std::int64_t kInstructionWork = 16;  ///< against 1 for a piece of memory

/// Why an access that leaves its tensor keeps tiles from being PROVED independent.
std::string outside_text(int line, bool is_write);

class ConflictSearch {
 public:
  /// `program` is reduced already, `atomics` are those of the whole; all must outlive the search.
  ConflictSearch(const kernel::KernelProgram& program,
                 const std::vector<kernel::AtomicUse>& atomics, const config::Launch& launch,
                 const RegionMap& map, const IndependenceOptions& options,
                 IndependenceReport& report);

  /// Fills the report; throws Error where a tile cannot be traced or the work is too much.
  void run();

 private:
  class SurveySink;
  class ClaimSink;
  class ReadSink;
  class WriterSink;

  struct SiteUse {
    AccessKind kind = AccessKind::read;
    bool is_floating = false;
    kernel::AtomicUse atomic;
  };

  /// What is known of a region after the survey.
  struct Use {
    std::uint64_t begin = ~std::uint64_t{0};  ///< of what is written or read
    std::uint64_t end = 0;
    std::uint64_t boundary_bits = 0;  ///< where runs begin and end, from the region's begin
    std::uint64_t bytes = 0;          ///< touched, counted once per instruction
    bool is_written = false;
    bool is_read = false;
    std::optional<kernel::AtomicFunction> function;  ///< of the atomics that commute

    std::uint64_t granule_bytes() const;
    std::uint64_t granules() const;
  };

  /// A part of a region whose owners are in table_, from `first` on.
  struct Piece {
    std::size_t region = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    int granule_shift = 0;
    std::size_t first = 0;

    std::size_t granules() const {
      return static_cast<std::size_t>((end - begin) >> granule_shift);
    }
  };
  using Window = std::vector<Piece>;

  /// The first conflict of a kind, to be described when the passes are over.
  struct Example {
    std::int32_t site = 0;
    std::uint64_t address = 0;
    std::size_t region = 0;
    std::int64_t tile = 0;
    std::int64_t other = 0;
    std::int64_t granules = 0;
  };
  using Examples = std::map<TileConflict::Kind, Example>;

  void for_each_tile(AccessSink& sink);
  void probe();
  void survey();
  void survey_again();
  void check_windows();
  void spread_over_regions(std::vector<bool>& flags) const;
  std::vector<bool> written_tensors() const;
  std::vector<Window> make_windows() const;
  /// Tells before the long passes whether they can be finished.
  void check_work(const std::vector<Window>& windows) const;
  void refuse_beyond(double needed) const;
  void check_window(const Window& window);
  void finish();
  void judge_faults();
  void spend(std::int64_t work);
  template <class Visit>
  void for_each_granule(const Window& window, const AccessPattern& pattern, Visit visit);

  Claim claim_of(const SiteUse& site, const Use& use) const;
  Example example(const AccessPattern& pattern, const Piece& piece, std::size_t granule,
                  std::int64_t other) const;
  void note(Examples& examples, TileConflict::Kind kind, const Example& example);
  TileConflict describe(TileConflict::Kind kind, const Example& example);
  /// The access by which the owner wrote the byte.
  void describe_writer(const Example& example, TileConflict& conflict);

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  const RegionMap& map_;
  const IndependenceOptions& options_;
  IndependenceReport& report_;
  SourceText source_;
  Tracer tracer_;
  std::vector<SiteUse> sites_;
  std::vector<Use> uses_;  ///< per region
  OwnerTable table_;
  std::int64_t tile_ = 0;  ///< being traced
  std::int64_t work_ = 0;
  bool reads_unseen_ = false;    ///< reads of what is written were not watched in the survey
  bool found_reads_ = false;     ///< while claiming
  std::string write_elsewhere_;  ///< a write outside every tensor
  Examples conflicts_;
  std::optional<Example> shared_;  ///< by atomics that commute
};

}  // namespace heddle::trace
