#include "trace/conflict_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernel/native.h"
#include "support/text.h"
#include "trace/neighbours.h"

namespace heddle::trace {
namespace {

using kernel::AtomicFunction;

constexpr std::int64_t kCostProbes = 16;  ///< tiles that tell what all of them cost
constexpr std::uint64_t kLargestGranule = std::uint64_t{1} << 30;

}  // namespace

std::string outside_text(int line, bool is_write) {
  return fmt::format("line {} {} outside its tensor: what lies there depends on where tensors are",
                     line, is_write ? "writes" : "reads");
}

std::uint64_t ConflictSearch::Use::granule_bytes() const {
  const std::uint64_t bits = boundary_bits | kLargestGranule;
  return bits & (std::uint64_t{0} - bits);
}

std::uint64_t ConflictSearch::Use::granules() const {
  return begin < end ? (end - begin) / granule_bytes() : 0;
}

/// Which bytes of which regions are touched, without looking at single rows.
class ConflictSearch::SurveySink : public AccessSink {
 public:
  explicit SurveySink(ConflictSearch& search) : search_(search) {}

  void access(const AccessPattern& pattern) override {
    search_.spend(kInstructionWork);
    Rows rows;
    if (pattern.tensor >= 0 && make_rows(pattern, rows)) {
      if (rows.count > 0) add_rows(pattern, rows);
      return;
    }
    std::int64_t pieces = 0;
    for_each_piece(pattern, [&](const Run& run) {
      ++pieces;
      const auto region = region_of(pattern, run.address, run.address + run.bytes);
      if (region) add(pattern, *region, run.address, run.address + run.bytes, run.bytes, 0);
    });
    search_.spend(pieces);
  }

 private:
  /// The region that holds [begin, end); a write that none holds is remembered.
  std::optional<std::size_t> region_of(const AccessPattern& pattern, std::uint64_t begin,
                                       std::uint64_t end) {
    const auto region = search_.map_.of_address(begin);
    if (region && end <= search_.map_.regions()[*region].end) return region;
    const auto site = static_cast<std::size_t>(pattern.site);
    const bool is_write = search_.sites_[site].kind != AccessKind::read;
    if (is_write && search_.write_elsewhere_.empty())
      search_.write_elsewhere_ =
          fmt::format("line {} writes address {:#x}, which no tensor of the job holds",
                      search_.source_.at(search_.program_.sites[site].place).line, begin);
    return std::nullopt;
  }

  void add_rows(const AccessPattern& pattern, const Rows& rows) {
    std::uint64_t end = rows.base + rows.run_bytes;
    std::uint64_t strides = 0;
    for (int k = 0; k < rows.axes; ++k) {
      const RowAxis& axis = rows.axis[static_cast<std::size_t>(k)];
      end += axis.stride * (axis.extent - 1);
      strides |= axis.stride;
    }
    const auto region = region_of(pattern, rows.base, end);
    if (region)
      add(pattern, *region, rows.base, end, rows.run_bytes * rows.count, strides | rows.run_bytes);
  }

  void add(const AccessPattern& pattern, std::size_t region, std::uint64_t begin, std::uint64_t end,
           std::uint64_t bytes, std::uint64_t bits) {
    Use& use = search_.uses_[region];
    const std::uint64_t origin = search_.map_.regions()[region].begin;
    use.begin = std::min(use.begin, begin);
    use.end = std::max(use.end, end);
    use.boundary_bits |= (begin - origin) | (end - origin) | bits;
    use.bytes += bytes;
    const SiteUse& site = search_.sites_[static_cast<std::size_t>(pattern.site)];
    if (site.kind == AccessKind::read)
      use.is_read = true;
    else
      use.is_written = true;
    if (site.kind == AccessKind::atomic && site.atomic.commutes() && !use.function)
      use.function = site.atomic.function;
  }

  ConflictSearch& search_;
};

/// Every granule of the window that an access touches.
template <class Visit>
void ConflictSearch::for_each_granule(const Window& window, const AccessPattern& pattern,
                                      Visit visit) {
  std::int64_t visited = kInstructionWork;
  const auto add = [&](const Piece& piece, const Run& run) {
    const std::uint64_t begin = std::max(run.address, piece.begin);
    const std::uint64_t end = std::min(run.address + run.bytes, piece.end);
    if (begin >= end) return;
    const std::uint64_t first = (begin - piece.begin) >> piece.granule_shift;
    const std::uint64_t last = (end - 1 - piece.begin) >> piece.granule_shift;
    for (std::uint64_t i = first; i <= last; ++i) visit(piece, static_cast<std::size_t>(i));
    visited += static_cast<std::int64_t>(last - first + 1);
  };
  for_each_piece(pattern, [&](const Run& run) {
    for (const Piece& piece : window) add(piece, run);
  });
  spend(visited);
}

/// Stores and atomics: each granule of the window gets its owner.
class ConflictSearch::ClaimSink : public AccessSink {
 public:
  ClaimSink(ConflictSearch& search, const Window& window) : search_(search), window_(window) {}

