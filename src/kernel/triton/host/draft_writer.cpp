#include "kernel/triton/host/draft_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "config/dtype.h"
#include "kernel/triton/host/hooks.h"
#include "kernel/triton/host/likely.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

/// "a" of a_ptr, AP, A: what strides of it may be called after.
std::string stem(const std::string& pointer) {
  std::string lowered = lower_case(pointer);
  for (const std::string_view ending : {"_ptrs", "_ptr", "ptr", "_pointer"})
    if (lowered.ends_with(ending) && lowered.size() > ending.size()) {
      lowered.resize(lowered.size() - ending.size());
      break;
    }
  return lowered;
}

/// Whether a stride of that name, in small letters, may belong to a tensor of that stem.
bool is_stride_of(const std::string& stride, const std::string& name) {
  return stride.starts_with("stride_" + name) || stride.starts_with("stride" + name) ||
         (stride.starts_with(name + "_") && stride.ends_with("stride"));
}

/// A text as an expression of a job.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

bool is_constexpr_value(const Value& value) {
  return value.as<std::string>() != nullptr || value.as<DTypeName>() != nullptr;
}

/// Of a guess: the values behind the first, as a job writes them.
std::vector<std::string> others_of(const std::vector<std::string>& values, bool is_text) {
  std::vector<std::string> result;
  for (std::size_t i = 1; i < values.size() && i <= 8; ++i)
    result.push_back(is_text ? quoted(values[i]) : values[i]);
  return result;
}

/// "float16" of heddle's "fp16".
std::string language_name(const std::string& dtype) {
  const auto type = config::dtype_from_text(dtype);
  return type ? std::string(config::language_text(*type)) : dtype;
}

/// The number of blocks along each axis.
constexpr std::array<const char*, 3> kGuessedGrid = {"64", "4", "2"};

/// One more than the last axis whose program_id the kernel itself asks for.
std::size_t axes_of(const Node& node) {
  std::size_t axes = 1;
  if (node.is("Call") && node.at("func").text == "program_id") {
    std::vector<const Node*> given;
    for (const Node& argument : node.list("args")) given.push_back(&argument);
    for (const Node& keyword : node.list("keywords")) given.push_back(&keyword.at("value"));
    for (const Node* one : given) {
      if (one->text == "0x1") axes = std::max<std::size_t>(axes, 2);
      if (one->text == "0x2") axes = 3;
    }
  }
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) axes = std::max(axes, axes_of(child));
  return axes;
}

}  // namespace

DraftWriter::DraftWriter(config::JobDraft& draft, FoundLaunch& launch,
                         const KernelParameters& parameters, const Dict& config,
                         const Module& module)
    : draft_(draft),
      launch_(launch),
      parameters_(parameters),
      config_(config),
      module_(module),
      sizes_(launch) {}

void DraftWriter::run(const Node& kernel) {
  if (launch_.is_known) {
    draft_.launch = place_text(launch_.record.origin);
    draft_.launch_line = launch_.record.origin.line;
    draft_.launched_here = launch_.record.origin.file == launch_.path;
    for (const auto& [origin, truth] : launch_.host->choices)
      draft_.choices.emplace_back(place_text(origin), truth);
  }
  name_tensors();
  if (!launch_.is_known) guess_strides();
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i) {
    const SignatureEntry& entry = parameters_.entries[i];
    const Value* value = parameters_.given(launch_.record, i);
    if (value == nullptr)
      add_missing(entry);
    else if (entry.is_constexpr || is_constexpr_value(*value))
      add_constexpr(entry, *value);
    else
      add_argument(entry, *value);
  }
  name_targets();
  run_hook(kernel);
  add_launch_value("num_warps", "warps");
  add_launch_value("num_stages", "stages");
  write_grid(kernel);
  sizes_.write(draft_, parameters_, config_);
}

void DraftWriter::name_tensors() {
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i)
    if (const Value* value = parameters_.given(launch_.record, i))
      if (const TensorPointer tensor = tensor_in(*value))
        sizes_.tensors.try_emplace(tensor->id, parameters_.entries[i].name);
}

void DraftWriter::add_launch_value(const char* keyword, const char* name) {
  for (const auto& [key, value] : launch_.record.keywords)
    if (key == keyword && value.number() && value.number()->whole > 0)
      draft_.launch_values.emplace_back(
          name, config::DraftValue{fmt::format("{}", value.number()->whole), draft_.launch});
}

