#include "kernel/triton/patch/handed_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "kernel/triton/bindings.h"
#include "kernel/triton/patch/scalar_names.h"
#include "kernel/triton/patch/syntax_text.h"

namespace heddle::kernel::triton {
namespace {

/// The part of a call that hands a parameter its value, and the value.
struct Given {
  const Node* part = nullptr;
  const Node* value = nullptr;
};

/// By parameter; nothing: the call does not say which is which.
std::optional<std::map<std::string, Given>> given_by(
    const Node& call, const std::vector<SignatureEntry>& parameters) {
  std::map<std::string, Given> given;
  const std::vector<Node>& positional = call.list("args");
  if (positional.size() > parameters.size()) return std::nullopt;
  for (std::size_t i = 0; i < positional.size(); ++i) {
    if (positional[i].is("Starred")) return std::nullopt;
    given[parameters[i].name] = {&positional[i], &positional[i]};
  }
  for (const Node& keyword : call.list("keywords")) {
    if (keyword.text.empty()) return std::nullopt;  // **options
    given[keyword.text] = {&keyword, &keyword.at("value")};
  }
  return given;
}

/// How often a name stands below a node, also as a text.
std::size_t mentions_of(const Node& node, const std::string& name) {
  const bool is_one = node.is("Name") || node.is("Attribute") || node.is("Constant");
  std::size_t count = is_one && node.text == name ? 1 : 0;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) count += mentions_of(child, name);
  return count;
}

class Finder {
 public:
  Finder(const LaunchSide& before, const LaunchSide& after)
      : before_(before.source->main()),
        after_(after.source->main()),
        old_function_(*before.function),
        new_function_(*after.function),
        olds_(signature(old_function_)),
        news_(signature(new_function_)) {
    result_.launches_before = find_launches(before_, old_function_.text);
    result_.launches_after = find_launches(after_, new_function_.text);
  }

  HandedNumbers run() {
    for (const SignatureEntry& entry : news_) {
      if (find(olds_, entry.name) == nullptr)
        add_parameter(entry);
      else if (entry.is_constexpr)
        add_value(entry);
    }
    return std::move(result_);
  }

 private:
  static const SignatureEntry* find(const std::vector<SignatureEntry>& entries,
                                    const std::string& name) {
    const auto found = std::ranges::find(entries, name, &SignatureEntry::name);
    return found == entries.end() ? nullptr : &*found;
  }

  /// Rule 3.
  bool is_listed(const Node& value) const {
    return unlisted_in_grid(after_, value) == nullptr && !asks_for_sizes(value) &&
           !value.is("Tuple") && !value.is("List") && !value.is("Lambda");
  }

  const Node* argument_node(const std::string& name) const {
    for (const char* field : {"args", "kwonlyargs"})
      for (const Node& argument : new_function_.at("args").list(field))
        if (argument.text == name) return &argument;
    return nullptr;
  }

  /// Calls that are not seen here may give their values by position.
  bool has_other_users() const {
    return mentions_of(after_.root, new_function_.text) > result_.launches_after.size();
  }

  /// Rule 1.
  void add_parameter(const SignatureEntry& entry) {
    const Node* argument = argument_node(entry.name);
    if (argument == nullptr || has_meaning(entry.name) ||
        words(before_.root).count(entry.name) > 0 || has_other_users() ||
        !is_plain_parameter(after_, *argument, entry.default_value))
      return;
    HandedNumber number{entry.name, entry.is_constexpr, entry.default_value, {}, {}};
    std::vector<const Node*> parts = {argument};
    if (entry.default_value != nullptr) parts.push_back(entry.default_value);
    for (const HostLaunch& launch : result_.launches_after) {
      const auto given = given_by(*launch.call, news_);
      if (!given) return;
      const auto own = given->find(entry.name);
      number.news.push_back(own == given->end() ? nullptr : own->second.value);
      if (own == given->end() && entry.default_value == nullptr) return;
      if (own == given->end()) continue;
      if (!is_listed(*own->second.value)) return;
      parts.push_back(own->second.part);
    }
    if (number.news.empty() && entry.default_value == nullptr) return;
    result_.after.insert(parts.begin(), parts.end());
    result_.shown.push_back(argument);
    result_.numbers.push_back(std::move(number));
  }

