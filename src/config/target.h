// The GPU that a kernel's host code asks about: is_hip(), get_current_target(), torch.version.hip.
//
//   target_of(read_gpu("mi300x"))   amd, "gfx942", waves of 64 lanes      (config/gpu.h)
//   Target()                        where no GPU is named: nvidia, "sm_90", warps of 32 lanes
#pragma once

#include <string>

namespace heddle::config {

enum class Vendor { amd, nvidia };

struct Target {
  Vendor vendor = Vendor::nvidia;
  std::string name = "sm_90";  ///< as compilers call it
  int wave_lanes = 32;
  int compute_units = 132;  ///< of all dies
};

}  // namespace heddle::config
