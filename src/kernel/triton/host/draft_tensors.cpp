// Tensors of a drafted job: dtype, shape, contents, blocks of descriptors.
#include <algorithm>

#include "kernel/triton/host/draft_writer.h"
#include "kernel/triton/host/likely.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

/// A descriptor that is asked with fewer offsets than the tensor has axes: the first are one.
std::vector<Number> shape_of(const Tensor& tensor, const ParameterUse& use) {
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

}  // namespace

/// A dtype that is another tensor's is looked up there; empty: not known.
std::string DraftWriter::dtype_of(const std::string& dtype, int depth) const {
  if (!dtype.starts_with("\x01")) return dtype;
  const auto id = parse_integer(dtype.substr(1));
  if (!id || depth > 4) return {};
  for (std::size_t i = 0; i < parameters_.entries.size(); ++i)
    if (const Value* value = parameters_.given(launch_.record, i))
      if (const TensorPointer other = tensor_in(*value); other != nullptr && other->id == *id)
        return dtype_of(other->dtype, depth + 1);
  return {};
}

config::DraftValue DraftWriter::dtype_value(const SignatureEntry& entry,
                                            const Tensor& tensor) const {
  const ParameterUse& use = parameters_.use(entry);
  const std::string dtype = dtype_of(tensor.dtype);
  const bool by_use = use.holds_integers && !is_integer_dtype(dtype);
  if (!dtype.empty() && !by_use)
    return {dtype, tensor.origin.file.empty() ? "guess: by its use" : place_text(tensor.origin)};
  if (use.holds_integers)
    return {use.integer_type(), "guess: the kernel computes addresses with it"};
  if (use.holds_bytes) return {"uint8", "guess: the kernel reads their bits"};
  if (is_index_name(entry.name)) return {"int32", "guess: by its name"};
  return {"fp16", "guess"};
}

void DraftWriter::add_tensor(const SignatureEntry& entry, const TensorPointer& tensor,
                             const std::vector<Number>& block, const std::string& where) {
  config::DraftTensor made;
  made.name = entry.name;
  made.dtype = dtype_value(entry, *tensor);
  if (tensor->shape.empty() && !tensor->rank_known) launch_.host->axis(tensor, 0);
  const ParameterUse& use = parameters_.use(entry);
  for (const Number& extent : shape_of(*tensor, use)) made.shape.push_back(sizes_.written(extent));
  if (made.shape.size() == tensor->shape.size() && tensor->strides.size() == tensor->shape.size())
    for (const Number& stride : tensor->strides) made.strides.push_back(sizes_.written(stride));
  const std::string origin = place_text(tensor->origin);
  made.shape_remark = !origin.empty() ? origin
                      : where.empty() ? "guess: by its use"
                                      : "by its use at " + where;
  if (!tensor->contents.empty() && (use.holds_integers || is_integer_dtype(made.dtype.text)))
    made.contents = config::DraftValue{sizes_.contents(tensor->contents), origin};
  made.holds_bounds = use.reads_neighbours;
  made.places_writes = use.places_writes;
  for (const Number& extent : block) made.block.push_back(sizes_.written(extent));
  draft_.tensors.push_back(std::move(made));
}

/// What each index points into: the axis whose stride it is multiplied by, the first where that is
/// not known, the last where it is added as it is.
void DraftWriter::name_targets() {
  for (const config::DraftTensor& target : draft_.tensors) {
    const auto use = parameters_.uses.find(target.name);
    if (use == parameters_.uses.end()) continue;
    for (const auto& [index, factors] : use->second.indices) {
      config::DraftTensor* tensor = draft_.tensor(index);
      if (tensor == nullptr || index == target.name) continue;
      std::optional<int> axis;
      for (const std::string& factor : factors) {
        const config::DraftValue* stride = draft_.scalar(factor);
        if (stride == nullptr) stride = draft_.constexpr_value(factor);
        const std::string start = target.name + ".stride(";
        if (stride == nullptr || !stride->text.starts_with(start)) continue;
        const auto own = static_cast<int>(stride->text[start.size()] - '0');
        axis = std::min(axis.value_or(own), own);
      }
      tensor->points_into.emplace_back(target.name, axis.value_or(factors.empty() ? -1 : 0));
    }
  }
}

std::vector<Number> DraftWriter::block_of(const SignatureEntry& entry,
                                          const DescriptorOf& descriptor) const {
  const std::size_t rank = shape_of(*descriptor.tensor, parameters_.use(entry)).size();
  if (descriptor.block->size() == rank && rank > 0) return *descriptor.block;
  return default_block(entry, *descriptor.tensor);
}

std::vector<Number> DraftWriter::default_block(const SignatureEntry& entry,
                                               const Tensor& tensor) const {
  const ParameterUse& use = parameters_.use(entry);
  if (!use.is_descriptor) return {};
  return std::vector<Number>(std::max<std::size_t>(1, shape_of(tensor, use).size()),
                             Number::of(64));
}

}  // namespace heddle::kernel::triton::host
