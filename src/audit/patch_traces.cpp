#include "audit/patch_traces.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/known_orders.h"
#include "audit/memory_use.h"
#include "support/text.h"
#include "trace/independence.h"
#include "trace/source.h"

namespace heddle::audit {
namespace {

std::string reason_of(const Error& error) {
  if (error.source().empty() || error.position().line < 1) return error.message();
  return fmt::format("{}, line {}: {}", error.source(), error.position().line, error.message());
}

/// "tile 9 at (1, 2)"; the index alone says it where there is one axis.
std::string name_of(const char* noun, const Grid& grid, std::int64_t id) {
  return fmt::format("{} {}", noun, place_text(grid, id));
}

std::string_view use_text(Use use) {
  switch (use) {
    case Use::read:
      return "read";
    case Use::written:
      return "written";
    case Use::updated:
      return "updated by atomics";
    case Use::shared:
      return "written by more than one block";
  }
  return {};
}

bool same_contents(const config::Contents& a, const config::Contents& b) {
  return a.kind == b.kind && a.lo == b.lo && a.hi == b.hi && a.rows == b.rows &&
         a.columns == b.columns && a.density == b.density && a.path == b.path &&
         a.tensors == b.tensors && a.values == b.values && a.seed == b.seed;
}

bool same_tensors(const config::Launch& a, const config::Launch& b) {
  return std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                    [](const config::Tensor& one, const config::Tensor& other) {
                      return one.name == other.name && one.address == other.address &&
                             one.bytes == other.bytes && one.dtype == other.dtype &&
                             same_contents(one.contents, other.contents);
                    });
}

std::int64_t count_faults(const std::vector<trace::Fault>& faults, bool outside) {
  std::int64_t count = 0;
  for (const trace::Fault& fault : faults) {
    const bool is_outside = fault.kind == trace::Fault::Kind::out_of_bounds;
    const bool is_undefined = fault.kind == trace::Fault::Kind::division_by_zero ||
                              fault.kind == trace::Fault::Kind::uninitialized;
    if (outside ? is_outside : is_undefined) count += fault.count;
  }
  return count;
}

class Judge {
 public:
  Judge(const LaunchedKernel& before, const LaunchedKernel& after, const BlockMatch* by_index)
      : before_(before),
        after_(after),
        by_index_(by_index),
        grid_before_(before.launch->grid),
        grid_after_(after.launch->grid) {}

  TraceJudgement run() {
    if (!same_tensors(*before_.launch, *after_.launch)) {
      order().finding = "the two jobs describe different tensors: their bytes cannot be compared";
      bytes().finding = order().finding;
      return std::move(result_);
    }
    const bool has_tiles = by_index_ != nullptr && by_index_->is_permutation();
    if (before_.blocks() != after_.blocks() && !has_tiles)
      judge_regrouped();
    else
      judge_blocks();
    result_.is_original_outside = count_faults(faults_before_, true) > 0;
    result_.is_original_undefined = count_faults(faults_before_, false) > 0;
    doubt_unseen(*before_.program);
    doubt_unseen(*after_.program);
    return std::move(result_);
  }

 private:
  CheckResult& order() { return result_.order; }
  CheckResult& bytes() { return result_.bytes; }

  /// A trace that is not complete proves nothing.
  void doubt_unseen(const kernel::KernelProgram& program) {
    const std::string unseen = program.traits().unseen;
    for (CheckResult* check : {&order(), &bytes()}) {
      if (unseen.empty() || check->verdict != Verdict::proved) continue;
      check->verdict = Verdict::unknown;
      check->finding = fmt::format("not all accesses are observed: {}", unseen);
    }
  }

  // ---- order --------------------------------------------------------------------------------

  void judge_regrouped() {
    order().finding = fmt::format(
        "{} blocks for {} tiles: blocks and tiles cannot match one to one; the work is divided "
        "differently",
        with_separators(after_.blocks()), with_separators(before_.blocks()));
    judge_sets();
  }

