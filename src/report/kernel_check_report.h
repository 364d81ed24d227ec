// Whether a kernel computes its tiles, as text for people and as JSON for programs.
//
//   PROVED  matmul_kernel in 03-matrix-multiplication.py
//     tiles          num_pid_m x num_pid_n (pid_m x pid_n)
//
//     all sizes   PROVED   bands of GROUP_SIZE_M along pid_m: one to one on every launch of ...
//
//     256  pid = tl.program_id(axis=0)
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/style.h"
#include "results/kernel_check.h"

namespace heddle::report {

std::string kernel_check_text(const KernelCheck& check, const Style& style);
nlohmann::json kernel_check_json(const KernelCheck& check);

}  // namespace heddle::report
