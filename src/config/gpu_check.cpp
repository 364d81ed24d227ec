#include "config/gpu_check.h"

#include <fmt/format.h>

#include <bit>
#include <initializer_list>

#include "config/gpu_keys.h"
#include "support/error.h"
#include "support/lists.h"

namespace heddle::config {
namespace {

constexpr std::int64_t kMostSets = std::int64_t{1} << 22;  ///< of all caches of a level

using Fault = std::optional<GpuFault>;

bool is_power_of_two(std::int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

int log2_of(std::int64_t power_of_two) {
  return std::countr_zero(static_cast<std::uint64_t>(power_of_two));
}

/// Every number alone.
Fault bounds_fault(const Gpu& gpu) {
  Gpu copy = gpu;  // fields are reached through a GPU that may be changed
  for (const GpuKey& key : gpu_keys()) {
    if (!has_section(gpu, key.section)) continue;
    const std::optional<std::string> what = std::visit(
        [&](auto field) -> std::optional<std::string> {
          const auto& value = field(copy);
          using Value = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
            return range_fault(key, static_cast<double>(value));
          else
            return std::nullopt;
        },
        key.field);
    if (what) return GpuFault{key.text(), *what, "docs/add-a-gpu.md says what the key means"};
  }
  return std::nullopt;
}

/// Lines, ways and replacement; `parts` equal parts (channels, slices) of whole sets.
Fault shape_fault(const std::string& section, const CacheShape& shape, std::int64_t parts,
                  std::string_view part) {
  if (!is_power_of_two(shape.line_bytes))
    return GpuFault{
        section + ".line_bytes",
        fmt::format("{}.line_bytes is {}, not a power of two", section, shape.line_bytes),
        "caches have lines of 32, 64 or 128 bytes"};
  if (shape.replacement == Replacement::tree_plru && !is_power_of_two(shape.ways))
    return GpuFault{
        section + ".ways",
        fmt::format("{}.ways is {}, but a tree needs a power of two", section, shape.ways),
        "use another number of ways, or replacement \"lru\""};
  const std::int64_t set_bytes = parts * shape.ways * shape.line_bytes;
  const std::string ways =
      parts > 1 ? fmt::format("{} {} x {} ways x {} B", parts, part, shape.ways, shape.line_bytes)
                : fmt::format("{} ways x {} B", shape.ways, shape.line_bytes);
  if (shape.bytes % set_bytes != 0)
    return GpuFault{section + ".bytes",
                    fmt::format("{}.bytes is {}: not a whole number of sets of {} = {} B", section,
                                shape.bytes, ways, set_bytes),
                    fmt::format("bytes = {}sets x ways x line_bytes",
                                parts > 1 ? fmt::format("{} x ", part) : "")};
  const std::int64_t sets = shape.bytes / set_bytes;
  if (!is_power_of_two(sets))
    return GpuFault{section + ".bytes",
                    fmt::format("{}.bytes is {}: with {} that makes {} sets, not a power of two",
                                section, shape.bytes, ways, sets),
                    "change bytes or ways until the sets are a power of two"};
  return std::nullopt;
}

Fault interleave_fault(const std::string& section, int interleave_bytes, int line_bytes) {
  if (is_power_of_two(interleave_bytes) && interleave_bytes >= line_bytes) return std::nullopt;
  return GpuFault{
      section + ".interleave_bytes",
      fmt::format("{}.interleave_bytes is {}: not a power of two of at least a line of {}", section,
                  interleave_bytes, line_bytes),
      "write 256, for instance"};
}

Fault one_of(const std::string& key, std::int64_t value, std::initializer_list<int> allowed) {
  for (const int one : allowed) {
    if (value == one) return std::nullopt;
  }
  return GpuFault{key,
                  fmt::format("{} is {}; it can be {}", key, value, fmt::join(allowed, " or ")),
                  fmt::format("write {} = {{ is = {}, from = \"...\" }}", key, *allowed.begin())};
}

Fault compute_fault(const Gpu& gpu) {
  const GpuCompute& compute = gpu.compute;
  if (Fault fault = one_of("compute.wave_lanes", compute.wave_lanes, {32, 64})) return fault;
  if (compute.shader_engines > compute.compute_units)
    return GpuFault{"compute.shader_engines",
                    fmt::format("a die of {} compute units cannot have {} shader engines",
                                compute.compute_units, compute.shader_engines),
                    "both are per die"};
  constexpr int kMostComputeUnits = 8192;
  if (compute.dies * compute.compute_units > kMostComputeUnits)
    return GpuFault{"compute.compute_units",
                    fmt::format("{} dies of {} compute units are more than {}", compute.dies,
                                compute.compute_units, kMostComputeUnits),
                    "compute_units are those of one die"};
  if (compute.registers < std::int64_t{compute.wave_lanes} * compute.register_granule)
    return GpuFault{"compute.registers",
                    fmt::format("{} registers do not hold one wave of {} lanes x {}",
                                compute.registers, compute.wave_lanes, compute.register_granule),
                    "registers are those of a compute unit, over all lanes: 131072 on an MI300X"};
  return std::nullopt;
}

Fault first_caches_fault(const Gpu& gpu) {
  if (Fault fault = one_of("l1.line_bytes", gpu.l1.shape.line_bytes, {64, 128})) return fault;
  if (Fault fault = shape_fault("l1", gpu.l1.shape, 1, "")) return fault;
  if (gpu.l1.holds_shared_memory && gpu.compute.shared_bytes >= gpu.l1.shape.bytes)
    return GpuFault{"compute.shared_bytes",
                    fmt::format("shared memory of {} B does not fit an L1 of {} B that holds it",
                                gpu.compute.shared_bytes, gpu.l1.shape.bytes),
                    "l1.bytes is the L1 and the shared memory together"};
  for (const auto& [key, lanes] : {std::pair("l1.lanes_at_once", gpu.l1.lanes_at_once),
                                   std::pair("l1.wide_lanes_at_once", gpu.l1.wide_lanes_at_once)}) {
    if (lanes == 0 || (is_power_of_two(lanes) && lanes <= gpu.compute.wave_lanes)) continue;
    return GpuFault{key,
                    fmt::format("{} is {}: not a power of two up to the {} lanes of a wave", key,
                                lanes, gpu.compute.wave_lanes),
                    "leave it out where a lookup takes a whole wave"};
  }
  if (!gpu.scalar_cache) return std::nullopt;
  const GpuScalarCache& scalar = *gpu.scalar_cache;
  const int units = gpu.compute.compute_units;
  if (scalar.count > 0 && (scalar.count > units || scalar.count * scalar.compute_units < units))
    return GpuFault{"scalar_cache.count",
                    fmt::format("{} scalar caches for up to {} compute units each do not make {}",
                                scalar.count, scalar.compute_units, units),
                    "both are per die; leave count out where every cache has its full share"};
  return shape_fault("scalar_cache", gpu.scalar_cache->shape, 1, "");
}

/// A group has bits of the line's address, each once.
Fault group_fault(const std::string& key, const IndexBits& groups, int first_bit) {
  for (const std::vector<int>& group : groups) {
    std::uint64_t seen = 0;
    if (group.empty())
      return GpuFault{key, fmt::format("{} has a group without bits", key), "write [[8], [9, 13]]"};
    for (const int bit : group) {
      if (bit < first_bit || bit > 47)
        return GpuFault{
            key, fmt::format("{} names address bit {}: the index is of whole lines", key, bit),
            fmt::format("use bits {} to 47", first_bit)};
      if ((seen >> bit & 1) != 0)
        return GpuFault{key, fmt::format("{} has bit {} twice in a group", key, bit),
                        "an exclusive or with itself is nothing: leave it out"};
      seen |= std::uint64_t{1} << bit;
    }
  }
  return std::nullopt;
}

Fault count_fault(const std::string& key, std::size_t groups, std::string_view what,
                  std::int64_t places) {
  const int needed = log2_of(places);
  if (groups == static_cast<std::size_t>(needed)) return std::nullopt;
  return GpuFault{
      key, fmt::format("{} has {} groups, but {} {} need {}", key, groups, places, what, needed),
      "write one group of address bits for each bit of the index"};
}

Fault index_fault(const Gpu& gpu) {
  const GpuL2& l2 = gpu.l2;
  if (l2.channel_bits.empty() && l2.set_bits.empty()) return std::nullopt;
  if (l2.channel_bits.empty() != l2.set_bits.empty())
    return GpuFault{l2.channel_bits.empty() ? "l2.set_bits" : "l2.channel_bits",
                    "l2.channel_bits and l2.set_bits go together",
                    "write both, or leave both out: chunks then go round the channels"};
  if (!is_power_of_two(l2.channels))
    return GpuFault{"l2.channel_bits",
                    fmt::format("{} channels have no index bits: no power of two", l2.channels),
                    "leave channel_bits and set_bits out: chunks then go round the channels"};
  const int first_bit = log2_of(l2.shape.line_bytes);
  if (Fault fault = group_fault("l2.channel_bits", l2.channel_bits, first_bit)) return fault;
  if (Fault fault = group_fault("l2.set_bits", l2.set_bits, first_bit)) return fault;
  if (Fault fault = count_fault("l2.channel_bits", l2.channel_bits.size(), "channels", l2.channels))
    return fault;
  if (Fault fault = count_fault("l2.set_bits", l2.set_bits.size(), "sets of a channel",
                                gpu.sets_of_channel()))
    return fault;
  IndexBits groups = l2.channel_bits;
  append(groups, l2.set_bits);
  const std::optional<std::uint64_t> distance = shared_place(groups, first_bit);
  if (!distance) return std::nullopt;
  const int last_bit = first_bit + static_cast<int>(groups.size()) - 1;
  return GpuFault{"l2.set_bits",
                  fmt::format("two lines would share one place: addresses 0 and {:#x} have the "
                              "same channel, set and tag",
                              *distance),
                  fmt::format("together the groups must tell address bits {} to {} apart",
                              first_bit, last_bit)};
}

Fault l2_fault(const Gpu& gpu) {
  const GpuL2& l2 = gpu.l2;
  if (Fault fault = one_of("l2.line_bytes", l2.shape.line_bytes, {128})) return fault;
  if (Fault fault = shape_fault("l2", l2.shape, l2.channels, "channels")) return fault;
  if (Fault fault = interleave_fault("l2", l2.interleave_bytes, l2.shape.line_bytes)) return fault;
  if (Fault fault = one_of("l2.write_bytes", l2.write_bytes, {32, 64, 128})) return fault;
  if (Fault fault = one_of("l2.fill_bytes", l2.fill_bytes, {32, 64, 128})) return fault;
  constexpr std::int64_t kMostBytes = std::int64_t{4} << 30;
  if (gpu.compute.dies * l2.shape.bytes > kMostBytes)
    return GpuFault{"l2.bytes", "all L2 caches together have more than 4 GiB",
                    "l2.bytes is that of one die"};
  if (gpu.compute.dies * l2.shape.sets() > kMostSets)
    return GpuFault{"l2.ways", "all L2 caches together have more than 4,194,304 sets",
                    "use more ways"};
  if (Fault fault = index_fault(gpu)) return fault;
  if (!gpu.partitions) return std::nullopt;
  if (l2.channels % 2 != 0)
    return GpuFault{"l2.channels",
                    fmt::format("{} channels cannot be split between 2 partitions", l2.channels),
                    "use an even number of channels"};
  return std::nullopt;
}

Fault last_level_fault(const Gpu& gpu) {
  if (!gpu.last_level) return std::nullopt;
  const GpuLastLevel& last = *gpu.last_level;
  if (Fault fault = shape_fault("last_level", last.shape, last.slices, "slices")) return fault;
  if (last.shape.sets() > kMostSets)
    return GpuFault{"last_level.ways", "it has more than 4,194,304 sets", "use more ways"};
  return interleave_fault("last_level", last.interleave_bytes, last.shape.line_bytes);
}

Fault memory_fault(const Gpu& gpu) {
  const GpuMemory& memory = gpu.memory;
  for (const auto& [key, rate] :
       {std::pair("memory.read_bytes_per_second", memory.read_bytes_per_second),
        std::pair("memory.write_bytes_per_second", memory.write_bytes_per_second),
        std::pair("memory.copy_bytes_per_second", memory.copy_bytes_per_second)}) {
    if (rate <= memory.peak_bytes_per_second) continue;
    return GpuFault{key,
                    fmt::format("{} is {:g} TB/s, above the peak of {:g} TB/s", key, rate / 1e12,
                                memory.peak_bytes_per_second / 1e12),
                    "write what kernels achieve; peak_bytes_per_second is the data sheet's"};
  }
  if (gpu.rows && (gpu.compute.dies != 1 || gpu.last_level))
    return GpuFault{"rows.banks",
                    "rows need channels that have the memory behind them to themselves",
                    "leave [rows] out where there are several dies or a last-level cache"};
  const std::int64_t frame = gpu.pages.frame_bytes;
  if (!is_power_of_two(frame) || frame > memory.bytes)
    return GpuFault{
        "pages.frame_bytes",
        fmt::format("pages.frame_bytes is {}: no power of two within the memory", frame),
        "write \"2 MiB\""};
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> shared_place(const IndexBits& groups, int first_bit) {
  const std::size_t width = groups.size();
  // Column b: which groups address bit first_bit + b changes; beside it, the bits it is made of.
  struct Column {
    std::uint64_t groups = 0;
    std::uint64_t bits = 0;
  };
  std::vector<Column> columns(width);
  for (std::size_t group = 0; group < width; ++group) {
    for (const int bit : groups[group]) {
      if (bit < first_bit || bit >= first_bit + static_cast<int>(width)) continue;
      columns[static_cast<std::size_t>(bit - first_bit)].groups ^= std::uint64_t{1} << group;
    }
  }
  for (std::size_t at = 0; at < width; ++at) columns[at].bits = std::uint64_t{1} << at;
  // Columns that are sums of others become nothing, and say which.
  for (std::size_t at = 0; at < width; ++at) {
    const std::uint64_t groups_left = columns[at].groups;
    if (groups_left == 0) return columns[at].bits << first_bit;
    const int pivot = std::countr_zero(groups_left);
    for (std::size_t other = at + 1; other < width; ++other) {
      if ((columns[other].groups >> pivot & 1) == 0) continue;
      columns[other].groups ^= columns[at].groups;
      columns[other].bits ^= columns[at].bits;
    }
  }
  return std::nullopt;
}

std::optional<GpuFault> find_fault(const Gpu& gpu) {
  for (Fault (*find)(const Gpu&) : {bounds_fault, compute_fault, first_caches_fault, l2_fault,
                                    last_level_fault, memory_fault}) {
    if (Fault fault = find(gpu)) return fault;
  }
  return std::nullopt;
}

void check_gpu(const Gpu& gpu) {
  if (const std::optional<GpuFault> fault = find_fault(gpu))
    throw Error(fault->what, fault->hint).in(gpu.path);
}

}  // namespace heddle::config
