#include "kernel/triton/host/kernel_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "support/text.h"

namespace heddle::kernel::triton::host {

KernelParameters::KernelParameters(TritonSource& source, const Node& kernel)
    : entries(signature(kernel)), uses(parameter_uses(source, source.main(), kernel)) {
  for (const SignatureEntry& entry : entries) uses.try_emplace(entry.name);
}

bool KernelParameters::is_number(const SignatureEntry& entry) {
  return entry.annotation == "int" || entry.annotation == "float" || entry.annotation == "bool";
}

bool KernelParameters::is_pointer(const SignatureEntry& entry) const {
  if (is_number(entry)) return false;
  if (use(entry).is_pointer || use(entry).is_descriptor) return true;
  if (entry.is_constexpr) return false;
  const std::string low = lower_case(entry.name);
  return low.ends_with("_ptr") || low.ends_with("_ptrs") || low.ends_with("_desc");
}

bool KernelParameters::has(const std::string& name) const {
  return std::ranges::any_of(entries, [&](const SignatureEntry& one) { return one.name == name; });
}

const Value* KernelParameters::given(const LaunchRecord& record, std::size_t index) const {
  const std::string& name = entries[index].name;
  for (const auto& [key, value] : record.keywords)
    if (key == name) return &value;
  return index < record.positional.size() ? &record.positional[index] : nullptr;
}

TensorPointer tensor_in(const Value& value) {
  if (const auto* descriptor = value.as<DescriptorOf>()) return descriptor->tensor;
  return value.tensor();
}

std::string place_text(const Origin& origin) {
  if (origin.file.empty()) return {};
  return fmt::format("{}:{}", std::filesystem::path(origin.file).filename().string(), origin.line);
}

bool is_stride_name(const std::string& name) {
  const std::string low = lower_case(name);
  return low.starts_with("stride") || low.ends_with("stride") ||
         low.find("_stride_") != std::string::npos;
}

std::string family_of_stride(const std::string& stride) {
  const std::size_t last = stride.rfind('_');
  const bool is_word = last != std::string::npos && stride.substr(0, last) != "stride";
  return stride.substr(0, is_word ? last : stride.size() - 1);
}

}  // namespace heddle::kernel::triton::host
