#include "sweep/claims.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "config/fingerprint.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

constexpr int kMostTurns = 10'000;  ///< of one batch: workers that died over it
constexpr std::size_t kLargestClaim = 4096;

std::string short_text(const std::string& path) {
  try {
    return std::string(trim(read_text(path, kLargestClaim)));
  } catch (const Error&) {
    return "";
  }
}

/// The machine, since it was started, and the processes that this one can see.
std::string this_machine() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<char, 128> space{};
  if (readlink("/proc/self/ns/pid", space.data(), space.size() - 1) < 0) space[0] = '?';
  return config::fingerprint(std::string(host.data()) +
                             short_text("/proc/sys/kernel/random/boot_id") + space.data())
      .substr(0, 12);
}

/// When a process was started, in ticks since the machine was; empty: there is none.
std::string start_of(const std::string& process) {
  const std::string state = short_text("/proc/" + process + "/stat");
  const std::size_t name = state.rfind(')');  // names may hold anything
  if (name == std::string::npos) return "";
  const auto words = split(std::string_view(state).substr(name + 2), ' ');
  constexpr std::size_t kStart = 19;
  if (words.size() <= kStart || words[0] == "Z" || words[0] == "X") return "";
  return std::string(words[kStart]);
}

Error cannot_claim(const std::string& path) {
  return Error(fmt::format("'{}' cannot be written: {}", path, std::strerror(errno)),
               "is there room on the disk?", ExitCode::missing);
}

std::optional<timespec> touched(const std::string& path) {
  struct stat state {};
  if (stat(path.c_str(), &state) != 0) return std::nullopt;
  return state.st_mtim;
}

}  // namespace

std::string worker_name() {
  const std::string process = std::to_string(getpid());
  return fmt::format("{}-{}-{}", this_machine(), process, start_of(process));
}

Heartbeat::Heartbeat(const std::string& folder)
    : worker_(worker_name()), path_(folder + "/workers/" + worker_) {
  write_text(path_, "alive\n");
}

void Heartbeat::beat() const {
  utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);
}

bool is_alive(const std::string& folder, const std::string& worker, std::chrono::seconds lease) {
  const auto parts = split(worker, '-');
  if (parts.size() != 3) return false;
  if (parts[0] == this_machine()) return start_of(std::string(parts[1])) == parts[2];
  const std::string probe = fmt::format("{}/workers/.now-{}", folder, worker_name());
  const int file = open(probe.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return true;
  close(file);
  utimensat(AT_FDCWD, probe.c_str(), nullptr, 0);
  const auto now = touched(probe);
  unlink(probe.c_str());
  const auto then = touched(folder + "/workers/" + worker);
  return !now || (then && now->tv_sec - then->tv_sec <= lease.count());
}

Claims::Claims(const std::string& folder, const Key& plan, std::size_t units, std::string worker,
               std::chrono::seconds lease)
    : folder_(folder),
      claims_(folder + "/claims/" + plan.text()),
      units_(units),
      batch_units_(std::max<std::size_t>(1, (units + kMostBatches - 1) / kMostBatches)),
      batches_((units + batch_units_ - 1) / batch_units_),
      worker_(std::move(worker)),
      lease_(lease) {
  std::error_code error;
  fs::create_directories(claims_, error);
  if (error)
    throw Error(fmt::format("the folder '{}' cannot be made: {}", claims_, error.message()),
                "name another folder with -o", ExitCode::missing);
  const auto place = read_key(config::fingerprint(worker_));
  if (batches_ > 0) start_ = place->low % batches_;
}

bool Claims::take(std::size_t number) const {
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const std::string path = fmt::format("{}/{}.{}", claims_, number, turn);
    if (symlink(worker_.c_str(), path.c_str()) == 0) return true;
    if (errno == ENOENT) return false;  // claims were removed: everything is done
    if (errno != EEXIST) throw cannot_claim(path);
    std::error_code error;
    const std::string owner = fs::read_symlink(path, error).string();
    if (error) return false;
    if (owner == worker_) {  // from before a process of this worker died; or it was taken for dead
      const std::string after = fmt::format("{}/{}.{}", claims_, number, turn + 1);
      if (!fs::is_symlink(after)) return true;
      continue;
    }
    if (is_alive(folder_, owner, lease_)) return false;
  }
  return false;
}

void Claims::list() {
  taken_.assign(batches_, false);
  misses_ = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(claims_, error)) {
    const std::string name = entry.path().filename().string();
    const auto number = parse_integer(name.substr(0, name.find('.')));
    if (number && *number >= 0 && static_cast<std::size_t>(*number) < batches_)
      taken_[static_cast<std::size_t>(*number)] = true;
  }
}

Claims::Batch Claims::batch(std::size_t number) const {
  const std::size_t first = number * batch_units_;
  return {first, std::min(units_, first + batch_units_), true};
}

std::optional<Claims::Batch> Claims::next_fresh() {
  constexpr int kMostMisses = 8;
  if (taken_.empty()) list();
  for (; looked_ < batches_; ++looked_) {
    const std::size_t number = (start_ + looked_) % batches_;
    if (taken_[number]) continue;
    const std::string path = fmt::format("{}/{}.0", claims_, number);
    if (symlink(worker_.c_str(), path.c_str()) == 0) return batch(number);
    if (errno == ENOENT) return std::nullopt;  // claims were removed: everything is done
    if (errno != EEXIST) throw cannot_claim(path);
    if (++misses_ >= kMostMisses) list();
  }
  return std::nullopt;
}

std::optional<Claims::Batch> Claims::next_orphan(const std::function<bool(const Batch&)>& is_open) {
  for (; orphans_looked_ < batches_; ++orphans_looked_) {
    Batch found = batch(orphans_looked_);
    if (!is_open(found) || !take(orphans_looked_)) continue;
    ++orphans_looked_;
    found.is_fresh = false;
    return found;
  }
  return std::nullopt;
}

void Claims::remove() {
  std::error_code error;
  fs::remove_all(claims_, error);
}

}  // namespace heddle::sweep
