// What PyTorch's functions and the methods of tensors do to shapes, strides and types.
#pragma once

#include "kernel/triton/host/interpreter.h"

namespace heddle::kernel::triton::host {

class TensorCalls {
 public:
  TensorCalls(Interpreter& host, const Node& node) : host_(host), node_(node) {}

  /// x.view(-1, n), x.stride(0), ...
  Value method(const TensorPointer& tensor, const std::string& name, const Values& positional,
               const Dict& keywords);
  /// a + b, a @ b
  Value combined(const std::string& op, const TensorPointer& first, const TensorPointer& second);
  /// x[0], x[:, 1:n]
  Value indexed(const TensorPointer& tensor, const Node& slice);
  /// torch.empty(...) and its like; nothing where the function is not known.
  std::optional<Value> external(const std::string& name, const Values& positional,
                                const Dict& keywords);

 private:
  /// What an index has made of a tensor so far.
  struct View {
    TensorPointer made;
    std::vector<Number> strides;  ///< of the tensor
    bool is_row_major = false;
    std::size_t at = 0;  ///< the axis that comes next

    void keep(const Tensor& tensor) {
      made->shape.push_back(tensor.shape[at]);
      made->strides.push_back(strides[at++]);
    }
  };
  bool take_part(View& view, const Tensor& tensor, const Node& part);
  std::optional<Value> asked(const TensorPointer& tensor, const std::string& name,
                             const Values& positional);
  std::optional<Value> viewed(const TensorPointer& tensor, const std::string& name,
                              const Values& positional);
  /// split, chunk, unbind, select, narrow
  std::optional<Value> taken_apart(const TensorPointer& tensor, const std::string& name,
                                   const Values& positional);
  Value piece(const TensorPointer& tensor, std::size_t axis, const Number& extent);
  Value without_axis(const TensorPointer& tensor, std::size_t axis);
  Value joined(const std::string& name, const Values& positional, const Dict& keywords);
  Value repeated(const TensorPointer& tensor, const std::vector<Number>& times);
  Value expanded(const TensorPointer& tensor, std::vector<Number> shape);
  Values in_order(const std::string& name, const Values& positional, const Dict& keywords) const;
  Value flattened(const TensorPointer& tensor, const Values& positional);
  std::optional<Value> transposed(const TensorPointer& tensor, const std::string& name,
                                  const Values& positional);
  Value with_axis(const TensorPointer& tensor, bool adds, const Values& positional);
  void learn_rows(const Tensor& tensor, const Number& width);
  Value reshaped(const TensorPointer& tensor, const Values& extents);
  Value permuted(const TensorPointer& tensor, const std::vector<int>& order);
  Value reduced(const TensorPointer& tensor, const Values& positional, const Dict& keywords);
  Value as_type(const TensorPointer& tensor, const std::string& dtype);
  Value like(const TensorPointer& tensor, const std::string& dtype);
  Value listed(const Value& given, const Dict& keywords);
  Value random_integers(const Values& positional, const Dict& keywords);
  std::optional<Value> created(const std::string& name, const Values& positional,
                               const Dict& keywords);
  std::optional<Value> descriptor(const std::string& name, const Values& positional,
                                  const Dict& keywords);
  std::vector<Number> extents(const Values& positional);
  static int whole_argument(const Value* value, int otherwise);
  std::string dtype_argument(const Dict& keywords, const std::string& otherwise);

  Interpreter& host_;
  const Node& node_;
};

/// Where it is a list.
void set_block(const DescriptorOf& descriptor, const Value& block);

}  // namespace heddle::kernel::triton::host
