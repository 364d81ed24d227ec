#include "kernel/triton/host/draft_sizes.h"

#include <algorithm>

#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

/// Calls `word(text, is_behind_a_dot)` for every name in a text, and `other(c)` for all between.
template <class Word, class Other>
void read_words(const std::string& text, const Word& word, const Other& other) {
  std::string held;
  bool after_dot = false;
  const auto flush = [&] {
    if (!held.empty()) word(held, after_dot);
    held.clear();
  };
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      held += c;
      continue;
    }
    flush();
    after_dot = c == '.';
    other(c);
  }
  flush();
}

void rename(std::string& text, const std::string& name, const std::string& other) {
  std::string result;
  read_words(
      text,
      [&](const std::string& word, bool after_dot) {
        result += word == name && !after_dot ? other : word;
      },
      [&](char c) { result += c; });
  text = std::move(result);
}

/// In the grid a name of the config stays what it is.
void rename_all(config::JobDraft& draft, const std::string& name, const std::string& other,
                bool in_grid) {
  for (config::DraftTensor& tensor : draft.tensors) {
    for (auto* list : {&tensor.shape, &tensor.strides, &tensor.block})
      for (std::string& text : *list) rename(text, name, other);
    if (tensor.contents) rename(tensor.contents->text, name, other);
  }
  for (auto* list : {&draft.scalars, &draft.constexprs})
    for (auto& [key, held] : *list) rename(held.text, name, other);
  if (in_grid)
    for (std::string& text : draft.grid) rename(text, name, other);
}

std::string plain(const Number& number) {
  return Number{number.real, number.whole, number.is_real, {}}.written();
}

}  // namespace

/// The text without references to tensors that are not arguments.
std::string DraftSizes::expression(const Number& number) const {
  std::string text = number.text;
  for (std::size_t at = text.find('\x01'); at != std::string::npos; at = text.find('\x01')) {
    const std::size_t dot = text.find('.', at);
    const auto id = parse_integer(text.substr(at + 1, dot == std::string::npos ? 0 : dot - at - 1));
    const auto found = id ? tensors.find(static_cast<int>(*id)) : tensors.end();
    if (found == tensors.end()) return plain(number);
    text.replace(at, dot - at, found->second);
  }
  return text.empty() || text.find('\x02') != std::string::npos ? plain(number) : text;
}

void DraftSizes::need(const std::string& text) {
  read_words(
      text,
      [&](const std::string& word, bool) {
        if (launch_.host->sizes().count(word) != 0) needed_.insert(word);
      },
      [](char) {});
}

std::string DraftSizes::written(const Number& number) {
  std::string text = expression(number);
  if (!number.text.empty()) need(text);
  return text;
}

std::string DraftSizes::contents(const std::string& text) {
  need(text);
  return text.find_first_of("\x01\x02") == std::string::npos ? text : "zeros";
}

/// A reason that is a place is not a guess.
config::DraftValue DraftSizes::known(const std::string& name, const Number& number) const {
  const auto& sizes = launch_.knowledge->sizes;
  const auto found = sizes.find(name);
  const std::string reason = found == sizes.end() ? "by its name" : found->second.reason;
  return {plain(number), reason.find(".py:") != std::string::npos ? reason : "guess: " + reason};
}

config::DraftValue DraftSizes::value(const std::string& name, const Number& number,
                                     const std::string& where) {
  if (number.text != name || launch_.host->sizes().count(name) == 0)
    return {written(number), where};
  passed_.insert(name);
  return known(name, number);
}

/// A parameter that the launch does not give.
bool DraftSizes::is_left_out(const std::string& name, const KernelParameters& parameters) const {
  for (std::size_t i = 0; i < parameters.entries.size(); ++i)
    if (parameters.entries[i].name == name) return parameters.given(launch_.record, i) == nullptr;
  return false;
}

/// M=batch of a launch: the size is M, so that no other value of M is tried with the same tensors.
bool DraftSizes::take_name_of_scalar(config::JobDraft& draft, const std::string& name,
                                     const Number& number) const {
  const auto is_it = [&](const auto& one) { return one.second.text == name; };
  const auto found = std::ranges::find_if(draft.scalars, is_it);
  const bool is_parameter = draft.tensor(name) != nullptr || draft.scalar(name) != nullptr ||
                            draft.constexpr_value(name) != nullptr;
  if (found == draft.scalars.end() || is_parameter || needed_.count(found->first) != 0)
    return false;
  const std::string own = found->first;
  found->second = known(name, number);
  rename_all(draft, name, own, true);
  return true;
}

void DraftSizes::write(config::JobDraft& draft, const KernelParameters& parameters,
                       const Dict& config) const {
  for (const auto& [name, number] : launch_.host->sizes()) {
    if (needed_.count(name) == 0 || passed_.count(name) != 0) continue;
    if (take_name_of_scalar(draft, name, number)) continue;
    const bool in_config =
        std::ranges::any_of(config, [&](const auto& one) { return one.first == name; });
    const bool is_taken = in_config || parameters.has(name) || draft.tensor(name) != nullptr ||
                          draft.scalar(name) != nullptr || draft.constexpr_value(name) != nullptr;
    const std::string own = is_taken ? "host_" + name : name;
    if (is_taken) rename_all(draft, name, own, !in_config);
    // kernel[grid](..., **config), and config["NUM_KSPLIT"] in the grid: they are one.
    if (is_taken && !in_config && is_left_out(name, parameters))
      for (auto* list : {&draft.scalars, &draft.constexprs})
        for (auto& [key, held] : *list)
          if (key == name && held.is_guess()) held = {own, "guess: host code has it by this name"};
    draft.sizes.emplace_back(own, known(name, number));
  }
}

}  // namespace heddle::kernel::triton::host
