// A launch that was followed, written as a job's draft: a tensor, scalar or constexpr per parameter.
//
// Rules
//   1. What the launch gives is written with its place. What it does not give, or gives as unknown, is
//      a guess: by the kernel's uses first, then by name.
//   2. Defaults of the kernel and names that decorators set are left out.
#pragma once

#include "config/draft.h"
#include "kernel/triton/host/draft_sizes.h"

namespace heddle::kernel::triton::host {

class DraftWriter {
 public:
  /// `module` is the kernel's.
  DraftWriter(config::JobDraft& draft, FoundLaunch& launch, const KernelParameters& parameters,
              const Dict& config, const Module& module);

  void run(const Node& kernel);

 private:
  // draft_writer.cpp
  void name_tensors();
  void guess_strides();
  const SignatureEntry* likely_owner(const std::string& family,
                                     const std::map<std::string, std::string>& families) const;
  void name_targets();
  void add_launch_value(const char* keyword, const char* name);
  bool is_set(const std::string& name) const;
  void add_missing(const SignatureEntry& entry);
  bool is_left_out(const SignatureEntry& entry, const Value& value) const;
  void add_argument(const SignatureEntry& entry, const Value& value);
  void add_constexpr(const SignatureEntry& entry, const Value& value);
  config::DraftValue guess(const SignatureEntry& entry) const;
  std::optional<config::DraftValue> plain(const SignatureEntry& entry, const Value& value);
  std::string list_text(const List& list);
  std::string blocks_parameter() const;
  void write_grid(const Node& kernel);
  Dict meta() const;
  void run_hook(const Node& kernel);

  // draft_tensors.cpp
  void add_tensor(const SignatureEntry& entry, const TensorPointer& tensor,
                  const std::vector<Number>& block, const std::string& where);
  config::DraftValue dtype_value(const SignatureEntry& entry, const Tensor& tensor) const;
  std::string dtype_of(const std::string& dtype, int depth = 0) const;
  std::vector<Number> block_of(const SignatureEntry& entry, const DescriptorOf& descriptor) const;
  std::vector<Number> default_block(const SignatureEntry& entry, const Tensor& tensor) const;

  config::JobDraft& draft_;
  FoundLaunch& launch_;
  const KernelParameters& parameters_;
  const Dict& config_;  ///< what the first config of autotune sets
  const Module& module_;
  DraftSizes sizes_;
  std::map<std::string, std::string> strides_;  ///< guessed: parameter -> "a_ptr.stride(0)"
  std::map<std::string, int> ranks_;            ///< of tensors, by those
};

}  // namespace heddle::kernel::triton::host
