// A kernel's file, whatever its language.
//
//   auto source = Source::open("gemm.hip");             // by its ending
//   source->find("")                                    // the only kernel of the file
//   source->launch(job)                                 // grid, arguments, threads
//   source->compile(launch)                             // KernelProgram, for that launch
//   source->index_uses("gemm", {"TILE"})                // where it takes its block's index
//
// Rules
//   1. The ending of the path says the language; a path that no language claims is Triton's.
//   2. Nothing of the file is executed. What cannot be understood is an Error with its place.
//   3. A third language is a folder with a Language, a Source and a Patch, and one line in languages()
//      (source.cpp). Other folders ask these two and never which language it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/draft.h"
#include "config/job.h"
#include "config/launch.h"
#include "config/skeleton.h"
#include "kernel/index_lines.h"
#include "kernel/index_uses.h"
#include "kernel/patch.h"
#include "kernel/program.h"
#include "kernel/tile_uses.h"
#include "support/error.h"

namespace heddle::kernel {

/// A kernel of a file, by the name that `function` of a job gives it.
struct KernelName {
  std::string name;
  Position position;
};

/// A launch, and the values that its expressions can name.
struct NamedLaunch {
  config::Launch launch;
  std::vector<config::NamedValue> names;
};

/// What a triton.Config sets.
using ConfigValues = std::vector<config::NamedValue>;

class Language;

class Source {
 public:
  static std::unique_ptr<Source> open(const std::string& path);
  /// The file as if it held this text.
  static std::unique_ptr<Source> open(const std::string& path, std::string text);

  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  virtual const Language& language() const = 0;
  virtual const std::string& path() const = 0;
  virtual const std::string& text() const = 0;
  virtual std::vector<KernelName> kernels() const = 0;
  /// By name; "" is the only kernel. Throws Error that lists what there is.
  virtual KernelName find(const std::string& function) const = 0;
  /// What a job has to say about the kernel; the path is left empty.
  virtual config::SkeletonInput signature(const std::string& function) = 0;
  /// A job for the kernel, inferred from the host code around it; nothing where only `signature` is
  /// known. The path is left empty.
  virtual std::optional<config::JobDraft> draft(const std::string&, const config::Target&) {
    return std::nullopt;
  }
  /// The configs that the kernel's decorators list, of which a job picks one; empty: none is known.
  virtual std::vector<ConfigValues> configs(const std::string& function,
                                            const config::Target& target) = 0;
  /// The job's launch: its config, what the kernel's decorators compute, its arguments and grid.
  virtual NamedLaunch launch(const config::Job& job) = 0;
  virtual KernelProgram compile(const config::Launch& launch) = 0;
  /// For KernelProgram::probe_index alone: compile, or less where that takes long.
  virtual KernelProgram read_index(const config::Launch& launch) { return compile(launch); }
  /// Whether that takes little time: for C++, whether only numbers differ from the last launch.
  virtual bool compiles_quickly(const config::Launch& launch) const = 0;
  /// Where the kernel takes its block's index. `constants` are known when it is compiled. The uses
  /// point into this source. Throws Error where a use cannot be replaced.
  virtual std::unique_ptr<IndexUses> index_uses(const std::string& function,
                                                const std::vector<std::string>& constants) = 0;
  /// Where the kernel gives its tile coordinates their values. The launch says which of its
  /// variants it is. Throws Error where a variable cannot be replaced.
  virtual std::unique_ptr<TileUses> tile_uses(const config::Launch& launch,
                                              const std::vector<TileVariable>& variables) = 0;
  /// The lines that compute the tile's coordinates; `reason` where there are none.
  virtual IndexLines index_lines(const std::string& function) = 0;
};

/// How a machine with a GPU takes a kernel's file.
struct RuntimeForm {
  std::string language;  ///< of bundle.txt: "triton", "hip", "cuda"
  std::string ending;    ///< ".py"
  bool is_whole = true;  ///< the file as it is; else a part of it, which runtime_text makes
};

/// A whole file, to be made into what a machine with a GPU takes.
struct RuntimeSource {
  std::string path;  ///< where its imports and includes are looked for
  std::string text;
  std::string name;  ///< what it is called there
  const config::Launch& launch;
};

/// What can be asked about a path before the file is read.
class Language {
 public:
  Language() = default;
  virtual ~Language() = default;
  Language(const Language&) = delete;
  Language& operator=(const Language&) = delete;

  virtual std::string name() const = 0;          ///< "Triton", "C++"
  virtual std::string_view comment() const = 0;  ///< what begins one that ends with its line
  /// By its ending.
  virtual bool claims(const std::string& path) const = 0;
  virtual std::unique_ptr<Source> open(const std::string& path,
                                       std::optional<std::string> text) const = 0;
  /// Two files of this language; both must outlive it.
  virtual std::unique_ptr<Patch> patch(Source& before, Source& after) const = 0;
  virtual RuntimeForm runtime_form(config::Vendor vendor) const = 0;
  /// The file as it is run or compiled at run time.
  virtual std::string runtime_text(const RuntimeSource& source) const = 0;
};

/// Of a kernel's path (rule 1).
const Language& language_of(const std::string& path);
/// Whether a language claims the path.
bool is_kernel_path(const std::string& path);

/// A kernel ready to be traced. `program` is whole: remove_unneeded is the tracer's choice.
struct LoadedKernel {
  config::Launch launch;
  KernelProgram program;
};

/// Reads a job and the kernel it names, as host code on `target` picks it. Each override is
/// "NAME=EXPRESSION".
LoadedKernel load_kernel(const std::string& job_path, const std::vector<std::string>& overrides,
                         const config::Target& target = {});

/// A kernel's file as if it held this text, compiled for a launch; its ending says the language.
KernelProgram compile_kernel(const std::string& path, const std::string& text,
                             const config::Launch& launch);

}  // namespace heddle::kernel
