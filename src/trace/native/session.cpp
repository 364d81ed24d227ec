#include "trace/native/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "kernel/cxx/assembly.h"
#include "kernel/native.h"
#include "support/error.h"
#include "support/grid.h"
#include "support/lists.h"
#include "trace/native/reasons.h"
#include "trace/source.h"

namespace heddle::trace::native {
namespace {

static_assert(runner::kWindow >> kernel::cxx::kWindowShift == kernel::cxx::kWindowNumber,
              "compiled kernels look for tensors where the runner has them");

constexpr std::size_t kMostAhead = 16;  ///< tiles
constexpr std::chrono::milliseconds kQuickTile{2};

/// The files behind the mappings; several may be of one.
std::vector<int> distinct_files(const std::vector<runner::Mapping>& mappings) {
  std::vector<int> files;
  for (const runner::Mapping& mapping : mappings)
    if (mapping.descriptor >= 0 && !is_one_of(mapping.descriptor, files))
      files.push_back(mapping.descriptor);
  return files;
}

}  // namespace

Session::Session(const kernel::KernelProgram& program, const config::Launch& launch,
                 const NativeMemory& memory, const SessionLimits& limits)
    : program_(program), launch_(launch), memory_(memory), limits_(limits) {}

void Session::stop() {
  process_.stop();
  ahead_.clear();
  most_ahead_ = 0;
}

void Session::start() {
  if (process_.is_running()) return;
  process_.start(distinct_files(memory_.mappings()));
  send_setup();
  const runner::Record record = next_record(nullptr);
  if (record.record != runner::RecordKind::started) confused();
  if (watched_) send_watch();
}

void Session::send_watch() {
  std::vector<runner::Command> commands(1);
  commands[0].order = watched_ ? runner::Order::watch_none : runner::Order::watch_all;
  for (const Range& range : watched_.value_or(std::vector<Range>{})) {
    runner::Command& command = commands.emplace_back();
    command.order = runner::Order::watch;
    command.tile[0] = range.begin;
    command.tile[1] = range.end;
  }
  process_.send(commands.data(), commands.size() * sizeof(runner::Command));
}

void Session::watch_reads(std::optional<std::vector<Range>> ranges) {
  drop_ahead();
  watched_ = std::move(ranges);
  if (process_.is_running()) send_watch();
}

void Session::send_setup() {
  const kernel::NativeCode& native = kernel::native_of(program_)->code();
  std::vector<runner::Mapping> mappings = memory_.mappings();
  const std::vector<int> files = distinct_files(mappings);
  for (runner::Mapping& mapping : mappings) {
    const auto found = std::ranges::find(files, mapping.descriptor);
    if (mapping.descriptor >= 0)
      mapping.descriptor =
          RunnerProcess::kFirstDescriptor + static_cast<int>(found - files.begin());
  }
  std::vector<runner::Slot> slots;
  for (const kernel::Parameter& parameter : program_.parameters)
    slots.push_back(slot_of(launch_, launch_.arguments[parameter.argument], memory_));
  std::vector<runner::Site> sites;
  for (std::size_t k = 0; k < program_.sites.size(); ++k)
    sites.push_back({static_cast<runner::SiteKind>(program_.sites[k].kind),
                     static_cast<std::uint8_t>(native.bytes[k])});
  std::vector<runner::Loop> loops;
  for (const kernel::SiteLoop& loop : native.loops) loops.push_back({loop.first, loop.last});
  runner::Setup setup;
  setup.mappings = static_cast<std::uint32_t>(mappings.size());
  setup.arguments = static_cast<std::uint32_t>(slots.size());
  setup.sites = static_cast<std::uint32_t>(sites.size());
  setup.loops = static_cast<std::uint32_t>(loops.size());
  setup.path_bytes = static_cast<std::uint32_t>(native.library.size());
  setup.counters = static_cast<std::uint32_t>(native.counters);
  setup.wave_lanes = static_cast<std::uint32_t>(native.wave_lanes);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    setup.threads[axis] = static_cast<std::uint32_t>(launch_.threads[axis]);
    const auto number = static_cast<int>(axis);
    setup.grid[axis] =
        number < launch_.grid.axes() ? static_cast<std::uint32_t>(launch_.grid.extent(number)) : 1;
  }
  setup.window_bytes = memory_.window_bytes();
  setup.memory_bytes = limits_.memory_bytes;
  setup.cpu_seconds = limits_.cpu_seconds;
  setup.parent = getpid();
  process_.send(&setup, sizeof setup);
  process_.send(mappings.data(), mappings.size() * sizeof mappings[0]);
  process_.send(slots.data(), slots.size() * sizeof slots[0]);
  process_.send(sites.data(), sites.size() * sizeof sites[0]);
  process_.send(loops.data(), loops.size() * sizeof loops[0]);
  process_.send(native.library.data(), native.library.size());
}

