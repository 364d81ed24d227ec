// The folders that a client's tools may touch.
//
//   Roots roots;
//   roots.add_folder("/home/me/project");
//   roots.add_uri("file:///home/me/more%20kernels");
//   roots.existing("kernels/gemm.toml")      ->  "/home/me/project/kernels/gemm.toml"
//   roots.existing("../secret.toml")         ->  Error
//
// Rules
//   1. Symbolic links are followed first; what they lead to has to lie in a root.
//   2. Relative paths are looked for in every root, in their order.
//   3. `writable` takes a path that need not be there yet; the part of it that is not there has no
//      "..", and no link that leads to nothing.
//   4. A folder that is not there, "/", and URIs of other kinds are not roots.
//
// It does not see what changes between the question and the use of a path; support/landlock.h does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace heddle::mcp {

/// A path that is in none of the roots, whether it is there or not.
class OutsideRoots : public Error {
 public:
  using Error::Error;
};

class Roots {
 public:
  /// False where it is not a root.
  bool add_folder(const std::string& path);
  bool add_uri(std::string_view uri);
  void add(const Roots& more);

  bool empty() const { return folders_.empty(); }
  const std::vector<std::string>& folders() const { return folders_; }

  /// The whole path of a file or folder in a root. Throws OutsideRoots, or Error.
  std::string existing(const std::string& path) const;
  /// Likewise, of a folder that may be made.
  std::string writable(const std::string& path) const;

 private:
  OutsideRoots outside(const std::string& path) const;
  bool is_inside(const std::string& whole) const;

  std::vector<std::string> folders_;  ///< without links, without a final '/'
};

}  // namespace heddle::mcp
