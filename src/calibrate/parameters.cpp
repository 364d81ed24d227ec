#include "calibrate/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "config/gpu_keys.h"
#include "config/gpu_write.h"
#include "support/error.h"
#include "support/lists.h"
#include "support/spelling.h"

namespace heddle::calibrate {
namespace {

using config::Gpu;
using config::GpuKey;

struct Unknown {
  const char* key;
  const char* why;
  double least = 0;  ///< physical bounds of numbers; both 0: those of the file's format
  double most = 0;
  bool is_default = true;
};

const std::vector<Unknown>& unknowns() {
  static const std::vector<Unknown> table = {
      {"l2.channel_bits", "no vendor says which address bits pick a channel"},
      {"l2.set_bits", "no vendor says which address bits pick a set"},
      {"l2.replacement", "only latency curves hint at it"},
      {"l2.ways", "not published for NVIDIA's", 4, 64},
      {"l1.replacement", "only latency curves hint at it"},
      {"l1.hashed_sets", "documented for strides on gfx942 alone"},
      {"l1.allocates_writes", "no vendor says whether stores take places"},
      {"l1.pending", "no vendor says how many requests an L1 has in flight", 16, 4096},
      {"last_level.replacement", "only latency curves hint at it"},
      {"last_level.allocates_writes", "the white papers do not say what writes leave behind"},
      {"pages.placement", "the driver's choice"},
      {"pages.frame_bytes", "the driver's choice", 65'536, 1 << 30},
      {"pages.seed", "one placement among all: fitting it fits noise", 0, 0, false},
      {"compute.dispatch_cycles", "no public figure; with it blocks start apart", 1, 256},
      {"link.read_bytes_per_clock", "white papers give peaks; less is achieved", 64, 16'384},
      {"link.write_bytes_per_clock", "white papers give peaks; less is achieved", 64, 16'384},
      {"l2.write_bytes_per_clock", "white papers give peaks; less is achieved", 4, 128},
      {"partitions.replication", "not published"},
      {"partitions.far_latency_cycles", "not published", 16, 1000},
      {"arithmetic.integer_multiply", "instruction tables leave it open", 1, 1024},
      {"arithmetic.vector_share", "issue slots that stay empty", 0.2, 1},
      {"arithmetic.matrix_share", "what good kernels reach", 0.2, 1}};
  return table;
}

/// Folds of index bits: bit i of the index also takes address bit start + i, for every start.
struct Fold {
  std::array<int, 3> starts;  ///< 0: none
};
constexpr std::array<Fold, 11> kFolds = {{{{0, 0, 0}},  // the lowest bits alone
                                          {{12, 0, 0}},
                                          {{14, 0, 0}},
                                          {{18, 0, 0}},
                                          {{21, 0, 0}},  // the next bits; above the sets; the frame
                                          {{18, 25, 0}},
                                          {{21, 28, 0}},
                                          {{16, 20, 24}},  // several
                                          {{12, 16, 20}},
                                          {{12, 18, 24}},
                                          {{14, 18, 0}}}};

/// Uneven folds for the channels of an L2 with 16 of them: address bits besides the own one.
using Extra = std::array<std::vector<int>, 4>;
const std::vector<Extra>& extras_of_16() {
  static const std::vector<Extra> table = {
      {{{23}, {24}, {}, {}}},
      {{{14, 23}, {}, {}, {}}},
      {{{14, 23}, {24}, {}, {}}},
      {{{14, 23}, {15}, {16, 24}, {17}}},  // two bits of the frame
      {{{14, 23}, {15, 24}, {16}, {17}}},
      {{{21}, {22}, {23}, {}}}};
  return table;
}

/// Steps of a number from the file's value.
constexpr std::array<double, 6> kSteps = {0.25, 0.5, 0.70710678, 1.41421356, 2, 4};
constexpr std::array<double, 5> kStepsFromZero = {1, 4, 16, 64, 256};
constexpr int kHighestBit = 47;

class Values {
 public:
  Values(const Gpu& gpu, const GpuKey& key, const Unknown* unknown) : gpu_(gpu), key_(key) {
    least_ = unknown != nullptr && unknown->most > 0 ? unknown->least : key.least;
    most_ = unknown != nullptr && unknown->most > 0 ? unknown->most : key.most;
    parameter_.key = key.text();
    parameter_.why = unknown != nullptr ? unknown->why : "named by the user";
    add(config::gpu_value_text(gpu, key));
  }

  Parameter run() {
    Gpu copy = gpu_;
    std::visit(
        [&](auto field) {
          auto value = field(copy);
          using Value = decltype(value);
          if constexpr (std::is_same_v<Value, bool>)
            add(value ? "false" : "true");
          else if constexpr (std::is_same_v<Value, config::IndexBits>)
            add_folds(value);
          else if constexpr (std::is_enum_v<Value>)
            add_words();
          else
            add_numbers(static_cast<double>(value), std::is_integral_v<Value>);
        },
        key_.field);
    return std::move(parameter_);
  }

 private:
  void add(std::string value) {
    std::vector<std::string>& values = parameter_.values;
    if (!is_one_of(value, values)) values.push_back(std::move(value));
  }

  void add_words() {
    for (const std::string& word : words_of(key_)) add(fmt::format("\"{}\"", word));
  }

  void add_numbers(double value, bool is_whole) {
    std::vector<std::pair<double, std::size_t>> places = {{value, 0}};
    const auto try_number = [&](double number) {
      const bool is_power = key_.unit == config::GpuUnit::bytes && is_whole;
      if (is_power) number = std::exp2(std::round(std::log2(number)));
      number = is_whole ? std::round(number) : std::stod(fmt::format("{:.4g}", number));
      if (number < least_ || number > most_) return;
      const std::size_t before = parameter_.values.size();
      add(is_whole ? fmt::format("{}", static_cast<std::int64_t>(number))
                   : fmt::format("{}", number));
      if (parameter_.values.size() > before) places.emplace_back(number, before);
    };
    if (value > 0)
      for (const double step : kSteps) try_number(value * step);
    else
      for (const double step : kStepsFromZero) try_number(step);
    std::ranges::sort(places);
    for (const auto& [number, place] : places) parameter_.order.push_back(place);
  }

  /// The file's bits, only the first of each group, with every fold.
  void add_folds(const config::IndexBits& file) {
    for (const Fold& fold : kFolds) {
      std::vector<std::string> groups;
      for (std::size_t i = 0; i < file.size(); ++i) {
        if (file[i].empty()) return;
        std::vector<int> bits = {file[i].front()};
        for (const int start : fold.starts) {
          const int bit = start + static_cast<int>(i);
          if (start > 0 && bit <= kHighestBit && bit != bits.front()) bits.push_back(bit);
        }
        groups.push_back(fmt::format("[{}]", fmt::join(bits, ", ")));
      }
      if (!groups.empty()) add(fmt::format("[{}]", fmt::join(groups, ", ")));
    }
    if (key_.text() == "l2.channel_bits") add_extras(file);
  }

  void add_extras(const config::IndexBits& file) {
    for (const Extra& extra : extras_of_16()) {
      if (file.size() != extra.size()) return;
      std::vector<std::string> groups;
      for (std::size_t i = 0; i < extra.size(); ++i) {
        std::vector<int> bits = {file[i].front()};
        for (const int bit : extra[i]) {
          if (bit != bits.front()) bits.push_back(bit);
        }
        groups.push_back(fmt::format("[{}]", fmt::join(bits, ", ")));
      }
      add(fmt::format("[{}]", fmt::join(groups, ", ")));
    }
  }

  const Gpu& gpu_;
  const GpuKey& key_;
  double least_;
  double most_;
  Parameter parameter_;
};

const Unknown* find_unknown(const std::string& key) {
  for (const Unknown& unknown : unknowns()) {
    if (key == unknown.key) return &unknown;
  }
  return nullptr;
}

/// Nobody published it: the file estimates it, or an earlier calibration did.
bool is_open(const Gpu& gpu, const std::string& key) {
  for (const config::GpuFact& fact : gpu.facts) {
    if (fact.key == key) return fact.source == "estimated" || fact.source.starts_with(kCalibrated);
  }
  return false;
}

const GpuKey& named_key(const Gpu& gpu, const std::string& name) {
  const GpuKey* key = config::find_gpu_key(name);
  if (key == nullptr) {
    std::vector<std::string> known;
    for (const Unknown& unknown : unknowns()) known.emplace_back(unknown.key);
    throw Error(fmt::format("no key of a GPU is called '{}'", name.substr(0, 80)),
                fmt::format("{}use one of: {}, or any other key of a GPU file",
                            did_you_mean(name, known), word_list(known)));
  }
  if (!config::has_section(gpu, key->section))
    throw Error(fmt::format("{} has no [{}]", gpu.name, key->section), "leave it out");
  return *key;
}

}  // namespace

std::vector<Parameter> parameters_of(const Gpu& gpu, const std::vector<std::string>& named) {
  std::vector<std::string> names = named;
  if (names.empty()) {
    for (const Unknown& unknown : unknowns()) {
      if (unknown.is_default && is_open(gpu, unknown.key)) names.emplace_back(unknown.key);
    }
  }
  std::vector<Parameter> parameters;
  for (const std::string& name : names) {
    const GpuKey& key = named_key(gpu, name);
    const bool is_known =
        std::ranges::any_of(parameters, [&](const Parameter& other) { return other.key == name; });
    if (is_known) throw Error(fmt::format("'{}' is named twice", name), "drop one");
    Parameter parameter = Values(gpu, key, find_unknown(name)).run();
    if (parameter.values.size() < 2 && !named.empty())
      throw Error(fmt::format("{} of {} is {}, and nothing else can be tried", name, gpu.name,
                              parameter.values.front()),
                  "leave it out of --parameters");
    if (parameter.values.size() > 1) parameters.push_back(std::move(parameter));
  }
  if (parameters.empty())
    throw Error(fmt::format("nothing of {} is estimated", gpu.name),
                "name what to fit with --parameters KEY,...");
  return parameters;
}

}  // namespace heddle::calibrate