void Session::command(runner::Order order, std::array<std::uint64_t, 3> values) {
  start();
  runner::Command command;
  command.order = order;
  std::ranges::copy(values, command.tile);
  process_.send(&command, sizeof command);
}

/// Waits until there is a byte to read.
void Session::await() {
  while (process_.is_empty()) {
    const RunnerProcess::Wait wait = process_.wait(limits_.silence);
    if (wait == RunnerProcess::Wait::ended) lost();
    if (wait == RunnerProcess::Wait::ready) continue;
    is_silent_ = true;
    const std::string where = tile_text();
    stop();
    throw Error(fmt::format("{} runs for more than {} s without reading or writing a tensor", where,
                            limits_.silence.count()),
                "does it wait for another block, or for ever?", ExitCode::target_failed)
        .in(program_.source_path);
  }
}

void Session::receive(void* bytes, std::size_t count) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    await();
    const std::size_t some = process_.take(at, count);
    at += some;
    count -= some;
  }
}

/// Whether every address that a record can mean is one of the window: a sum of them cannot
/// overflow.
bool Session::is_inside(const runner::Access& access,
                        std::span<const std::uint64_t> addresses) const {
  const std::uint64_t bytes = memory_.window_bytes();
  const auto inside = [&](std::uint64_t address) { return address - runner::kWindow < bytes; };
  if (access.regular == 0) return std::ranges::all_of(addresses, inside);
  // The base is that of thread 0, which need not be there: threads and strides are below 2^42.
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  return access.base > -kFar && access.base < kFar;
}

void Session::read_access(Listener& listener) {
  runner::Access access;
  receive(&access, sizeof access);
  const auto threads = static_cast<std::uint32_t>(launch_.thread_count());
  const std::uint32_t words = access.mask == runner::Mask::bits ? (threads + 63) / 64 : 0;
  const std::uint32_t addresses = access.regular != 0 ? 0 : access.active;
  const bool is_range = access.mask == runner::Mask::range;
  if (access.site >= program_.sites.size() || access.active == 0 || access.active > threads ||
      access.mask > runner::Mask::bits || access.bytes != 8 * (words + addresses) ||
      (access.mask == runner::Mask::all && access.active != threads) ||
      (is_range && (access.last > threads || access.first >= access.last ||
                    access.active != std::uint32_t{access.last} - access.first)))
    confused();
  words_.resize(words + addresses);
  receive(words_.data(), access.bytes);
  if (words > 0) {
    std::uint32_t set = 0;
    for (std::uint32_t k = 0; k < words; ++k)
      set += static_cast<std::uint32_t>(__builtin_popcountll(words_[k]));
    if (set != access.active || (threads % 64 != 0 && words_[words - 1] >> threads % 64 != 0))
      confused();
  }
  if (!is_inside(access, std::span(words_).subspan(words))) confused();
  if (++accesses_ > limits_.accesses) {
    const std::string where = tile_text();
    stop();
    throw Error(fmt::format("{} reads and writes more than {} times", where, limits_.accesses),
                "trace a smaller size with --set", ExitCode::inconclusive)
        .in(program_.source_path);
  }
  listener.access(access, std::span(words_).first(words), std::span(words_).subspan(words));
}

/// The next record that is not an access. Without a listener accesses are not expected.
runner::Record Session::next_record(Listener* listener) {
  while (true) {
    await();
    const auto kind = static_cast<runner::RecordKind>(process_.peek());
    if (kind == runner::RecordKind::access) {
      if (listener == nullptr) confused();
      read_access(*listener);
      continue;
    }
    runner::Record record;
    receive(&record, sizeof record);
    if (record.record == runner::RecordKind::fault) fail(record);
    return record;
  }
}

void Session::read_end(const runner::Record& record) {
  const auto counters = static_cast<std::size_t>(kernel::native_of(program_)->code().counters);
  if (record.record != runner::RecordKind::end ||
      record.bytes != sizeof end_ + counters * sizeof(std::uint64_t))
    confused();
  receive(&end_, sizeof end_);
  counters_.resize(counters);
  receive(counters_.data(), counters * sizeof(std::uint64_t));
}

void Session::send_tile(runner::Order order, std::array<std::int64_t, 3> tile) {
  command(order, {static_cast<std::uint64_t>(tile[0]), static_cast<std::uint64_t>(tile[1]),
                  static_cast<std::uint64_t>(tile[2])});
}

/// Asks for the tiles that come next if the distance stays the same, several at a time.
void Session::ask_ahead(std::int64_t id) {
  if (2 * ahead_.size() > most_ahead_) return;
  std::vector<runner::Command> commands;
  std::int64_t next = (ahead_.empty() ? id : ahead_.back()) + step_;
  while (ahead_.size() < most_ahead_ && next >= 0 && next < launch_.grid.count()) {
    const auto tile = block_of(launch_.grid, LaunchId{next});
    runner::Command& command = commands.emplace_back();
    command.order = runner::Order::trace;
    std::ranges::copy(tile, command.tile);
    ahead_.push_back(next);
    next += step_;
  }
  process_.send(commands.data(), commands.size() * sizeof(runner::Command));
}

