#include "kernel/triton/host/launch_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr int kMostPasses = 10;

/// A test or benchmark says sizes, flags and texts.
Knowledge taught_by(const Caller& caller) {
  Knowledge knowledge;
  for (const auto& [name, value] : caller.parameters) {
    Fact& fact = knowledge.facts[name];
    if (const auto* flag = value.as<bool>())
      fact.flag = *flag;
    else if (const auto* text = value.as<std::string>())
      fact.text = *text;
    else if (const auto* type = value.as<DTypeName>())
      fact.dtype = type->name;
    else if (value.is_none())
      fact.is_none = true;
    if (const auto* number = value.as<Number>(); number != nullptr && !number->is_real) {
      fact.is_number = true;
      knowledge.sizes[name] = {number->whole,
                               place_text({caller.function.module->path, caller.lines.at(name)})};
    }
  }
  return knowledge;
}

/// A flag, or one of a few values that the kernel compares it with.
bool is_choice(const ParameterUse& use) {
  return !use.is_bound && (use.is_flag || !use.texts.empty() || !use.numbers.empty());
}

}  // namespace

std::optional<FoundLaunch> LaunchSearch::follow(const HostFunction& site, Knowledge knowledge,
                                                bool opens_flags) {
  FoundLaunch found;
  found.path = source_.main().path;
  found.knowledge = std::make_unique<Knowledge>(std::move(knowledge));
  Knowledge& known = *found.knowledge;
  known.is_matrix = parameters_.has("M") && parameters_.has("N");
  const auto pass = [&] {
    auto interpreter = std::make_unique<Interpreter>(source_, kernel_, known, effort_);
    interpreter->opens_flags = opens_flags;
    interpreter->follow(*site.module, *site.function, site.owner);
    return interpreter;
  };
  try {
    for (int turn = 0; turn < kMostPasses; ++turn) {
      const int before = known.changes;
      const auto interpreter = pass();
      if (!interpreter->launches.empty()) teach(*interpreter);
      if (known.changes == before) break;
    }
    // Once more, with what is known now.
    found.host = pass();
  } catch (const Error&) {
    return std::nullopt;
  }
  if (found.host->launches.empty()) return std::nullopt;
  found.record = *std::ranges::min_element(found.host->launches, {},
                                           [&](const LaunchRecord& one) { return misfit(one); });
  found.is_known = true;
  return found;
}

FoundLaunch LaunchSearch::run() {
  std::optional<FoundLaunch> best;
  const auto fits = [&](std::optional<FoundLaunch> found) {
    if (found && (!best || misfit(found->record) < misfit(best->record))) best = std::move(found);
    return best && misfit(best->record) == 0;
  };
  for (const Caller& caller : find_callers(source_, source_.main(), kernel_, effort_))
    if (auto found = follow(caller.function, taught_by(caller)); found && !is_vague(found->record))
      if (fits(std::move(found))) return std::move(*best);
  const std::vector<HostFunction> sites = find_launch_sites(source_, kernel_.text);
  for (const HostFunction& site : sites)
    if (fits(follow(site, {}))) return std::move(*best);
  if (!best)
    for (const HostFunction& site : sites)
      if (fits(follow(site, {}, true))) return std::move(*best);
  return best ? std::move(*best) : stand_in();
}

/// How many parameters a launch leaves out, or gives a number where the kernel points with it: code
/// that was left behind calls kernels that have changed.
std::size_t LaunchSearch::misfit(const LaunchRecord& record) const {
  std::size_t result = record.positional.size() > parameters_.entries.size() ? 1U : 0U;
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i) {
    const SignatureEntry& entry = parameters_.entries[i];
    const Value* value = parameters_.given(record, i);
    const bool is_left_out =
        value == nullptr && entry.default_value == nullptr && !is_one_of(entry.name, set_);
    if (is_left_out ||
        (value != nullptr && value->as<Number>() != nullptr && parameters_.is_pointer(entry)))
      ++result;
  }
  return result;
}

