// The assembly of a kernel for an AMD GPU, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/native.h"
#include "kernel/program.h"

namespace heddle::kernel::cxx {

struct TargetInstruction {
  std::string_view text;  ///< "v_fmac_f64_e32 v[8:9], s[22:23], v[16:17]"
  std::string_view name;  ///< "v_fmac_f64_e32"
  int line = 0;           ///< of the kernel's own file; 0: elsewhere
  int column = 0;
  int part = 0;  ///< of the code: between labels and branches
};

struct TargetCode {
  std::string assembly;  ///< the views look into it
  std::vector<TargetInstruction> instructions;
  int registers = 0;
  int scalar_registers = 0;
  int spilled_registers = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t scratch_bytes = 0;
  std::int64_t code_bytes = 0;
};

/// `function` is "kernels::gemm<16>", with "(const float*, int)" where several have the name; nothing
/// if the assembly has no such kernel.
std::optional<TargetCode> read_target_code(std::string assembly, const std::string& function,
                                           const std::string& main_file);

/// What an instruction computes for each lane, if it computes anything.
struct TargetWork {
  ArithmeticKind kind = ArithmeticKind::add;
  DType type = DType::int32;
  double count = 1;
};
std::optional<TargetWork> work_of(std::string_view name);

/// An atomic on global memory.
std::optional<NativeAtomic> atomic_of(const TargetInstruction& instruction);

bool is_scalar_load(std::string_view name);
bool is_vector_load(std::string_view name);

}  // namespace heddle::kernel::cxx
