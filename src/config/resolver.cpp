#include "config/resolver.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/contents.h"
#include "support/text.h"

namespace heddle::config {
namespace {

/// Chains of names that need names; keeps the stack small.
constexpr std::size_t kChainLimit = 32;
constexpr std::size_t kSparseMatrixLimit = 16;
constexpr std::int64_t kNonzeroLimit = std::int64_t{1} << 25;  // of all matrices together

}  // namespace

Resolver::Resolver(const Job& job, const std::vector<NamedValue>& defaults) : job_(job) {
  const auto add = [&](const std::string& name, Slot slot) {
    if (slots_.emplace(name, std::move(slot)).second) order_.push_back(name);
  };
  for (const NamedExpression& size : job.sizes) add(size.name, {&size.written, {}, false});
  for (std::size_t i = 0; i < job.tensors.size(); ++i) {
    add(job.tensors[i].name, {nullptr, Value{TensorReference{i}}, false});
  }
  for (const NamedExpression& scalar : job.scalars) add(scalar.name, {&scalar.written, {}, false});
  for (const NamedExpression& entry : job.constexprs) add(entry.name, {&entry.written, {}, true});
  for (const NamedExpression& entry : job.unplaced) add(entry.name, {&entry.written, {}, true});
  for (const auto& [key, name] : {std::pair("warps", "num_warps"), {"stages", "num_stages"}}) {
    const auto found = job.launch.find(key);
    if (found != job.launch.end()) add(name, {&found->second, {}, false});
  }
  for (const NamedValue& entry : defaults) add(entry.name, {nullptr, entry.value, true});
  const Arguments standard;
  add("num_warps", {nullptr, Value{std::int64_t{standard.warps}}, false});
  add("num_stages", {nullptr, Value{std::int64_t{standard.stages}}, false});
}

template <class Item>
const Item& Resolver::once(std::map<std::string, Item>& known, const std::string& name,
                           const std::function<Item()>& compute) {
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  const auto circle = std::ranges::find(active_, name);
  if (circle != active_.end()) {
    const std::vector<std::string> round(circle, active_.end());
    throw Error(fmt::format("'{}' needs itself: {} -> {}", name, fmt::join(round, " -> "), name),
                "give one of them a number");
  }
  if (active_.size() >= kChainLimit) {
    throw Error(fmt::format("more than {} names need one another in a chain", kChainLimit),
                "use fewer steps");
  }
  active_.push_back(name);
  Item item = compute();
  active_.pop_back();
  return known.emplace(name, std::move(item)).first->second;
}

std::optional<Value> Resolver::find(const std::string& name) {
  const auto found = slots_.find(name);
  if (found == slots_.end()) return std::nullopt;
  const Slot& slot = found->second;
  if (slot.written == nullptr) return slot.value;
  return once<Value>(values_, name, [&] {
    const Expression& whole = slot.written->expression;
    const bool lone_name = slot.is_constexpr && whole.kind == Expression::Kind::name;
    if (lone_name && slots_.count(whole.text) == 0) {
      const Error error(fmt::format("'{}' is not known", whole.text),
                        fmt::format("to pass the text, quote it: {} = \"'{}'\"", name, whole.text));
      throw placed(error, *slot.written);
    }
    return value(*slot.written);
  });
}

std::vector<std::string> Resolver::all() const {
  return order_;
}

void Resolver::at_place(const Written& written, const std::function<void()>& action) const {
  try {
    action();
  } catch (const Error& error) {
    throw placed(error, written);
  }
}

Value Resolver::value(const Written& written) {
  Value result;
  at_place(written, [&] { result = evaluate(written.expression, *this); });
  return result;
}

std::vector<std::int64_t> Resolver::integers(const WrittenList& list, const std::string& what) {
  std::vector<std::int64_t> result;
  const auto add = [&](const Value& item) {
    const std::int64_t number = integer_of(item, what);
    if (number < 0) {
      throw Error(
          fmt::format("{} is negative: {}", what, number),
          what == "a stride" ? "PyTorch has no such tensors: use 0 or more" : "check the sizes");
    }
    result.push_back(number);
  };
  for (const Written& item : list.items) {
    const Value entry = value(item);
    at_place(item, [&] {
      const auto* items = std::get_if<ValueList>(&entry.data);
      if (list.is_array || items == nullptr) return add(entry);
      if (items->size() > kRankLimit) {
        throw Error(fmt::format("a list of {} axes", items->size()),
                    fmt::format("there are {} axes at most", kRankLimit));
      }
      for (const Value& part : *items) add(part);
    });
  }
  return result;
}

std::vector<std::int64_t> Resolver::shape(TensorReference tensor) {
  const JobTensor& described = job_.tensors[tensor.index];
  return once<std::vector<std::int64_t>>(lists_, described.name + ".shape",
                                         [&] { return integers(described.shape, "an extent"); });
}

std::vector<std::int64_t> Resolver::strides(TensorReference tensor) {
  return once<std::vector<std::int64_t>>(lists_, job_.tensors[tensor.index].name + ".stride",
                                         [&] { return compute_strides(tensor.index); });
}

std::vector<std::int64_t> Resolver::compute_strides(std::size_t index) {
  const JobTensor& tensor = job_.tensors[index];
  const std::vector<std::int64_t> extents = shape({index});
  if (tensor.strides) {
    std::vector<std::int64_t> strides = integers(*tensor.strides, "a stride");
    if (strides.size() == extents.size()) return strides;
    throw Error(fmt::format("tensor '{}' has {} and {}", tensor.name,
                            count_of(static_cast<std::int64_t>(extents.size()), "extent"),
                            count_of(static_cast<std::int64_t>(strides.size()), "stride")),
                "give one stride for each extent, in elements")
        .at(tensor.strides->source, tensor.strides->position);
  }
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t axis = extents.size(); axis-- > 1;) {
    // As PyTorch has it: an extent of 0 counts as 1.
    const std::int64_t extent = std::max<std::int64_t>(extents[axis], 1);
    if (__builtin_mul_overflow(strides[axis], extent, &strides[axis - 1])) {
      throw Error(fmt::format("tensor '{}' has 2^63 elements or more", tensor.name),
                  "make it smaller")
          .because({Cause::Kind::size})
          .at(tensor.shape.source, tensor.shape.position);
    }
  }
  return strides;
}

std::int64_t Resolver::element_bytes(TensorReference tensor) {
  return byte_width(job_.tensors[tensor.index].dtype);
}

std::int64_t Resolver::csr_nonzeros(std::int64_t rows, std::int64_t columns, double density,
                                    std::uint64_t seed) {
  const auto key = std::tuple(rows, columns, density, seed);
  const auto found = nonzeros_.find(key);
  if (found != nonzeros_.end()) return found->second;
  if (nonzeros_.size() >= kSparseMatrixLimit) {
    throw Error(fmt::format("a job has {} sparse matrices at most", kSparseMatrixLimit),
                "use the same one for several tensors");
  }
  std::int64_t left = kNonzeroLimit;
  for (const auto& [matrix, counted] : nonzeros_) left -= counted;
  const std::int64_t count = config::csr_nonzeros(rows, columns, density, seed, left);
  return nonzeros_.emplace(key, count).first->second;
}

}  // namespace heddle::config
