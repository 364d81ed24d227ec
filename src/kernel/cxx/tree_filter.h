// Of Clang's syntax trees as JSON, declarations of the user, as they come: those of the C++ library
// are hundreds of MiB.
//
//   TreeFilter filter(most_bytes, [&](std::size_t offset) { return is_of_user(offset); });
//   filter.take("{\n  \"kind\": \"TranslationUnitDecl\",\n  \"inner\": [\n    {\n ..."); ...
//   filter.kept()     the same tree with fewer declarations
//
// Rules
//   1. A declaration of the file goes or stays as a whole. Where it stands is told by the first offset
//      that it has; those that have none, which Clang made by itself, stay.
//   2. Lines and their indentation are Clang's: "    {" begins a declaration, "    }" ends it.
//   3. Indentation and fields that tree.h has no use for go as well.
//   4. kept() is empty where more than `most_bytes` would stay.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kernel/cxx/clang.h"

namespace heddle::kernel::cxx {

class TreeFilter final : public OutputFilter {
 public:
  TreeFilter(std::size_t most_bytes, std::function<bool(std::size_t)> is_wanted)
      : most_bytes_(most_bytes), is_wanted_(std::move(is_wanted)) {}

  void take(std::string_view piece) override;
  std::string kept() override;

 private:
  enum class Part { outside, undecided, wanted, unwanted };
  void take_line(std::string_view line);
  void add(std::string_view line);

  std::size_t most_bytes_;
  std::function<bool(std::size_t)> is_wanted_;
  std::string begun_;  ///< a line whose end is still to come
  std::string kept_;
  std::size_t element_ = 0;  ///< where the last declaration begins in it
  bool is_first_ = true;     ///< of the declarations that stay
  bool is_over_ = false;
  Part part_ = Part::outside;
};

}  // namespace heddle::kernel::cxx
