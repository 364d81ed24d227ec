// Small jobs, written into a folder of the test: a replay takes a few milliseconds.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "pipeline.h"
#include "search/testing.h"

namespace heddle::search {

inline constexpr const char* kHead =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\n";

/// Writes NAME.py and NAME.toml; the job's path.
inline std::string write_job(const Folder& folder, const std::string& name,
                             const std::string& kernel, const std::string& job) {
  folder.write(name + ".py", kHead + kernel);
  return folder.write(name + ".toml", fmt::format("kernel = \"{}.py\"\n{}", name, job));
}

/// A five-point stencil of rows x columns tiles, 4 x 16 fp16 each: 4 tiles share a line.
inline std::string stencil_job(const Folder& folder, int rows, int columns) {
  return write_job(
      folder, fmt::format("stencil_{}x{}", rows, columns),
      "def stencil(x_ptr, y_ptr, rows, columns, R: tl.constexpr, C: tl.constexpr):\n"
      "    row = tl.program_id(0) * R + tl.arange(0, R)[:, None]\n"
      "    column = tl.program_id(1) * C + tl.arange(0, C)[None, :]\n"
      "    here = x_ptr + row * columns + column\n"
      "    a = tl.load(here - columns, mask=row > 0, other=0.0)\n"
      "    b = tl.load(here + columns, mask=row < rows - 1, other=0.0)\n"
      "    c = tl.load(here - 1, mask=column > 0, other=0.0)\n"
      "    d = tl.load(here + 1, mask=column < columns - 1, other=0.0)\n"
      "    tl.store(y_ptr + row * columns + column, a + b + c + d)\n",
      fmt::format("grid = [\"rows // R\", \"columns // C\"]\n"
                  "[tensors.x_ptr]\ndtype = \"fp16\"\nshape = [\"rows\", \"columns\"]\n"
                  "[tensors.y_ptr]\ndtype = \"fp16\"\nshape = [\"rows\", \"columns\"]\n"
                  "[scalars]\nrows = {}\ncolumns = {}\n[constexprs]\nR = 4\nC = 16\n"
                  "[launch]\nwarps = 1\n",
                  4 * rows, 16 * columns));
}

/// An MI300X that computes indices in no time: orders of launches of a few blocks are worth it.
inline std::string quick_gpu(const Folder& folder) {
  const std::string path = std::string(HEDDLE_TESTS_DIR) + "/../gpus/mi300x.toml";
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string slow = "dependent_cycles = { is = 5";
  text.replace(text.find(slow), slow.size(), "dependent_cycles = { is = 0");
  return folder.write("quick.toml", text);
}

/// Products of rows of A with columns of B, tiles of 16 x 16 over a depth of 32.
inline std::string product_job(const Folder& folder, int rows, int columns) {
  return write_job(folder, fmt::format("product_{}x{}", rows, columns),
                   "def product(a_ptr, b_ptr, c_ptr, M, N, K: tl.constexpr, T: tl.constexpr):\n"
                   "    row = tl.program_id(0) * T + tl.arange(0, T)[:, None]\n"
                   "    column = tl.program_id(1) * T + tl.arange(0, T)[None, :]\n"
                   "    depth = tl.arange(0, K)\n"
                   "    a = tl.load(a_ptr + row * K + depth[None, :])\n"
                   "    b = tl.load(b_ptr + depth[:, None] * N + column)\n"
                   "    tl.store(c_ptr + row * N + column, tl.dot(a, b))\n",
                   fmt::format("grid = [\"M // T\", \"N // T\"]\n"
                               "[tensors.a_ptr]\ndtype = \"fp16\"\nshape = [\"M\", \"K\"]\n"
                               "[tensors.b_ptr]\ndtype = \"fp16\"\nshape = [\"K\", \"N\"]\n"
                               "[tensors.c_ptr]\ndtype = \"fp32\"\nshape = [\"M\", \"N\"]\n"
                               "[scalars]\nM = {}\nN = {}\n[constexprs]\nK = 32\nT = 16\n"
                               "[launch]\nwarps = 1\n",
                               16 * rows, 16 * columns));
}

/// Sums of three neighbours on a line, 16 fp32 a tile: two tiles share a line.
inline std::string line_job(const Folder& folder, int tiles) {
  return write_job(folder, fmt::format("line_{}", tiles),
                   "def smooth(x_ptr, y_ptr, n, B: tl.constexpr):\n"
                   "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                   "    a = tl.load(x_ptr + i - 1, mask=i > 0, other=0.0)\n"
                   "    b = tl.load(x_ptr + i + 1, mask=i < n - 1, other=0.0)\n"
                   "    tl.store(y_ptr + i, a + b + tl.load(x_ptr + i))\n",
                   fmt::format("grid = [\"n // B\"]\n"
                               "[tensors.x_ptr]\ndtype = \"fp32\"\nshape = [\"n\"]\n"
                               "[tensors.y_ptr]\ndtype = \"fp32\"\nshape = [\"n\"]\n"
                               "[scalars]\nn = {}\n[constexprs]\nB = 16\n[launch]\nwarps = 1\n",
                               16 * tiles));
}

/// Neighbours along z and x in a box, tiles of 1 x 2 x 16 fp32.
inline std::string box_job(const Folder& folder, int x, int y, int z) {
  return write_job(
      folder, fmt::format("box_{}x{}x{}", x, y, z),
      "def box(x_ptr, y_ptr, X, Y, Z):\n"
      "    x = tl.program_id(0) * 16 + tl.arange(0, 16)[None, :]\n"
      "    y = tl.program_id(1) * 2 + tl.arange(0, 2)[:, None]\n"
      "    z = tl.program_id(2)\n"
      "    at = (z * Y + y) * X + x\n"
      "    a = tl.load(x_ptr + at)\n"
      "    b = tl.load(x_ptr + at + X * Y, mask=(z < Z - 1) & (x >= 0) & (y >= 0), other=0.0)\n"
      "    c = tl.load(x_ptr + at + 1, mask=(x < X - 1) & (y >= 0), other=0.0)\n"
      "    tl.store(y_ptr + at, a + b + c)\n",
      fmt::format("grid = [\"X // 16\", \"Y // 2\", \"Z\"]\n"
                  "[tensors.x_ptr]\ndtype = \"fp32\"\nshape = [\"Z\", \"Y\", \"X\"]\n"
                  "[tensors.y_ptr]\ndtype = \"fp32\"\nshape = [\"Z\", \"Y\", \"X\"]\n"
                  "[scalars]\nX = {}\nY = {}\nZ = {}\n[launch]\nwarps = 1\n",
                  16 * x, 2 * y, z));
}

/// Tile i writes tile i and reads what its left neighbour writes.
inline std::string dependent_job(const Folder& folder) {
  return write_job(folder, "dependent",
                   "def chain(x_ptr, n, B: tl.constexpr):\n"
                   "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                   "    tl.store(x_ptr + i, tl.load(x_ptr + i - 1, mask=i > 0, other=0.0))\n",
                   "grid = [16]\n[tensors.x_ptr]\ndtype = \"fp32\"\nshape = [\"n\"]\n"
                   "[scalars]\nn = 256\n[constexprs]\nB = 16\n[launch]\nwarps = 1\n");
}

/// Writes beyond its tensor: whether tiles are independent is not known.
inline std::string outside_job(const Folder& folder) {
  return write_job(folder, "outside",
                   "def outside(x_ptr, y_ptr, n, B: tl.constexpr):\n"
                   "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                   "    tl.store(y_ptr + i + n, tl.load(x_ptr + i))\n",
                   "grid = [16]\n[tensors.x_ptr]\ndtype = \"fp32\"\nshape = [\"n\"]\n"
                   "[tensors.y_ptr]\ndtype = \"fp32\"\nshape = [\"n\"]\n"
                   "[scalars]\nn = 256\n[constexprs]\nB = 16\n[launch]\nwarps = 1\n");
}

inline OptimizeRequest request_for(const std::string& job, const std::string& gpu = "mi300x") {
  OptimizeRequest request;
  request.job_path = job;
  request.gpu = gpu;
  request.threads = 1;
  return request;
}

}  // namespace heddle::search
