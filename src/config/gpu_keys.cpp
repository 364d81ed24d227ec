#include "config/gpu_keys.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::config {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kGiB = 1024 * kMiB;

template <class Section>
Section& made(std::optional<Section>& section) {
  if (!section) section.emplace();
  return *section;
}

GpuKey whole(std::string_view section, std::string_view name, GpuFieldOf<int> field, double least,
             double most) {
  return {section, name, field, least, most};
}

GpuKey rate(std::string_view section, std::string_view name, GpuFieldOf<double> field, double least,
            double most) {
  return {section, name, field, least, most};
}

GpuKey size(std::string_view section, std::string_view name, GpuField field, double least,
            double most) {
  return {section, name, field, least, most, GpuUnit::bytes};
}

GpuKey bandwidth(std::string_view section, std::string_view name, GpuFieldOf<double> field) {
  return {section, name, field, 1e9, 1e15, GpuUnit::bytes_per_second};
}

GpuKey choice(std::string_view section, std::string_view name, GpuField field) {
  return {section, name, field};
}

/// bytes, ways, line_bytes and replacement of a cache.
template <CacheShape& (*shape)(Gpu&)>
void add_shape(std::vector<GpuKey>& keys, std::string_view section, double most_bytes) {
  keys.push_back(size(
      section, "bytes", +[](Gpu& g) -> std::int64_t& { return shape(g).bytes; }, 1, most_bytes));
  keys.push_back(whole(
      section, "ways", +[](Gpu& g) -> int& { return shape(g).ways; }, 1, 64));
  keys.push_back(size(
      section, "line_bytes", +[](Gpu& g) -> int& { return shape(g).line_bytes; }, 32, 128));
  keys.push_back(choice(
      section, "replacement", +[](Gpu& g) -> Replacement& { return shape(g).replacement; }));
}

CacheShape& l1_shape(Gpu& gpu) {
  return gpu.l1.shape;
}
CacheShape& scalar_shape(Gpu& gpu) {
  return made(gpu.scalar_cache).shape;
}
CacheShape& l2_shape(Gpu& gpu) {
  return gpu.l2.shape;
}
CacheShape& last_level_shape(Gpu& gpu) {
  return made(gpu.last_level).shape;
}

