// What host code gives a kernel's template parameters, through the templates that launch it.
//
//   template <int kTile> void launch() { gemm<kTile, float><<<g, b>>>(x); }
//   launch<32>();                                       text of kTile in the launch: "32"
//
// Rules
//   1. A parameter of the function around a launch is what the first call of that function with
//      arguments gives it, or its default; calls are followed a few levels up.
//   2. Numbers, types and names that the file declares outside functions are taken as they stand;
//      of what else there is, nothing is said.
#pragma once

#include <string>
#include <vector>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/source.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {

/// Past template arguments that begin at `<`; `open` where they do not end.
std::size_t past_angles(const std::vector<Token>& tokens, std::size_t open);

class TemplateArguments {
 public:
  /// The file must outlive this.
  explicit TemplateArguments(const CxxSource& file);

  /// Of an argument that stands at these tokens; empty: not known.
  std::string text(TokenRange range, int depth = 0) const;
  /// The defaults of a kernel's template parameters; empty where there is none.
  std::vector<std::string> defaults(const CxxFunction& function) const;

 private:
  struct Parameter {
    std::string name;
    std::string standard;  ///< its default
  };
  std::vector<Parameter> parameters_of(const OutlineItem& item) const;
  std::string given(const OutlineItem& item, std::size_t index, int depth) const;
  bool is_global(std::string_view name) const;

  const CxxSource& file_;
  Outline outline_;
};

}  // namespace heddle::kernel::cxx
