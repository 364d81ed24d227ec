// One launch as statements of bundle.txt.
#pragma once

#include <string>

#include "measure/bundle.h"

namespace heddle::measure {

/// "read", "write" or "update": what a kernel does with a tensor, by its index in the launch.
std::string tensor_use(const BundleLaunch& launch, std::size_t tensor);

/// Where the bytes of a tensor lie in the bundle; empty: they are drawn where the kernel runs.
std::string data_path(const BundleLaunch& launch, const config::Tensor& tensor);

/// "launch NAME" to "end".
std::string launch_text(const BundleLaunch& launch);

}  // namespace heddle::measure
