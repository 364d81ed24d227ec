// A folder for temporary files that is gone when its owner is.
//
//   const TemporaryFolder folder;        // /tmp/heddle-run-4711-a8Xk2Q, readable by its user alone
//   write_text(folder.path() + "/kernel.cpp", text);
//
// Rules
//   1. It lies in TMPDIR, or in /tmp, and is removed with everything in it by the destructor.
//   2. The owner holds a lock on it, which the system gives up when the process ends, however it
//      ends. Making a folder first removes those of the same user whose lock nobody holds.
#pragma once

#include <string>

namespace heddle {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace heddle
