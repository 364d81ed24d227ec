#include "trace/native/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "support/error.h"

namespace heddle::trace::native {
namespace {

/// Parts of the code that lanes run in the time of one access that is reported.
constexpr std::uint64_t kPartsPerStep = 4;

SessionLimits limits_of(const TraceOptions& options) {
  SessionLimits limits;
  limits.accesses = options.limits.steps;
  return limits;
}

/// Integers may be indices: somebody has to say what they are.
bool needs_contents(const config::Tensor& tensor) {
  return tensor.contents.kind == config::Contents::Kind::unspecified &&
         config::is_integer(tensor.dtype);
}

/// The threads that an access has, in ascending order.
template <class Visit>
void for_each_thread(const runner::Access& access, std::span<const std::uint64_t> mask,
                     std::uint32_t threads, Visit visit) {
  if (access.mask != runner::Mask::bits) {
    const bool all = access.mask == runner::Mask::all;
    for (std::uint32_t k = all ? 0 : access.first; k < (all ? threads : access.last); ++k) visit(k);
    return;
  }
  for (std::uint32_t word = 0; word < mask.size(); ++word)
    for (std::uint64_t left = mask[word]; left != 0; left &= left - 1)
      visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
}

}  // namespace

NativeTiles::NativeTiles(const kernel::KernelProgram& program, const config::Launch& launch,
                         const TraceOptions& options)
    : program_(program),
      launch_(launch),
      options_(options),
      memory_(launch),
      session_(program, launch, memory_, limits_of(options)),
      bytes_(kernel::native_of(program)->code().bytes),
      last_(program.sites.size(), nullptr) {
  for (const NativeMemory::Piece& piece : memory_.pieces()) {
    for (const PlacedTensor& placed : piece.tensors) {
      const std::uint64_t begin = piece.in_runner + placed.offset;
      spans_.push_back({begin,
                        begin + static_cast<std::uint64_t>(launch.tensors[placed.tensor].bytes),
                        static_cast<std::int32_t>(placed.tensor),
                        static_cast<std::int64_t>(piece.begin - piece.in_runner)});
    }
  }
  const auto threads = static_cast<std::size_t>(launch.thread_count());
  active_.resize(threads);
  addresses_.resize(threads);
}

void NativeTiles::run(std::array<std::int64_t, 3> tile, AccessSink& sink) {
  faults_.start_tile(tile);
  sink_ = &sink;
  steps_ = 0;
  session_.trace(tile, *this);
  std::uint64_t parts = 0;
  for (const std::uint64_t count : session_.counters()) parts += count;
  steps_ = static_cast<std::int64_t>(session_.end().accesses + parts / kPartsPerStep);
  note_shared();
  if (session_.end().variable_writes > 0)
    throw Error(
        "the kernel writes __device__ variables, through which its tiles may speak to one "
        "another",
        "pass the variable as a parameter", ExitCode::inconclusive)
        .in(program_.source_path);
}

void NativeTiles::watch_reads(const std::optional<std::vector<bool>>& tensors) {
  std::vector<Session::Range> ranges;
  for (const Span& span : spans_) {
    const auto tensor = static_cast<std::size_t>(span.tensor);
    // What must not be read is always watched.
    if (tensors && ((*tensors)[tensor] || needs_contents(launch_.tensors[tensor])))
      ranges.push_back({span.begin, span.end});
  }
  if (tensors) add_gaps(ranges);
  session_.watch_reads(tensors ? std::optional(ranges) : std::nullopt);
}

/// What lies in a piece beside its tensors: a read there is a fault, which is always watched. It
/// may begin inside a tensor and end outside.
void NativeTiles::add_gaps(std::vector<Session::Range>& ranges) const {
  constexpr std::uint64_t kLargestRead = 16;
  for (const NativeMemory::Piece& piece : memory_.pieces()) {
    std::uint64_t at = piece.in_runner;
    const std::uint64_t end = piece.in_runner + piece.bytes;
    const auto add = [&](std::uint64_t to) {
      if (at >= to) return;
      const std::uint64_t before = std::min(kLargestRead - 1, at - piece.in_runner);
      ranges.push_back({at - before, to});
    };
    for (const Span& span : spans_) {  // by address
      if (span.begin < piece.in_runner || span.begin >= end) continue;
      add(span.begin);
      at = std::max(at, span.end);
    }
    add(end);
  }
}

std::vector<kernel::ArithmeticCount> NativeTiles::arithmetic() const {
  const auto facts = program_.facts(options_.target);
  const std::vector<std::uint64_t>& counters = session_.counters();
  std::map<std::pair<kernel::ArithmeticKind, kernel::DType>, double> sums;
  for (const kernel::CountedWork& work : facts->work) {
    const auto counter = static_cast<std::size_t>(work.counter);
    if (counter < counters.size())
      sums[{work.kind, work.type}] += work.count * static_cast<double>(counters[counter]);
  }
  std::vector<kernel::ArithmeticCount> counts;
  for (const auto& [what, count] : sums)
    if (count >= 0.5) counts.push_back({what.first, what.second, std::llround(count)});
  return counts;
}

void NativeTiles::set_axes(AccessPattern& pattern) const {
  pattern.by_thread = true;
  pattern.axes = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    if (launch_.threads[axis] == 1 && !(axis == 0 && pattern.axes == 0)) continue;
    PatternAxis& one = pattern.axis[static_cast<std::size_t>(pattern.axes++)];
    one = {};
    one.extent = launch_.threads[axis];
    one.last = one.extent;
  }
}