  void access(const AccessPattern& pattern) override {
    const SiteUse& site = search_.sites_[static_cast<std::size_t>(pattern.site)];
    if (site.kind == AccessKind::read) {
      search_.found_reads_ = true;
      return;
    }
    search_.for_each_granule(window_, pattern, [&](const Piece& piece, std::size_t granule) {
      std::int64_t other = 0;
      const Claim kind = search_.claim_of(site, search_.uses_[piece.region]);
      const ClaimResult result =
          search_.table_.claim(piece.first + granule, search_.tile_, kind, other);
      if (result == ClaimResult::none) return;
      tell(result, site, search_.example(pattern, piece, granule, other));
    });
  }

 private:
  void tell(ClaimResult result, const SiteUse& site, const Example& example) {
    if (result == ClaimResult::shared) {
      if (!search_.shared_) search_.shared_ = example;
      ++search_.shared_->granules;
      if (site.is_floating && site.atomic.function == AtomicFunction::add)
        search_.report_.rounding_may_differ = true;
      return;
    }
    TileConflict::Kind kind = TileConflict::Kind::write_after_write;
    if (result == ClaimResult::ordered)
      kind = site.atomic.is_lock() ? TileConflict::Kind::lock : TileConflict::Kind::atomic;
    search_.note(search_.conflicts_, kind, example);
  }

  ConflictSearch& search_;
  const Window& window_;
};

/// Loads: none may touch what another tile owns.
class ConflictSearch::ReadSink : public AccessSink {
 public:
  ReadSink(ConflictSearch& search, const Window& window) : search_(search), window_(window) {}

  void access(const AccessPattern& pattern) override {
    const SiteUse& site = search_.sites_[static_cast<std::size_t>(pattern.site)];
    if (site.kind != AccessKind::read) return;
    search_.for_each_granule(window_, pattern, [&](const Piece& piece, std::size_t granule) {
      std::int64_t other = 0;
      if (!search_.table_.is_foreign(piece.first + granule, search_.tile_, other)) return;
      search_.note(search_.conflicts_, TileConflict::Kind::read_after_write,
                   search_.example(pattern, piece, granule, other));
    });
  }

 private:
  ConflictSearch& search_;
  const Window& window_;
};

/// Finds the first store or atomic of a tile that touches an address.
class ConflictSearch::WriterSink : public AccessSink {
 public:
  WriterSink(ConflictSearch& search, std::uint64_t address) : search_(search), address_(address) {}

  void access(const AccessPattern& pattern) override {
    if (found || search_.sites_[static_cast<std::size_t>(pattern.site)].kind == AccessKind::read)
      return;
    for_each_piece(pattern, [&](const Run& run) {
      if (address_ - run.address < run.bytes) found = pattern.site;
    });
  }

  std::optional<std::int32_t> found;

 private:
  ConflictSearch& search_;
  std::uint64_t address_;
};

ConflictSearch::ConflictSearch(const kernel::KernelProgram& program,
                               const std::vector<kernel::AtomicUse>& atomics,
                               const config::Launch& launch, const RegionMap& map,
                               const IndependenceOptions& options, IndependenceReport& report)
    : program_(program),
      launch_(launch),
      map_(map),
      options_(options),
      report_(report),
      source_(program),
      tracer_(program, launch, options.trace),
      uses_(map.regions().size()) {
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    const kernel::Site& site = program.sites[i];
    sites_.push_back({access_kind(site.kind), config::is_float(site.element), atomics[i]});
  }
}

void ConflictSearch::spend(std::int64_t work) {
  work_ += work;
  if (work_ <= options_.most_work) return;
  throw Error(fmt::format("too large to look at every tile: stopped at tile {} of {}",
                          with_separators(tile_), with_separators(launch_.grid.count())),
              "use smaller sizes", ExitCode::inconclusive);
}

void ConflictSearch::for_each_tile(AccessSink& sink) {
  const std::int64_t count = launch_.grid.count();
  for (tile_ = 0; tile_ < count; ++tile_) {
    tracer_.run(block_of(launch_.grid, LaunchId{tile_}), sink);
    spend(tracer_.steps());
  }
}

/// A few tiles tell what all of them cost, before it is spent.
void ConflictSearch::probe() {
  SurveySink sink(*this);
  tracer_.watch_reads(std::vector<bool>(launch_.tensors.size(), false));
  const std::vector<std::int64_t> tiles = spread_tiles(launch_.grid.count(), kCostProbes);
  for (const std::int64_t id : tiles) {
    tracer_.run(block_of(launch_.grid, LaunchId{id}), sink);
    spend(tracer_.steps());
  }
  refuse_beyond(static_cast<double>(work_) * static_cast<double>(launch_.grid.count()) /
                static_cast<double>(tiles.size()));
  work_ = 0;
  uses_.assign(uses_.size(), {});
}

