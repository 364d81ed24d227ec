// A kernel file: its functions, constants, imports and decorators.
//
//   TritonSource source("gemm.py");
//   source.kernel("")            -> the one @triton.jit function nothing else calls
//   source.signature("gemm")     -> a_ptr, b_ptr, M, N, BLOCK_M: constexpr, ...
//
// Rules
//   1. Nothing of the file is executed. Module-level constants are looked at when a kernel uses
//      them, and must be made of literals, arithmetic and other such constants.
//   2. Functions imported from a Python file that lies beside the kernel (or where a relative
//      import points) are read from there.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/target.h"
#include "kernel/triton/syntax.h"

namespace heddle::kernel::triton {

struct Module {
  std::string path;
  std::string text;
  Node root;
  std::map<std::string, const Node*> functions;
  std::map<std::string, const Node*> constants;  ///< name -> the value's expression
  std::map<std::string, std::string>
      imports;                            ///< name -> "triton.language"; "." in front: relative
  std::vector<std::string> stars;         ///< modules of `from module import *`
  std::set<std::string> jit;              ///< functions with @triton.jit
  std::set<const Node*> known_functions;  ///< with @triton.constexpr_function: run while reading

  bool has(const std::string& name) const {
    return functions.count(name) + constants.count(name) + imports.count(name) != 0;
  }
};

struct SignatureEntry {
  std::string name;
  bool is_constexpr = false;
  std::string annotation;  ///< as written, e.g. "tl.constexpr"
  const Node* default_value = nullptr;
};

class TritonSource {
 public:
  explicit TritonSource(const std::string& path);
  /// The file as if it held this text.
  TritonSource(const std::string& path, std::string text);
  /// A file whose syntax tree is at hand.
  TritonSource(const std::string& path, Node root);
  /// The same file, to follow its host code, which may import more files than a kernel.
  static std::unique_ptr<TritonSource> for_host(const TritonSource& kernel);

  /// What the file's host code is told of the GPU (builtins_host.cpp).
  config::Target target;

  const Module& main() const { return *modules_.front(); }
  /// The function of that name, or the only kernel where the name is empty.
  const Node& kernel(const std::string& name) const;
  /// The file an import points to, beside the importing file or, of an absolute import, in the folders
  /// above it. Null: there is none.
  const Module* imported(const Module& from, const std::string& module_path);
  /// Another file of the project. Throws Error if it cannot be read.
  const Module& beside(const std::string& path);

 private:
  TritonSource() = default;
  Module& load(const std::string& path);
  Module& load(const std::string& path, std::string text);
  Module& add(const std::string& path, std::string text, Node root);
  std::vector<std::unique_ptr<Module>> modules_;
  std::size_t most_files_ = 32;
  std::size_t bytes_left_ = std::size_t{64} << 20;
  std::map<std::string, const Module*> looked_up_;
};

std::vector<SignatureEntry> signature(const Node& function);

/// Every name that stands in the node.
void collect_names(const Node& node, std::set<std::string>& names);

/// "triton.language.constexpr" for `tl.constexpr` under `import triton.language as tl`; the text
/// as written for names that are not imported; "" for what is no dotted name.
std::string dotted_path(const Module& module, const Node& node);

}  // namespace heddle::kernel::triton
