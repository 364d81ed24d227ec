#include "trace/kept.h"

#include <cstring>
#include <type_traits>

#include "config/fingerprint.h"
#include "kernel/native.h"
#include "support/file.h"
#include "support/version.h"

namespace heddle::trace {
namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{32} << 20;
constexpr std::size_t kLargestLibrary = std::size_t{64} << 20;

// Every struct below is taken apart whole: one with another field does not compile until it is
// packed here.

/// Appends values to a text.
class Packer {
 public:
  template <class... Parts>
  void operator()(const Parts&... parts) {
    (add(parts), ...);
  }
  std::string text;

 private:
  template <class Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void add(const Number& number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void add(const std::string& part) { put_part(text, part); }
  template <class One>
  void add(const std::vector<One>& list) {
    add(list.size());
    for (const One& one : list) add(one);
  }
  template <class One>
  void add(const std::optional<One>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class Struct>
  requires std::is_class_v<Struct>
  void add(const Struct& value) { pack_fields(*this, value); }
};

/// Takes them off it again, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::string_view text) : text_(text) {}

  template <class... Parts>
  void operator()(Parts&... parts) {
    (take(parts), ...);
  }
  /// All of the text was what was asked for.
  bool is_good() const { return is_good_ && text_.empty(); }

 private:
  template <class Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void take(Number& number) {
    is_good_ = is_good_ && text_.size() >= sizeof number;
    if (!is_good_) return;
    std::memcpy(&number, text_.data(), sizeof number);
    text_.remove_prefix(sizeof number);
  }
  void take(std::string& part) { is_good_ = is_good_ && take_part(text_, part); }
  template <class One>
  void take(std::vector<One>& list) {
    std::size_t size = 0;
    take(size);
    is_good_ = is_good_ && size <= text_.size();
    for (std::size_t i = 0; i < size && is_good_; ++i) take(list.emplace_back());
  }
  template <class One>
  void take(std::optional<One>& value) {
    bool has_value = false;
    take(has_value);
    if (has_value) take(value.emplace());
  }
  template <class Struct>
  requires std::is_class_v<Struct>
  void take(Struct& value) { pack_fields(*this, value); }

  std::string_view text_;
  bool is_good_ = true;
};

/// A struct of the kind, const or not.
template <class Type, class Struct>
concept Of = std::is_same_v<std::remove_const_t<Type>, Struct>;

void pack_fields(auto& pack, Of<SourcePlace> auto& value) {
  auto& [line, column, function, text] = value;
  pack(line, column, function, text);
}

void pack_fields(auto& pack, Of<Spread> auto& value) {
  auto& [least, mean, most] = value;
  pack(least, mean, most);
}

void pack_fields(auto& pack, Of<NeighbourShare> auto& value) {
  auto& [axis, distance, share] = value;
  pack(axis, distance, share);
}

void pack_fields(auto& pack, Of<AccessSummary> auto& value) {
  auto& [kind, place, tensor, hint, element, shape, tiles, instructions, bytes, lines, active,
         elements, runs, total_bytes, total_lines, wave_instructions, requests, sectors,
         distinct_lines, neighbours] = value;
  pack(kind, place, tensor, hint, element, shape, tiles, instructions, bytes, lines, active,
       elements, runs, total_bytes, total_lines, wave_instructions, requests, sectors,
       distinct_lines, neighbours);
}

void pack_fields(auto& pack, Of<TensorSummary> auto& value) {
  auto& [name, element, shape, bytes, read_bytes, written_bytes, touches, distinct_lines] = value;
  pack(name, element, shape, bytes, read_bytes, written_bytes, touches, distinct_lines);
}

void pack_fields(auto& pack, Of<ArithmeticSummary> auto& value) {
  auto& [kind, type, total] = value;
  pack(kind, type, total);
}

void pack_fields(auto& pack, Of<FaultSummary> auto& value) {
  auto& [kind, place, tensor, tile, count, tiles, detail] = value;
  pack(kind, place, tensor, tile, count, tiles, detail);
}

/// Without its space, which is not analyze's.
void pack_fields(auto& pack, Of<TraceReport> auto& value) {
  auto& [kernel, function, grid, warps, threads, wave_lanes, line_bytes, tiles, tiles_traced,
         sampled_because, neighbours_sampled, axes, accesses, tensors, arithmetic, faults, space] =
      value;
  static_cast<void>(space);
  pack(kernel, function, grid, warps, threads, wave_lanes, line_bytes, tiles, tiles_traced,
       sampled_because, neighbours_sampled, axes, accesses, tensors, arithmetic, faults);
}

void pack_fields(auto& pack, Of<TileConflict> auto& value) {
  auto& [kind, first_tile, second_tile, first_access, second_access, first, second, tensor, byte,
         granules, granule_bytes] = value;
  pack(kind, first_tile, second_tile, first_access, second_access, first, second, tensor, byte,
       granules, granule_bytes);
}

void pack_fields(auto& pack, Of<IndependenceReport> auto& value) {
  auto& [verdict, reason, traced_on, conflicts, commuting, rounding_may_differ, notes, failed] =
      value;
  pack(verdict, reason, traced_on, conflicts, commuting, rounding_may_differ, notes, failed);
}

// The parts of a key.

void pack_fields(auto& pack, Of<Position> auto& value) {
  auto& [line, column] = value;
  pack(line, column);
}

void pack_fields(auto& pack, Of<kernel::Place> auto& value) {
  auto& [position, function, end] = value;
  pack(position, function, end);
}

void pack_fields(auto& pack, Of<kernel::Site> auto& value) {
  auto& [kind, place, element, shape, commutes, hint, parameters] = value;
  pack(kind, place, element, shape, commutes, hint, parameters);
}

void pack_fields(auto& pack, Of<kernel::Parameter> auto& value) {
  auto& [name, number, argument, element, type] = value;
  pack(name, number, argument, element, type);
}

void pack_fields(auto& pack, Of<kernel::SiteLoop> auto& value) {
  auto& [first, last] = value;
  pack(first, last);
}

void pack_fields(auto& pack, Of<kernel::NativeAtomic> auto& value) {
  auto& [function, is_float, is_unsigned, result_used] = value;
  pack(function, is_float, is_unsigned, result_used);
}

void pack_fields(auto& pack, Of<kernel::CountedPlace> auto& value) {
  auto& [line, column, counter] = value;
  pack(line, column, counter);
}

void pack_fields(auto& pack, Of<kernel::UnseenAccess> auto& value) {
  auto& [place, elsewhere, what] = value;
  pack(place, elsewhere, what);
}

void pack_fields(auto& pack, Of<kernel::CountedWork> auto& value) {
  auto& [counter, kind, type, count] = value;
  pack(counter, kind, type, count);
}

void pack_fields(auto& pack, Of<kernel::TargetFacts> auto& value) {
  auto& [target, reason, registers, scalar_registers, spilled_registers, shared_bytes,
         scratch_bytes, code_bytes, scalar, work] = value;
  pack(target, reason, registers, scalar_registers, spilled_registers, shared_bytes, scratch_bytes,
       code_bytes, scalar, work);
}

/// With the library's bytes in place of its path, and without the folder that it lies in.
void pack_fields(auto& pack, Of<kernel::NativeCode> auto& value) {
  auto& [source_path, function, temporary, place, library, device_text, defines, undefined, headers,
         entry, callee, overload, signature, loops, bytes, atomics, places, unseen, doubt, counters,
         wave_lanes] = value;
  static_cast<void>(temporary);
  static_cast<void>(place);
  pack(source_path, function, read_text(library, kLargestLibrary), device_text, defines, undefined,
       headers.size(), entry, callee, overload, signature, loops, bytes, atomics, places, unseen,
       doubt, counters, wave_lanes);
}

void pack_fields(auto& pack, Of<TraceLimits> auto& value) {
  auto& [steps, block_elements, content_bytes] = value;
  pack(steps, block_elements, content_bytes);
}

void pack_fields(auto& pack, Of<TraceOptions> auto& value) {
  auto& [limits, strict, target, arithmetic] = value;
  pack(limits, strict, target, arithmetic != nullptr);
}

void pack_fields(auto& pack, Of<TileBox> auto& value) {
  auto& [names, extents, block_of] = value;
  pack(names, extents, block_of);
}

void pack_fields(auto& pack, Of<AnalyzeOptions> auto& value) {
  auto& [trace, wave_lanes, line_bytes, most_work, most_listed, most_runs, box] = value;
  pack(trace, wave_lanes, line_bytes, most_work, most_listed, most_runs, box);
}

void pack_fields(auto& pack, Of<IndependenceOptions> auto& value) {
  auto& [trace, most_work, owner_bytes] = value;
  pack(trace, most_work, owner_bytes);
}

std::string launch_key(const kernel::KernelProgram& program, const config::Launch& launch) {
  const kernel::NativeKernel* native = kernel::native_of(program);
  if (native == nullptr) return {};
  Packer pack;
  pack(version_text(), size_and_time("/proc/self/exe"), config::fingerprint(launch),
       launch_text(launch), native->code(), program.source_path, program.function,
       program.full_name, program.defines, program.wave_lanes, program.parameters, program.places,
       program.sites);
  return std::move(pack.text);
}

template <class Result>
std::optional<Result> found_in(const PrivateCache& cache, const std::string& key) {
  if (key.empty()) return std::nullopt;
  const std::optional<std::string> text = cache.find(key);
  if (!text) return std::nullopt;
  Result result;
  Unpacker unpack(*text);
  unpack(result);
  if (!unpack.is_good()) return std::nullopt;
  return result;
}

template <class Result>
void keep_in(const PrivateCache& cache, const std::string& key, const Result& result) {
  if (key.empty()) return;
  Packer pack;
  pack(result);
  cache.keep(key, pack.text);
}

}  // namespace

KeptTrace::KeptTrace(const kernel::KernelProgram& program, const config::Launch& launch)
    : program_(program), launch_(launch), cache_("traces", kMostKeptBytes) {
  if (cache_.is_on()) key_ = launch_key(program, launch);
}

/// With what the compiler of the chip makes of the kernel, whose arithmetic is counted.
std::string KeptTrace::key_of(const TraceOptions& options) const {
  if (key_.empty()) return {};
  Packer pack;
  pack(*program_.facts(options.target));
  return key_ + pack.text;
}

TraceReport KeptTrace::analyze(const AnalyzeOptions& options) const {
  std::string key = key_of(options.trace);
  if (!key.empty()) {
    Packer pack;
    pack(std::string("analyze"), options);
    key += pack.text;
  }
  if (auto known = found_in<TraceReport>(cache_, key)) return std::move(*known);
  TraceReport report = trace::analyze(program_, launch_, options);
  keep_in(cache_, key, report);
  return report;
}

void KeptTrace::find_independence(const IndependenceOptions& options,
                                  IndependenceReport& report) const {
  std::string key = key_of(options.trace);
  if (!key.empty()) {
    Packer pack;
    pack(std::string("independence"), options);
    key += pack.text;
  }
  if (auto known = found_in<IndependenceReport>(cache_, key)) {
    report = std::move(*known);
    return;
  }
  trace::find_independence(program_, launch_, options, report);
  if (!report.failed) keep_in(cache_, key, report);
}

}  // namespace heddle::trace