/// Where no launch gives them: stride_am, stride_ak -> a_ptr.stride(0), a_ptr.stride(1).
void DraftWriter::guess_strides() {
  std::map<std::string, std::string> families;  // by the tensor that has one
  for (const SignatureEntry& entry : parameters_.entries) {
    if (entry.is_constexpr || !is_stride_name(entry.name)) continue;
    const std::string low = lower_case(entry.name);
    const SignatureEntry* owner = nullptr;
    std::size_t longest = 0;
    for (const SignatureEntry& other : parameters_.entries) {
      if (other.is_constexpr || !parameters_.is_pointer(other)) continue;
      const std::string name = stem(other.name);
      if (!is_stride_of(low, name) || name.size() <= longest) continue;
      owner = &other;
      longest = name.size();
    }
    // stride_qb is of q, and stride_qsb of the next tensor, q_scale.
    const std::string family = family_of_stride(low);
    const auto has_other = [&](const SignatureEntry& one) {
      const auto known = families.find(one.name);
      return known != families.end() && known->second != family;
    };
    if (owner != nullptr && has_other(*owner)) {
      const std::string name = stem(owner->name);
      const auto next = std::ranges::find_if(parameters_.entries, [&](const SignatureEntry& one) {
        return !one.is_constexpr && parameters_.is_pointer(one) && !has_other(one) &&
               stem(one.name).starts_with(name);
      });
      if (next != parameters_.entries.end()) owner = &*next;
    }
    if (owner == nullptr) owner = likely_owner(family, families);
    if (owner != nullptr) families.try_emplace(owner->name, family);
    if (owner != nullptr)
      strides_[entry.name] = fmt::format("{}.stride({})", owner->name, ranks_[owner->name]++);
  }
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i) {
    const auto rank = ranks_.find(parameters_.entries[i].name);
    const Value* value = parameters_.given(launch_.record, i);
    if (rank != ranks_.end() && value != nullptr && value->tensor() != nullptr)
      launch_.host->axis(value->tensor(), rank->second - 1);
  }
}

/// stride_obs is of Out: the only tensor that begins so and whose strides are not called otherwise.
const SignatureEntry* DraftWriter::likely_owner(
    const std::string& family, const std::map<std::string, std::string>& families) const {
  constexpr std::string_view kStart = "stride_";
  if (!family.starts_with(kStart) || family.size() != kStart.size() + 1) return nullptr;
  const SignatureEntry* found = nullptr;
  for (const SignatureEntry& one : parameters_.entries) {
    const auto known = families.find(one.name);
    const bool is_free = known == families.end() || known->second == family;
    if (one.is_constexpr || !parameters_.is_pointer(one) || !is_free ||
        lower_case(one.name).front() != family.back())
      continue;
    if (found != nullptr) return nullptr;
    found = &one;
  }
  return found;
}

/// By a decorator: its value is not the job's to give.
bool DraftWriter::is_set(const std::string& name) const {
  const auto is_it = [&](const auto& one) { return one.first == name; };
  return std::ranges::any_of(draft_.set, is_it) || std::ranges::any_of(config_, is_it);
}

/// A parameter that the launch does not give.
void DraftWriter::add_missing(const SignatureEntry& entry) {
  if (is_set(entry.name) || entry.default_value != nullptr) return;
  const Value unknown{Unknown{entry.name}};
  if (entry.is_constexpr && !parameters_.is_pointer(entry)) return add_constexpr(entry, unknown);
  add_argument(entry, unknown);
}

/// A value that stands in the job as it is; nothing: it is a tensor, or not known.
std::optional<config::DraftValue> DraftWriter::plain(const SignatureEntry& entry,
                                                     const Value& value) {
  const std::string& where = draft_.launch;
  if (value.is_none()) return config::DraftValue{"None", where};
  if (value.list() != nullptr) return config::DraftValue{list_text(*value.list()), where};
  if (const auto* flag = value.as<bool>())
    return config::DraftValue{*flag ? "True" : "False", where};
  if (const auto number = value.number()) return sizes_.value(entry.name, *number, where);
  return std::nullopt;
}

