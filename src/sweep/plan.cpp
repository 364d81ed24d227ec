#include "sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "config/fingerprint.h"
#include "config/gpu.h"
#include "config/gpu_write.h"
#include "support/error.h"
#include "support/lists.h"
#include "support/text.h"
#include "sweep/closure.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

/// A file of the sweep, or a known name.
std::string gpu_from(const std::string& root, const std::string& gpu) {
  const std::string file = gpu.substr(0, gpu.find(".toml:"));
  return file.ends_with(".toml") || gpu.find(".toml:") != std::string::npos
             ? (fs::path(root) / gpu).string()
             : gpu;
}

std::string gpu_hash(const std::string& root, const std::string& gpu) {
  const std::string from = gpu_from(root, gpu);
  const config::Gpu read = config::read_gpu(from);
  return config::fingerprint(config::gpu_text(config::gpu_document(from), "") + ":" + read.mode);
}

}  // namespace

/// Lists with the place of each entry.
struct PlanBuilder::State {
  explicit State(const Spec& spec, const PlanOptions& given)
      : options(given), here(spec.root), before(given.base_root) {
    plan.name = spec.name;
    plan.root = fs::absolute(spec.root).lexically_normal().string();
    plan.base_root = given.base_root;
    plan.base = spec.base;
    plan.effort = spec.effort;
    plan.shapes = {""};
    plan.gpus = {""};
    shapes[""] = gpus[""] = 0;
  }

  template <class Value, class Known>
  static std::uint32_t place(const Value& value, Known& known, std::vector<Value>& list) {
    const auto [at, is_new] = known.try_emplace(value, static_cast<std::uint32_t>(list.size()));
    if (is_new) list.push_back(value);
    return at->second;
  }

  const std::string& hash_of(const std::string& gpu) {
    const auto [at, is_new] = gpu_hashes.try_emplace(gpu);
    if (is_new) at->second = gpu.empty() ? "" : gpu_hash(plan.root, gpu);
    return at->second;
  }

  Key key_for(const Wanted& wanted) {
    std::string text = options.version;
    const auto add = [&](const std::string& part) { text.append("\n").append(part); };
    add(verb_text(wanted.verb));
    add(wanted.kernel.path);
    add(wanted.kernel.function);
    add(wanted.shape);
    add(wanted.verb == SweepVerb::optimize ? plan.effort : "");
    text += "\n";
    text += (wanted.at_base ? before : here).fingerprint(wanted.kernel.path) + "\n";
    text += wanted.gpu + " " + hash_of(wanted.gpu) + "\n";
    if (wanted.verb == SweepVerb::audit) text += before.fingerprint(wanted.kernel.path) + "\n";
    return key_of(text);
  }

  PlanOptions options;
  Plan plan;
  Closures here;
  Closures before;
  std::map<KernelFile, std::uint32_t> kernels;
  std::unordered_map<std::string, std::uint32_t> shapes;
  std::unordered_map<std::string, std::uint32_t> gpus;
  std::map<std::string, std::string> gpu_hashes;
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key.low; }
  };
  std::array<std::unordered_set<Key, KeyHash>, 2> seen;  ///< of the working tree, of the base
};

PlanBuilder::PlanBuilder(const Spec& spec, const PlanOptions& options)
    : state_(std::make_unique<State>(spec, options)) {}

PlanBuilder::~PlanBuilder() = default;

void PlanBuilder::add(const Wanted& wanted) {
  State& state = *state_;
  const Key key = state.key_for(wanted);
  if (!state.seen.at(wanted.at_base ? 1 : 0).insert(key).second) return;
  if (state.plan.units.size() == kMostUnits)
    throw Error(fmt::format("a sweep has at most {} units", with_separators(kMostUnits)),
                "split it into several specs");
  Plan& plan = state.plan;
  plan.units.push_back({State::place(wanted.kernel, state.kernels, plan.kernels),
                        State::place(wanted.shape, state.shapes, plan.shapes),
                        State::place(wanted.gpu, state.gpus, plan.gpus), wanted.verb,
                        wanted.at_base, key});
}

Plan PlanBuilder::finish() {
  std::string all;
  all.reserve(state_->plan.units.size() * 2 * sizeof(std::uint64_t));
  for (const Unit& unit : state_->plan.units)
    for (const std::uint64_t half : {unit.key.high, unit.key.low})
      all.append(reinterpret_cast<const char*>(&half), sizeof half);
  state_->plan.key = key_of(all);
  return std::move(state_->plan);
}

SweepRow Plan::row(const Unit& unit) const {
  SweepRow row;
  row.verb = verb_text(unit.verb);
  row.job = kernel(unit).path;
  row.function = kernel(unit).function;
  row.shape = shapes[unit.shape];
  row.gpu = gpus[unit.gpu];
  row.at_base = unit.at_base;
  return row;
}

Plan make_plan(const Spec& spec, const PlanOptions& options) {
  PlanBuilder builder(spec, options);
  std::vector<std::string> versions;
  for (const KernelGroup& group : spec.groups) {
    const std::vector<std::string>& gpus = group.gpus.empty() ? spec.gpus : group.gpus;
    const std::vector<SweepVerb>& verbs = group.verbs.empty() ? spec.verbs : group.verbs;
    const std::vector<std::string> own = {""};
    for (const SweepVerb verb : verbs) {
      if (takes_gpu(verb) && gpus.empty())
        throw Error(fmt::format("{} needs a GPU, and the sweep names none", verb_text(verb)),
                    fmt::format("add --gpu NAME or gpus = [...]; known: {}",
                                fmt::join(config::known_gpus(), " ")));
      if (verb == SweepVerb::audit && options.base_root.empty())
        throw Error("audit compares with a revision, but the sweep names none",
                    "add --base REV or base = \"REV\"");
    }
    for (const KernelFile& kernel : find_kernels(spec.root, group.paths, spec.except, &versions)) {
      const bool is_table = kernel.kind == KernelFile::Kind::table;
      for (const std::string& shape : group.shapes.empty() || is_table ? own : group.shapes)
        for (const SweepVerb verb : verbs) {
          if (is_table != (verb == SweepVerb::validate)) continue;
          for (const std::string& gpu : takes_gpu(verb) ? gpus : own)
            builder.add({kernel, shape, gpu, verb, false});
        }
    }
  }
  Plan plan = builder.finish();
  std::ranges::sort(versions);
  const auto repeated = std::ranges::unique(versions);
  versions.erase(repeated.begin(), repeated.end());
  // Another group may name them.
  std::erase_if(versions, [&](const std::string& path) {
    return std::ranges::find(plan.kernels, path, &KernelFile::path) != plan.kernels.end();
  });
  plan.versions = std::move(versions);
  if (plan.units.empty())
    throw Error("nothing to do: no verb of the sweep fits its files",
                "validate takes .csv tables, the other verbs jobs and kernels");
  return plan;
}

}  // namespace heddle::sweep
