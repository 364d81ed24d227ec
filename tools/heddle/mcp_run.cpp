#include "mcp_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <tuple>

#include "support/child_process.h"
#include "support/file.h"
#include "support/landlock.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOutput = std::size_t{64} << 20;
constexpr std::size_t kMostPatch = std::size_t{256} << 10;

/// Standard error, line by line.
class Lines {
 public:
  explicit Lines(std::function<void(std::string_view)> said) : said_(std::move(said)) {}
  void add(std::string_view piece) {
    constexpr std::size_t kLongest = 500;
    for (const char c : piece) {
      if (c == '\n' || c == '\r') {
        if (!trim(line_).empty()) said_(trim(line_));
        line_.clear();
      } else if (line_.size() < kLongest) {
        line_ += c;
      }
    }
  }

 private:
  std::function<void(std::string_view)> said_;
  std::string line_;
};

void add_variable_folders(const char* variable, std::vector<std::string>& folders) {
  const char* const value = std::getenv(variable);
  for (const std::string_view folder : split(value != nullptr ? value : "", ':'))
    if (folder.starts_with("/") && folder.size() > 1) folders.emplace_back(folder);
}

/// The patch in a folder: a plain file and no link, which may lead out of the roots.
class PatchFile {
 public:
  explicit PatchFile(const std::string& folder)
      : path_(folder.empty() ? std::string() : folder + "/kernel.patch"), before_(state()) {}

  /// Its text, where the call has written it; an older one belongs to another call.
  std::optional<std::string> written() const {
    const auto now = state();
    if (!now || now == before_) return std::nullopt;
    try {
      return read_text(path_, kMostPatch);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

 private:
  using State = std::tuple<ino_t, off_t, std::int64_t, std::int64_t>;

  std::optional<State> state() const {
    struct stat found {};
    if (path_.empty() || lstat(path_.c_str(), &found) != 0 || !S_ISREG(found.st_mode))
      return std::nullopt;
    return State{found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
  }

  std::string path_;
  std::optional<State> before_;
};

}  // namespace

std::vector<std::string> program_folders() {
  std::vector<std::string> folders = {
      "/usr",       "/lib",       "/lib32",           "/lib64",    "/bin",      "/opt",
      "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/dev/null", "/dev/zero", "/dev/urandom"};
  std::error_code error;
  folders.push_back(fs::read_symlink("/proc/self/exe", error).string());
  add_variable_folders("LD_LIBRARY_PATH", folders);
  add_variable_folders("HEDDLE_GPUS", folders);
  try {
    ChildLimits limits;
    limits.memory_bytes = std::size_t{1} << 40;
    const ChildResult said =
        run_child({"python3", "-I", "-S", "-c",
                   "import sys; print(sys.executable); print(sys.base_prefix); print(sys.prefix)"},
                  "", limits);
    const auto lines = split_lines(said.output);
    if (said.exit_code != 0 || lines.size() < 3) return folders;
    for (const std::string_view line : lines)
      if (line.size() > 1 && line.starts_with("/")) folders.emplace_back(line);
    const char* const path = std::getenv("PATH");
    const std::string first = fs::path(lines[0]).parent_path().string();
    if (first.starts_with("/"))
      setenv("PATH", (first + ":" + (path != nullptr ? path : "/usr/bin:/bin")).c_str(), 1);
  } catch (const Error&) {  // without Python, calls that need it say so
  }
  return folders;
}

mcp::Answer run_call(const mcp::Command& command, const mcp::Roots& roots, const mcp::Watch& watch,
                     const CallLimits& given, const std::vector<std::string>& programs) {
  if (command.reads_files && !given.unconfined && !FileRules::is_supported())
    return mcp::refused("this system cannot hold heddle to the roots: it has no Landlock",
                        "start heddle mcp with --unconfined to go on without");
  const TemporaryFolder temporary;
  ChildLimits limits;
  limits.time = given.time;
  limits.memory_bytes = given.memory_bytes;
  limits.output_bytes = kMostOutput;
  limits.stop = watch.stop;
  limits.temporary = temporary.path();
  std::vector<std::string> words = {"/proc/self/exe"};
  words.insert(words.end(), command.words.begin(), command.words.end());
  std::string folder = command.folder;
  if (command.writes && folder.empty()) {
    folder = temporary.path() + "/out";
    words.push_back("--output=" + folder);
  }
  if (!command.folder.empty()) {  // a rule is about a folder that is there
    std::error_code error;
    fs::create_directories(command.folder, error);
  }
  if (!given.unconfined) {
    limits.readable = programs;
    limits.readable.insert(limits.readable.end(), roots.folders().begin(), roots.folders().end());
    limits.writable = {temporary.path(), "/dev/null"};
    if (!command.folder.empty()) limits.writable.push_back(command.folder);
  }
  const PatchFile patch(command.writes ? folder : std::string());
  Lines lines(watch.said);
  if (watch.said) limits.on_errors = [&](std::string_view piece) { lines.add(piece); };
  const ChildResult child = run_child(words, command.input, limits);
  return mcp::answer_of(child, limits, patch.written());
}

}  // namespace heddle::tool
