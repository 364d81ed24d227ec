#include "trace/interpreter/philox.h"

#include <cmath>
#include <numbers>

namespace heddle::trace::interpreter {
namespace {

// Salmon et al., 2011.
constexpr int kRounds = 10;
constexpr std::array<std::uint32_t, 2> kMultipliers = {0xD2511F53, 0xCD9E8D57};
constexpr std::array<std::uint32_t, 2> kKeySteps = {0x9E3779B9, 0xBB67AE85};

}  // namespace

std::array<std::uint32_t, 4> philox32(std::array<std::uint32_t, 4> counter,
                                      std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t first = std::uint64_t{kMultipliers[0]} * counter[0];
    const std::uint64_t second = std::uint64_t{kMultipliers[1]} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(first)};
    key = {key[0] + kKeySteps[0], key[1] + kKeySteps[1]};
  }
  return counter;
}

std::array<std::uint32_t, 4> random_integers(std::uint64_t seed, std::uint64_t offset,
                                             bool is_wide) {
  const auto high = static_cast<std::uint32_t>(is_wide ? offset >> 32 : 0);
  return philox32({static_cast<std::uint32_t>(offset), high, 0, 0},
                  {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

double uniform_real(std::uint32_t random) {
  // Triton's constant, in its float32: negative numbers are mirrored, then scaled below 1.
  constexpr float kScale = 4.6566127342e-10F;
  const auto signed_value = static_cast<std::int32_t>(random);
  return static_cast<double>(
      static_cast<float>(signed_value < 0 ? -(signed_value + 1) : signed_value) * kScale);
}

double normal_real(const std::array<std::uint32_t, 4>& random, std::size_t which) {
  constexpr double kSmallest = 1e-7;
  const std::size_t pair = which < 2 ? 0 : 2;
  const double angle = 2 * std::numbers::pi * uniform_real(random[pair + 1]);
  const double radius = std::sqrt(-2 * std::log(std::fmax(kSmallest, uniform_real(random[pair]))));
  return radius * (which % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

}  // namespace heddle::trace::interpreter