/// No launch is known: every parameter stands for itself.
FoundLaunch LaunchSearch::stand_in() {
  FoundLaunch found;
  found.knowledge = std::make_unique<Knowledge>();
  for (int turn = 0; turn < 3; ++turn) {
    found.host = std::make_unique<Interpreter>(source_, kernel_, *found.knowledge, effort_);
    LaunchRecord record;
    for (const SignatureEntry& entry : parameters_.entries)
      if (entry.default_value == nullptr && !is_one_of(entry.name, set_))
        record.keywords.emplace_back(entry.name, found.host->resolve(Value{Unknown{entry.name}}));
    found.host->launches = {record};
    teach(*found.host);
    found.record = record;
  }
  return found;
}

/// Whether a caller says no more than the launch itself: a tensor's shape is not known.
bool LaunchSearch::is_vague(const LaunchRecord& record) const {
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i)
    if (const Value* value = parameters_.given(record, i))
      if (const TensorPointer tensor = tensor_in(*value);
          tensor != nullptr && (!tensor->rank_known || tensor->shape.empty()))
        return true;
  return false;
}

/// X + row * stride_x + tl.arange(...), of which x.stride(0) alone is passed: x has one axis more. One
/// whose last stride the kernel leaves out has not. K + ... * q.stride(3) has as many axes as q.
void LaunchSearch::learn_lane(Interpreter& host, const LaunchRecord& record, const Value& value,
                              const ParameterUse& use) const {
  const TensorPointer tensor = value.tensor();
  if (tensor == nullptr || tensor->key.empty()) return;
  const Fact* fact = host.fact(tensor->key);
  const int strides = fact == nullptr ? 0 : fact->first_strides;
  const std::string own = fmt::format("\x01{}.stride(", tensor->id);
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i) {
    const Value* other = parameters_.given(record, i);
    const auto* stride = other == nullptr ? nullptr : other->as<Number>();
    if (stride == nullptr || use.factors.count(parameters_.entries[i].name) == 0) continue;
    const std::size_t at = stride->text.find(".stride(");
    if (!stride->text.starts_with("\x01") || at == std::string::npos) continue;
    const auto axis = parse_integer(stride->text.substr(at + 8, stride->text.size() - at - 9));
    if (!axis || *axis > 7) continue;
    if (!stride->text.starts_with(own))
      host.learn_tensor(Value{Unknown{tensor->key}}, static_cast<int>(*axis) + 1);
    else if (use.has_lane && *axis + 1 == strides)
      host.learn(Value{Unknown{tensor->key}}, [](Fact& one) { one.has_lane = true; });
  }
}

/// What the kernel does with its parameters says what unknown arguments are.
void LaunchSearch::teach(Interpreter& host) const {
  for (const LaunchRecord& record : host.launches)
    for (std::size_t i = 0; i < parameters_.entries.size(); ++i) {
      const SignatureEntry& entry = parameters_.entries[i];
      const Value* value = parameters_.given(record, i);
      if (value == nullptr) continue;
      const ParameterUse& use = parameters_.use(entry);
      if (const TensorPointer tensor = value->tensor(); tensor != nullptr && !tensor->key.empty())
        if (use.holds_integers && tensor->dtype.empty())
          host.learn(Value{Unknown{tensor->key}},
                     [&](Fact& fact) { fact.dtype = use.integer_type(); });
      learn_lane(host, record, *value, use);
      if (const auto* number = value->as<Number>();
          number != nullptr && parameters_.is_pointer(entry) && use.is_pointer)
        host.learn_tensor(Value{Unknown{number->text}});
      if (const auto* number = value->as<Number>()) host.name_size(*number, entry.name);
      if (!value->is_unknown()) continue;
      if (parameters_.is_pointer(entry))
        host.learn_tensor(*value);
      else if (!is_choice(use) && !use.is_type)
        host.learn_number(*value);
    }
}

}  // namespace heddle::kernel::triton::host
