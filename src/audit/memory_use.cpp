#include "audit/memory_use.h"

#include <algorithm>
#include <bit>

namespace heddle::audit {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::uint64_t kBits = 64;

/// Thrown where a run begins or ends within a grain.
struct CutGrain {};

std::uint64_t grain_of(const trace::Region& region, const config::Launch& launch) {
  std::uint64_t grain = 8;
  for (const std::size_t tensor : region.tensors) {
    const auto width = static_cast<std::uint64_t>(config::byte_width(launch.tensors[tensor].dtype));
    grain = std::min(grain, std::bit_floor(width));
    while (launch.tensors[tensor].address % grain != 0) grain /= 2;
  }
  return region.begin % grain == 0 ? grain : 1;
}

class Collection {
 public:
  Collection(const LaunchedKernel& kernel, const trace::RegionMap& map, bool by_byte)
      : kernel_(kernel),
        map_(map),
        program_(kernel::remove_unneeded(*kernel.program, kernel::Keep::all)) {
    for (const trace::Region& region : map.regions())
      use_.regions.push_back({region.begin, by_byte ? 1 : grain_of(region, *kernel.launch), {}});
  }

  MemoryUse run() {
    trace::Tracer tracer(program_, *kernel_.launch, {});
    TileAccesses accesses(*kernel_.program, AccessForm::bytes);
    for (std::int64_t id = 0; id < kernel_.blocks(); ++id) {
      accesses.begin();
      tracer.run(block_of(kernel_.launch->grid, LaunchId{id}), accesses);
      accesses.words();
      for (const trace::Run& run : accesses.runs(AccessKind::read)) add(Use::read, run);
      for (const trace::Run& run : accesses.runs(AccessKind::write)) add(Use::written, run);
      for (const trace::Run& run : accesses.runs(AccessKind::atomic)) add(Use::updated, run);
    }
    use_.updates = accesses.updates();
    use_.faults = tracer.faults();
    return std::move(use_);
  }

 private:
  GrainSet& set_of(std::size_t region, Use use) {
    GrainSet& set = use_.regions[region].sets[static_cast<std::size_t>(use)];
    if (!set.is_empty()) return set;
    const trace::Region& where = map_.regions()[region];
    const std::uint64_t grain = use_.regions[region].grain;
    set.resize(static_cast<std::size_t>((where.end - where.begin + grain - 1) / grain));
    bytes_ += set.bytes();
    if (bytes_ > kMostBytes)
      throw Error("the tensors are too large to mark every byte of them",
                  "give a job with smaller sizes");
    return set;
  }

  void add(Use use, trace::Run run) {
    while (run.bytes > 0) {
      const auto index = map_.of_address(run.address);
      if (!index) return;  // accesses outside tensors are not handed on
      const trace::Region& region = map_.regions()[*index];
      const std::uint64_t grain = use_.regions[*index].grain;
      const std::uint64_t from = run.address - region.begin;
      const std::uint64_t to = std::min(run.address + run.bytes, region.end) - region.begin;
      if (from % grain != 0 || (to % grain != 0 && region.begin + to != region.end))
        throw CutGrain{};
      GrainSet& set = set_of(*index, use);
      GrainSet* again = use == Use::written ? &set_of(*index, Use::shared) : nullptr;
      set.add(from / grain, (to + grain - 1) / grain, again);
      run.bytes -= to - from;
      run.address += to - from;
    }
  }

  const LaunchedKernel& kernel_;
  const trace::RegionMap& map_;
  kernel::KernelProgram program_;
  MemoryUse use_;
  std::size_t bytes_ = 0;
};

MemoryUses collect(const LaunchedKernel& before, const LaunchedKernel* after, bool by_byte) {
  const trace::RegionMap map(*before.launch);
  MemoryUses uses;
  run_both([&] { uses.before = Collection(before, map, by_byte).run(); },
           [&] {
             if (after != nullptr) uses.after = Collection(*after, map, by_byte).run();
           });
  return uses;
}

}  // namespace

void GrainSet::add(std::uint64_t begin, std::uint64_t end, GrainSet* again) {
  while (begin < end) {
    const auto index = static_cast<std::size_t>(begin / kBits);
    const std::uint64_t next = std::min(end, (begin / kBits + 1) * kBits);
    const std::uint64_t upto =
        next % kBits == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (next % kBits)) - 1;
    const std::uint64_t bits = upto & (~std::uint64_t{0} << (begin % kBits));
    if (again != nullptr) again->words_[index] |= words_[index] & bits;
    words_[index] |= bits;
    begin = next;
  }
}

std::int64_t GrainSet::count() const {
  std::int64_t total = 0;
  for (const std::uint64_t word : words_) total += std::popcount(word);
  return total;
}

bool GrainSet::has(std::uint64_t grain) const {
  return ((word(static_cast<std::size_t>(grain / kBits)) >> (grain % kBits)) & 1U) != 0;
}

std::optional<std::uint64_t> GrainSet::first_difference(const GrainSet& other,
                                                        std::int64_t& count) const {
  std::optional<std::uint64_t> first;
  const std::size_t size = std::max(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t bits = word(i) ^ other.word(i);
    if (bits == 0) continue;
    count += std::popcount(bits);
    if (!first) first = i * kBits + static_cast<std::uint64_t>(std::countr_zero(bits));
  }
  return first;
}

MemoryUses find_memory_use(const LaunchedKernel& before, const LaunchedKernel* after,
                           std::int64_t most_work) {
  run_both([&] { check_work(before, AccessForm::bytes, most_work); },
           [&] {
             if (after != nullptr) check_work(*after, AccessForm::bytes, most_work);
           });
  try {
    return collect(before, after, false);
  } catch (const CutGrain&) {
    return collect(before, after, true);
  }
}

std::vector<MemoryDifference> differences(const MemoryUses& uses, const config::Launch& launch) {
  const trace::RegionMap map(launch);
  std::vector<MemoryDifference> result;
  for (const Use use : {Use::written, Use::updated, Use::shared, Use::read}) {
    const auto index = static_cast<std::size_t>(use);
    for (std::size_t region = 0; region < uses.before.regions.size(); ++region) {
      const RegionUse& before = uses.before.regions[region];
      const RegionUse& after = uses.after.regions[region];
      std::int64_t count = 0;
      const auto first = before.sets[index].first_difference(after.sets[index], count);
      if (!first) continue;
      MemoryDifference difference;
      difference.use = use;
      difference.address = before.begin + *first * before.grain;
      difference.tensor = map.tensor_at(difference.address).value_or(0);
      difference.bytes = count * static_cast<std::int64_t>(before.grain);
      difference.is_in_before = before.sets[index].has(*first);
      result.push_back(difference);
      break;
    }
  }
  return result;
}

std::optional<std::int64_t> find_block(const LaunchedKernel& kernel, Use use,
                                       std::uint64_t address) {
  const kernel::KernelProgram program = kernel::remove_unneeded(*kernel.program, kernel::Keep::all);
  trace::Tracer tracer(program, *kernel.launch, {});
  TileAccesses accesses(*kernel.program, AccessForm::bytes);
  const AccessKind kind = use == Use::read      ? AccessKind::read
                          : use == Use::updated ? AccessKind::atomic
                                                : AccessKind::write;
  for (std::int64_t id = 0; id < kernel.blocks(); ++id) {
    accesses.begin();
    tracer.run(block_of(kernel.launch->grid, LaunchId{id}), accesses);
    accesses.words();
    for (const trace::Run& run : accesses.runs(kind))
      if (address - run.address < run.bytes) return id;
  }
  return std::nullopt;
}

}  // namespace heddle::audit
