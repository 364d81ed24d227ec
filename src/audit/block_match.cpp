#include "audit/block_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <span>
#include <thread>

#include "support/text.h"

namespace heddle::audit {
namespace {

using kernel::KernelProgram;

constexpr std::int64_t kProbes = 16;

/// Traces the tiles of one kernel.
class Tiles {
 public:
  Tiles(const LaunchedKernel& kernel, const KernelProgram& reduced, AccessForm form)
      : launch_(*kernel.launch), tracer_(reduced, launch_, {}), accesses_(*kernel.program, form) {}

  const std::vector<std::uint64_t>& words(std::int64_t id) {
    accesses_.begin();
    tracer_.run(block_of(launch_.grid, LaunchId{id}), accesses_);
    const auto& words = accesses_.words();
    work_ += tracer_.steps() + static_cast<std::int64_t>(words.size()) + accesses_.pieces();
    return words;
  }
  std::int64_t work() const { return work_; }
  std::vector<trace::Fault> faults() const { return tracer_.faults(); }

 private:
  const config::Launch& launch_;
  trace::Tracer tracer_;
  TileAccesses accesses_;
  std::int64_t work_ = 0;
};

KernelProgram reduced(const LaunchedKernel& kernel) {
  return kernel::remove_unneeded(*kernel.program, kernel::Keep::all);
}

void refuse_beyond(std::int64_t most_work, double total) {
  if (total <= static_cast<double>(most_work)) return;
  throw Error(fmt::format("all blocks would take about {:.2g} steps, more than {:.2g}", total,
                          static_cast<double>(most_work)),
              "give a job with smaller sizes", ExitCode::inconclusive);
}

/// Refuses a launch that takes more work than `most_work`, seen from some of its blocks.
std::int64_t check_work(const LaunchedKernel& kernel, const KernelProgram& program, AccessForm form,
                        std::int64_t most_work) {
  Tiles tiles(kernel, program, form);
  const std::int64_t count = kernel.blocks();
  const std::int64_t probes = std::min(count, kProbes);
  for (std::int64_t i = 0; i < probes; ++i)
    tiles.words(probes == 1 ? 0 : i * (count - 1) / (probes - 1));
  const double total =
      static_cast<double>(tiles.work()) / static_cast<double>(probes) * static_cast<double>(count);
  refuse_beyond(most_work, total);
  return static_cast<std::int64_t>(total);
}

/// The lists of a launch's blocks, one after another, as long as they are few enough to keep.
class KeptLists {
 public:
  explicit KeptLists(std::size_t most_words) : most_words_(most_words) {}

  void add(const std::vector<std::uint64_t>& list) {
    is_whole_ = is_whole_ && words_.size() + list.size() <= most_words_;
    if (!is_whole_) return drop();
    words_.insert(words_.end(), list.begin(), list.end());
    ends_.push_back(words_.size());
  }
  /// Whether no list was too much.
  bool is_whole() const { return is_whole_; }
  std::span<const std::uint64_t> list(std::int64_t id) const {
    const auto index = static_cast<std::size_t>(id);
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::span(words_).subspan(begin, ends_[index] - begin);
  }

 private:
  void drop() {
    words_ = {};
    ends_ = {};
  }

  std::size_t most_words_;
  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> ends_;
  bool is_whole_ = true;
};

struct Entry {
  Digest digest;
  std::int64_t tile = 0;
};

class Matching {
 public:
  Matching(const LaunchedKernel& before, const LaunchedKernel& after, AccessForm form,
           std::size_t most_kept)
      : before_(before),
        after_(after),
        has_idle_(before.blocks() != after.blocks()),
        form_(form),
        program_before_(reduced(before)),
        program_after_(reduced(after)),
        kept_before_(most_kept),
        kept_after_(most_kept) {}

  BlockMatch run(std::int64_t most_work) {
    std::vector<Digest> tiles;
    std::vector<Digest> blocks;
    run_both(
        [&] {
          digest(before_, program_before_, most_work, tiles, kept_before_, match_.faults_before);
        },
        [&] {
          digest(after_, program_after_, most_work, blocks, kept_after_, match_.faults_after);
        });
    assign(tiles, blocks);
    if (match_.is_permutation())
      verify();
    else
      verify_repeat();
    return std::move(match_);
  }

 private:
  void digest(const LaunchedKernel& kernel, const KernelProgram& program, std::int64_t most_work,
              std::vector<Digest>& digests, KeptLists& kept,
              std::vector<trace::Fault>& faults) const {
    const bool is_probed = kernel.blocks() > kProbes;  // as many or fewer are all looked at below
    if (is_probed) check_work(kernel, program, form_, most_work);
    constexpr std::int64_t kPatience = 4;
    Tiles tiles(kernel, program, form_);
    for (std::int64_t id = 0; id < kernel.blocks(); ++id) {
      const std::vector<std::uint64_t>& words = tiles.words(id);
      digests.push_back(digest_of(words));
      kept.add(words);
      if (is_probed && tiles.work() / kPatience > most_work)
        throw Error("the blocks take more work than the first ones suggested",
                    "give a job with smaller sizes");
    }
    if (!is_probed) refuse_beyond(most_work, static_cast<double>(tiles.work()));
    faults = tiles.faults();
  }