/// The first tensor that holds all these bytes.
const NativeTiles::Span* NativeTiles::span_at(std::uint64_t first, std::uint64_t last) const {
  for (const Span& span : spans_)
    if (first >= span.begin && last <= span.end && first < last) return &span;
  return nullptr;
}

/// Where all threads of a range are inside one tensor: no look at any of them.
bool NativeTiles::take_regular(const runner::Access& access, AccessPattern& pattern) {
  const bool is_range = access.mask == runner::Mask::range;
  if (access.regular == 0 || access.mask == runner::Mask::bits || (is_range && pattern.axes > 1))
    return false;
  std::int64_t least = access.base;
  std::int64_t most = access.base;
  int at = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    if (launch_.threads[axis] == 1 && !(axis == 0 && at == 0)) continue;
    PatternAxis& one = pattern.axis[static_cast<std::size_t>(at++)];
    one.stride = access.stride[axis];
    if (is_range) {
      one.first = access.first;
      one.last = access.last;
    }
    const std::int64_t low = one.stride * one.first;
    const std::int64_t high = one.stride * (one.last - 1);
    least += std::min(low, high);
    most += std::max(low, high);
  }
  const auto bytes = static_cast<std::uint64_t>(pattern.element_bytes);
  const auto first = static_cast<std::uint64_t>(least);
  const std::uint64_t last = static_cast<std::uint64_t>(most) + bytes;
  const Span*& known = last_[access.site];
  if (known == nullptr || first < known->begin || last > known->end) known = span_at(first, last);
  if (known == nullptr) return false;
  pattern.tensor = known->tensor;
  pattern.base = access.base + known->shift;
  return true;
}

/// Thread by thread: which tensor, if any.
void NativeTiles::take_each(const runner::Access& access, std::span<const std::uint64_t> mask,
                            std::span<const std::uint64_t> addresses, AccessPattern& pattern) {
  const auto threads = static_cast<std::uint32_t>(active_.size());
  const auto bytes = static_cast<std::uint64_t>(pattern.element_bytes);
  std::ranges::fill(active_, std::uint8_t{0});
  std::ranges::fill(addresses_, 0);
  std::size_t next = 0;
  std::uint32_t inside = 0;
  bool is_one_tensor = true;
  const auto extent_x = static_cast<std::uint32_t>(launch_.threads[0]);
  const auto extent_y = static_cast<std::uint32_t>(launch_.threads[1]);
  for_each_thread(access, mask, threads, [&](std::uint32_t thread) {
    std::uint64_t address = 0;
    if (access.regular == 0) {
      address = addresses[next++];
    } else {
      address = static_cast<std::uint64_t>(
          access.base + std::int64_t{access.stride[0]} * (thread % extent_x) +
          std::int64_t{access.stride[1]} * (thread / extent_x % extent_y) +
          std::int64_t{access.stride[2]} * (thread / extent_x / extent_y));
    }
    const Span*& known = last_[access.site];
    if (known == nullptr || address < known->begin || address + bytes > known->end)
      known = span_at(address, address + bytes);
    if (known == nullptr) return note_outside(access.site, address);
    if (inside++ > 0 && pattern.tensor != known->tensor) is_one_tensor = false;
    pattern.tensor = known->tensor;
    active_[thread] = 1;
    addresses_[thread] = static_cast<std::int64_t>(address) + known->shift;
  });
  if (!is_one_tensor) pattern.tensor = -1;
  pattern.scalar_active = inside > 0;
  if (access.regular != 0 && is_one_tensor && inside > 0) {
    // Still one pattern: the strides stay, only the mask is thread by thread.
    int at = 0;
    for (std::size_t axis = 3; axis-- > 0;) {
      if (launch_.threads[axis] == 1 && !(axis == 0 && at == 0)) continue;
      pattern.axis[static_cast<std::size_t>(at++)].stride = access.stride[axis];
    }
    const auto span = std::ranges::find(spans_, pattern.tensor, &Span::tensor);
    pattern.base = access.base + span->shift;
    pattern.active = active_.data();
    return;
  }
  pattern.addresses = addresses_.data();
  if (inside < threads) pattern.active = active_.data();
}

