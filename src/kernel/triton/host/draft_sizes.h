// Numbers of host code as a job writes them, and the sizes that they name.
//
//   Number 4096 "M"                    M, and M = 4096 among the sizes
//   Number 64 "\x01 3.stride(0)"       a_ptr.stride(0), where a_ptr is the tensor with id 3
#pragma once

#include <map>
#include <set>
#include <string>

#include "config/draft.h"
#include "kernel/triton/host/kernel_parameters.h"
#include "kernel/triton/host/launch_search.h"

namespace heddle::kernel::triton::host {

class DraftSizes {
 public:
  explicit DraftSizes(const FoundLaunch& launch) : launch_(launch) {}

  /// Tensors, by the first parameter that they are passed to.
  std::map<int, std::string> tensors;

  /// The sizes that it names are needed from now on.
  std::string written(const Number& number);
  /// Of a tensor, as a job writes them.
  std::string contents(const std::string& text);
  /// A value of the job under that name: a size that is passed under its own name stands there, not
  /// among the sizes.
  config::DraftValue value(const std::string& name, const Number& number, const std::string& where);
  /// The sizes that are needed; those that are called as another name of the job get one of their
  /// own. `config`: what autotune sets.
  void write(config::JobDraft& draft, const KernelParameters& parameters, const Dict& config) const;

 private:
  std::string expression(const Number& number) const;
  void need(const std::string& text);
  bool is_left_out(const std::string& name, const KernelParameters& parameters) const;
  config::DraftValue known(const std::string& name, const Number& number) const;
  bool take_name_of_scalar(config::JobDraft& draft, const std::string& name,
                           const Number& number) const;

  const FoundLaunch& launch_;
  std::set<std::string> needed_;
  std::set<std::string> passed_;
};

}  // namespace heddle::kernel::triton::host
