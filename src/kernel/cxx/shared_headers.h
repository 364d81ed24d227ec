// Headers that every kernel of this process is compiled with, and precompiled ones, in one folder.
//
//   shared_headers()     -> "/tmp/heddle-run-4711-a8Xk2Q/include", with heddle/device.h in it
//   const auto before = precompiled(text, place, [&](const auto& header, const auto& output) {
//     run_clang({"-x", "c++-header", "-o", output, header}, &place);
//   });
//   run_clang({"-include-pch", before->path(), ...}, &place);
//
// Rules
//   1. Clang reads the folder and cannot write there: what it makes at a place is copied.
//   2. Equal texts are precompiled once; the last few are kept, and any for as long as it is held.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace heddle::kernel::cxx {

struct ClangPlace;

/// The folder of the device headers; written when it is first asked for.
const std::string& shared_headers();

/// A precompiled header, as a file that is gone with it.
class Precompiled {
 public:
  Precompiled(std::string text, std::string stem);
  ~Precompiled();
  Precompiled(const Precompiled&) = delete;
  Precompiled& operator=(const Precompiled&) = delete;

  const std::string& text() const { return text_; }
  std::string header() const { return stem_ + ".hpp"; }
  std::string path() const { return stem_ + ".pch"; }

 private:
  std::string text_;
  std::string stem_;
};

using Precompile = std::function<void(const std::string& header, const std::string& output)>;

/// `make` precompiles a header into a file at `place`; throws what it throws.
std::shared_ptr<const Precompiled> precompiled(const std::string& text, const ClangPlace& place,
                                               const Precompile& make);

}  // namespace heddle::kernel::cxx