/// scale=None, which host code replaces where it is followed no further: a number by its name, that
/// the kernel does not ask for.
bool DraftWriter::is_left_out(const SignatureEntry& entry, const Value& value) const {
  const ParameterUse& use = parameters_.use(entry);
  return value.is_none() && likely_number(entry.name).is_real && !parameters_.is_pointer(entry) &&
         !use.is_compared && !use.is_flag;
}

void DraftWriter::add_argument(const SignatureEntry& entry, const Value& value) {
  if (const auto* descriptor = value.as<DescriptorOf>())
    return add_tensor(entry, descriptor->tensor, block_of(entry, *descriptor), draft_.launch);
  const bool is_number = KernelParameters::is_number(entry);
  if (const TensorPointer tensor = is_number ? nullptr : value.tensor()) {
    const std::string& first = sizes_.tensors[tensor->id];
    if (first == entry.name || draft_.tensor(first) == nullptr)
      return add_tensor(entry, tensor, default_block(entry, *tensor), draft_.launch);
    draft_.scalars.emplace_back(entry.name, config::DraftValue{first, draft_.launch});
    return;
  }
  if (strides_.count(entry.name) != 0) {
    draft_.scalars.emplace_back(entry.name,
                                config::DraftValue{strides_.at(entry.name), "guess: by its name"});
    return;
  }
  if (auto known = is_left_out(entry, value) ? std::nullopt : plain(entry, value)) {
    draft_.scalars.emplace_back(entry.name, std::move(*known));
  } else if (parameters_.is_pointer(entry)) {
    const TensorPointer tensor = launch_.host->tensor_of(Value{Unknown{entry.name}});
    if (tensor == nullptr) return;
    if (ranks_.count(entry.name) != 0) launch_.host->axis(tensor, ranks_[entry.name] - 1);
    add_tensor(entry, tensor, default_block(entry, *tensor), {});
  } else {
    draft_.scalars.emplace_back(
        entry.name, config::DraftValue{likely_number(entry.name).written(), "guess: by its name"});
  }
}

std::string DraftWriter::list_text(const List& list) {
  std::vector<std::string> parts;
  for (const Value& item : list.items) {
    const TensorPointer tensor = item.tensor();
    if (tensor != nullptr && sizes_.tensors.count(tensor->id) != 0)
      parts.push_back(sizes_.tensors[tensor->id]);
    else
      parts.push_back(item.number()    ? sizes_.written(*item.number())
                      : item.is_none() ? "None"
                                       : "0");
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// Of a constexpr that no code gives.
config::DraftValue DraftWriter::guess(const SignatureEntry& entry) const {
  const ParameterUse& use = parameters_.use(entry);
  const char* compared = "guess: the first that the kernel compares it with";
  if (!use.texts.empty()) return {quoted(use.texts.front()), compared, others_of(use.texts, true)};
  if (use.is_type || lower_case(entry.name).find("dtype") != std::string::npos)
    return {"tl.float16", "guess: it is a type"};
  if (use.is_flag && !use.is_bound) return {"False", "guess: it is a flag", {"True"}};
  if (!use.numbers.empty() && !use.is_bound) {
    std::vector<std::string> others = others_of(use.numbers, false);
    others.push_back(likely_number(entry.name).written());
    return {use.numbers.front(), compared, std::move(others)};
  }
  return {likely_number(entry.name).written(), "guess: by its name"};
}

void DraftWriter::add_constexpr(const SignatureEntry& entry, const Value& value) {
  auto& list = entry.is_constexpr || is_constexpr_value(value) ? draft_.constexprs : draft_.scalars;
  if (const auto* text = value.as<std::string>()) {
    list.emplace_back(entry.name, config::DraftValue{quoted(*text), draft_.launch});
  } else if (const auto* type = value.as<DTypeName>()) {
    const std::string dtype = dtype_of(type->name);
    list.emplace_back(entry.name,
                      dtype.empty() ? config::DraftValue{"tl.float16", "guess: it is a type"}
                                    : config::DraftValue{fmt::format("tl.{}", language_name(dtype)),
                                                         draft_.launch});
  } else if (auto known = plain(entry, value)) {
    list.emplace_back(entry.name, std::move(*known));
  } else if (parameters_.is_pointer(entry)) {
    add_argument(entry, value);
  } else {
    list.emplace_back(entry.name, guess(entry));
  }
}

/// What a grid's function of META can ask for.
Dict DraftWriter::meta() const {
  Dict result = config_;
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i) {
    const std::string& name = parameters_.entries[i].name;
    const Value* value = parameters_.given(launch_.record, i);
    const config::DraftValue* held = draft_.constexpr_value(name);
    if (held == nullptr) held = draft_.scalar(name);
    if (held == nullptr) continue;
    if (value != nullptr && value->number()) {
      Number named = *value->number();
      named.text = name;
      result.emplace_back(name, Value{named});
    } else if (value != nullptr && !value->is_unknown()) {
      result.emplace_back(name, *value);
    } else if (const auto number = parse_integer(held->text)) {
      result.emplace_back(name, Value{Number::of(*number, name)});
    }
  }
  return result;
}

/// What runs before the launch, for the blocks that it gives descriptors.
void DraftWriter::run_hook(const Node& kernel) {
  const Node* hook = find_pre_hook(module_, kernel);
  if (hook == nullptr) return;
  Dict arguments = meta();
  std::vector<std::pair<const SignatureEntry*, const DescriptorOf*>> descriptors;
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i) {
    const Value* value = parameters_.given(launch_.record, i);
    const auto* descriptor = value == nullptr ? nullptr : value->as<DescriptorOf>();
    if (descriptor == nullptr) continue;
    arguments.emplace_back(parameters_.entries[i].name, *value);
    descriptors.emplace_back(&parameters_.entries[i], descriptor);
  }
  if (descriptors.empty()) return;
  Interpreter& host = *launch_.host;
  host.call_value(host.evaluate_at(module_, *hook), {host.heap().dict(std::move(arguments))}, {},
                  kernel);
  for (const auto& [entry, descriptor] : descriptors) {
    config::DraftTensor* tensor = draft_.tensor(entry->name);
    if (tensor == nullptr) continue;
    tensor->block.clear();
    for (const Number& extent : block_of(*entry, *descriptor))
      tensor->block.push_back(sizes_.written(extent));
  }
}