/// Tensors that share memory with one that has its flag set get it, too.
void ConflictSearch::spread_over_regions(std::vector<bool>& flags) const {
  for (const Region& region : map_.regions()) {
    const bool any =
        std::ranges::any_of(region.tensors, [&](std::size_t tensor) { return flags[tensor]; });
    for (const std::size_t tensor : region.tensors) flags[tensor] = any;
  }
}

std::vector<bool> ConflictSearch::written_tensors() const {
  std::vector<bool> written(launch_.tensors.size(), false);
  for (std::size_t region = 0; region < uses_.size(); ++region)
    for (const std::size_t tensor : map_.regions()[region].tensors)
      written[tensor] = uses_[region].is_written;
  return written;
}

/// A compiled kernel reads most of what it reads from tensors that nobody writes, and reports cost:
/// watched is what its parameters allow to be written or, where they say nothing, nothing at first.
void ConflictSearch::survey() {
  SurveySink sink(*this);
  if (!program_.traits().runs) return for_each_tile(sink);
  std::vector<bool> watched(launch_.tensors.size(), true);
  for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
    const config::Argument& argument = launch_.arguments[program_.parameters[k].argument];
    const auto* tensor = std::get_if<config::TensorReference>(&argument.value.data);
    if (tensor != nullptr && program_.parameters[k].points_to_const())
      watched[tensor->index] = false;
  }
  spread_over_regions(watched);
  if (std::ranges::all_of(watched, [](bool is_watched) { return is_watched; }))
    watched.assign(watched.size(), false);
  tracer_.watch_reads(watched);
  for_each_tile(sink);
  // Reads of something that is written and was not watched show while pieces are claimed.
  const std::vector<bool> written = written_tensors();
  for (std::size_t tensor = 0; tensor < written.size(); ++tensor)
    reads_unseen_ = reads_unseen_ || (written[tensor] && !watched[tensor]);
  if (reads_unseen_) tracer_.watch_reads(written);
}

/// What was written is read as well, as it turned out: everything again, with those reads.
void ConflictSearch::survey_again() {
  uses_.assign(uses_.size(), {});
  conflicts_.clear();
  shared_.reset();
  report_.rounding_may_differ = false;
  reads_unseen_ = false;
  SurveySink sink(*this);
  for_each_tile(sink);
}

std::vector<ConflictSearch::Window> ConflictSearch::make_windows() const {
  const auto room = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(options_.owner_bytes) / sizeof(std::uint32_t));
  std::vector<Window> windows;
  std::uint64_t used = room;  // so that the first piece opens a window
  for (std::size_t region = 0; region < uses_.size(); ++region) {
    const Use& use = uses_[region];
    if (!use.is_written) continue;
    const std::uint64_t granule = use.granule_bytes();
    std::uint64_t at = use.begin;
    while (at < use.end) {
      if (used == room) {
        windows.emplace_back();
        used = 0;
      }
      const std::uint64_t count = std::min((use.end - at) / granule, room - used);
      windows.back().push_back({region, at, at + count * granule, std::countr_zero(granule), used});
      used += count;
      at += count * granule;
    }
  }
  return windows;
}

void ConflictSearch::check_work(const std::vector<Window>& windows) const {
  bool has_reads = false;
  double needed = 0;
  for (const Use& use : uses_) {
    if (!use.is_written) continue;
    has_reads = has_reads || use.is_read;
    needed += static_cast<double>(use.bytes) / static_cast<double>(use.granule_bytes());
  }
  const double passes = static_cast<double>(windows.size()) * (has_reads ? 2 : 1);
  refuse_beyond(needed + static_cast<double>(work_) * (1 + passes));
}

void ConflictSearch::refuse_beyond(double needed) const {
  if (needed <= static_cast<double>(options_.most_work)) return;
  throw Error(
      fmt::format("too large to look at every tile: {:.2g} pieces of memory, at most {:.2g}",
                  needed, static_cast<double>(options_.most_work)),
      "use smaller sizes", ExitCode::inconclusive);
}

void ConflictSearch::check_window(const Window& window) {
  table_.resize(window.back().first + window.back().granules());
  ClaimSink claims(*this, window);
  for_each_tile(claims);
  const bool has_reads =
      std::ranges::any_of(window, [&](const Piece& piece) { return uses_[piece.region].is_read; });
  if (!has_reads) return;
  ReadSink reads(*this, window);
  for_each_tile(reads);
}