  void judge_blocks() {
    try {
      BlockMatch match = match_blocks(before_, after_, AccessForm::stream);
      const bool is_same = match.is_permutation();
      if (!is_same) match = match_blocks(before_, after_, AccessForm::bytes);
      if (match.is_permutation() && !is_same)
        order().notes.emplace_back(
            "blocks access the bytes of their tiles by other instructions, or in another sequence");
      judge_match(match, is_same ? Found::by_stream : Found::by_bytes);
    } catch (const Error& error) {
      if (by_index_ == nullptr) {
        order().finding = reason_of(error);
        return judge_sets();
      }
      order().notes.push_back(
          fmt::format("by the tile's index that each block computes, not by its accesses: {}",
                      reason_of(error)));
      judge_match(*by_index_, Found::by_index);
    }
  }

  enum class Found { by_stream, by_bytes, by_index };

  void judge_match(const BlockMatch& match, Found found) {
    const bool is_by_index = found == Found::by_index;
    faults_before_ = match.faults_before;
    faults_after_ = match.faults_after;
    if (!match.is_permutation()) {
      order().verdict = Verdict::refuted;
      explain(match);
      if (is_by_index)
        bytes().finding = "too much to trace, and the order is not a permutation";
      else
        judge_sets();
      return;
    }
    order().verdict = Verdict::proved;
    order().finding =
        after_.blocks() == 1
            ? "the one block computes the one tile of the original"
            : fmt::format("each of the {} computes one tile of the original, each tile once",
                          count_of(after_.blocks() - match.idle, "block"));
    if (match.idle > 0)
      order().notes.push_back(
          fmt::format("{} nothing", match.idle == 1 ? "1 block does"
                                                    : with_separators(match.idle) + " blocks do"));
    describe_map(match);
    if (match.twins > 0)
      order().notes.push_back(
          fmt::format("{} make the accesses of another tile too: which of "
                      "them a block computes makes no difference to memory",
                      count_of(match.twins, "tile")));
    if (!is_by_index) doubt_faults(order());
    if (!does_own_tiles(match)) doubt_independence();
    // The same bytes in each block may still be updated by atomics more or less often.
    if (found == Found::by_bytes)
      judge_sets();
    else
      judge_bytes_of_permutation(is_by_index);
  }

  /// Tiles with equal accesses may still write different values: then their index says which is
  /// which.
  bool does_own_tiles(const BlockMatch& match) const {
    if (by_index_ != nullptr) return by_index_->is_identity();
    return match.is_identity() && match.twins == 0;
  }

  void describe_map(const BlockMatch& match) {
    if (match.is_identity()) {
      order().evidence.emplace_back(
          "every block computes the tile of its own number: the order is "
          "the launch order");
      return;
    }
    const std::string known = known_order(match.tile_of, grid_before_);
    if (!known.empty()) order().evidence.push_back(fmt::format("the order is {}", known));
  }

  void explain(const BlockMatch& match) {
    order().finding =
        fmt::format("{} of {} are computed", with_separators(before_.blocks() - match.missing),
                    count_of(before_.blocks(), "tile"));
    if (match.repeat)
      order().evidence.push_back(fmt::format(
          "{} and {} both compute {}{}", name_of("block", grid_after_, match.repeat->first),
          name_of("block", grid_after_, match.repeat->second),
          name_of("tile", grid_before_, match.repeat->tile),
          match.repeats > 1 ? fmt::format(" ({} repeat a tile)", count_of(match.repeats, "block"))
                            : ""));
    if (match.stranger) {
      order().evidence.push_back(fmt::format(
          "{} {}", name_of("block", grid_after_, *match.stranger), known_work_of(*match.stranger)));
      if (match.strangers > 1)
        order().evidence.push_back(
            fmt::format("{} compute no tile of the original", count_of(match.strangers, "block")));
    }
    if (match.missing_tile)
      order().evidence.push_back(fmt::format(
          "no block computes {}{}", name_of("tile", grid_before_, *match.missing_tile),
          match.missing > 1 ? fmt::format(" ({} are missing)", count_of(match.missing, "tile"))
                            : ""));
  }

  /// The bytes of one block, or tile.
  static TileAccesses bytes_of(const LaunchedKernel& kernel, std::int64_t id) {
    TileAccesses accesses(*kernel.program, AccessForm::bytes);
    accesses.begin();
    const kernel::KernelProgram reduced =
        kernel::remove_unneeded(*kernel.program, kernel::Keep::all);
    trace::Tracer tracer(reduced, *kernel.launch, {});
    tracer.run(block_of(kernel.launch->grid, LaunchId{id}), accesses);
    accesses.words();
    return accesses;
  }