/// Reads what was asked for and is not wanted.
void Session::drop_ahead() {
  class Nobody final : public Listener {
    void access(const runner::Access&, std::span<const std::uint64_t>,
                std::span<const std::uint64_t>) override {}
  } nobody;
  if (ahead_.empty()) return;
  most_ahead_ = 0;
  try {
    for (; !ahead_.empty(); ahead_.pop_front()) {
      accesses_ = 0;
      read_end(next_record(&nobody));
    }
  } catch (const Error&) {
    stop();  // a tile that nobody wants: the next one gets a new process
  }
}

/// A process that ended may have done so in a later tile, and what this one said went with it. The
/// tile is run once more, with none behind it; what was handed on is not handed on again.
void Session::trace_alone(std::array<std::int64_t, 3> tile, Listener& listener) {
  class Rest final : public Listener {
   public:
    Rest(Listener& listener, std::int64_t known) : listener_(listener), known_(known) {}
    void access(const runner::Access& access, std::span<const std::uint64_t> mask,
                std::span<const std::uint64_t> addresses) override {
      if (known_-- <= 0) listener_.access(access, mask, addresses);
    }

   private:
    Listener& listener_;
    std::int64_t known_;
  } rest(listener, accesses_);
  accesses_ = 0;
  send_tile(runner::Order::trace, tile);
  try {
    read_end(next_record(&rest));
  } catch (...) {
    stop();
    throw;
  }
}

void Session::trace(std::array<std::int64_t, 3> tile, Listener& listener) {
  const Grid& grid = launch_.grid;
  const std::int64_t id = tile[0] + grid.extent(0) * (tile[1] + grid.extent(1) * tile[2]);
  const auto started = std::chrono::steady_clock::now();
  const bool is_expected = !ahead_.empty() && ahead_.front() == id;
  if (!is_expected) {
    drop_ahead();
    send_tile(runner::Order::trace, tile);
  } else {
    ahead_.pop_front();
  }
  const bool in_step = last_id_ >= 0 && id - last_id_ == step_ && step_ != 0;
  step_ = last_id_ >= 0 ? id - last_id_ : 0;
  last_id_ = id;
  if (in_step) ask_ahead(id);
  tile_ = tile;
  accesses_ = 0;
  const bool has_followers = !ahead_.empty();
  is_silent_ = false;
  try {
    read_end(next_record(&listener));
  } catch (...) {
    stop();  // in the middle of a tile
    if (!has_followers || !is_silent_) throw;
    trace_alone(tile, listener);
  }
  const bool is_quick = std::chrono::steady_clock::now() - started < kQuickTile;
  most_ahead_ = in_step && is_quick ? std::clamp<std::size_t>(2 * most_ahead_, 1, kMostAhead) : 0;
}

void Session::run(std::array<std::int64_t, 3> tile) {
  drop_ahead();
  tile_ = tile;
  send_tile(runner::Order::run, tile);
  read_end(next_record(nullptr));
}

std::vector<char> Session::memory(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 28;
  drop_ahead();
  std::vector<char> all(bytes);
  for (std::uint64_t done = 0; done < bytes; done += kPiece) {
    const std::uint64_t some = std::min(kPiece, bytes - done);
    command(runner::Order::memory, {address + done, some, 0});
    const runner::Record record = next_record(nullptr);
    if (record.record != runner::RecordKind::bytes || record.bytes != some) confused();
    receive(all.data() + done, some);
  }
  return all;
}

std::string Session::tile_text() const {
  return fmt::format("tile ({})", fmt::join(tile_index(launch_.grid, tile_), ", "));
}

void Session::fail(const runner::Record& record) {
  runner::Fault fault;
  if (record.bytes < sizeof fault || record.bytes > sizeof fault + runner::kMostReasonBytes)
    confused();
  receive(&fault, sizeof fault);
  std::string text(record.bytes - sizeof fault, '\0');
  receive(text.data(), text.size());
  const std::string where = tile_text();
  stop();
  throw fault_error(program_, launch_, fault, text, where);
}

void Session::lost() {
  is_silent_ = true;
  const int status = process_.kill_and_wait();
  stop();
  throw end_error(program_, status, tile_text());
}

void Session::confused() {
  const std::string where = tile_text();
  stop();
  throw Error(fmt::format("{}: the process that runs the kernel says what makes no sense", where),
              "the kernel may have written over its memory: look for stores out of bounds",
              ExitCode::target_failed)
      .in(program_.source_path);
}

}  // namespace heddle::trace::native
