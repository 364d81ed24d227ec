// A runner process that runs one kernel's blocks, and what it tells.
//
//   Session session(program, launch, memory);
//   session.trace({3, 0, 0}, listener);      // listener.access(...) for every access of the tile
//
// Rules
//   1. The process is started when first needed, has a closed sandbox (runner/sandbox.h), and ends
//      with the session, or with heddle, however that ends.
//   2. A tile that ends the process, takes longer than the limit without a word, or says more than
//      it may, is an Error that names the tile, the place in the source and the reason. The next
//      tile gets a new process.
//   3. Tiles that are asked for at equal distances are run ahead of being asked for, as long as
//      they are quick. Nobody can tell but by the clock.
//   4. Everything that the process says is checked: it may have been said by the kernel.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"
#include "runner/protocol.h"
#include "trace/native/memory.h"
#include "trace/native/runner_process.h"

namespace heddle::trace::native {

struct SessionLimits {
  std::int64_t accesses = 100'000'000;                  ///< of a block as a whole, of one tile
  std::chrono::seconds silence{60};                     ///< that a tile may take without a word
  std::uint64_t memory_bytes = std::uint64_t{3} << 29;  ///< beside the tensors
  std::uint64_t cpu_seconds = 3600;
};

class Listener {
 public:
  virtual ~Listener() = default;
  /// `mask` has a bit for each thread where access.mask is bits; `addresses` one for each active
  /// thread where it is not regular. Addresses are the runner's.
  virtual void access(const runner::Access& access, std::span<const std::uint64_t> mask,
                      std::span<const std::uint64_t> addresses) = 0;
};

class Session {
 public:
  /// All must outlive the session.
  Session(const kernel::KernelProgram& program, const config::Launch& launch,
          const NativeMemory& memory, const SessionLimits& limits);

  void trace(std::array<std::int64_t, 3> tile, Listener& listener);
  /// Runs a tile and keeps what it wrote.
  void run(std::array<std::int64_t, 3> tile);
  /// Reads outside these are not reported; nothing: all are.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  void watch_reads(std::optional<std::vector<Range>> ranges);
  /// Bytes of the window.
  std::vector<char> memory(std::uint64_t address, std::uint64_t bytes);

  const runner::TileEnd& end() const { return end_; }
  /// How often lanes ran each part of the code, in the last tile.
  const std::vector<std::uint64_t>& counters() const { return counters_; }

 private:
  void start();
  void send_setup();
  void send_watch();
  void ask_ahead(std::int64_t id);
  void drop_ahead();
  void trace_alone(std::array<std::int64_t, 3> tile, Listener& listener);
  void send_tile(runner::Order order, std::array<std::int64_t, 3> tile);
  void stop();
  void command(runner::Order order, std::array<std::uint64_t, 3> values);
  void receive(void* bytes, std::size_t count);
  void await();
  runner::Record next_record(Listener* listener);
  bool is_inside(const runner::Access& access, std::span<const std::uint64_t> addresses) const;
  void read_access(Listener& listener);
  void read_end(const runner::Record& record);
  [[noreturn]] void fail(const runner::Record& record);
  [[noreturn]] void lost();
  [[noreturn]] void confused();
  std::string tile_text() const;

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  const NativeMemory& memory_;
  SessionLimits limits_;
  RunnerProcess process_;
  std::array<std::int64_t, 3> tile_{};
  std::int64_t accesses_ = 0;
  std::optional<std::vector<Range>> watched_;
  std::deque<std::int64_t> ahead_;  ///< launch ids that were asked for and not read
  std::int64_t last_id_ = -1;
  std::int64_t step_ = 0;  ///< between the last two
  std::size_t most_ahead_ = 0;
  bool is_silent_ = false;  ///< it ended, or was ended, without a word
  runner::TileEnd end_;
  std::vector<std::uint64_t> counters_;
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle::trace::native
