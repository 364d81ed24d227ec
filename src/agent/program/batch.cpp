#include "batch.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "failure.h"
#include "lean.h"
#include "words.h"

namespace heddle::agent {
namespace {

namespace fs = std::filesystem;

void complain(const std::string& folder, const Failure& failure) {
  std::fprintf(stderr, "heddle-agent: %s: %s\n", folder.c_str(), failure.what());
}

/// Rule 1.
std::vector<std::string> bundles_of(const std::vector<std::string>& folders) {
  std::vector<std::string> bundles;
  for (const std::string& folder : folders) {
    std::vector<std::string> inside;
    std::error_code error;
    if (!fs::exists(fs::path(folder) / "bundle.txt", error))
      for (const auto& entry : fs::directory_iterator(folder, error))
        if (fs::exists(entry.path() / "bundle.txt", error)) inside.push_back(entry.path().string());
    std::sort(inside.begin(), inside.end());
    if (inside.empty()) inside.push_back(folder);
    bundles.insert(bundles.end(), inside.begin(), inside.end());
  }
  if (bundles.size() > bounds::kBundles)
    throw Failure(kUsage, "more than 10,000 bundles", "name some of them");
  return bundles;
}

/// Held until the program ends.
void lock(const std::string& folder) {
  // Nothing is emptied or written where no bundle is.
  read_file(folder + "/bundle.txt", bounds::kFileBytes);
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0)
    throw Failure(kUsage, "another agent is at work in " + printable(folder),
                  "wait for it, or copy the folder");
}

bool has_line(const std::string& path, const std::string& begin) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.substr(0, begin.size()) == begin) return true;
  return false;
}

bool is_done(const std::string& folder) {
  return has_line(folder + "/results/done.txt", "done") &&
         has_line(folder + "/results/machine.txt", "bundle " + bundle_digest(folder));
}

class Batch {
 public:
  explicit Batch(const Options& options)
      : options_(options), lean_(options, deadline_of(options)) {}

  int run() {
    const std::vector<std::string> bundles = bundles_of(options_.folders);
    is_alone_ = bundles.size() == 1;
    for (const std::string& folder : bundles) attempt(folder, [&] { take(folder); });
    if (!lean_.empty()) measure_lean();
    if (measured_ > 0 || !first_failure_) return 0;
    return *first_failure_;
  }

 private:
  static Deadline deadline_of(const Options& options) {
    if (options.budget_s <= 0) return std::nullopt;
    return std::chrono::steady_clock::now() +
           std::chrono::milliseconds(static_cast<std::int64_t>(options.budget_s * 1000));
  }

  template <typename Action>
  void attempt(const std::string& folder, const Action& action) {
    try {
      action();
    } catch (const Failure& failure) {
      if (is_alone_) throw;
      complain(folder, failure);
      if (!first_failure_) first_failure_ = failure.code();
    }
  }

  /// Runs it, or keeps it for later.
  void take(const std::string& folder) {
    lock(folder);
    const bool done = options_.resume && is_done(folder);
    if (done) ++measured_;
    const bool pending = has_line(folder + "/results/counters.txt", "refused pending");
    if (done && !(pending && options_.counters)) return;
    Options options = options_;
    options.folder = folder;
    // One that cannot be read is the Supervisor's to tell of, in results/.
    std::optional<Bundle> bundle;
    try {
      bundle = read_bundle(folder);
    } catch (const Failure&) {
      return Supervisor(options).run();
    }
    if (bundle->lean && bundle->language == Language::triton && options_.only.empty())
      return lean_.add(folder, std::move(*bundle), done);
    if (done) return;
    if (seconds_left(deadline_) <= 0) return;
    Supervisor(options).run();
    ++measured_;
  }

  void measure_lean() {
    attempt("lean bundles", [&] { lean_.measure(); });
    measured_ += lean_.measured();
    if (options_.counters) attempt("counters", [&] { lean_.count(); });
    if (lean_.failed() > 0 && !first_failure_) first_failure_ = kOriginal;
    std::fprintf(stderr, "heddle-agent: %d bundles measured, %d failed, %d left\n",
                 lean_.measured(), lean_.failed(), lean_.left());
  }

  const Options& options_;
  Deadline deadline_ = deadline_of(options_);
  LeanRun lean_;
  bool is_alone_ = false;
  int measured_ = 0;
  std::optional<int> first_failure_;
};

}  // namespace

int run_batch(const Options& options) {
  return Batch(options).run();
}

}  // namespace heddle::agent
