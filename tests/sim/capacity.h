// The two kernels that show how large a cache is, as gpu-benches runs them.
//
//   chase_cycles    one lane follows pointers through `bytes` in random order: cycles a load
//   slab_rate       block b reads the slab b mod R of 512 KiB once: bytes a second
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "sim/driving.h"

namespace heddle::sim::testing {

/// After a first round that fills the caches; the mean over `placements` of the buffer in memory.
/// `memory_bytes`: what is allocated around it, so that its frames are some of many.
inline double chase_cycles(config::Gpu gpu, std::int64_t bytes, std::int64_t memory_bytes = 0,
                           std::uint64_t placements = 1) {
  gpu.compute.dies = 1;
  gpu.compute.compute_units = gpu.compute.shader_engines = 1;
  const auto step = static_cast<std::uint32_t>(gpu.l2.shape.line_bytes / gpu.l1.shape.line_bytes);
  std::vector<std::uint32_t> order(static_cast<std::size_t>(bytes / gpu.l2.shape.line_bytes));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::uint32_t>(k) * step;
  std::mt19937_64 random(1);
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
  Script script;
  const Shape* load = script.awaited_read(0, {{0, 0x1}});
  script.begin();
  for (const std::uint32_t line : order) script.add(load, line);
  script.end();
  const auto cycles_of = [&](std::size_t rounds) {
    Driven driven(gpu, std::max(bytes, memory_bytes), script, {.map = order::Map(rounds, 0)});
    driven.run();
    return driven.cycles();
  };
  const std::size_t rounds = std::clamp<std::size_t>(100'000 / order.size(), 1, 20);
  double sum = 0;
  for (std::uint64_t placement = 1; placement <= placements; ++placement) {
    gpu.pages.seed = placement;
    sum += (cycles_of(1 + rounds) - cycles_of(1)) / static_cast<double>(rounds * order.size());
  }
  return sum / static_cast<double>(placements);
}

/// 1024 threads read 8 bytes each, 64 times; two blocks fill an SM. The blocks that run first are
/// shorter, so that later ones start one by one, as they do on a GPU after a while: blocks that
/// read one slab do not run side by side.
inline double slab_rate(const config::Gpu& gpu, int slabs, int rounds) {
  constexpr std::uint32_t kLoads = 64;
  const auto run = static_cast<std::uint32_t>(slabs);
  const auto wave = static_cast<std::uint32_t>(2 * gpu.compute.compute_units);
  Script script;
  std::vector<ShapeRequest> requests;
  for (int k = 0; k < 64; ++k) requests.push_back({k, 0xf});
  const Shape* load = script.read(0, requests);
  const auto add_tile = [&](std::uint32_t slab, std::uint32_t loads) {
    script.begin();
    for (std::uint32_t k = kLoads - loads; k < kLoads; ++k) script.add(load, (k * run + slab) * 64);
    script.end();
  };
  for (std::uint32_t slab = 0; slab < run; ++slab) add_tile(slab, kLoads);
  for (std::uint32_t k = 0; k < wave; ++k) add_tile(k % run, 1 + k * (kLoads - 1) / wave);
  const std::int64_t slab_bytes = 512 << 10;
  const auto cycles_of = [&](int times) {
    order::Map map;
    for (std::uint32_t k = 0; k < wave; ++k) map.push_back(run + k);
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(times) * run; ++k)
      map.push_back((wave + k) % run);
    Driven driven(gpu, slabs * slab_bytes, script,
                  {.map = std::move(map), .places = 2, .depth = 8});
    driven.run();
    return driven.cycles();
  };
  const int warm = std::max(2, rounds / 2);
  const double seconds =
      (cycles_of(warm + rounds) - cycles_of(warm)) / (gpu.compute.clock_mhz * 1e6);
  return static_cast<double>(slabs * slab_bytes) * rounds / seconds;
}

}  // namespace heddle::sim::testing