  static std::string total_of(const std::vector<trace::Run>& runs) {
    std::uint64_t total = 0;
    for (const trace::Run& run : runs) total += run.bytes;
    return count_of(static_cast<std::int64_t>(total), "byte");
  }

  /// What a block does that no tile does; it may not run to its end.
  std::string known_work_of(std::int64_t block) const {
    try {
      return work_of(block);
    } catch (const Error& error) {
      return fmt::format("does what no tile of the original does, and does not run to its end: {}",
                         reason_of(error));
    }
  }

  std::string work_of(std::int64_t block) const {
    const TileAccesses now = bytes_of(after_, block);
    const TileAccesses then = bytes_of(before_, block);
    const auto& written = now.runs(AccessKind::write);
    const auto& updated = now.runs(AccessKind::atomic);
    const auto& read = now.runs(AccessKind::read);
    if (written.empty() && updated.empty())
      return read.empty() ? "does nothing, which no tile of the original does"
                          : fmt::format("writes nothing, and reads {}", total_of(read));
    if (written == then.runs(AccessKind::write) && updated == then.runs(AccessKind::atomic))
      return fmt::format("writes what {} writes, but reads {} instead of {}",
                         name_of("tile", grid_before_, block), total_of(read),
                         total_of(then.runs(AccessKind::read)));
    const auto& changed = written.empty() ? updated : written;
    return fmt::format("does what no tile of the original does: it {} {}, the first at {}",
                       written.empty() ? "updates" : "writes", total_of(changed),
                       place_of(changed.front().address));
  }

  std::string place_of(std::uint64_t address) const {
    const trace::RegionMap map(*before_.launch);
    const auto index = map.tensor_at(address);
    if (!index) return fmt::format("address {:#x}", address);
    const config::Tensor& tensor = before_.launch->tensors[*index];
    return fmt::format("byte {} of {}",
                       with_separators(static_cast<std::int64_t>(address - tensor.address)),
                       tensor.name);
  }

  /// Accesses outside tensors, and values that are not defined, are not in the traces.
  void doubt_faults(CheckResult& check) const {
    const bool outside = count_faults(faults_before_, true) + count_faults(faults_after_, true) > 0;
    const bool undefined = count_faults(faults_after_, false) > 0;
    if (!outside && !undefined) return;
    check.verdict = Verdict::unknown;
    check.finding = outside ? "some accesses leave their tensors; those are not compared"
                            : "some values are not defined (division by zero, or never set)";
  }

  /// Another order of tiles that depend on one another gives other results.
  void doubt_independence() {
    if (order().verdict != Verdict::proved) return;
    IndependenceReport report;
    trace::find_independence(*before_.program, *before_.launch, {}, report);
    if (report.verdict == Verdict::proved) return;
    order().verdict = Verdict::unknown;
    if (report.verdict == Verdict::unknown) {
      order().finding =
          fmt::format("a permutation, but whether the tiles depend on one another is not known: {}",
                      report.reason);
      return;
    }
    order().finding =
        "a permutation, but the tiles depend on one another: in another order they "
        "may give other results";
    if (report.conflicts.empty()) return;
    const TileConflict& conflict = report.conflicts.front();
    order().evidence.push_back(
        fmt::format("byte {} of {}: tiles ({}) and ({}) both access it, and one writes",
                    with_separators(conflict.byte), conflict.tensor,
                    fmt::join(conflict.first_tile, ", "), fmt::join(conflict.second_tile, ", ")));
  }

  // ---- bytes --------------------------------------------------------------------------------

  void judge_bytes_of_permutation(bool is_by_index) {
    bytes().verdict = Verdict::proved;
    bytes().finding = "the blocks write, update and read what the tiles of the original do";
    if (is_by_index) {
      bytes().notes.emplace_back(
          "every block runs the original's code with the index of its tile; nothing was traced");
      return;
    }
    judge_faults();
    try {
      const MemoryUses uses = find_memory_use(before_, nullptr);
      count(uses.before);
    } catch (const Error& error) {
      bytes().notes.push_back(fmt::format("the bytes are not counted: {}", reason_of(error)));
    }
  }

