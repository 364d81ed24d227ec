// Kernels as texts, orders as texts: what the tests of rewriting are made of.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "emit/kernel_rewriter.h"
#include "order/compact.h"
#include "order/read.h"
#include "proof/proven_order.h"

namespace heddle::emit_tests {

/// A file of its own for each test.
inline std::string kernel_file(const std::string& text) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string path = std::string(HEDDLE_WORK_DIR) + "/" + test->test_suite_name() + "_" +
                           test->name() + "_kernel.py";
  std::ofstream file(path, std::ios::binary);
  file << text;
  return path;
}

inline proof::ProvenOrder proven_family(const std::string& text, int axes) {
  AllSizesReport report;
  auto proven =
      proof::prove_all_sizes(order::read_compact(text), {axes, axes, false}, {}, {}, report);
  if (!proven) throw Error(text + " is not proved");
  return *proven;
}

inline proof::ProvenOrder proven_formula(const std::string& text, const std::string& grid,
                                         const std::vector<std::string>& lets = {},
                                         const std::string& tiles = {}) {
  const order::Bindings bindings(lets);
  RangeReport report;
  auto proven = proof::prove_range(order::read_order(text, {}),
                                   order::SpaceRange(grid, tiles, bindings), bindings, {}, report);
  if (!proven) throw Error(text + " is not proved");
  return *proven;
}

/// The kernel's new text, with the tiles assumed independent.
inline std::string rewritten(const std::string& kernel, const proof::ProvenOrder& proven,
                             const std::string& function = {}) {
  return emit::open_kernel(kernel_file(kernel), function, {})
      ->rewrite(proven, emit::AssumedIndependent{}, {});
}

/// "line:column: message" of the Error that it throws.
inline std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return std::to_string(error.position().line) + ":" + std::to_string(error.position().column) +
           ": " + error.message();
  }
  return "nothing was refused";
}

inline std::string refusal(const std::string& kernel, const std::string& function = {}) {
  return refusal_of([&] { emit::open_kernel(kernel_file(kernel), function, {})->refuse_unseen(); });
}

}  // namespace heddle::emit_tests
