#include "kernel/triton/host/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kernel/triton/compile.h"
#include "kernel/triton/host/callers.h"
#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/launch_sites.h"
#include "kernel/triton/host/likely.h"
#include "kernel/triton/host/parameter_uses.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr int kMostPasses = 10;

std::string place_text(const Origin& origin) {
  if (origin.file.empty()) return {};
  return fmt::format("{}:{}", std::filesystem::path(origin.file).filename().string(), origin.line);
}

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

/// A reason that is a place is no guess.
std::string size_remark(const std::string& reason) {
  return reason.find(".py:") != std::string::npos ? reason : "guess: " + reason;
}

bool is_stride_name(const std::string& name) {
  const std::string low = lower_case(name);
  return low.starts_with("stride") || low.ends_with("stride") ||
         low.find("_stride_") != std::string::npos;
}

class Inference {
 public:
  Inference(TritonSource& source, const std::string& function)
      : source_(source), kernel_(source.kernel(function)), parameters_(signature(kernel_)) {
    uses_ = parameter_uses(source, source.main(), kernel_);
    for (const SignatureEntry& entry : parameters_) uses_.try_emplace(entry.name);
  }

  config::JobDraft run() {
    draft_.function = kernel_.text;
    read_config();
    find_launch();
    bind();
    write_grid();
    write_sizes();
    return std::move(draft_);
  }

 private:
  // What the decorators set, the first config's values among it.
  void read_config() {
    for (const auto& [name, configs] : tuned_names(source_, kernel_)) {
      set_names_.push_back(name);
      draft_.set.emplace_back(name, configs > 0 ? "its autotune config" : "@triton.heuristics");
    }
    const auto configs = listed_configs(source_, kernel_.text);
    if (configs.empty()) return;
    draft_.config =
        config::DraftValue{"0", fmt::format("the first of {} of @triton.autotune", configs.size())};
    for (const config::NamedValue& one : configs.front()) {
      if (const auto* number = std::get_if<std::int64_t>(&one.value.data))
        config_values_.emplace_back(one.name, Value{Number::of(*number, one.name)});
      else if (const auto* flag = std::get_if<bool>(&one.value.data))
        config_values_.emplace_back(one.name, Value{*flag});
    }
  }

  /// A test or benchmark says sizes, flags and texts.
  static Knowledge taught_by(const Caller& caller) {
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

  bool follow(const HostFunction& site, Knowledge knowledge = {}) {
    std::unique_ptr<Interpreter> last;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      const int before = knowledge.changes;
      auto interpreter = std::make_unique<Interpreter>(source_, kernel_, knowledge);
      try {
        interpreter->follow(*site.module, *site.function, site.owner);
      } catch (const Error&) {
        return false;
      }
      last = std::move(interpreter);
      if (last->launches.empty()) {
        if (knowledge.changes == before) return false;
        continue;
      }
      teach(*last);
      if (knowledge.changes == before) break;
    }
    if (last == nullptr || last->launches.empty()) return false;
    knowledge_ = std::move(knowledge);
    site_ = site;
    // Once more, with what is known now and kept here.
    host_ = std::make_unique<Interpreter>(source_, kernel_, knowledge_);
    host_->follow(*site.module, *site.function, site.owner);
    if (host_->launches.empty()) return false;
    record_ = host_->launches.front();
    return true;
  }

  void find_launch() {
    for (const Caller& caller : find_callers(source_, source_.main(), kernel_))
      if (!record_ && follow(caller.function, taught_by(caller)) && !is_vague())
        break;
      else
        record_.reset();
    if (!record_)
      for (const HostFunction& site : find_launch_sites(source_, kernel_.text))
        if (follow(site)) break;
    if (record_) {
      draft_.launch = place_text(record_->origin);
      return;
    }
    // None is known: every parameter stands for itself.
    knowledge_ = {};
    for (int pass = 0; pass < 3; ++pass) {
      host_ = std::make_unique<Interpreter>(source_, kernel_, knowledge_);
      LaunchRecord record;
      for (const SignatureEntry& entry : parameters_)
        if (entry.default_value == nullptr && !is_one_of(entry.name, set_names_))
          record.keywords.emplace_back(entry.name, host_->resolve(Value{Unknown{entry.name}}));
      host_->launches = {record};
      teach(*host_);
      record_ = record;
    }
  }

