// The tensors of one launch on the device, each between two guard zones.
//
//   [ 2 MiB of a pattern | tensor | 2 MiB of a pattern ]
//
// Rules
//   1. `set_seed` writes what tensors hold; `prepare` puts back what a run may change: outputs get
//   the
//      pattern, tensors that are read and written their contents.
//   2. The zone behind a tensor begins right after its last byte.
//   3. `damage` and `changed_input` look at everything, and say the first thing they find.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare.h"
#include "contents.h"
#include "driver.h"

namespace heddle::agent {

inline constexpr std::uint64_t kGuardBytes = std::uint64_t{2} << 20;

class LaunchMemory {
 public:
  LaunchMemory(Driver& driver, const Launch& launch, std::string folder);
  ~LaunchMemory();
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;

  void set_seed(std::uint64_t seed);
  void prepare(unsigned char pattern);

  /// What is wrong in the guard zones.
  std::optional<std::string> damage();
  /// The first tensor that is only read and is not what it was.
  std::optional<std::string> changed_input();
  /// The bytes of a tensor; nothing if they are those of `expected`.
  std::optional<Bytes> download(std::size_t tensor, const Bytes* expected);

  std::vector<void*>& parameters() { return parameters_; }
  const Launch& launch() const { return launch_; }

  /// For times: the pattern into what is only written, queued.
  void poison_queued(unsigned char pattern);
  /// For times: puts contents of updated tensors back without a copy from the host, if they are
  /// small.
  void keep_updates();
  void restore_updates();
  /// Whether all of them are put back.
  bool restores_updates() const;

 private:
  void upload(std::size_t tensor);
  std::optional<std::string> zone_damage(std::size_t tensor, bool behind);

  Driver& driver_;
  const Launch& launch_;
  std::string folder_;
  std::vector<Address> blocks_;  ///< with the zone in front
  std::vector<std::uint64_t> addresses_;
  std::vector<HostContents> contents_;
  std::vector<std::vector<unsigned char>> values_;
  std::vector<void*> parameters_;
  std::vector<Address> copies_;
};

}  // namespace heddle::agent
