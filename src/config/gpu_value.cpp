#include "config/gpu_value.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "support/spelling.h"
#include "support/text.h"

namespace heddle::config {
namespace {

using NodeKind = TomlNode::Kind;

constexpr std::size_t kLongestText = 64;
constexpr std::size_t kMostGroups = 48;

[[noreturn]] void fail(const TomlNode& node, std::string what, std::string hint) {
  throw Error(std::move(what), std::move(hint)).at({}, node.position);
}

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 5> kByteUnits = {Unit{"B", 1}, Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20},
                                            Unit{"GiB", 0x1p30}, Unit{"TiB", 0x1p40}};
constexpr std::array<Unit, 2> kRateUnits = {Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12}};

/// "4 MiB" with the units given; nothing if it is no such text.
template <std::size_t count>
std::optional<double> with_unit(std::string_view text, const std::array<Unit, count>& units) {
  text = trim(text);
  if (text.size() > kLongestText) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit = trim(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const Unit& known : units) {
    if (unit == known.name) return number * known.factor;
  }
  return std::nullopt;
}

std::string sample(const GpuKey& key) {
  if (key.unit == GpuUnit::bytes) return "write a number of bytes, or \"4 MiB\" (KiB, MiB, GiB)";
  if (key.unit == GpuUnit::bytes_per_second)
    return "write bytes in a second, or \"4.2 TB/s\" (GB/s, TB/s)";
  return "write a number without quotes";
}

double number_of(const GpuKey& key, const TomlNode& value) {
  if (value.kind == NodeKind::integer) return static_cast<double>(value.integer);
  if (value.kind == NodeKind::real) return value.real;
  std::optional<double> number;
  if (value.kind == NodeKind::text && key.unit == GpuUnit::bytes)
    number = with_unit(value.text, kByteUnits);
  if (value.kind == NodeKind::text && key.unit == GpuUnit::bytes_per_second)
    number = with_unit(value.text, kRateUnits);
  if (number) return *number;
  if (value.kind == NodeKind::text && key.unit != GpuUnit::none)
    fail(value, fmt::format("'{}' is not a number with a unit", value.text.substr(0, kLongestText)),
         sample(key));
  fail(value, fmt::format("{} must be a number, not {}", key.text(), value.kind_text()),
       sample(key));
}

double bounded_number(const GpuKey& key, const TomlNode& value) {
  const double number = number_of(key, value);
  if (const auto what = range_fault(key, number)) fail(value, *what, sample(key));
  return number;
}

template <class Whole>
Whole whole_number(const GpuKey& key, const TomlNode& value) {
  const double number = bounded_number(key, value);
  if (number != std::floor(number))
    fail(value, fmt::format("{} is {}, but must be whole", key.text(), number), sample(key));
  return static_cast<Whole>(number);
}

bool boolean(const GpuKey& key, const TomlNode& value) {
  if (value.kind == NodeKind::boolean) return value.boolean;
  fail(value, fmt::format("{} must be true or false, not {}", key.text(), value.kind_text()),
       "write is = true, without quotes");
}

/// The number of the word among those of the key.
template <class Choice>
Choice choice(const GpuKey& key, const TomlNode& value) {
  const std::vector<std::string> words = words_of(key);
  for (std::size_t word = 0; word < words.size(); ++word) {
    if (value.kind == NodeKind::text && value.text == words[word])
      return static_cast<Choice>(static_cast<int>(word));
  }
  if (value.kind != NodeKind::text)
    fail(value, fmt::format("{} must be a word, not {}", key.text(), value.kind_text()),
         fmt::format("use one of: {}", word_list(words)));
  fail(value, fmt::format("'{}' is not a {}", value.text.substr(0, kLongestText), key.name),
       fmt::format("{}use one of: {}", did_you_mean(value.text, words), word_list(words)));
}

IndexBits index_bits(const GpuKey& key, const TomlNode& value) {
  const std::string example = "write [[8], [9, 13]]: for each bit of the index, address bits";
  const auto need_array = [&](const TomlNode& node) {
    if (node.kind != NodeKind::array)
      fail(node, fmt::format("{} must be an array of arrays, not {}", key.text(), node.kind_text()),
           example);
    if (node.items.size() > kMostGroups)
      fail(node, fmt::format("{} has {} entries", key.text(), node.items.size()),
           fmt::format("an address has {} bits", kMostGroups));
  };
  need_array(value);
  IndexBits groups;
  for (const TomlNode& group : value.items) {
    need_array(group);
    std::vector<int>& bits = groups.emplace_back();
    for (const TomlNode& bit : group.items) bits.push_back(whole_number<int>(key, bit));
  }
  return groups;
}

}  // namespace

void set_gpu_value(Gpu& gpu, const GpuKey& key, const TomlNode& value) {
  std::visit(
      [&](auto field) {
        using Field = std::remove_cvref_t<decltype(field(gpu))>;
        if constexpr (std::is_same_v<Field, bool>)
          field(gpu) = boolean(key, value);
        else if constexpr (std::is_same_v<Field, double>)
          field(gpu) = bounded_number(key, value);
        else if constexpr (std::is_integral_v<Field>)
          field(gpu) = whole_number<Field>(key, value);
        else if constexpr (std::is_same_v<Field, IndexBits>)
          field(gpu) = index_bits(key, value);
        else
          field(gpu) = choice<Field>(key, value);
      },
      key.field);
}

std::string written_value(const TomlNode& value) {
  switch (value.kind) {
    case NodeKind::text:
      return value.text;
    case NodeKind::integer:
      return fmt::format("{}", value.integer);
    case NodeKind::real:
      return fmt::format("{}", value.real);
    case NodeKind::boolean:
      return value.boolean ? "yes" : "no";
    case NodeKind::array: {
      std::vector<std::string> parts;
      for (const TomlNode& item : value.items) parts.push_back(written_value(item));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    }
    case NodeKind::table:
      break;
  }
  return {};
}

}  // namespace heddle::config