  /// Whether a caller says no more than the launch itself: a tensor's shape is not known.
  bool is_vague() const {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (const Value* value = given(*record_, i))
        if (const TensorPointer tensor = tensor_in(*value);
            tensor != nullptr && (!tensor->rank_known || tensor->shape.empty()))
          return true;
    return false;
  }

  /// The argument that a launch gives a parameter; null: none.
  const Value* given(const LaunchRecord& record, std::size_t index) const {
    const std::string& name = parameters_[index].name;
    for (const auto& [key, value] : record.keywords)
      if (key == name) return &value;
    return index < record.positional.size() ? &record.positional[index] : nullptr;
  }

  /// What the kernel does with its parameters says what unknown arguments are.
  void teach(Interpreter& host) {
    for (const LaunchRecord& record : host.launches)
      for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const Value* value = given(record, i);
        if (value == nullptr) continue;
        const ParameterUse& use = uses_.at(parameters_[i].name);
        if (const TensorPointer tensor = value->tensor(); tensor != nullptr && !tensor->key.empty())
          if (use.holds_integers && tensor->dtype.empty())
            host.learn(Value{Unknown{tensor->key}},
                       [&](Fact& fact) { fact.dtype = integer_type(parameters_[i].name, use); });
        if (const auto* number = value->as<Number>();
            number != nullptr && is_pointer(parameters_[i]) && use.is_pointer)
          host.learn_tensor(Value{Unknown{number->text}});
        if (!value->is_unknown()) continue;
        if (is_pointer(parameters_[i])) {
          host.learn_tensor(*value);
        } else if (!is_choice(use) && !use.is_type) {
          host.learn_number(*value);
        }
      }
  }

  /// A flag, or one of a few values that the kernel compares it with.
  static bool is_choice(const ParameterUse& use) {
    return !use.is_bound && (use.is_flag || !use.texts.empty() || !use.numbers.empty());
  }

  static std::string integer_type(const std::string& name, const ParameterUse& use) {
    const std::string low = lower_case(name);
    if (use.is_pointer_table) return "int64";
    if (use.holds_bits && low.find("packed") != std::string::npos) return "int32";
    return "int32";
  }

  bool is_pointer(const SignatureEntry& entry) const {
    const ParameterUse& use = uses_.at(entry.name);
    if (use.is_pointer || use.is_descriptor) return true;
    if (entry.is_constexpr) return false;
    const std::string low = lower_case(entry.name);
    return low.ends_with("_ptr") || low.ends_with("_ptrs") || low.ends_with("_desc");
  }

  void bind() {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (const Value* value = given(*record_, i))
        if (const TensorPointer tensor = tensor_in(*value))
          names_.try_emplace(tensor->id, parameters_[i].name);
    guess_strides();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const SignatureEntry& entry = parameters_[i];
      const Value* value = given(*record_, i);
      if (value == nullptr) {
        add_missing(entry);
      } else if (entry.is_constexpr || is_constexpr_value(*value)) {
        add_constexpr(entry, *value);
      } else {
        add_argument(entry, *value);
      }
    }
    const auto launch_value = [&](const char* key, const char* name) {
      for (const auto& [keyword, value] : record_->keywords)
        if (keyword == key && value.number() && value.number()->whole > 0)
          draft_.launch_values.emplace_back(
              name, config::DraftValue{fmt::format("{}", value.number()->whole), draft_.launch});
    };
    launch_value("num_warps", "warps");
    launch_value("num_stages", "stages");
  }

  static TensorPointer tensor_in(const Value& value) {
    if (const auto* descriptor = value.as<DescriptorOf>()) return descriptor->tensor;
    return value.tensor();
  }

  static bool is_constexpr_value(const Value& value) {
    return value.as<std::string>() != nullptr || value.as<DTypeName>() != nullptr;
  }

  /// Where no launch gives them: stride_am, stride_ak -> a_ptr.stride(0), a_ptr.stride(1).
  void guess_strides() {
    if (!draft_.launch.empty()) return;
    std::map<std::string, int> ranks;
    for (const SignatureEntry& entry : parameters_) {
      if (entry.is_constexpr || !is_stride_name(entry.name)) continue;
      const std::string low = lower_case(entry.name);
      const SignatureEntry* owner = nullptr;
      std::size_t longest = 0;
      for (const SignatureEntry& other : parameters_) {
        if (other.is_constexpr || !is_pointer(other)) continue;
        const std::string name = stem(other.name);
        const bool named = low.starts_with("stride_" + name) || low.starts_with("stride" + name) ||
                           (low.starts_with(name + "_") && low.ends_with("stride"));
        if (!named || name.size() <= longest) continue;
        owner = &other;
        longest = name.size();
      }
      if (owner == nullptr) continue;
      strides_[entry.name] = fmt::format("{}.stride({})", owner->name, ranks[owner->name]++);
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto rank = ranks.find(parameters_[i].name);
      const Value* value = given(*record_, i);
      if (rank == ranks.end() || value == nullptr) continue;
      ranks_[rank->first] = rank->second;
      if (value->tensor() != nullptr) host_->axis(value->tensor(), rank->second - 1);
    }
  }

  /// A parameter that the launch does not give.
  void add_missing(const SignatureEntry& entry) {
    if (is_one_of(entry.name, set_names_)) return;
    for (const auto& [name, value] : config_values_)
      if (name == entry.name) return;
    if (entry.default_value != nullptr) return;
    if (is_stride_name(entry.name) && strides_.count(entry.name) != 0)
      return add_argument(entry, Value{Unknown{entry.name}});
    if (is_pointer(entry)) return add_argument(entry, Value{Unknown{entry.name}});
    if (entry.is_constexpr) return add_constexpr(entry, Value{Unknown{entry.name}});
    add_argument(entry, Value{Unknown{entry.name}});
  }

  /// The text without references to tensors that are no arguments.
  std::string expression(const Number& number) const {
    std::string text = number.text;
    for (std::size_t at = text.find('\x01'); at != std::string::npos; at = text.find('\x01')) {
      const std::size_t dot = text.find('.', at);
      const auto id =
          parse_integer(text.substr(at + 1, dot == std::string::npos ? 0 : dot - at - 1));
      const auto found = id ? names_.find(static_cast<int>(*id)) : names_.end();
      if (found == names_.end())
        return Number{number.real, number.whole, number.is_real, {}}.written();
      text.replace(at, dot - at, found->second);
    }
    if (text.find('\x02') != std::string::npos) text.clear();
    if (text.empty()) return Number{number.real, number.whole, number.is_real, {}}.written();
    return text;
  }

  void use_sizes(const Number& number) {
    // Every size that the text names is needed.
    std::string word;
    for (const char c : number.text + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
        continue;
      }
      if (host_->sizes().count(word) != 0) needed_.insert(word);
      word.clear();
    }
  }

  std::string written(const Number& number) {
    const std::string text = expression(number);
    if (text.find('(') != std::string::npos || !number.text.empty())
      use_sizes(Number{0, 0, false, text});
    return text;
  }

  std::string dtype_of(const Tensor& tensor, int depth = 0) const {
    if (!tensor.dtype.starts_with("\x01")) return tensor.dtype;
    const auto id = parse_integer(tensor.dtype.substr(1));
    if (!id || depth > 4) return {};
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (const Value* value = given(*record_, i))
        if (const TensorPointer other = tensor_in(*value); other != nullptr && other->id == *id)
          return dtype_of(*other, depth + 1);
    return {};
  }

  void add_tensor(const SignatureEntry& entry, const TensorPointer& tensor,
                  const std::vector<Number>& block, const std::string& where) {
    config::DraftTensor made;
    made.name = entry.name;
    const ParameterUse& use = uses_.at(entry.name);
    const std::string dtype = dtype_of(*tensor);
    const bool by_use =
        use.holds_integers && (dtype.empty() || dtype.find("int") == std::string::npos);
    if (!dtype.empty() && !by_use) {
      made.dtype = {dtype, place_text(tensor->origin)};
      if (tensor->origin.file.empty()) made.dtype.remark = "guess: by its use";
    } else if (use.holds_integers) {
      made.dtype = {integer_type(entry.name, use), "guess: the kernel computes addresses with it"};
    } else if (is_index_name(entry.name)) {
      made.dtype = {"int32", "guess: by its name"};
    } else {
      made.dtype = {"fp16", "guess"};
    }
    if (tensor->shape.empty() && !tensor->rank_known) host_->axis(tensor, 0);
    for (const Number& extent : shape_of(*tensor, use)) made.shape.push_back(written(extent));
    if (made.shape.size() == tensor->shape.size() && !tensor->strides.empty() &&
        tensor->strides.size() == tensor->shape.size())
      for (const Number& stride : tensor->strides) made.strides.push_back(written(stride));
    const std::string origin = place_text(tensor->origin);
    made.shape_remark = !origin.empty() ? origin
                        : where.empty() ? "guess: by its use"
                                        : "by its use at " + where;
    if (!tensor->contents.empty() && (use.holds_integers || dtype.find("int") != std::string::npos))
      made.contents = config::DraftValue{contents_of(*tensor), origin};
    for (const Number& extent : block) made.block.push_back(written(extent));
    draft_.tensors.push_back(std::move(made));
  }

  /// A descriptor that is asked with fewer offsets than the tensor has axes: the first are one.
  static std::vector<Number> shape_of(const Tensor& tensor, const ParameterUse& use) {
    std::vector<Number> shape = tensor.shape;
    const auto rank = static_cast<std::size_t>(use.descriptor_rank);
    if (!use.is_descriptor || rank == 0) return shape;
    while (shape.size() > rank) {
      shape[1] = operate("Mult", shape[0], shape[1]).value_or(shape[1]);
      shape.erase(shape.begin());
    }
    while (shape.size() < rank) shape.insert(shape.begin(), Number::of(64));
    return shape;
  }

  std::string contents_of(const Tensor& tensor) {
    use_sizes(Number{0, 0, false, tensor.contents});
    return tensor.contents.find_first_of("\x01\x02") == std::string::npos ? tensor.contents
                                                                          : "zeros";
  }

  void add_argument(const SignatureEntry& entry, const Value& value) {
    const std::string where = draft_.launch;
    if (const auto* descriptor = value.as<DescriptorOf>())
      return add_tensor(entry, descriptor->tensor, block_of(entry, *descriptor), where);
    if (const TensorPointer tensor = value.tensor()) {
      if (names_[tensor->id] == entry.name || draft_.tensor(names_[tensor->id]) == nullptr)
        return add_tensor(entry, tensor, default_block(entry, *tensor), where);
      draft_.scalars.emplace_back(entry.name, config::DraftValue{names_[tensor->id], where});
      return;
    }
    if (strides_.count(entry.name) != 0) {
      draft_.scalars.emplace_back(
          entry.name, config::DraftValue{strides_.at(entry.name), "guess: by its name"});
      return;
    }
    if (value.is_none()) {
      draft_.scalars.emplace_back(entry.name, config::DraftValue{"None", where});
    } else if (value.list() != nullptr) {
      draft_.scalars.emplace_back(entry.name, config::DraftValue{list_text(*value.list()), where});
    } else if (const auto* flag = value.as<bool>()) {
      draft_.scalars.emplace_back(entry.name, config::DraftValue{*flag ? "True" : "False", where});
    } else if (const auto number = value.number()) {
      add_number(draft_.scalars, entry.name, *number, where);
    } else if (is_pointer(entry)) {
      const TensorPointer tensor = host_->tensor_of(Value{Unknown{entry.name}});
      if (ranks_.count(entry.name) != 0) host_->axis(tensor, ranks_[entry.name] - 1);
      add_tensor(entry, tensor, default_block(entry, *tensor), {});
    } else {
      add_number(draft_.scalars, entry.name, likely_number(entry.name), "guess: by its name");
    }
  }

  std::vector<Number> block_of(const SignatureEntry& entry, const DescriptorOf& descriptor) {
    if (descriptor.block.size() == shape_of(*descriptor.tensor, uses_.at(entry.name)).size() &&
        !descriptor.block.empty())
      return descriptor.block;
    return default_block(entry, *descriptor.tensor);
  }

  std::vector<Number> default_block(const SignatureEntry& entry, const Tensor& tensor) const {
    if (!uses_.at(entry.name).is_descriptor) return {};
    return std::vector<Number>(
        std::max<std::size_t>(1, shape_of(tensor, uses_.at(entry.name)).size()), Number::of(64));
  }

  std::string list_text(const List& list) {
    std::vector<std::string> parts;
    for (const Value& item : list.items) {
      if (const TensorPointer tensor = item.tensor();
          tensor != nullptr && names_.count(tensor->id) != 0)
        parts.push_back(names_[tensor->id]);
      else
        parts.push_back(item.number() ? written(*item.number()) : item.is_none() ? "None" : "0");
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }

  /// A number of the job. A size that is passed under its own name stands there, not among the sizes.
  void add_number(config::DraftValues& list, const std::string& name, const Number& number,
                  const std::string& where) {
    const auto size = host_->sizes().find(number.text);
    if (size != host_->sizes().end() && number.text == name) {
      const auto known = knowledge_.sizes.find(name);
      list.emplace_back(
          name,
          config::DraftValue{Number{number.real, number.whole, number.is_real, {}}.written(),
                             known != knowledge_.sizes.end() ? size_remark(known->second.reason)
                                                             : "guess: by its name"});
      passed_.insert(name);
      return;
    }
    list.emplace_back(name, config::DraftValue{written(number), where});
  }

  void add_constexpr(const SignatureEntry& entry, const Value& value) {
    const std::string where = draft_.launch;
    auto& list =
        entry.is_constexpr || is_constexpr_value(value) ? draft_.constexprs : draft_.scalars;
    const ParameterUse& use = uses_.at(entry.name);
    if (const auto* flag = value.as<bool>()) {
      list.emplace_back(entry.name, config::DraftValue{*flag ? "True" : "False", where});
    } else if (const auto number = value.number()) {
      add_number(list, entry.name, *number, where);
    } else if (const auto* text = value.as<std::string>()) {
      list.emplace_back(entry.name, config::DraftValue{fmt::format("'{}'", *text), where});
    } else if (const auto* type = value.as<DTypeName>()) {
      Tensor like;
      like.dtype = type->name;
      const std::string dtype = dtype_of(like);
      list.emplace_back(entry.name,
                        config::DraftValue{"tl." + (dtype.empty() ? "fp16" : dtype), where});
    } else if (value.is_none()) {
      list.emplace_back(entry.name, config::DraftValue{"None", where});
    } else if (value.list() != nullptr) {
      list.emplace_back(entry.name, config::DraftValue{list_text(*value.list()), where});
    } else if (is_pointer(entry)) {
      add_argument(entry, value);
    } else if (!use.texts.empty()) {
      list.emplace_back(entry.name,
                        config::DraftValue{fmt::format("'{}'", use.texts.front()),
                                           "guess: the first that the kernel compares it with",
                                           other_texts(use)});
    } else if (use.is_type || lower_case(entry.name).find("dtype") != std::string::npos) {
      list.emplace_back(entry.name, config::DraftValue{"tl.fp16", "guess: it is a type"});
    } else if (use.is_flag && !use.is_bound) {
      list.emplace_back(entry.name, config::DraftValue{"False", "guess: it is a flag", {"True"}});
    } else if (!use.numbers.empty() && !use.is_bound) {
      const std::vector<std::string> others(use.numbers.begin() + 1, use.numbers.end());
      list.emplace_back(
          entry.name,
          config::DraftValue{use.numbers.front(),
                             "guess: the first that the kernel compares it with", others});
    } else {
      list.emplace_back(
          entry.name, config::DraftValue{written(likely_number(entry.name)), "guess: by its name"});
    }
  }

  static std::vector<std::string> other_texts(const ParameterUse& use) {
    std::vector<std::string> result;
    for (const std::string& text : use.texts)
      if (text != use.texts.front() && result.size() < 8)
        result.push_back(fmt::format("'{}'", text));
    return result;
  }

  /// What a grid's function of META can ask for.
  Dict meta() {
    Dict result = config_values_;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string& name = parameters_[i].name;
      const Value* value = given(*record_, i);
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

  void write_grid() {
    Value grid = record_->grid;
    if (grid.as<Function>() != nullptr)
      grid = host_->call_value(grid, {dict_value(meta())}, {}, kernel_);
    Values items;
    if (grid.list() != nullptr && grid.list()->shape_of == nullptr)
      items = grid.list()->items;
    else if (grid.number())
      items = {grid};
    for (const Value& item : items) {
      const auto number = item.number();
      if (!number || number->value() < 1) {
        draft_.grid.clear();
        break;
      }
      draft_.grid.push_back(written(*number));
    }
    while (draft_.grid.size() > 3) draft_.grid.pop_back();
    draft_.grid_remark = draft_.launch;
    if (!draft_.grid.empty()) return;
    draft_.grid = {"64"};
    draft_.grid_remark = "guess: no launch says it";
  }

  void write_sizes() {
    for (const auto& [name, value] : host_->sizes()) {
      if (needed_.count(name) == 0 || passed_.count(name) != 0) continue;
      const auto known = knowledge_.sizes.find(name);
      const std::string reason =
          known != knowledge_.sizes.end() ? known->second.reason : "by its name";
      draft_.sizes.emplace_back(
          name, config::DraftValue{Number{value.real, value.whole, value.is_real, {}}.written(),
                                   size_remark(reason)});
    }
    rename_sizes();
  }

  /// A size that is called as a parameter with another value gets another name.
  void rename_sizes() {
    for (auto& [name, value] : draft_.sizes) {
      const bool taken =
          draft_.tensor(name) != nullptr || draft_.scalar(name) != nullptr ||
          draft_.constexpr_value(name) != nullptr ||
          std::ranges::any_of(parameters_,
                              [&](const SignatureEntry& one) { return one.name == name; }) ||
          std::ranges::any_of(config_values_, [&](const auto& one) { return one.first == name; });
      if (!taken) continue;
      const std::string other = "host_" + name;
      for (config::DraftTensor& tensor : draft_.tensors) {
        for (auto* list : {&tensor.shape, &tensor.strides, &tensor.block})
          for (std::string& text : *list) text = replaced(text, name, other);
        if (tensor.contents) tensor.contents->text = replaced(tensor.contents->text, name, other);
      }
      for (auto* list : {&draft_.scalars, &draft_.constexprs})
        for (auto& [key, held] : *list)
          if (host_named(key, name)) held.text = replaced(held.text, name, other);
      for (std::string& text : draft_.grid) text = grid_replaced(text, name, other);
      name = other;
    }
  }

  bool host_named(const std::string&, const std::string&) const { return true; }

  /// In the grid a name of the config or of a constexpr stays what it is.
  std::string grid_replaced(const std::string& text, const std::string& name,
                            const std::string& other) const {
    for (const auto& [known, value] : config_values_)
      if (known == name) return text;
    return replaced(text, name, other);
  }

  static std::string replaced(const std::string& text, const std::string& name,
                              const std::string& other) {
    std::string result;
    std::string word;
    bool after_dot = false;
    const auto flush = [&] {
      result += word == name && !after_dot ? other : word;
      word.clear();
    };
    for (const char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
        continue;
      }
      flush();
      after_dot = c == '.';
      result += c;
    }
    flush();
    return result;
  }

  TritonSource& source_;
  const Node& kernel_;
  std::vector<SignatureEntry> parameters_;
  std::map<std::string, ParameterUse> uses_;
  config::JobDraft draft_;
  std::vector<std::string> set_names_;
  Dict config_values_;
  Knowledge knowledge_;
  HostFunction site_;
  std::unique_ptr<Interpreter> host_;
  std::optional<LaunchRecord> record_;
  std::map<int, std::string> names_;  ///< tensors, by the first parameter they are passed to
  std::map<std::string, std::string> strides_;
  std::map<std::string, int> ranks_;
  std::set<std::string> needed_;
  std::set<std::string> passed_;
};

}  // namespace

config::JobDraft infer_job(TritonSource& source, const std::string& function) {
  return Inference(source, function).run();
}

}  // namespace heddle::kernel::triton::host