  /// All blocks together, whatever each of them does.
  void judge_sets() {
    try {
      const MemoryUses uses = find_memory_use(before_, &after_);
      faults_before_ = uses.before.faults;
      faults_after_ = uses.after.faults;
      judge_uses(uses);
    } catch (const Error& error) {
      bytes().verdict = Verdict::unknown;
      bytes().finding = reason_of(error);
    }
  }

  void judge_uses(const MemoryUses& uses) {
    const std::vector<MemoryDifference> found = differences(uses, *before_.launch);
    if (found.empty()) {
      bytes().verdict = Verdict::proved;
      bytes().finding = "all blocks together write, update and read the same bytes";
      count(uses.before);
      if (uses.before.updates != uses.after.updates) {
        bytes().verdict = Verdict::refuted;
        bytes().finding =
            fmt::format("atomics update {} elements instead of {}",
                        with_separators(uses.after.updates), with_separators(uses.before.updates));
      } else if (uses.before.updates > 0) {
        bytes().verdict = Verdict::unknown;
        bytes().finding =
            "the same bytes, but how often each is updated by atomics is not compared";
      }
      judge_faults();
      return;
    }
    bytes().verdict = Verdict::refuted;
    bytes().finding = "the blocks together do not touch the same bytes";
    for (const MemoryDifference& one : found) describe(one);
  }

  void describe(const MemoryDifference& one) {
    const config::Tensor& tensor = before_.launch->tensors[one.tensor];
    const LaunchedKernel& owner = one.is_in_before ? before_ : after_;
    const auto block = find_block(owner, one.use, one.address);
    std::string who;
    if (block)
      who = fmt::format(", by {}", one.is_in_before
                                       ? name_of("tile", grid_before_, *block) + " of the original"
                                       : name_of("block", grid_after_, *block));
    bytes().evidence.push_back(fmt::format(
        "{}: {} {} {} {}; the first is byte {}{}", tensor.name, count_of(one.bytes, "byte"),
        one.bytes == 1 ? "is" : "are", one.is_in_before ? "no longer" : "now", use_text(one.use),
        with_separators(static_cast<std::int64_t>(one.address - tensor.address)), who));
  }

  void judge_faults() {
    if (count_faults(faults_after_, true) > 0 && count_faults(faults_before_, true) == 0) {
      bytes().verdict = Verdict::refuted;
      bytes().finding = "the new kernel leaves its tensors, the original does not";
      for (const trace::Fault& fault : faults_after_) {
        if (fault.kind != trace::Fault::Kind::out_of_bounds) continue;
        const auto& place = after_.program->places[static_cast<std::size_t>(fault.place)];
        bytes().evidence.push_back(fmt::format("line {} {}", place.position.line, fault.detail));
        return;
      }
    }
    if (bytes().verdict == Verdict::proved) doubt_faults(bytes());
  }

  void count(const MemoryUse& use) {
    const trace::RegionMap map(*before_.launch);
    for (std::size_t i = 0; i < use.regions.size(); ++i) {
      const RegionUse& region = use.regions[i];
      std::vector<std::string> names;
      for (const std::size_t tensor : map.regions()[i].tensors)
        names.push_back(before_.launch->tensors[tensor].name);
      std::vector<std::string> parts;
      for (const Use kind : {Use::written, Use::updated, Use::read}) {
        const std::int64_t bytes = region.bytes(kind);
        if (bytes == 0) continue;
        parts.push_back(fmt::format("{} {}", count_of(bytes, "byte"), use_text(kind)));
        if (kind != Use::written) continue;
        const std::int64_t shared = region.bytes(Use::shared);
        parts.back() += shared == 0 ? ", each by one block"
                                    : fmt::format(", {} of them by more than one block",
                                                  with_separators(shared));
      }
      if (!parts.empty())
        bytes().evidence.push_back(
            fmt::format("{}: {}", fmt::join(names, ", "), fmt::join(parts, "; ")));
    }
  }

  const LaunchedKernel& before_;
  const LaunchedKernel& after_;
  const BlockMatch* by_index_;
  const Grid& grid_before_;
  const Grid& grid_after_;
  std::vector<trace::Fault> faults_before_;
  std::vector<trace::Fault> faults_after_;
  TraceJudgement result_;
};

}  // namespace

TraceJudgement judge_traces(const LaunchedKernel& before, const LaunchedKernel& after,
                            const BlockMatch* by_index) {
  return Judge(before, after, by_index).run();
}

}  // namespace heddle::audit
