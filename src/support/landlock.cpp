#include "support/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle {
namespace {

constexpr unsigned long long kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr unsigned long long kReadFolder = LANDLOCK_ACCESS_FS_READ_DIR;
constexpr unsigned long long kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr unsigned long long kChangeFolder =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr unsigned long long kAll = kReadFile | kReadFolder | kWriteFile | kChangeFolder;

}  // namespace

FileRules::FileRules(const std::vector<std::string>& readable,
                     const std::vector<std::string>& writable) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kAll;
  rules_ =
      static_cast<int>(syscall(__NR_landlock_create_ruleset, &attributes, sizeof attributes, 0U));
  for (const std::string& path : readable) allow(path, kReadFile | kReadFolder);
  for (const std::string& path : writable) allow(path, kAll);
}

FileRules::~FileRules() {
  if (rules_ >= 0) close(rules_);
}

void FileRules::allow(const std::string& path, unsigned long long access) const {
  if (rules_ < 0) return;
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0) return;  // what is not there cannot be read
  struct stat status {};
  const bool is_folder = fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
  landlock_path_beneath_attr rule{};
  rule.parent_fd = file;
  rule.allowed_access = is_folder ? access : access & (kReadFile | kWriteFile);
  syscall(__NR_landlock_add_rule, rules_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0U);
  close(file);
}

bool FileRules::is_supported() {
  return syscall(__NR_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

bool FileRules::apply() const {
  return rules_ >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(__NR_landlock_restrict_self, rules_, 0U) == 0;
}

}  // namespace heddle
