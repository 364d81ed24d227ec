// Worker processes of this machine, which take units from one list.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "support/error.h"
#include "sweep/engine.h"
#include "sweep/workers.h"

namespace heddle::sweep {
namespace {

constexpr std::chrono::milliseconds kWaitForLock{1000};
constexpr std::chrono::milliseconds kBetweenTries{10};

/// One sweep a folder: two would do everything twice. Workers hold it with their parent, so that those
/// of a sweep that was killed are gone before another begins.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : file_(open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    for (auto waited = std::chrono::milliseconds(0);
         file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0; waited += kBetweenTries) {
      if (waited >= kWaitForLock) {
        close(file_);
        throw Error(fmt::format("another sweep is at work in '{}'", folder),
                    "wait for it, or name another folder with -o", ExitCode::missing);
      }
      std::this_thread::sleep_for(kBetweenTries);
    }
  }
  ~FolderLock() {
    if (file_ >= 0) close(file_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

class LocalEngine : public Engine {
 public:
  EngineEnd run(const Work& work) override {
    const FolderLock lock(work.folder);
    std::vector<std::size_t> open = work.open_units(work.retry);
    if (open.empty()) return EngineEnd::complete;
    const auto most = static_cast<int>(std::min<std::size_t>(open.size(), 1U << 20));
    Workers workers(work, std::min(work.workers, most));
    // What a killed worker was at is still open when the list is through.
    while (!open.empty()) {
      workers.restart_numbers();
      const auto source = [&]() -> NextUnit {
        return [&]() -> std::optional<std::size_t> {
          const std::size_t number = workers.take_number();
          if (number >= open.size()) return std::nullopt;
          return open[number];
        };
      };
      if (!workers.run(source)) return EngineEnd::interrupted;
      open = work.open_units(false);
    }
    return EngineEnd::complete;
  }
};

}  // namespace

std::unique_ptr<Engine> local_engine() {
  return std::make_unique<LocalEngine>();
}

}  // namespace heddle::sweep
