// Kernels that are compiled already: other sizes of a job, which are arguments, have the same code.
//
//   KeptCode code{key, nullptr, {}};
//   if (!find_kept(code)) { ...; keep(code, dependencies); }
//
// Rules
//   1. A kernel is found again under the same key and while the user's headers that it included hold
//      the same text. System headers count as unchanging.
//   2. Nothing lives longer for being kept: a kernel is found only while somebody owns it.
//   3. Several threads may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/cxx/assembly.h"
#include "kernel/native.h"

namespace heddle::kernel::cxx {

/// All that code is made of, except headers.
struct CodeKey {
  std::string path;  ///< as the user wrote it
  std::string absolute_path;
  std::string function;
  std::vector<std::string> defines;
  std::int64_t shared_bytes = 0;
  std::string text;
  bool operator==(const CodeKey&) const = default;
};

struct KeptCode {
  CodeKey key;
  std::shared_ptr<NativeKernel> kernel;
  std::vector<AssemblySite> sites;
};

/// Fills in the kernel and its sites; false if it is not there.
bool find_kept(KeptCode& code);

/// `dependencies` is the file that Clang wrote with -MMD.
void keep(const KeptCode& code, const std::string& dependencies);

}  // namespace heddle::kernel::cxx
