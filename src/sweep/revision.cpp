#include "sweep/revision.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "support/child_process.h"
#include "support/error.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::array kEndings = {".py",  ".toml", ".h",   ".hpp", ".hxx", ".cuh",
                                 ".hip", ".cu",   ".inc", ".inl", ".npy", ".csv"};
constexpr std::chrono::seconds kGitTime{120};

std::string git(const std::string& root, const std::vector<std::string>& arguments,
                const std::string& input, const std::string& hint) {
  std::vector<std::string> command = {"git", "-C", root};
  append(command, arguments);
  ChildLimits limits;
  limits.time = kGitTime;
  const ChildResult result = run_child(command, input, limits);
  if (result.exit_code == 0) return result.output;
  const std::string_view said = trim(result.errors);
  throw Error(said.empty() ? "git " + arguments.front() + " failed"
                           : fmt::format("git says: {}", said.substr(0, said.find('\n'))),
              hint, ExitCode::missing);
}

std::vector<std::string> paths_in(const std::string& output) {
  std::vector<std::string> paths;
  for (const std::string_view path : split(output, '\0'))
    if (!path.empty()) paths.emplace_back(path);
  return paths;
}

/// The root's folder in its repository: "" or "kernels/".
std::string prefix_of(const std::string& root) {
  return std::string(trim(git(root, {"rev-parse", "--show-prefix"}, "",
                              "run it inside a git repository, or name a folder in one")));
}

/// Several processes may do it at once: the first that is through wins.
void write_tree(const std::string& root, const std::string& commit, const fs::path& target) {
  std::string wanted;
  for (const std::string& path :
       paths_in(git(root, {"ls-tree", "-r", "-z", "--full-tree", "--name-only", commit}, "", "")))
    if (is_one_of(fs::path(path).extension().string(), kEndings)) wanted += path + '\0';
  const fs::path made = fmt::format("{}.{}", target.string(), getpid());
  fs::create_directories(made);
  const std::string top(trim(git(root, {"rev-parse", "--show-toplevel"}, "", "")));
  const auto with_index = [&](const std::vector<std::string>& arguments, const std::string& input) {
    std::vector<std::string> command = {
        "env", fmt::format("GIT_INDEX_FILE={}/.index", made.string()), "git", "-C", top};
    append(command, arguments);
    ChildLimits limits;
    limits.time = kGitTime;
    const ChildResult done = run_child(command, input, limits);
    if (done.exit_code != 0)
      throw Error(fmt::format("git says: {}", trim(done.errors)), "is there room on the disk?",
                  ExitCode::missing);
  };
  with_index({"read-tree", commit}, "");
  with_index({"checkout-index", "--force", "-z", "--stdin", "--prefix=" + made.string() + "/"},
             wanted);
  std::error_code error;
  fs::rename(made, target, error);
  if (error) fs::remove_all(made, error);
}

}  // namespace

Revision export_revision(const std::string& root, const std::string& revision,
                         const std::string& folder) {
  const std::string prefix = prefix_of(root);
  Revision result{revision, "", ""};
  try {
    result.commit = trim(
        git(root, {"rev-parse", "--verify", "--end-of-options", revision + "^{commit}"}, "", ""));
  } catch (const Error&) {
    throw Error(fmt::format("'{}' is not a revision of this repository", revision),
                "name a commit, branch or tag; git fetch may help", ExitCode::missing);
  }
  const fs::path target = fs::absolute(folder) / result.commit;
  result.root = (target / prefix).lexically_normal().string();
  if (result.root.ends_with('/')) result.root.pop_back();
  if (!fs::exists(target)) write_tree(root, result.commit, target);
  fs::create_directories(result.root);
  return result;
}

}  // namespace heddle::sweep
