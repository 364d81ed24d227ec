#include "config/gpu_keys.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::config {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kGiB = 1024 * kMiB;

/// A section that is always there, or an optional one, which is made.
template <class Section>
Section& made(Section& section) {
  return section;
}
template <class Section>
Section& made(std::optional<Section>& section) {
  if (!section) section.emplace();
  return *section;
}

template <auto section, auto member>
constexpr auto field = +[](Gpu& gpu) -> auto& {
  return made(gpu.*section).*member;
};
template <auto section, auto member>
constexpr auto shape_field = +[](Gpu& gpu) -> auto& {
  return made(gpu.*section).shape.*member;
};

/// Rows of one section.
template <auto section>
class Rows {
 public:
  Rows(std::vector<GpuKey>& keys, std::string_view name) : keys_(keys), name_(name) {}

  template <auto member>
  Rows& number(std::string_view key, double least, double most, bool is_optional = false) {
    return add(key, field<section, member>, least, most, GpuUnit::none, is_optional);
  }
  template <auto member>
  Rows& bytes(std::string_view key, double least, double most, bool is_optional = false) {
    return add(key, field<section, member>, least, most, GpuUnit::bytes, is_optional);
  }
  template <auto member>
  Rows& bandwidth(std::string_view key) {
    return add(key, field<section, member>, 1e9, 1e15, GpuUnit::bytes_per_second);
  }
  template <auto member>
  Rows& choice(std::string_view key) {
    return add(key, field<section, member>, 0, 0);
  }
  /// bytes, ways, line_bytes and replacement of a cache.
  Rows& shape(double most_bytes) {
    add("bytes", shape_field<section, &CacheShape::bytes>, 1, most_bytes, GpuUnit::bytes);
    add("ways", shape_field<section, &CacheShape::ways>, 1, 64);
    add("line_bytes", shape_field<section, &CacheShape::line_bytes>, 32, 128, GpuUnit::bytes);
    return add("replacement", shape_field<section, &CacheShape::replacement>, 0, 0);
  }

 private:
  Rows& add(std::string_view key, GpuField set, double least, double most,
            GpuUnit unit = GpuUnit::none, bool is_optional = false) {
    keys_.push_back({name_, key, set, least, most, unit, is_optional});
    return *this;
  }

  std::vector<GpuKey>& keys_;
  std::string_view name_;
};

constexpr bool kOptional = true;

