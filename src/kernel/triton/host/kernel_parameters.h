// The parameters of a kernel: what its signature and its uses of them say, and what a launch gives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/parameter_uses.h"

namespace heddle::kernel::triton::host {

struct KernelParameters {
  KernelParameters(TritonSource& source, const Node& kernel);

  std::vector<SignatureEntry> entries;
  std::map<std::string, ParameterUse> uses;

  const ParameterUse& use(const SignatureEntry& entry) const { return uses.at(entry.name); }
  bool is_pointer(const SignatureEntry& entry) const;
  /// Its annotation says so: `p: float`.
  static bool is_number(const SignatureEntry& entry);
  bool has(const std::string& name) const;
  /// The argument that a launch gives a parameter; null: none.
  const Value* given(const LaunchRecord& record, std::size_t index) const;
};

/// The tensor of an argument, which may be a descriptor of it; null: it is none.
TensorPointer tensor_in(const Value& value);
/// "matmul.py:81"; empty: not known.
std::string place_text(const Origin& origin);
/// "stride_am", "a_row_stride"
bool is_stride_name(const std::string& name);
/// "stride_q" of stride_qb and "stride_q" of stride_q_head: what the strides of a tensor share.
std::string family_of_stride(const std::string& stride);

}  // namespace heddle::kernel::triton::host
