// Confines a process to some folders, by Linux's Landlock (5.13 and later).
//
//   const FileRules rules({"/usr", "/home/me/kernels"}, {"/tmp/mine"});
//   rules.apply();      // in the child, before it becomes another program
//
// Rules
//   1. Files below `readable` can be read, those below `writable` also written and made. All others
//      can be found, but not opened.
//   2. Symbolic links count as what they lead to.
//   3. Where the system has no Landlock nothing is confined: it is a second wall, not the only one.
#pragma once

#include <string>
#include <vector>

namespace heddle {

class FileRules {
 public:
  FileRules(const std::vector<std::string>& readable, const std::vector<std::string>& writable);
  ~FileRules();
  FileRules(const FileRules&) = delete;
  FileRules& operator=(const FileRules&) = delete;

  /// Whether this system has it.
  static bool is_supported();
  /// For good, and for everything that the process starts. False where there is no Landlock.
  bool apply() const;

 private:
  void allow(const std::string& path, unsigned long long access) const;

  int rules_ = -1;  ///< descriptor of the rule set
};

}  // namespace heddle