void add_compute(std::vector<GpuKey>& keys) {
  const std::string_view at = "compute";
  const auto add = [&](std::string_view name, GpuFieldOf<int> field, double least, double most) {
    keys.push_back(whole(at, name, field, least, most));
  };
  add(
      "dies", +[](Gpu& g) -> int& { return g.compute.dies; }, 1, 64);
  add(
      "compute_units", +[](Gpu& g) -> int& { return g.compute.compute_units; }, 1, 1024);
  add(
      "shader_engines", +[](Gpu& g) -> int& { return g.compute.shader_engines; }, 1, 1024);
  add(
      "wave_lanes", +[](Gpu& g) -> int& { return g.compute.wave_lanes; }, 32, 64);
  keys.push_back(rate(
      at, "clock_mhz", +[](Gpu& g) -> double& { return g.compute.clock_mhz; }, 100, 10'000));
  add(
      "waves", +[](Gpu& g) -> int& { return g.compute.waves; }, 1, 256);
  add(
      "blocks", +[](Gpu& g) -> int& { return g.compute.blocks; }, 1, 256);
  keys.push_back({at, "registers", +[](Gpu& g) -> std::int64_t& { return g.compute.registers; },
                  1024, 16 * kMiB});
  add(
      "register_granule", +[](Gpu& g) -> int& { return g.compute.register_granule; }, 1, 256);
  keys.push_back(size(
      at, "shared_bytes", +[](Gpu& g) -> std::int64_t& { return g.compute.shared_bytes; }, kKiB,
      16 * kMiB));
  add(
      "dispatch_cycles", +[](Gpu& g) -> int& { return g.compute.dispatch_cycles; }, 0, 100'000);
}

void add_first_caches(std::vector<GpuKey>& keys) {
  add_shape<l1_shape>(keys, "l1", kMiB);
  keys.push_back(choice(
      "l1", "holds_shared_memory", +[](Gpu& g) -> bool& { return g.l1.holds_shared_memory; }));
  keys.push_back(choice(
      "l1", "sectored", +[](Gpu& g) -> bool& { return g.l1.sectored; }));
  keys.push_back(choice(
      "l1", "hashed_sets", +[](Gpu& g) -> bool& { return g.l1.hashed_sets; }));
  keys.push_back(choice(
      "l1", "allocates_writes", +[](Gpu& g) -> bool& { return g.l1.allocates_writes; }));
  keys.push_back(rate(
      "l1", "bytes_per_clock", +[](Gpu& g) -> double& { return g.l1.bytes_per_clock; }, 1, 4096));
  keys.push_back(whole(
      "l1", "latency_cycles", +[](Gpu& g) -> int& { return g.l1.latency_cycles; }, 1, 100'000));
  keys.push_back(whole(
      "l1", "pending", +[](Gpu& g) -> int& { return g.l1.pending; }, 0, 1'000'000));
  const auto add_optional = [&](std::string_view section, std::string_view name,
                                GpuFieldOf<int> field, double most) {
    keys.push_back({section, name, field, 0, most, GpuUnit::none, true});
  };
  add_optional(
      "l1", "lanes_at_once", +[](Gpu& g) -> int& { return g.l1.lanes_at_once; }, 64);
  add_optional(
      "l1", "wide_lanes_at_once", +[](Gpu& g) -> int& { return g.l1.wide_lanes_at_once; }, 64);
  add_optional(
      "l1", "counted_cycles", +[](Gpu& g) -> int& { return g.l1.counted_cycles; }, 100'000);
  keys.push_back({"l1", "serves_in_order", +[](Gpu& g) -> bool& { return g.l1.serves_in_order; }, 0,
                  1, GpuUnit::none, true});
  add_shape<scalar_shape>(keys, "scalar_cache", kMiB);
  keys.push_back(whole(
      "scalar_cache", "compute_units",
      +[](Gpu& g) -> int& { return made(g.scalar_cache).compute_units; }, 1, 1024));
  add_optional(
      "scalar_cache", "count", +[](Gpu& g) -> int& { return made(g.scalar_cache).count; }, 1024);
  keys.push_back(whole(
      "scalar_cache", "latency_cycles",
      +[](Gpu& g) -> int& { return made(g.scalar_cache).latency_cycles; }, 1, 100'000));
}

void add_l2(std::vector<GpuKey>& keys) {
  const std::string_view at = "l2";
  add_shape<l2_shape>(keys, at, kGiB);
  const auto add_bits = [&](std::string_view name, GpuFieldOf<IndexBits> field) {
    keys.push_back({at, name, field, 0, 47, GpuUnit::none, true});
  };
  keys.push_back(whole(
      at, "channels", +[](Gpu& g) -> int& { return g.l2.channels; }, 1, 4096));
  keys.push_back(size(
      at, "interleave_bytes", +[](Gpu& g) -> int& { return g.l2.interleave_bytes; }, 32, kMiB));
  add_bits(
      "channel_bits", +[](Gpu& g) -> IndexBits& { return g.l2.channel_bits; });
  add_bits(
      "set_bits", +[](Gpu& g) -> IndexBits& { return g.l2.set_bits; });
  keys.push_back(size(
      at, "write_bytes", +[](Gpu& g) -> int& { return g.l2.write_bytes; }, 32, 128));
  keys.push_back(size(
      at, "fill_bytes", +[](Gpu& g) -> int& { return g.l2.fill_bytes; }, 32, 128));
  keys.push_back(choice(
      at, "counts_sectors", +[](Gpu& g) -> bool& { return g.l2.counts_sectors; }));
  keys.push_back(rate(
      at, "read_bytes_per_clock", +[](Gpu& g) -> double& { return g.l2.read_bytes_per_clock; }, 1,
      4096));
  keys.push_back(rate(
      at, "write_bytes_per_clock", +[](Gpu& g) -> double& { return g.l2.write_bytes_per_clock; }, 1,
      4096));
  keys.push_back(whole(
      at, "latency_cycles", +[](Gpu& g) -> int& { return g.l2.latency_cycles; }, 1, 100'000));
  keys.push_back({"l2", "distance_cycles", +[](Gpu& g) -> int& { return g.l2.distance_cycles; }, 0,
                  10'000, GpuUnit::none, true});
  keys.push_back({"l2", "fill_cycles", +[](Gpu& g) -> int& { return g.l2.fill_cycles; }, 0, 100'000,
                  GpuUnit::none, true});
}

void add_partitions(std::vector<GpuKey>& keys) {
  const std::string_view at = "partitions";
  keys.push_back(whole(
      at, "count", +[](Gpu& g) -> int& { return made(g.partitions).count; }, 2, 2));
  keys.push_back(choice(
      at, "replication", +[](Gpu& g) -> Replication& { return made(g.partitions).replication; }));
  keys.push_back(whole(
      at, "far_latency_cycles",
      +[](Gpu& g) -> int& { return made(g.partitions).far_latency_cycles; }, 0, 100'000));
  keys.push_back(rate(
      at, "far_bytes_per_clock",
      +[](Gpu& g) -> double& { return made(g.partitions).far_bytes_per_clock; }, 0, 1e6));
}

void add_last_level(std::vector<GpuKey>& keys) {
  const std::string_view at = "last_level";
  add_shape<last_level_shape>(keys, at, 4 * kGiB);
  keys.push_back(whole(
      at, "slices", +[](Gpu& g) -> int& { return made(g.last_level).slices; }, 1, 4096));
  keys.push_back(size(
      at, "interleave_bytes", +[](Gpu& g) -> int& { return made(g.last_level).interleave_bytes; },
      32, kMiB));
  keys.push_back(choice(
      at, "allocates_writes",
      +[](Gpu& g) -> bool& { return made(g.last_level).allocates_writes; }));
  keys.push_back(bandwidth(
      at, "bytes_per_second",
      +[](Gpu& g) -> double& { return made(g.last_level).bytes_per_second; }));
  keys.push_back(whole(
      at, "latency_cycles", +[](Gpu& g) -> int& { return made(g.last_level).latency_cycles; }, 1,
      100'000));
}

void add_memory(std::vector<GpuKey>& keys) {
  const std::string_view at = "memory";
  keys.push_back(size(
      at, "bytes", +[](Gpu& g) -> std::int64_t& { return g.memory.bytes; }, 64 * kKiB,
      64 * 1024 * kGiB));
  const auto add = [&](std::string_view name, GpuFieldOf<double> field) {
    keys.push_back(bandwidth(at, name, field));
  };
  add(
      "peak_bytes_per_second", +[](Gpu& g) -> double& { return g.memory.peak_bytes_per_second; });
  add(
      "read_bytes_per_second", +[](Gpu& g) -> double& { return g.memory.read_bytes_per_second; });
  add(
      "write_bytes_per_second", +[](Gpu& g) -> double& { return g.memory.write_bytes_per_second; });
  add(
      "copy_bytes_per_second", +[](Gpu& g) -> double& { return g.memory.copy_bytes_per_second; });
  keys.push_back(whole(
      at, "latency_cycles", +[](Gpu& g) -> int& { return g.memory.latency_cycles; }, 1, 100'000));
  keys.push_back(rate(
      "link", "read_bytes_per_clock",
      +[](Gpu& g) -> double& { return g.link.read_bytes_per_clock; }, 1, 1e6));
  keys.push_back(rate(
      "link", "write_bytes_per_clock",
      +[](Gpu& g) -> double& { return g.link.write_bytes_per_clock; }, 1, 1e6));
}

void add_rows(std::vector<GpuKey>& keys) {
  keys.push_back(whole(
      "rows", "banks", +[](Gpu& g) -> int& { return made(g.rows).banks; }, 1, 4096));
  keys.push_back(whole(
      "rows", "miss_cycles", +[](Gpu& g) -> int& { return made(g.rows).miss_cycles; }, 0, 100'000));
}

void add_arithmetic(std::vector<GpuKey>& keys) {
  const auto add = [&](std::string_view name, GpuFieldOf<double> field, double least = 0,
                       double most = 1e6) {
    keys.push_back(rate("arithmetic", name, field, least, most));
  };
  add(
      "vector_fp64", +[](Gpu& g) -> double& { return g.arithmetic.vector_fp64; });
  add(
      "vector_fp32", +[](Gpu& g) -> double& { return g.arithmetic.vector_fp32; }, 1);
  add(
      "vector_fp16", +[](Gpu& g) -> double& { return g.arithmetic.vector_fp16; });
  add(
      "integer", +[](Gpu& g) -> double& { return g.arithmetic.integer; });
  add(
      "integer_multiply", +[](Gpu& g) -> double& { return g.arithmetic.integer_multiply; });
  add(
      "transcendental", +[](Gpu& g) -> double& { return g.arithmetic.transcendental; }, 0.1);
  add(
      "matrix_fp64", +[](Gpu& g) -> double& { return g.arithmetic.matrix_fp64; });
  add(
      "matrix_fp32", +[](Gpu& g) -> double& { return g.arithmetic.matrix_fp32; });
  add(
      "matrix_fp16", +[](Gpu& g) -> double& { return g.arithmetic.matrix_fp16; });
  add(
      "matrix_fp8", +[](Gpu& g) -> double& { return g.arithmetic.matrix_fp8; });
  add(
      "matrix_share", +[](Gpu& g) -> double& { return g.arithmetic.matrix_share; }, 0.01, 1);
  add(
      "vector_share", +[](Gpu& g) -> double& { return g.arithmetic.vector_share; }, 0.01, 1);
  keys.push_back({"arithmetic", "matrix_beside_vector",
                  +[](Gpu& g) -> bool& { return g.arithmetic.matrix_beside_vector; }, 0, 1,
                  GpuUnit::none, true});
}

void add_pages(std::vector<GpuKey>& keys) {
  keys.push_back(size(
      "pages", "frame_bytes", +[](Gpu& g) -> std::int64_t& { return g.pages.frame_bytes; },
      64 * kKiB, kGiB));
  keys.push_back(choice(
      "pages", "placement", +[](Gpu& g) -> Placement& { return g.pages.placement; }));
  keys.push_back({"pages", "seed", +[](Gpu& g) -> std::uint64_t& { return g.pages.seed; }, 0,
                  9007199254740992.0});
}

std::string bound_text(const GpuKey& key, double number) {
  if (key.unit == GpuUnit::bytes_per_second) return fmt::format("{:g} TB/s", number / 1e12);
  if (key.unit == GpuUnit::bytes) {
    if (number >= kGiB) return fmt::format("{:.6g} GiB", number / kGiB);
    if (number >= kMiB) return fmt::format("{:.6g} MiB", number / kMiB);
    if (number >= kKiB) return fmt::format("{:.6g} KiB", number / kKiB);
    return fmt::format("{:.6g} B", number);
  }
  return fmt::format("{:.16g}", number);
}

}  // namespace

std::string GpuKey::text() const {
  return fmt::format("{}.{}", section, name);
}

const std::vector<GpuSection>& gpu_sections() {
  static const std::vector<GpuSection> sections = {{"compute"},
                                                   {"l1"},
                                                   {"scalar_cache", true},
                                                   {"l2"},
                                                   {"partitions", true},
                                                   {"last_level", true},
                                                   {"memory"},
                                                   {"rows", true},
                                                   {"link"},
                                                   {"arithmetic"},
                                                   {"pages"}};
  return sections;
}

const std::vector<GpuKey>& gpu_keys() {
  static const std::vector<GpuKey> keys = [] {
    std::vector<GpuKey> made_keys;
    add_compute(made_keys);
    add_first_caches(made_keys);
    add_l2(made_keys);
    add_partitions(made_keys);
    add_last_level(made_keys);
    add_memory(made_keys);
    add_rows(made_keys);
    add_arithmetic(made_keys);
    add_pages(made_keys);
    return made_keys;
  }();
  return keys;
}

const GpuKey* find_gpu_key(std::string_view section, std::string_view name) {
  for (const GpuKey& key : gpu_keys()) {
    if (key.section == section && key.name == name) return &key;
  }
  return nullptr;
}

bool has_section(const Gpu& gpu, std::string_view section) {
  if (section == "scalar_cache") return gpu.scalar_cache.has_value();
  if (section == "partitions") return gpu.partitions.has_value();
  if (section == "last_level") return gpu.last_level.has_value();
  if (section == "rows") return gpu.rows.has_value();
  return true;
}

std::optional<std::string> range_fault(const GpuKey& key, double number) {
  if (std::isfinite(number) && number >= key.least && number <= key.most) return std::nullopt;
  if (key.least == key.most)
    return fmt::format("{} must be {}, not {}", key.text(), bound_text(key, key.least),
                       bound_text(key, number));
  return fmt::format("{} must be from {} to {}, not {}", key.text(), bound_text(key, key.least),
                     bound_text(key, key.most), bound_text(key, number));
}

std::vector<std::string> words_of(const GpuKey& key) {
  if (std::holds_alternative<GpuFieldOf<Replacement>>(key.field))
    return {"lru", "tree_plru", "random", "sampled_lru"};
  if (std::holds_alternative<GpuFieldOf<Replication>>(key.field))
    return {"none", "opportunistic", "full", "probation"};
  if (std::holds_alternative<GpuFieldOf<Placement>>(key.field)) return {"shuffled", "contiguous"};
  return {};
}

}  // namespace heddle::config