/// NUM_SMS: how many blocks a persistent kernel is launched with; empty: it has no such parameter.
std::string DraftWriter::blocks_parameter() const {
  for (const SignatureEntry& entry : parameters_.entries) {
    const std::string low = lower_case(entry.name);
    const bool is_it =
        low == "num_sms" || low == "num_sm" || low == "num_cus" || low == "num_programs";
    const config::DraftValue* held = draft_.constexpr_value(entry.name);
    if (held == nullptr) held = draft_.scalar(entry.name);
    if (is_it && (held != nullptr || is_set(entry.name))) return entry.name;
  }
  return {};
}

void DraftWriter::write_grid(const Node& kernel) {
  Value grid = launch_.record.grid;
  if (grid.as<Function>() != nullptr)
    grid = launch_.host->call_value(grid, {launch_.host->heap().dict(meta())}, {}, kernel);
  Values items;
  if (grid.list() != nullptr && grid.list()->shape_of == nullptr)
    items = Values(grid.list()->items);
  else if (grid.number())
    items = {grid};
  if (items.size() > 3) items.resize(3);
  const auto is_known = [](const Value& item) {
    return item.number() && item.number()->value() >= 1;
  };
  if (std::ranges::none_of(items, is_known)) items.resize(std::max(items.size(), axes_of(kernel)));
  const std::string blocks = blocks_parameter();
  std::vector<std::string> guessed;
  for (std::size_t axis = 0; axis < items.size(); ++axis) {
    if (!is_known(items[axis])) guessed.push_back(fmt::format("{}", axis));
    draft_.grid.push_back(is_known(items[axis])          ? sizes_.written(*items[axis].number())
                          : axis == 0 && !blocks.empty() ? blocks
                                                         : kGuessedGrid[axis]);
  }
  draft_.grid_remark = draft_.launch;
  if (guessed.size() == items.size())
    draft_.grid_remark = "guess: no launch says it";
  else if (!guessed.empty())
    draft_.grid_remark =
        fmt::format("{}; axis {} is a guess", draft_.launch, fmt::join(guessed, ", "));
}

}  // namespace heddle::kernel::triton::host