  void assign(const std::vector<Digest>& tiles, const std::vector<Digest>& blocks) {
    std::vector<Entry> sorted;
    for (std::size_t i = 0; i < tiles.size(); ++i)
      sorted.push_back({tiles[i], static_cast<std::int64_t>(i)});
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Entry& a, const Entry& b) { return a.digest < b.digest; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const bool like_last = i > 0 && sorted[i - 1].digest == sorted[i].digest;
      const bool like_next = i + 1 < sorted.size() && sorted[i + 1].digest == sorted[i].digest;
      if (like_last || like_next) ++match_.twins;
    }
    const Digest idle = digest_of({});
    std::vector<std::int64_t> done_by(tiles.size(), kNoTile);
    std::vector<std::size_t> taken(sorted.size(), 0);  // of the group that begins there
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const auto first =
          std::lower_bound(sorted.begin(), sorted.end(), blocks[block],
                           [](const Entry& a, const Digest& digest) { return a.digest < digest; });
      match_.tile_of.push_back(kNoTile);
      if (first == sorted.end() || first->digest != blocks[block]) {
        if (has_idle_ && blocks[block] == idle) {
          ++match_.idle;
          continue;
        }
        if (match_.strangers++ == 0) match_.stranger = static_cast<std::int64_t>(block);
        continue;
      }
      const auto begin = static_cast<std::size_t>(first - sorted.begin());
      std::size_t at = begin + taken[begin];
      const bool is_new = at < sorted.size() && sorted[at].digest == blocks[block];
      if (!is_new && has_idle_ && blocks[block] == idle) {
        ++match_.idle;
        continue;
      }
      at = is_new ? at : at - 1;
      const std::int64_t tile = sorted[at].tile;
      match_.tile_of.back() = tile;
      std::int64_t& owner = done_by[static_cast<std::size_t>(tile)];
      if (is_new) {
        ++taken[begin];
        owner = static_cast<std::int64_t>(block);
      } else if (match_.repeats++ == 0) {
        match_.repeat = BlockMatch::Repeat{owner, static_cast<std::int64_t>(block), tile};
      }
    }
    for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
      if (done_by[tile] != kNoTile || (has_idle_ && tiles[tile] == idle)) continue;
      if (match_.missing++ == 0) match_.missing_tile = static_cast<std::int64_t>(tile);
    }
  }

  void compare(std::int64_t block, bool is_equal) const {
    if (is_equal) return;
    throw Error(fmt::format("block {} and tile {} have one digest and different accesses", block,
                            match_.tile_of[static_cast<std::size_t>(block)]),
                "please report it");
  }

  /// Equal digests are no proof: compares the lists themselves, traced again if they are not kept.
  void verify(std::int64_t from, std::int64_t to) const {
    Tiles tiles(before_, program_before_, form_);
    Tiles blocks(after_, program_after_, form_);
    for (std::int64_t block = from; block < to; ++block) {
      const std::int64_t tile = match_.tile_of[static_cast<std::size_t>(block)];
      compare(block, tile == kNoTile || tiles.words(tile) == blocks.words(block));
    }
  }

  void verify() const {
    const auto count = static_cast<std::int64_t>(match_.tile_of.size());
    if (!kept_before_.is_whole() || !kept_after_.is_whole())
      return run_both([&] { verify(0, count / 2); }, [&] { verify(count / 2, count); });
    for (std::int64_t block = 0; block < count; ++block) {
      const std::int64_t tile = match_.tile_of[static_cast<std::size_t>(block)];
      compare(block, tile == kNoTile ||
                         std::ranges::equal(kept_before_.list(tile), kept_after_.list(block)));
    }
  }

  /// Different digests are proof: only the example needs a second look.
  void verify_repeat() const {
    if (!match_.repeat) return;
    for (const std::int64_t block : {match_.repeat->first, match_.repeat->second})
      verify(block, block + 1);
  }

  const LaunchedKernel& before_;
  const LaunchedKernel& after_;
  bool has_idle_;  ///< idle blocks and tiles may be left over
  AccessForm form_;
  KernelProgram program_before_;
  KernelProgram program_after_;
  KeptLists kept_before_;
  KeptLists kept_after_;
  BlockMatch match_;
};

}  // namespace

bool BlockMatch::is_identity() const {
  for (std::size_t i = 0; i < tile_of.size(); ++i)
    if (tile_of[i] != kNoTile && tile_of[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

std::string place_text(const Grid& grid, std::int64_t id) {
  if (grid.axes() == 1) return with_separators(id);
  const auto index = block_of(grid, LaunchId{id});
  return fmt::format("({})", fmt::join(index.begin(), index.begin() + grid.axes(), ", "));
}

std::string misfit_text(const BlockMatch& match, const Grid& tiles, const Grid& blocks) {
  if (match.repeat)
    return fmt::format("blocks {} and {} have the index values of tile {}",
                       place_text(blocks, match.repeat->first),
                       place_text(blocks, match.repeat->second),
                       place_text(tiles, match.repeat->tile));
  if (match.stranger)
    return fmt::format("block {} has the index values of no tile",
                       place_text(blocks, *match.stranger));
  if (match.missing_tile)
    return fmt::format("no block has the index values of tile {}",
                       place_text(tiles, *match.missing_tile));
  return {};
}

void run_both(const std::function<void()>& one, const std::function<void()>& other) {
  std::exception_ptr failure;
  std::exception_ptr failure_of_other;
  {
    const std::jthread thread([&] {
      try {
        other();
      } catch (...) {
        failure_of_other = std::current_exception();
      }
    });
    try {
      one();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  if (failure_of_other) std::rethrow_exception(failure_of_other);
}

std::int64_t check_work(const LaunchedKernel& kernel, AccessForm form, std::int64_t most_work) {
  return check_work(kernel, reduced(kernel), form, most_work);
}

BlockMatch match_blocks(const LaunchedKernel& before, const LaunchedKernel& after, AccessForm form,
                        std::int64_t most_work, std::size_t most_kept) {
  return Matching(before, after, form, most_kept).run(most_work);
}

}  // namespace heddle::audit