  /// Rule 2.
  void add_value(const SignatureEntry& entry) {
    const std::size_t count = result_.launches_after.size();
    const SignatureEntry* old_entry = find(olds_, entry.name);
    if (result_.launches_before.size() != count || !old_entry->is_constexpr) return;
    HandedNumber number{entry.name, true, nullptr, {}, {}};
    const std::set<const Node*> nothing;
    const SyntaxText old_text(before_, old_function_, nothing);
    const SyntaxText new_text(after_, new_function_, nothing);
    std::vector<const Node*> old_parts;
    std::vector<const Node*> new_parts;
    bool differs = false;
    for (std::size_t i = 0; i < count; ++i) {
      const Node* then = keyword(*result_.launches_before[i].call, entry.name);
      const Node* now = keyword(*result_.launches_after[i].call, entry.name);
      if (then == nullptr || now == nullptr) return;
      const Node& old_value = then->at("value");
      const Node& new_value = now->at("value");
      if (unlisted_in_grid(before_, old_value) != nullptr || !is_listed(new_value)) return;
      number.olds.push_back(&old_value);
      number.news.push_back(&new_value);
      old_parts.push_back(then);
      new_parts.push_back(now);
      differs = differs || old_text.exact(old_value) != new_text.exact(new_value);
    }
    if (!differs) return;
    result_.before.insert(old_parts.begin(), old_parts.end());
    result_.after.insert(new_parts.begin(), new_parts.end());
    result_.shown.insert(result_.shown.end(), new_parts.begin(), new_parts.end());
    result_.numbers.push_back(std::move(number));
  }

  static const Node* keyword(const Node& call, const std::string& name) {
    for (const Node& one : call.list("keywords"))
      if (one.text == name) return &one;
    return nullptr;
  }

  const Module& before_;
  const Module& after_;
  const Node& old_function_;
  const Node& new_function_;
  std::vector<SignatureEntry> olds_;
  std::vector<SignatureEntry> news_;
  HandedNumbers result_;
};

/// The value that all launches give; throws Error.
std::int64_t value_of(const LaunchSide& side, const std::vector<HostLaunch>& launches,
                      const std::vector<const Node*>& values, const HandedNumber& number) {
  std::optional<std::int64_t> known;
  for (std::size_t i = 0; i < std::max<std::size_t>(values.size(), 1); ++i) {
    const Node* node = i < values.size() ? values[i] : nullptr;
    if (node == nullptr) node = number.default_value;
    if (node == nullptr) throw Error(fmt::format("no launch gives '{}' a value", number.name), "");
    const HostLaunch* launch = i < launches.size() ? &launches[i] : nullptr;
    const std::int64_t value = host_number(side, launch, *node);
    if (known && *known != value)
      throw Error(fmt::format("launches give '{}' different values", number.name), "");
    known = value;
  }
  return *known;
}

}  // namespace

HandedNumbers find_handed_numbers(const LaunchSide& before, const LaunchSide& after) {
  return Finder(before, after).run();
}

HandedValues values_of(const HandedNumbers& handed, const LaunchSide& before,
                       const LaunchSide& after) {
  HandedValues result;
  if (!handed.numbers.empty())
    for (const HostLaunch& launch : handed.launches_before)
      result.is_of_job = result.is_of_job && !says_otherwise(launch, before.side->launch);
  for (const HandedNumber& number : handed.numbers) {
    try {
      config::Argument argument;
      argument.name = number.name;
      argument.is_constexpr = number.is_constexpr;
      argument.value.data = value_of(after, handed.launches_after, number.news, number);
      const config::Argument* own = before.side->launch.find(number.name);
      if (own != nullptr && !number.olds.empty()) {
        const std::int64_t old_value =
            value_of(before, handed.launches_before, number.olds, number);
        const auto* const given = std::get_if<std::int64_t>(&own->value.data);
        if (given == nullptr || *given != old_value) {
          // The job asks for another kernel than host code launches: the patch says nothing of it.
          result.is_of_job = false;
          continue;
        }
      }
      result.numbers.push_back(std::move(argument));
    } catch (const Error& error) {
      result.reason = fmt::format("the value of '{}' that host code hands over is not known: {}",
                                  number.name, error.message());
    }
  }
  return result;
}

}  // namespace heddle::kernel::triton
