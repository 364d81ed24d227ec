// Kernels as texts, audited against changes of themselves: what the tests of patches are made of.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "pipeline.h"

namespace heddle::audit_tests {

inline std::string work_file(const std::string& name, const std::string& text) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string path = std::string(HEDDLE_WORK_DIR) + "/" + test->test_suite_name() + "_" +
                           test->name() + "_" + name;
  std::ofstream file(path, std::ios::binary);
  file << text;
  return path;
}

inline const std::string kImports = "import triton\nimport triton.language as tl\n\n\n";

/// A kernel of one axis: x and y have n elements, tiles of BLOCK.
inline std::string line_kernel(const std::string& body) {
  return kImports + "@triton.jit\ndef kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n" + body;
}

inline const std::string kLineRest =
    "    offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"
    "    mask = offsets < n\n"
    "    x = tl.load(x_ptr + offsets, mask=mask)\n"
    "    tl.store(y_ptr + offsets, 2.0 * x + 1.0, mask=mask)\n";

inline const std::string kLine = line_kernel("    pid = tl.program_id(0)\n" + kLineRest);

/// n = 136: nine blocks of 16, the last of them half full.
inline const std::string kLineJob = R"toml(grid = ["cdiv(n, BLOCK)"]
[tensors.x_ptr]
dtype = "fp32"
shape = ["n"]
[tensors.y_ptr]
dtype = "fp32"
shape = ["n"]
[scalars]
n = 136
[constexprs]
BLOCK = 16
)toml";

/// A product of matrices, 5 x 3 tiles of 16 x 16, K = 48.
inline std::string gemm(const std::string& index, const std::string& rest) {
  return kImports +
         "@triton.jit\n"
         "def kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):\n" +
         index + rest;
}

inline const std::string kGemmIndex =
    "    row_tile = tl.program_id(0)\n"
    "    column_tile = tl.program_id(1)\n";

inline const std::string kGemmRest =
    "    row = row_tile * BLOCK + tl.arange(0, BLOCK)\n"
    "    column = column_tile * BLOCK + tl.arange(0, BLOCK)\n"
    "    step = tl.arange(0, BLOCK)\n"
    "    a_ptrs = a_ptr + row[:, None] * K + step[None, :]\n"
    "    b_ptrs = b_ptr + step[:, None] * N + column[None, :]\n"
    "    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)\n"
    "    for k in range(0, K, BLOCK):\n"
    "        a = tl.load(a_ptrs, mask=row[:, None] < M, other=0.0)\n"
    "        b = tl.load(b_ptrs, mask=column[None, :] < N, other=0.0)\n"
    "        total = tl.dot(a, b, total)\n"
    "        a_ptrs += BLOCK\n"
    "        b_ptrs += BLOCK * N\n"
    "    c_ptrs = c_ptr + row[:, None] * N + column[None, :]\n"
    "    inside = (row[:, None] < M) & (column[None, :] < N)\n"
    "    tl.store(c_ptrs, total.to(tl.float16), mask=inside)\n";

inline const std::string kGemmJob = R"toml(grid = ["cdiv(M, BLOCK)", "cdiv(N, BLOCK)"]
[tensors.a_ptr]
dtype = "fp16"
shape = ["M", "K"]
[tensors.b_ptr]
dtype = "fp16"
shape = ["K", "N"]
[tensors.c_ptr]
dtype = "fp16"
shape = ["M", "N"]
[scalars]
M = 72
N = 48
K = 48
[constexprs]
BLOCK = 16
)toml";

inline PatchRequest request_of(const std::string& before, const std::string& after,
                               const std::string& job) {
  PatchRequest request;
  request.before = work_file("before.py", before);
  request.after = work_file("after.py", after);
  request.job_path = work_file("job.toml", "kernel = \"" + std::string("unused.py") + "\"\n" + job);
  return request;
}

inline PatchAudit audit(const std::string& before, const std::string& after,
                        const std::string& job = kLineJob) {
  return audit_launch(request_of(before, after, job));
}

/// "order PROVED, bytes PROVED, code PROVED, launch PROVED" as "PPPP"; U and R for the others.
inline std::string verdicts(const PatchAudit& audit) {
  std::string text;
  for (const auto& [name, check] : audit.checks()) text += verdict_text(check->verdict).front();
  return text;
}

/// Everything that a check says.
inline std::string words(const CheckResult& check) {
  std::string text = check.finding;
  for (const std::string& line : check.evidence) text += "\n" + line;
  for (const std::string& line : check.notes) text += "\nnote: " + line;
  return text;
}

inline std::string words(const PatchAudit& audit) {
  std::string text;
  for (const auto& [name, check] : audit.checks())
    text += std::string(name) + ": " + words(*check) + "\n";
  return text;
}

/// The text with one part replaced; the part must be there.
inline std::string with(std::string text, const std::string& part, const std::string& other) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), other);
}

}  // namespace heddle::audit_tests
