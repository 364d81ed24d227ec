// Who does which units, where workers share nothing but a folder: a claim is a link that only one
// can make.
//
//   Claims claims(folder, plan.key, units, 90 s);
//   while (const auto batch = claims.next()) ...    units of one batch, for this worker alone
//
// Rules
//   1. Units are claimed in batches: BATCH.0 is a symbolic link to the worker's name. Making one is
//      atomic, on NFS too, and it is never half written. There are at most kMostBatches of them, so
//      that folders stay small.
//   2. A worker that died is replaced: who finds that, makes BATCH.1, and so on. Only one can.
//   3. A worker of the same machine lives while its process does; one of another machine while it
//      touches its file in DIR/workers, every kBeat; `lease` later it is dead. Ages are taken from the
//      file system, so that clocks of machines need not agree.
//   4. Workers list the folder, rather than try every claim: a thousand of them that try 32,768 each
//      would keep a file server busy for hours.
//   5. A worker that was only slow, and taken for dead, costs work done twice, no result.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sweep/key.h"

namespace heddle::sweep {

inline constexpr std::size_t kMostBatches = 32'768;
inline constexpr std::chrono::seconds kBeat{5};

/// A worker's file in DIR/workers. It stays when its owner is gone.
class Heartbeat {
 public:
  explicit Heartbeat(const std::string& folder);

  const std::string& worker() const { return worker_; }
  void beat() const;

 private:
  std::string worker_;
  std::string path_;
};

/// "HOST-PID-START": no two processes have the same.
std::string worker_name();
/// Rule 3.
bool is_alive(const std::string& folder, const std::string& worker, std::chrono::seconds lease);

class Claims {
 public:
  Claims(const std::string& folder, const Key& plan, std::size_t units, std::string worker,
         std::chrono::seconds lease);

  struct Batch {
    std::size_t first = 0;
    std::size_t end = 0;
    bool is_fresh = true;  ///< nobody had it before
  };
  /// A batch that nobody has had.
  std::optional<Batch> next_fresh();
  /// Of those that `is_open` has units left in: one of this worker's, or of a dead one's. Each is
  /// given once.
  std::optional<Batch> next_orphan(const std::function<bool(const Batch&)>& is_open);
  /// The claims are no longer needed: every unit has a row.
  void remove();

 private:
  /// Of a batch that somebody had: it is this worker's, or becomes it.
  bool take(std::size_t number) const;

  std::string folder_;  ///< of the sweep
  std::string claims_;
  std::size_t units_;
  std::size_t batch_units_;
  std::size_t batches_;
  std::string worker_;
  std::chrono::seconds lease_;
  void list();
  Batch batch(std::size_t number) const;

  std::size_t start_ = 0;  ///< workers begin at different places
  std::size_t looked_ = 0;
  std::size_t orphans_looked_ = 0;
  std::vector<bool> taken_;  ///< as far as the last listing knows
  int misses_ = 0;           ///< since then
};

}  // namespace heddle::sweep
