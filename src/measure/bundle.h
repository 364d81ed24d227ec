// What is to be measured, as a folder of plain files that a machine with a GPU can run alone.
//
//   DIR/bundle.txt        kernels, launches, arguments, tensors (docs/agent.md)
//      /kernels/0.py      the original; 1.py, 2.py, ... the candidates
//      /data/csr.bin      contents of tensors that decide addresses
//      /agent/, run.sh    the agent's sources, and what builds and starts it
//      /heddle.json       what heddle wants to know again: formulas, proofs, predictions
//
// Rules
//   1. Candidate 0 is the original. An order is in a bundle only after its proof; a file of
//      somebody's is there as it is, and called so.
//   2. What decides addresses (offsets, permutations, files, lists) travels as bytes, within a
//   limit
//      of kMostData; other contents are drawn where the kernel runs.
//   3. The folder must not exist, be empty, or be a bundle; then all of it is written anew.
//   4. What a bundle cannot say (a list as an argument, a structure as a parameter) is an Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"
#include "results/measurement.h"
#include "results/trace.h"

namespace heddle::measure {

inline constexpr std::int64_t kMostData = std::int64_t{1} << 30;  ///< bytes of one tensor

struct BundleCandidate {
  std::string title;
  std::string formula;  ///< of an order; empty: a file of somebody's
  std::string proof;    ///< its scope; empty: not proved
  std::string text;     ///< of the whole source file, as users know it
  std::optional<PredictedFigures> predicted;
  std::string family = {};  ///< of the point in a table; may be empty
};

/// The kernel as it is launched once.
struct BundleLaunch {
  std::string name;  ///< "main", "ragged"
  config::Launch launch;
  const kernel::KernelProgram* program = nullptr;
  const TraceReport* memory = nullptr;  ///< of a C++ kernel: which tensors it writes
};

struct Bundle {
  std::string job;
  std::vector<std::string> overrides;  ///< --set
  std::string gpu;                     ///< of the predictions; may be empty
  bool is_amd = false;                 ///< C++ kernels are HIP there, and CUDA elsewhere
  std::string kernel_path;
  std::vector<std::int64_t> seeds = {1, 2, 3};
  int limit_s = 60;
  int rounds = 40;
  int budget_s = 60;
  bool lean = false;
  bool has_agent = true;  ///< false: bundles in one folder share an agent beside them
  std::vector<BundleCandidate> candidates;
  std::vector<BundleLaunch> launches;
};

/// bundle.txt. Throws Error by rule 4.
std::string bundle_text(const Bundle& bundle);

/// Throws Error by rules 2 to 4, or where the folder cannot be written.
void write_bundle(const Bundle& bundle, const std::string& folder);

/// The agent's sources and run.sh, for the bundles in a folder.
void write_agent(const std::string& folder);

/// heddle.json of a folder; what it does not say is empty. Throws Error where the file is damaged.
struct BundleRecord {
  std::string job;
  std::vector<std::string> overrides;
  std::string gpu;
  std::string kernel_path;
  std::string function;
  std::vector<std::string> launches;  ///< names, and seeds: what outputs are to be compared on
  std::vector<std::string> seeds;
  bool lean = false;
  std::vector<BundleCandidate> candidates;  ///< with the text of their files
};
BundleRecord read_record(const std::string& folder);

}  // namespace heddle::measure