Claim ConflictSearch::claim_of(const SiteUse& site, const Use& use) const {
  if (site.kind == AccessKind::write) return Claim::plain;
  return site.atomic.commutes() && use.function == site.atomic.function ? Claim::commuting_atomic
                                                                        : Claim::ordered_atomic;
}

ConflictSearch::Example ConflictSearch::example(const AccessPattern& pattern, const Piece& piece,
                                                std::size_t granule, std::int64_t other) const {
  const std::uint64_t address = piece.begin + (std::uint64_t{granule} << piece.granule_shift);
  return {pattern.site, address, piece.region, tile_, other, 0};
}

void ConflictSearch::note(Examples& examples, TileConflict::Kind kind, const Example& example) {
  ++examples.try_emplace(kind, example).first->second.granules;
}

void ConflictSearch::describe_writer(const Example& example, TileConflict& conflict) {
  const std::int64_t count = launch_.grid.count();
  const bool is_known = example.other != kSeveralTiles;
  const std::int64_t last = is_known ? example.other + 1 : count;
  for (tile_ = is_known ? example.other : 0; tile_ < last; ++tile_) {
    if (tile_ == example.tile) continue;
    WriterSink writer(*this, example.address);
    const auto tile = block_of(launch_.grid, LaunchId{tile_});
    tracer_.run(tile, writer);
    if (!writer.found) continue;
    const auto site = static_cast<std::size_t>(*writer.found);
    conflict.first_tile = tile_index(launch_.grid, tile);
    conflict.first = source_.at(program_.sites[site].place);
    conflict.first_access = sites_[site].kind;
    return;
  }
}

TileConflict ConflictSearch::describe(TileConflict::Kind kind, const Example& example) {
  TileConflict conflict;
  conflict.kind = kind;
  const auto site = static_cast<std::size_t>(example.site);
  conflict.second_tile = tile_index(launch_.grid, block_of(launch_.grid, LaunchId{example.tile}));
  conflict.second = source_.at(program_.sites[site].place);
  conflict.second_access = sites_[site].kind;
  conflict.granules = example.granules;
  conflict.granule_bytes = static_cast<std::int64_t>(uses_[example.region].granule_bytes());
  if (const auto tensor = map_.tensor_at(example.address)) {
    conflict.tensor = launch_.tensors[*tensor].name;
    conflict.byte = static_cast<std::int64_t>(example.address - launch_.tensors[*tensor].address);
  }
  describe_writer(example, conflict);
  return conflict;
}

/// What the tracer left out, or could not know, is not covered by the verdict.
void ConflictSearch::judge_faults() {
  if (report_.verdict != Verdict::proved) return;
  const auto doubt = [&](std::string reason) {
    report_.verdict = Verdict::unknown;
    report_.reason = std::move(reason);
  };
  const kernel::NativeKernel* native = kernel::native_of(program_);
  if (native != nullptr && !native->code().unseen.empty())
    return doubt(kernel::unseen_text(native->code().unseen));
  if (native != nullptr && !native->code().doubt.empty()) return doubt(native->code().doubt);
  if (!write_elsewhere_.empty()) return doubt(write_elsewhere_);
  for (const Fault& fault : tracer_.faults()) {
    const int line = source_.at(fault.place).line;
    if (fault.kind == Fault::Kind::uninitialized && fault.site >= 0)
      return doubt(fmt::format("line {} uses shared memory that holds no certain value", line));
    if (fault.kind == Fault::Kind::out_of_bounds && fault.site < 0)
      return doubt(fmt::format("line {} goes beyond a shared array", line));
    if (fault.kind == Fault::Kind::uninitialized)
      return doubt(
          fmt::format("an address on line {} depends on what was never given a value", line));
    const bool is_write =
        fault.site >= 0 && sites_[static_cast<std::size_t>(fault.site)].kind != AccessKind::read;
    if (fault.kind == Fault::Kind::out_of_bounds && fault.site >= 0)
      return doubt(outside_text(line, is_write));
  }
}

void ConflictSearch::finish() {
  for (const auto& [kind, example] : conflicts_)
    report_.conflicts.push_back(describe(kind, example));
  if (shared_) report_.commuting = describe(TileConflict::Kind::atomic, *shared_);
  report_.verdict = conflicts_.empty() ? Verdict::proved : Verdict::refuted;
  judge_faults();
}

void ConflictSearch::run() {
  if (launch_.grid.count() > kSeveralTiles) {
    report_.reason = "the grid is too large to look at every tile";
    return;
  }
  probe();
  survey();
  check_windows();
  if (reads_unseen_ && found_reads_) {
    survey_again();
    check_windows();
  }
  finish();
}

void ConflictSearch::check_windows() {
  const std::vector<Window> windows = make_windows();
  check_work(windows);
  for (const Window& window : windows) check_window(window);
}

}  // namespace heddle::trace
