// What a sweep is asked for: kernels x shapes x GPUs x verbs, from a TOML file or a folder.
//
//   gpus = ["mi300x", "h100"]                 read_spec("sweep.toml")
//   verbs = ["check", "optimize"]
//   [[kernels]]
//   paths = ["kernels/gemm*.toml"]
//   shapes = ["M=4096,N=4096", "M=8192,N=8192"]
//   [kernels.sizes]                           all combinations, besides `shapes`
//   M = [1024, 2048]
//
// Rules
//   1. Paths are relative to the file's folder, the root of the sweep. A folder alone stands for all
//      jobs and kernels in it (find_kernels.h).
//   2. A group without GPUs or verbs has those of the file. A key that is not known is an Error.
//   3. Without shapes a job runs in its own.
#pragma once

#include <string>
#include <vector>

namespace heddle::sweep {

enum class SweepVerb { check, audit, simulate, optimize, validate };

std::string verb_text(SweepVerb verb);
/// Throws Error for a word that is none.
SweepVerb read_verb(const std::string& word);
/// simulate and optimize are units on a GPU.
bool takes_gpu(SweepVerb verb);

struct KernelGroup {
  std::vector<std::string> paths;   ///< files, folders, globs
  std::vector<std::string> shapes;  ///< as --set takes them; empty: the jobs' own
  std::vector<std::string> gpus;    ///< empty: those of the spec
  std::vector<SweepVerb> verbs;     ///< likewise
};

struct Spec {
  std::string name;  ///< what reports call it
  std::string root;  ///< an existing folder
  std::vector<std::string> gpus;
  std::vector<SweepVerb> verbs;
  std::vector<KernelGroup> groups;
  std::vector<std::string> except;  ///< globs
  std::string base;                 ///< a revision of git; for audit
  std::string effort = "low";       ///< of optimize
};

/// A file or a folder.
Spec read_spec(const std::string& path);

}  // namespace heddle::sweep
