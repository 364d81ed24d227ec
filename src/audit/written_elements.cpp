#include "audit/written_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "trace/regions.h"
#include "trace/source.h"

namespace heddle::audit {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 26;
constexpr std::int32_t kNobody = -1;

/// Per element of a tensor's span.
struct Owners {
  std::vector<std::int32_t> first;              ///< that stores it, else that updates it
  std::vector<bool> is_stored;                  ///< by that block
  std::vector<bool> is_shared;                  ///< another block writes it, too
  std::map<std::int64_t, std::int32_t> second;  ///< of elements that two blocks store
  bool is_updated = false;

  void resize(std::size_t count) {
    first.assign(count, kNobody);
    is_stored.assign(count, false);
    is_shared.assign(count, false);
  }

  void write(std::size_t i, std::int32_t block, bool is_atomic) {
    if (first[i] != kNobody && first[i] != block) is_shared[i] = true;
    const bool is_second = is_stored[i] && first[i] != block;
    if (is_second && !is_atomic) second.emplace(static_cast<std::int64_t>(i), block);
    if (first[i] == kNobody || (!is_atomic && !is_stored[i])) first[i] = block;
    if (!is_atomic) is_stored[i] = true;
  }
};

class WriteLog final : public trace::AccessSink {
 public:
  WriteLog(const kernel::KernelProgram& whole, const config::Launch& launch)
      : launch_(launch), map_(launch), owners_(launch.tensors.size()) {
    for (const kernel::Site& site : whole.sites) kinds_.push_back(trace::access_kind(site.kind));
  }

  void start(std::int64_t block) {
    block_ = static_cast<std::int32_t>(block);
    writes_ = false;
    gets_there_ = false;
  }
  bool gets_there() const { return gets_there_; }
  bool writes() const { return writes_; }

  void access(const trace::AccessPattern& pattern) override {
    const AccessKind kind = kinds_[static_cast<std::size_t>(pattern.site)];
    if (kind == AccessKind::read) return;
    gets_there_ = true;
    trace::for_each_piece(pattern, [&](const trace::Run& run) { add(run, kind); });
  }

  WrittenTensor summary(std::size_t index) const {
    const config::Tensor& tensor = launch_.tensors[index];
    const Owners& owners = owners_[index];
    WrittenTensor result;
    result.name = tensor.name;
    result.is_updated = owners.is_updated;
    std::vector<std::vector<bool>> seen;
    for (const std::int64_t extent : tensor.shape)
      seen.emplace_back(static_cast<std::size_t>(std::max<std::int64_t>(extent, 0)), false);
    std::vector<std::int64_t> element(tensor.shape.size(), 0);
    for (bool more = !std::ranges::count(tensor.shape, 0); more; more = next(tensor, element)) {
      ++result.elements;
      std::int64_t at = 0;
      for (std::size_t k = 0; k < element.size(); ++k) at += element[k] * tensor.strides[k];
      const std::int32_t owner = owners.first[static_cast<std::size_t>(at)];
      if (owner == kNobody) {
        if (!result.missing) result.missing = element;
        continue;
      }
      ++result.written;
      for (std::size_t k = 0; k < element.size(); ++k)
        seen[k][static_cast<std::size_t>(element[k])] = true;
      const auto here = static_cast<std::size_t>(at);
      const auto again = owners.second.find(at);
      if (again == owners.second.end() && owners.is_stored[here] && owners.is_shared[here])
        ++result.mixed;
      if (again == owners.second.end()) continue;
      ++result.twice;
      if (!result.meeting) result.meeting = {element, owner, again->second};
    }
    result.spans = std::ranges::all_of(seen, is_spanned);
    return result;
  }

  bool is_written(std::size_t tensor) const { return !owners_[tensor].first.empty(); }

 private:
  static bool is_spanned(const std::vector<bool>& axis) {
    const auto first = std::ranges::find(axis, true) - axis.begin();
    const auto last = std::find(axis.rbegin(), axis.rend(), true) - axis.rbegin();
    const auto size = static_cast<std::ptrdiff_t>(axis.size());
    return first == last && first <= size / 4 && std::ranges::count(axis, true) == size - 2 * first;
  }

  static bool next(const config::Tensor& tensor, std::vector<std::int64_t>& element) {
    for (std::size_t k = element.size(); k-- > 0;) {
      if (++element[k] < tensor.shape[k]) return true;
      element[k] = 0;
    }
    return false;
  }

  void add(const trace::Run& run, AccessKind kind) {
    const auto index = map_.tensor_at(run.address);
    if (!index) return;  // accesses outside tensors are not handed on
    writes_ = true;
    const config::Tensor& tensor = launch_.tensors[*index];
    const auto width = static_cast<std::uint64_t>(config::byte_width(tensor.dtype));
    Owners& owners = owners_[*index];
    if (owners.first.empty()) {
      const std::int64_t count = tensor.bytes / static_cast<std::int64_t>(width);
      if ((elements_ += count) > kMostElements)
        throw Error("the tensors are too large to look at every element of them",
                    "give a job with smaller sizes, or --set them smaller");
      owners.resize(static_cast<std::size_t>(count));
    }
    const bool is_atomic = kind == AccessKind::atomic;
    owners.is_updated = owners.is_updated || is_atomic;
    const std::uint64_t from = (run.address - tensor.address) / width;
    const std::uint64_t to = (run.address + run.bytes - tensor.address + width - 1) / width;
    for (std::uint64_t i = from; i < to && i < owners.first.size(); ++i)
      owners.write(static_cast<std::size_t>(i), block_, is_atomic);
  }

  const config::Launch& launch_;
  const trace::RegionMap map_;
  std::vector<AccessKind> kinds_;  ///< per site
  std::vector<Owners> owners_;
  std::int64_t elements_ = 0;
  std::int32_t block_ = 0;
  bool writes_ = false;
  bool gets_there_ = false;  ///< to a store
};

}  // namespace

WrittenElements find_written(const LaunchedKernel& kernel) {
  const kernel::KernelProgram program =
      kernel::remove_unneeded(*kernel.program, kernel::Keep::writes);
  trace::Tracer tracer(program, *kernel.launch, {});
  WriteLog log(*kernel.program, *kernel.launch);
  WrittenElements result;
  std::int64_t work = 0;
  for (std::int64_t id = 0; id < kernel.blocks(); ++id) {
    log.start(id);
    tracer.run(block_of(kernel.launch->grid, LaunchId{id}), log);
    if (!log.writes()) result.silent.push_back(id);
    if (!log.writes() && log.gets_there()) ++result.masked;
    if ((work += tracer.steps()) > kMostWork)
      throw Error("running every block takes too many steps",
                  "give a job with smaller sizes, or --set them smaller");
  }
  for (std::size_t i = 0; i < kernel.launch->tensors.size(); ++i)
    if (log.is_written(i)) result.tensors.push_back(log.summary(i));
  for (const trace::Fault& fault : tracer.faults()) {
    const bool is_write =
        fault.kind == trace::Fault::Kind::out_of_bounds && fault.site >= 0 &&
        program.sites[static_cast<std::size_t>(fault.site)].kind != kernel::MemoryKind::read;
    if (is_write && result.fault.empty())
      result.fault = fmt::format("block ({}) {}", fmt::join(fault.tile, ", "), fault.detail);
  }
  return result;
}

}  // namespace heddle::audit