void NativeTiles::note_outside(std::uint32_t site, std::uint64_t address) {
  const kernel::Site& its = program_.sites[site];
  const auto verb = its.kind == kernel::MemoryKind::read ? "reads" : "writes";
  // The tensor before it in memory: most often the kernel goes beyond its end.
  const Span* before = nullptr;
  for (const Span& span : spans_)
    if (span.begin <= address && (before == nullptr || span.begin > before->begin)) before = &span;
  Fault fault;
  fault.kind = Fault::Kind::out_of_bounds;
  fault.place = its.place;
  fault.site = static_cast<std::int32_t>(site);
  fault.tensor = before != nullptr ? before->tensor : -1;
  const auto detail = [&] {
    if (before == nullptr) return fmt::format("{} outside every tensor", verb);
    return fmt::format("{} byte {} of {}", verb, address - before->begin,
                       before->end - before->begin);
  };
  if (options_.strict)
    throw Error(fmt::format("an access out of bounds: {}", detail()),
                "check the mask and the sizes of the job", ExitCode::refuted)
        .at(program_.source_path, program_.places[static_cast<std::size_t>(its.place)].position);
  faults_.record(fault, detail);
}

/// What the runner saw of shared memory. It may be the kernel that says so.
void NativeTiles::note_shared() {
  for (int kind = 0; kind < runner::kSharedFaults; ++kind) {
    const runner::SharedFault& one = session_.end().shared[kind];
    if (one.count == 0 || one.site >= program_.sites.size()) continue;
    const auto which = static_cast<runner::SharedFaultKind>(kind);
    std::string name;
    for (const char c : std::string_view(one.name, strnlen(one.name, sizeof one.name)))
      name += c >= ' ' && c <= '~' ? c : '?';
    const std::string what = fmt::format("{} byte {} of shared '{}'",
                                         one.is_write != 0 ? "writes" : "reads", one.byte, name);
    Fault fault;
    fault.place = program_.sites[one.site].place;
    fault.kind = which == runner::SharedFaultKind::beyond ? Fault::Kind::out_of_bounds
                                                          : Fault::Kind::uninitialized;
    if (which != runner::SharedFaultKind::beyond) fault.site = static_cast<std::int32_t>(one.site);
    const auto detail = [&] {
      switch (which) {
        case runner::SharedFaultKind::beyond:
          return fmt::format("{}, which has {}", what, one.array_bytes);
        case runner::SharedFaultKind::unwritten:
          return fmt::format("thread {} {}, which no thread has written", one.lane, what);
        case runner::SharedFaultKind::race:
          break;
      }
      return fmt::format("thread {} {}, which thread {} {} with no barrier between them", one.lane,
                         what, one.other, one.is_write != 0 ? "reads" : "writes");
    };
    if (options_.strict)
      throw Error(fmt::format("shared memory: {}", detail()),
                  "is a __syncthreads() missing, or is a shared array too small for the job?",
                  ExitCode::refuted)
          .at(program_.source_path,
              program_.places[static_cast<std::size_t>(fault.place)].position);
    faults_.record(fault, detail);
  }
}

void NativeTiles::check_contents(const AccessPattern& pattern) {
  if (pattern.tensor < 0 ||
      program_.sites[static_cast<std::size_t>(pattern.site)].kind != kernel::MemoryKind::read)
    return;
  const config::Tensor& tensor = launch_.tensors[static_cast<std::size_t>(pattern.tensor)];
  if (!needs_contents(tensor)) return;
  const auto place =
      static_cast<std::size_t>(program_.sites[static_cast<std::size_t>(pattern.site)].place);
  throw Error(
      fmt::format("the kernel reads '{}', and the job does not say what it holds", tensor.name),
      fmt::format("addresses may depend on it: add contents = \"uniform(0, 100)\" or "
                  "\"zeros\" to [tensors.{}], see docs/jobs.md",
                  tensor.name))
      .at(program_.source_path, program_.places[place].position);
}

void NativeTiles::access(const runner::Access& access, std::span<const std::uint64_t> mask,
                         std::span<const std::uint64_t> addresses) {
  AccessPattern pattern;
  pattern.site = static_cast<std::int32_t>(access.site);
  pattern.element_bytes = bytes_[access.site];
  set_axes(pattern);
  if (!take_regular(access, pattern)) take_each(access, mask, addresses, pattern);
  check_contents(pattern);
  if (pattern.scalar_active) sink_->access(pattern);
}

}  // namespace heddle::trace::native
