// What Clang and the linker made of the same input before, so that a kernel is compiled once.
//
//   CachedRun cached(command, place);
//   if (auto known = cached.find()) return *known;     // its files are at the place
//   ClangOutput made = ...;
//   cached.keep(made);
//
// Rules
//   1. A run is the same if the program, its arguments, the environment that counts, every file that
//      it was given, and every header that it read are the same. Headers of the user are compared
//      byte by byte, those of the system by size and time. A header that has appeared in front of
//      one that was read, one of the system's too, makes it another run. The whole key is stored and
//      compared: a hash only names the file.
//   2. Entries lie in a PrivateCache (support/private_cache.h).
//      A run that Clang refused is kept only where the caller can do with a refusal that no longer
//      holds: it does not list its headers.
//   3. A run is not kept if one of its headers changed while it ran.
//   4. Nothing here is an Error: without a cache Clang runs.
//   5. What an entry holds is checked like what Clang writes, and runs where that runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/cxx/clang.h"
#include "support/private_cache.h"

namespace heddle::kernel::cxx {

inline constexpr std::size_t kMostCacheBytes = std::size_t{256} << 20;

class CachedRun {
 public:
  /// `command` may get flags that have Clang list its headers.
  CachedRun(std::vector<std::string>& command, const ClangPlace& place,
            bool keeps_refusals = false);

  std::optional<ClangOutput> find() const;
  void keep(const ClangOutput& made) const;

 private:
  struct Header {
    std::string path;
    std::string state;  ///< its size and time, or what it holds
  };
  std::string relative(std::string text) const;
  std::string absolute(std::string text) const;
  std::vector<Header> read_headers(const ClangOutput& made) const;
  bool is_current(const std::vector<Header>& headers) const;
  bool is_hidden(const std::string& path, const std::vector<Header>& headers) const;
  bool has_newcomers(const std::string& text, const std::string& folder,
                     const std::vector<Header>& headers) const;

  const ClangPlace& place_;
  bool keeps_refusals_;
  std::int64_t started_ = 0;  ///< by the clock of files, in nanoseconds
  PrivateCache cache_;
  std::string key_;
  std::string main_;            ///< the text of the file that is compiled
  std::string output_;          ///< the file that it writes; empty: none
  std::string dependencies_;    ///< the file that lists headers; empty: none is read
  bool reads_folders_ = false;  ///< the run says where headers lie
};

}  // namespace heddle::kernel::cxx