void add_compute_and_l1(std::vector<GpuKey>& keys) {
  Rows<&Gpu::compute>(keys, "compute")
      .number<&GpuCompute::dies>("dies", 1, 64)
      .number<&GpuCompute::compute_units>("compute_units", 1, 1024)
      .number<&GpuCompute::shader_engines>("shader_engines", 1, 1024)
      .number<&GpuCompute::wave_lanes>("wave_lanes", 32, 64)
      .number<&GpuCompute::clock_mhz>("clock_mhz", 100, 10'000)
      .number<&GpuCompute::product_clock_mhz>("product_clock_mhz", 0, 10'000, kOptional)
      .number<&GpuCompute::waves>("waves", 1, 256)
      .number<&GpuCompute::blocks>("blocks", 1, 256)
      .number<&GpuCompute::registers>("registers", 1024, 16 * kMiB)
      .number<&GpuCompute::register_granule>("register_granule", 1, 256)
      .bytes<&GpuCompute::shared_bytes>("shared_bytes", kKiB, 16 * kMiB)
      .number<&GpuCompute::dispatch_cycles>("dispatch_cycles", 0, 100'000)
      .number<&GpuCompute::launch_us>("launch_us", 0, 1000, kOptional);
  Rows<&Gpu::l1>(keys, "l1")
      .shape(kMiB)
      .choice<&GpuL1::holds_shared_memory>("holds_shared_memory")
      .choice<&GpuL1::sectored>("sectored")
      .choice<&GpuL1::hashed_sets>("hashed_sets")
      .choice<&GpuL1::allocates_writes>("allocates_writes")
      .number<&GpuL1::bytes_per_clock>("bytes_per_clock", 1, 4096)
      .number<&GpuL1::latency_cycles>("latency_cycles", 1, 100'000)
      .number<&GpuL1::pending>("pending", 0, 1'000'000)
      .number<&GpuL1::lanes_at_once>("lanes_at_once", 0, 64, kOptional)
      .number<&GpuL1::wide_lanes_at_once>("wide_lanes_at_once", 0, 64, kOptional)
      .number<&GpuL1::counted_cycles>("counted_cycles", 0, 100'000, kOptional)
      .number<&GpuL1::serves_in_order>("serves_in_order", 0, 1, kOptional);
  Rows<&Gpu::scalar_cache>(keys, "scalar_cache")
      .shape(kMiB)
      .number<&GpuScalarCache::compute_units>("compute_units", 1, 1024)
      .number<&GpuScalarCache::count>("count", 0, 1024, kOptional)
      .number<&GpuScalarCache::latency_cycles>("latency_cycles", 1, 100'000);
}

void add_l2(std::vector<GpuKey>& keys) {
  Rows<&Gpu::l2>(keys, "l2")
      .shape(kGiB)
      .number<&GpuL2::channels>("channels", 1, 4096)
      .bytes<&GpuL2::interleave_bytes>("interleave_bytes", 32, kMiB)
      .number<&GpuL2::channel_bits>("channel_bits", 0, 47, kOptional)
      .number<&GpuL2::set_bits>("set_bits", 0, 47, kOptional)
      .bytes<&GpuL2::write_bytes>("write_bytes", 32, 128)
      .bytes<&GpuL2::fill_bytes>("fill_bytes", 32, 128)
      .choice<&GpuL2::counts_sectors>("counts_sectors")
      .number<&GpuL2::read_bytes_per_clock>("read_bytes_per_clock", 1, 4096)
      .number<&GpuL2::write_bytes_per_clock>("write_bytes_per_clock", 1, 4096)
      .number<&GpuL2::latency_cycles>("latency_cycles", 1, 100'000)
      .number<&GpuL2::distance_cycles>("distance_cycles", 0, 10'000, kOptional)
      .number<&GpuL2::fill_cycles>("fill_cycles", 0, 100'000, kOptional)
      .number<&GpuL2::coalescers>("coalescers", 0, 4096, kOptional)
      .bytes<&GpuL2::kept_bytes>("kept_bytes", 0, kGiB, kOptional);
  Rows<&Gpu::partitions>(keys, "partitions")
      .number<&GpuPartitions::count>("count", 2, 2)
      .choice<&GpuPartitions::replication>("replication")
      .number<&GpuPartitions::far_latency_cycles>("far_latency_cycles", 0, 100'000)
      .number<&GpuPartitions::far_bytes_per_clock>("far_bytes_per_clock", 0, 1e6);
}

void add_memory(std::vector<GpuKey>& keys) {
  Rows<&Gpu::last_level>(keys, "last_level")
      .shape(4 * kGiB)
      .number<&GpuLastLevel::slices>("slices", 1, 4096)
      .bytes<&GpuLastLevel::interleave_bytes>("interleave_bytes", 32, kMiB)
      .choice<&GpuLastLevel::allocates_writes>("allocates_writes")
      .bandwidth<&GpuLastLevel::bytes_per_second>("bytes_per_second")
      .number<&GpuLastLevel::latency_cycles>("latency_cycles", 1, 100'000);
  Rows<&Gpu::memory>(keys, "memory")
      .bytes<&GpuMemory::bytes>("bytes", 64 * kKiB, 64 * 1024 * kGiB)
      .bandwidth<&GpuMemory::peak_bytes_per_second>("peak_bytes_per_second")
      .bandwidth<&GpuMemory::read_bytes_per_second>("read_bytes_per_second")
      .bandwidth<&GpuMemory::write_bytes_per_second>("write_bytes_per_second")
      .bandwidth<&GpuMemory::copy_bytes_per_second>("copy_bytes_per_second")
      .number<&GpuMemory::latency_cycles>("latency_cycles", 1, 100'000)
      .number<&GpuMemory::unhidden>("unhidden", 0, 1, kOptional);
  Rows<&Gpu::link>(keys, "link")
      .number<&GpuLink::read_bytes_per_clock>("read_bytes_per_clock", 1, 1e6)
      .number<&GpuLink::write_bytes_per_clock>("write_bytes_per_clock", 1, 1e6);
  Rows<&Gpu::rows>(keys, "rows")
      .number<&GpuRows::banks>("banks", 1, 4096)
      .number<&GpuRows::miss_cycles>("miss_cycles", 0, 100'000);
}

void add_arithmetic_and_pages(std::vector<GpuKey>& keys) {
  Rows<&Gpu::arithmetic>(keys, "arithmetic")
      .number<&GpuArithmetic::vector_fp64>("vector_fp64", 0, 1e6)
      .number<&GpuArithmetic::vector_fp32>("vector_fp32", 1, 1e6)
      .number<&GpuArithmetic::vector_fp16>("vector_fp16", 0, 1e6)
      .number<&GpuArithmetic::integer>("integer", 0, 1e6)
      .number<&GpuArithmetic::integer_multiply>("integer_multiply", 0, 1e6)
      .number<&GpuArithmetic::transcendental>("transcendental", 0.1, 1e6)
      .number<&GpuArithmetic::matrix_fp64>("matrix_fp64", 0, 1e6)
      .number<&GpuArithmetic::matrix_fp32>("matrix_fp32", 0, 1e6)
      .number<&GpuArithmetic::matrix_fp16>("matrix_fp16", 0, 1e6)
      .number<&GpuArithmetic::matrix_fp8>("matrix_fp8", 0, 1e6)
      .number<&GpuArithmetic::matrix_share>("matrix_share", 0.01, 1)
      .number<&GpuArithmetic::vector_share>("vector_share", 0.01, 1)
      .number<&GpuArithmetic::matrix_beside_vector>("matrix_beside_vector", 0, 1, kOptional)
      .number<&GpuArithmetic::issue>("issue", 0, 1e6, kOptional)
      .number<&GpuArithmetic::shared_bytes>("shared_bytes", 0, 1e6, kOptional)
      .number<&GpuArithmetic::dependent_cycles>("dependent_cycles", 0, 1000, kOptional)
      .number<&GpuArithmetic::index_share>("index_share", 0, 1, kOptional)
      .number<&GpuArithmetic::exchange_cycles>("exchange_cycles", 0, 10'000, kOptional)
      .number<&GpuArithmetic::exchange>("exchange", 0, 1e6, kOptional)
      .number<&GpuArithmetic::register_products>("register_products", 0.01, 1, kOptional);
  Rows<&Gpu::pages>(keys, "pages")
      .bytes<&GpuPages::frame_bytes>("frame_bytes", 64 * kKiB, kGiB)
      .choice<&GpuPages::placement>("placement")
      .number<&GpuPages::seed>("seed", 0, 9007199254740992.0);
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
    add_compute_and_l1(made_keys);
    add_l2(made_keys);
    add_memory(made_keys);
    add_arithmetic_and_pages(made_keys);
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
