#include "emit/rewrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "emit/kernel_code.h"
#include "emit/kernel_rewriter.h"
#include "emit/place_code.h"

namespace heddle::emit {
namespace {

using kernel::CodePlace;
using kernel::IndexUse;
using kernel::IndexUses;

/// "M = 8192" as "M=8192", which no line break takes apart.
std::string dense(std::string text) {
  for (std::size_t at = text.find(" = "); at != std::string::npos; at = text.find(" = ", at))
    text.replace(at, 3, "=");
  return text;
}

struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

std::string edited(const std::string& text, const std::vector<Edit>& edits) {
  std::string result;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    result += text.substr(at, edit.begin - at);
    result += edit.text;
    at = edit.end;
  }
  return result + text.substr(at);
}

void check_names(const IndexUses& uses, const proof::ProvenOrder& proven) {
  for (const std::string& name : free_names(proven)) {
    if (uses.known.count(name) > 0) continue;
    throw Error(fmt::format("the order uses '{}', which is not {}", name, uses.known_are),
                uses.known.empty()
                    ? "write the order without it"
                    : fmt::format("use the kernel's parameters: {}", fmt::join(uses.known, " ")))
        .at(uses.path, uses.known_at);
  }
}

/// The index of every axis that a use takes by its name.
std::string definitions(const IndexUses& uses, const CodePlace& place, const PrintedParts& code) {
  std::array<bool, 3> is_named{};
  for (std::size_t i = 0; i < uses.uses.size(); ++i)
    if (!place.takes_index[i]) is_named[static_cast<std::size_t>(uses.uses[i].axis)] = true;
  std::string lines;
  for (std::size_t axis = 0; axis < code.results.size(); ++axis)
    if (is_named[axis])
      lines += fmt::format("{}{} = {}{}\n", uses.spelling.declares, code.names[axis],
                           code.results[axis], uses.spelling.ends);
  return lines;
}

}  // namespace

std::vector<std::string> order_remarks(const Independence& independence,
                                       const std::vector<std::string>& assumptions) {
  std::vector<std::string> remarks;
  if (!assumptions.empty())
    remarks.push_back(fmt::format("given {}", fmt::join(assumptions, ", ")));
  if (const auto* traced = std::get_if<trace::IndependentTiles>(&independence)) {
    remarks.push_back(
        fmt::format("tiles: independent as traced on {}", dense(traced->traced_on())));
    if (traced->rounding_may_differ())
      remarks.emplace_back("sums of floating numbers by atomics may round differently");
  } else {
    remarks.emplace_back("tiles: assumed independent, not traced");
  }
  return remarks;
}

KernelContext context_of(const IndexUses& uses, const CodePlace& place) {
  KernelContext context;
  context.dialect = find_dialect(uses.spelling.dialect).value();
  context.language = uses.spelling.language;
  context.own_minimum = uses.spelling.own_minimum;
  context.taken = uses.names;
  context.columns = comment_columns(place);
  return context;
}

void check_axes(const IndexUses& uses, const order::Shape& shape) {
  if (shape.own_tiles || shape.launch_axes == uses.axes) return;
  const auto last = std::ranges::find_if(
      uses.uses, [&](const IndexUse& use) { return use.axis + 1 == uses.axes; });
  throw Error(fmt::format("the kernel is launched on {}-D grids, the order is of {}-D grids",
                          uses.axes, shape.launch_axes),
              fmt::format("give an order of {}-D grids", uses.axes))
      .at(uses.path, last->position);
}

std::string rewrite_kernel(const std::string& text, const IndexUses& uses,
                           const proof::ProvenOrder& proven, const Independence& independence,
                           const std::vector<std::string>& assumptions) {
  check_axes(uses, proven.shape());
  check_names(uses, proven);
  const CodePlace place = uses.place();
  KernelContext context = context_of(uses, place);
  context.remarks = order_remarks(independence, assumptions);
  return put_in(text, uses, place, kernel_code(proven, context));
}

std::string put_in(const std::string& text, const IndexUses& uses, const CodePlace& place,
                   const PrintedParts& code) {
  const std::string lines = fitted(code.lines + definitions(uses, place, code), place);
  std::vector<Edit> edits = {
      {place.begin, place.end, place.breaks_line ? place.ending + lines + place.margin : lines}};
  for (std::size_t i = 0; i < uses.uses.size(); ++i) {
    const IndexUse& use = uses.uses[i];
    const auto axis = static_cast<std::size_t>(use.axis);
    edits.push_back(
        {use.begin, use.end, place.takes_index[i] ? code.results[axis] : code.names[axis]});
  }
  std::string after = edited(text, edits);
  uses.check_rewritten(after, code.names);
  return after;
}

std::unique_ptr<KernelRewriter> open_kernel(const std::string& path, const std::string& function,
                                            const std::vector<std::string>& constants) {
  return std::make_unique<KernelRewriter>(kernel::Source::open(path), function, constants);
}

}  // namespace heddle::emit
