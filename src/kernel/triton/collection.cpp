// Tuples, dicts, comprehensions and what is taken out of them; blocks with new axes.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {

Term Lowering::sequence(const Node& node) {
  std::vector<Term> items;
  for (const Node& item : node.list("elts")) {
    if (!item.is("Starred")) {
      items.push_back(expression(item));
      continue;
    }
    const Term inner = expression(item.at("value"));
    if (inner.tuple() == nullptr) fail(item, "only a tuple can be unpacked", "remove the '*'");
    items.insert(items.end(), inner.tuple()->items.begin(), inner.tuple()->items.end());
    if (items.size() > kTupleLimit) fail(item, "the tuple grows too long", "use smaller tuples");
  }
  return tuple_term(std::move(items));
}

Term Lowering::dictionary(const Node& node) {
  NamedTerms items;
  const auto& keys = node.list("keys");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Term value = expression(node.list("values").at(i));
    if (keys[i].is("Absent")) {  // **other
      if (value.dict() == nullptr)
        fail(node, "'**' needs a dict that is known", "list the entries");
      items.insert(items.end(), value.dict()->items.begin(), value.dict()->items.end());
      if (items.size() > kTupleLimit) fail(node, "the dict grows too large", "use a smaller one");
      continue;
    }
    const Term key = expression(keys[i]);
    items.emplace_back(key.text() != nullptr ? *key.text() : describe(key), value);
  }
  return dict_term(std::move(items));
}

Term Lowering::subscript(const Node& node) {
  const Term value = expression(node.at("value"));
  const Term index = expression(node.at("slice"));
  if (const auto* run_time = value.as<RuntimeValue>())
    return block_subscript(run_time->id, index, node);
  if (const auto* dict = value.dict()) {
    const std::string wanted = index.text() != nullptr ? *index.text() : describe(index);
    for (std::size_t i = dict->items.size(); i-- > 0;)  // the last of a name counts
      if (dict->items[i].first == wanted) return dict->items[i].second;
    fail(node, fmt::format("there is no entry {}", describe(index)), "check the key");
  }
  const TupleTerm* tuple = value.tuple();
  if (tuple == nullptr)
    fail(node, fmt::format("{} cannot be indexed", describe(value)), "index a tuple or a block");
  const auto size = static_cast<Integer>(tuple->items.size());
  if (const auto* slice = index.as<std::shared_ptr<const SliceTerm>>()) {
    const auto bound = [&](const Term& term, Integer otherwise) {
      Integer at = term.is_none() ? otherwise : integer(term, "a bound of a slice");
      if (at < 0) at += size;
      return at < 0 ? Integer{0} : (at > size ? size : at);
    };
    if (!(*slice)->bounds[2].is_none())
      fail(node, "a slice with a step is not supported", "list the items");
    const Integer from = bound((*slice)->bounds[0], 0);
    const Integer to = bound((*slice)->bounds[1], size);
    std::vector<Term> items;
    for (Integer i = from; i < to; ++i) items.push_back(tuple->items[static_cast<std::size_t>(i)]);
    return tuple_term(std::move(items));
  }
  Integer at = integer(index, "an index");
  if (at < 0) at += size;
  if (at < 0 || at >= size)
    fail(node, fmt::format("index {} of a tuple of {}", describe(index), integer_text(size)),
         "check it");
  return tuple->items[static_cast<std::size_t>(at)];
}

Term Lowering::block_subscript(ValueId block, const Term& index, const Node& node) {
  std::vector<Term> parts = {index};
  if (index.tuple() != nullptr) parts = index.tuple()->items;
  // A scalar that is indexed is a block of one element.
  const bool has_slice = std::any_of(parts.begin(), parts.end(), [](const Term& part) {
    return part.as<std::shared_ptr<const SliceTerm>>() != nullptr;
  });
  if (builder().type(block).shape.empty() && has_slice) block = builder().expand(block, 0);
  const auto rank = static_cast<int>(builder().type(block).shape.size());
  int given = 0;
  for (const Term& part : parts) given += part.is_none() || part.as<Ellipsis>() != nullptr ? 0 : 1;
  int axis = 0;
  for (const Term& part : parts) {
    if (part.as<Ellipsis>() != nullptr) {
      axis += rank - given;
    } else if (part.is_none()) {
      block = builder().expand(block, axis++);
    } else {
      const auto* slice = part.as<std::shared_ptr<const SliceTerm>>();
      bool whole = slice != nullptr;
      for (std::size_t i = 0; whole && i < 3; ++i) whole = (*slice)->bounds[i].is_none();
      if (!whole)
        fail(node, "a block can be indexed with ':' and None only", "use a mask, or tl.gather");
      ++axis;
    }
  }
  return runtime(block);
}

Term Lowering::comprehension(const Node& node) {
  std::vector<Term> items;
  const auto& generators = node.list("generators");
  const auto is_known_true = [&](const Node& condition) {
    const auto truth = known_truth(expression(condition));
    if (!truth) fail(condition, "this condition is not known before the launch", "leave it out");
    return *truth;
  };
  const auto expand = [&](const auto& self, std::size_t level) -> void {
    if (level == generators.size()) {
      items.push_back(expression(node.at("elt")));
      if (items.size() > kTupleLimit)
        fail(node, "a comprehension of more than 65,536 items", "list fewer");
      return;
    }
    const Term source = expression(generators[level].at("iter"));
    if (source.tuple() == nullptr)
      fail(node, "a comprehension runs over a tuple or list", "use a list that is known");
    for (const Term& item : source.tuple()->items) {
      assign(generators[level].at("target"), item);
      bool keep = true;
      for (const Node& condition : generators[level].list("ifs"))
        keep = keep && is_known_true(condition);
      if (keep) self(self, level + 1);
    }
  };
  expand(expand, 0);
  return tuple_term(std::move(items));
}

}  // namespace heddle::kernel::triton
