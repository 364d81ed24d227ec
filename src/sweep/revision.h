// The files of another revision, beside the working tree.
//
//   const Revision base = export_revision("repo", "origin/main", "out/base");
//   base.root                "out/base/4f2a...": the root's files as they were
//
// Rules
//   1. git does the reading; nothing of the repository's index or working tree is touched.
//   2. Only sources, jobs and data of jobs are written: kEndings. A commit that is there is not written
//      again.
//   3. A root that is not in a repository, or a revision that does not exist, is an Error.
#pragma once

#include <string>

namespace heddle::sweep {

struct Revision {
  std::string name;    ///< as the user calls it
  std::string commit;  ///< 40 digits
  std::string root;    ///< where the root's files lie; absolute
};

Revision export_revision(const std::string& root, const std::string& revision,
                         const std::string& folder);

}  // namespace heddle::sweep
