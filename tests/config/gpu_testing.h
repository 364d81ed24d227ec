// A small GPU file whose numbers a test can change, and the errors of what comes out.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

#include "config/gpu.h"
#include "config/testing.h"

namespace heddle::testing {

/// "l2.ways" -> "16". An empty value leaves the key out.
using GpuChanges = std::map<std::string, std::string>;

inline const std::vector<std::pair<std::string, std::string>>& gpu_numbers() {
  static const std::vector<std::pair<std::string, std::string>> numbers = {
      {"compute.dies", "1"},
      {"compute.compute_units", "4"},
      {"compute.shader_engines", "2"},
      {"compute.wave_lanes", "64"},
      {"compute.clock_mhz", "1000"},
      {"compute.waves", "8"},
      {"compute.blocks", "8"},
      {"compute.registers", "65536"},
      {"compute.register_granule", "8"},
      {"compute.shared_bytes", "\"64 KiB\""},
      {"compute.dispatch_cycles", "4"},
      {"l1.bytes", "\"16 KiB\""},
      {"l1.ways", "16"},
      {"l1.line_bytes", "128"},
      {"l1.replacement", "\"lru\""},
      {"l1.holds_shared_memory", "false"},
      {"l1.sectored", "false"},
      {"l1.hashed_sets", "false"},
      {"l1.allocates_writes", "false"},
      {"l1.bytes_per_clock", "64"},
      {"l1.pending", "0"},
      {"l1.latency_cycles", "100"},
      {"l2.bytes", "\"128 KiB\""},
      {"l2.ways", "16"},
      {"l2.line_bytes", "128"},
      {"l2.replacement", "\"lru\""},
      {"l2.channels", "4"},
      {"l2.interleave_bytes", "256"},
      {"l2.channel_bits", "[[8], [9]]"},
      {"l2.set_bits", "[[7], [10], [11], [12]]"},
      {"l2.write_bytes", "64"},
      {"l2.fill_bytes", "128"},
      {"l2.counts_sectors", "false"},
      {"l2.read_bytes_per_clock", "128"},
      {"l2.write_bytes_per_clock", "64"},
      {"l2.latency_cycles", "200"},
      {"link.read_bytes_per_clock", "1024"},
      {"link.write_bytes_per_clock", "512"},
      {"memory.bytes", "\"1 GiB\""},
      {"memory.peak_bytes_per_second", "\"1 TB/s\""},
      {"memory.read_bytes_per_second", "\"0.8 TB/s\""},
      {"memory.write_bytes_per_second", "\"0.8 TB/s\""},
      {"memory.copy_bytes_per_second", "\"0.8 TB/s\""},
      {"memory.latency_cycles", "600"},
      {"arithmetic.vector_fp64", "64"},
      {"arithmetic.vector_fp32", "128"},
      {"arithmetic.vector_fp16", "128"},
      {"arithmetic.integer", "64"},
      {"arithmetic.integer_multiply", "16"},
      {"arithmetic.transcendental", "16"},
      {"arithmetic.matrix_fp64", "0"},
      {"arithmetic.matrix_fp32", "256"},
      {"arithmetic.matrix_fp16", "1024"},
      {"arithmetic.matrix_fp8", "2048"},
      {"arithmetic.matrix_share", "0.5"},
      {"arithmetic.vector_share", "0.8"},
      {"pages.frame_bytes", "\"64 KiB\""},
      {"pages.placement", "\"shuffled\""},
      {"pages.seed", "1"},
  };
  return numbers;
}

/// The numbers above, changed; keys that they do not have go to the end of their section.
inline std::string gpu_file(GpuChanges changes = {}, const std::string& more = {}) {
  std::vector<std::pair<std::string, std::string>> numbers = gpu_numbers();
  for (auto& [key, value] : numbers) {
    if (const auto found = changes.find(key); found != changes.end()) {
      value = found->second;
      changes.erase(found);
    }
  }
  std::vector<std::string> sections;
  std::map<std::string, std::string> lines;
  const auto add = [&](const std::string& key, const std::string& value) {
    const std::string section = key.substr(0, key.find('.'));
    if (!lines.contains(section)) sections.push_back(section);
    lines[section] +=
        fmt::format("{} = {{ is = {}, from = \"test\" }}\n", key.substr(section.size() + 1), value);
  };
  for (const auto& [key, value] : numbers) {
    if (!value.empty()) add(key, value);
  }
  for (const auto& [key, value] : changes) add(key, value);
  std::string text =
      "title = \"A GPU\"\ntarget = \"gfx0\"\nvendor = \"amd\"\ncalibrated = false\n"
      "remarks = \"\"\"\nMade for\na test.\"\"\"\n";
  for (const std::string& section : sections)
    text += fmt::format("[{}]\n{}", section, lines[section]);
  return text + "[modes.ONE]\n[modes.TWO]\ncompute.dies = { is = 2, from = \"test\" }\n" + more +
         "[sources]\ntest = \"a test\"\n";
}

inline Gpu gpu_of(const std::string& text) {
  return read_gpu(write_file(".toml", text));
}

/// The whole error of a file; its place without the folder.
inline std::string gpu_error(const std::string& text) {
  return error_text(thrown_by([&] { gpu_of(text); }));
}

inline std::string gpu_error(const std::string& key, const std::string& value) {
  return gpu_error(gpu_file({{key, value}}));
}

/// A GPU made in code: that of the file above.
inline Gpu sample_gpu() {
  Gpu gpu = gpu_of(gpu_file());
  gpu.path.clear();
  return gpu;
}

}  // namespace heddle::testing
