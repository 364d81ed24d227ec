#include "search/proposer.h"

#include <fmt/format.h>

#include <algorithm>

#include "order/digits.h"
#include "search/proposers/list.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::search {
namespace {

/// "one of 8 contiguous parts of the columns": what a digit picks of its axis.
std::string die_text(const order::DigitOrder& digits, std::size_t axis, std::size_t digit,
                     const std::string& name) {
  const auto& places = digits.axes[axis];
  const auto radix = digits.launch[digit].radix;
  const std::string count = radix ? std::to_string(*radix) : "all";
  if (places.size() > 1 && places.back() == digit)
    return fmt::format("every {}th of {}", count, name);
  if (places.front() == digit) return fmt::format("one of {} contiguous parts of {}", count, name);
  return fmt::format("chunks of {} in turn", name);
}

/// "16 neighbouring rows", "the columns in steps of 8", "2 groups of neighbouring rows".
std::string loop_text(const order::DigitOrder& digits, std::size_t axis, std::size_t digit,
                      const std::string& name) {
  const auto& places = digits.axes[axis];
  const auto place = std::ranges::find(places, digit);
  const auto radix = digits.launch[digit].radix;
  const std::string count = radix ? fmt::format("{} of ", *radix) : "";
  const std::string plain = name.substr(std::string_view("the ").size());
  if (place + 1 == places.end()) {
    if (places.size() == 1 && !radix) return name;
    return fmt::format("{}neighbouring {}", radix ? fmt::format("{} ", *radix) : "", plain);
  }
  std::vector<std::string> step;
  for (auto finer = place + 1; finer != places.end(); ++finer) {
    const auto each = digits.launch[*finer].radix;
    if (!each)
      return fmt::format("{}groups of neighbouring {}", radix ? fmt::format("{} ", *radix) : "",
                         plain);
    step.push_back(std::to_string(*each));
  }
  return fmt::format("{}{} in steps of {}", count, name, fmt::join(step, " x "));
}

/// "dies take one of 8 contiguous parts of the columns; in a die blocks run through ...".
std::string digits_idea(const order::DigitOrder& digits) {
  static const std::vector<std::vector<std::string>> kAxes = {
      {"the tiles"}, {"the rows", "the columns"}, {"the slices", "the rows", "the columns"}};
  const auto& names = kAxes[digits.axes.size() - 1];
  std::vector<std::string> dies, loops;
  for (std::size_t i = digits.launch.size(); i-- > 0;) {
    for (std::size_t axis = 0; axis < digits.axes.size(); ++axis) {
      const auto& places = digits.axes[axis];
      if (!is_one_of(i, places)) continue;
      if (digits.launch[i].name.starts_with("die"))
        dies.push_back(die_text(digits, axis, i, names[axis]));
      else
        loops.push_back(loop_text(digits, axis, i, names[axis]));
    }
  }
  std::string idea;
  if (!dies.empty()) idea = fmt::format("a die takes {}; within it, ", fmt::join(dies, " and "));
  return idea + fmt::format("blocks run through {}", fmt::join(loops, ", then "));
}

}  // namespace

std::string idea_of(const order::Order& order) {
  std::vector<std::string> parts;
  for (const order::Stage& stage : order.stages()) {
    if (stage.written.starts_with("digits(")) {
      const std::string inside = stage.written.substr(7, stage.written.size() - 8);
      parts.push_back(digits_idea(order::read_digits(inside)));
    } else {
      parts.push_back(std::string(stage.family->summary));
    }
    if (stage.inverted) parts.back() = "the reverse of: " + parts.back();
  }
  return fmt::format("{}", fmt::join(parts, "; then "));
}

Proposal propose(std::string_view proposer, const order::Order& order, Origin origin) {
  return {std::string(proposer), order.title(), order, "", idea_of(order), origin, true};
}

std::vector<std::unique_ptr<Proposer>> make_proposers(const SearchSpace& space) {
  std::vector<std::unique_ptr<Proposer>> proposers;
  proposers.push_back(published_orders(space));
  proposers.push_back(digit_orders(space));
  proposers.push_back(walks(space));
  proposers.push_back(improvements(space));
  return proposers;
}

}  // namespace heddle::search
