#include "sim/machine.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

namespace heddle::sim {
namespace {

constexpr std::int64_t kEpochTicks = 512 * kTicks;
constexpr std::size_t kAhead = 12;  ///< events whose places in large tables are asked for early

/// How many times fewer sets the last-level cache gets in a sample: 1 where sets of the L2s are
/// made of the lowest address bits, so that whole sets of it are in the sample as well.
std::int64_t last_level_factor(const config::Gpu& gpu, std::int64_t sample_factor) {
  const auto page_log = std::countr_zero(static_cast<std::uint64_t>(gpu.pages.frame_bytes));
  const auto stays_inside = [&](const config::IndexBits& bits) {
    return !bits.empty() && std::ranges::all_of(bits, [&](const auto& group) {
      return group.size() == 1 && group[0] < page_log;
    });
  };
  const bool plain = stays_inside(gpu.l2.channel_bits) && stays_inside(gpu.l2.set_bits) &&
                     gpu.last_level->shape.sets() >= gpu.l2.shape.sets();
  return plain ? 1 : sample_factor;
}

/// The misses of an event that are first touches: all, or as many of them as of its sectors.
int first_of(const FabricEvent& event, int fresh) {
  const int sectors = count_sectors(event.sectors);
  return fresh == 0 ? 0 : event.misses <= 1 ? event.misses : event.misses * fresh / sectors;
}

/// Shared memory takes its part of the L1 where both are one.
config::CacheShape l1_left(const config::Gpu& gpu, std::int64_t shared_bytes) {
  config::CacheShape shape = gpu.l1.shape;
  if (!gpu.l1.holds_shared_memory) return shape;
  const std::int64_t way_bytes = std::int64_t{shape.ways} * shape.line_bytes;
  shape.bytes = std::max(way_bytes, (shape.bytes - shared_bytes) / way_bytes * way_bytes);
  return shape;
}

}  // namespace

Machine::Machine(const MachineSetup& setup, std::vector<TraceSource> traces)
    : gpu_(setup.gpu),
      map_(setup.gpu, setup.pages),
      sample_(setup.plan.sets > 1 ? Sample(map_, setup.plan.sets) : Sample()),
      turns_(setup.record_tiles ? static_cast<std::size_t>(setup.plan.last_launch) : 0),
      memory_(setup.gpu),
      first_touches_(setup.pages.bytes(), setup.gpu.l2.counts_sectors),
      moved_(setup.pages.bytes(), true),
      tensor_bytes_(setup.pages.bytes()),
      kept_bytes_(setup.kept_bytes),
      arrivals_(setup.gpu.last_level ? std::size_t{1} << kArrivalsLog : 0),
      arrival_epochs_((setup.gpu.memory.latency_cycles * kTicks + kEpochTicks - 1) / kEpochTicks),
      places_(setup.places) {
  const config::Gpu& gpu = setup.gpu;
  const DieSetup common{
      gpu,          map_,
      sample_,      l1_left(gpu, setup.shared_bytes),
      setup.places, setup.sites,
      setup.depth,  setup.plan.share_of_rounds,
      setup.start,  setup.in_turn,
      turns_,       setup.sampled_parts != nullptr ? setup.sampled_parts : &sampled_parts_};
  for (int die = 0; die < gpu.compute.dies; ++die) {
    Dispatcher dispatcher(gpu, die, setup.places, setup.map, setup.plan.last_launch, setup.blocks);
    dies_.push_back(std::make_unique<Die>(common, die, std::move(dispatcher),
                                          std::move(traces[static_cast<std::size_t>(die)])));
  }
  const std::int64_t lines = setup.pages.bytes() / gpu.l2.shape.line_bytes;
  if (gpu.last_level)
    last_level_.emplace(*gpu.last_level, static_cast<std::uint64_t>(lines),
                        last_level_factor(gpu, setup.plan.sets));
  if (setup.why) {
    const bool has_turn_causes = setup.record_tiles && turns_.size() <= kMostTurnCauses;
    causes_.resize(dies_.size());
    for (const auto& die : dies_) {
      die->l2().watch_conflicts();
      if (has_turn_causes) die->watch_event_turns();
    }
    if (has_turn_causes) turn_causes_.resize(turns_.size());
  }
}

namespace {

/// Runs work(k) for every k below `count` on several threads, again and again. A round ends when
/// its work is done, whoever did it: a thread that the system does not run holds nobody up.
class Crew {
 public:
  Crew(int threads, std::size_t count, std::function<void(std::size_t)> work)
      : work_(std::move(work)), count_(count), next_(count) {
    try {
      for (int thread = 1; thread < threads; ++thread) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // No more threads to be had: those there are do the work.
    }
  }
  ~Crew() {
    stop_ = true;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void run() {
    done_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_release);
    if (!threads_.empty()) {
      round_.fetch_add(1, std::memory_order_release);
      round_.notify_all();
    }
    take();
    while (done_.load(std::memory_order_acquire) != count_) std::this_thread::yield();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  /// Waits for rounds awake for a while, then asleep: the machine may have other work.
  void serve() {
    constexpr int kPatience = 4000;
    std::uint64_t seen = 0;
    int tries = 0;
    while (!stop_) {
      const std::uint64_t now = round_.load(std::memory_order_acquire);
      if (now == seen) {
        if (++tries > kPatience) round_.wait(now, std::memory_order_acquire);
        continue;
      }
      seen = now;
      tries = 0;
      take();
    }
  }

  void take() {
    while (next_.load(std::memory_order_acquire) < count_) {
      const std::size_t k = next_.fetch_add(1, std::memory_order_acq_rel);
      if (k >= count_) return;
      try {
        work_(k);
      } catch (...) {
        if (!failed_.exchange(true)) failure_ = std::current_exception();
      }
      done_.fetch_add(1, std::memory_order_release);
    }
  }

  std::function<void(std::size_t)> work_;
  std::size_t count_;
  std::atomic<std::size_t> next_;  ///< work that nobody has taken
  std::atomic<std::size_t> done_ = 0;
  std::atomic<std::uint64_t> round_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace

void Machine::run(int threads) {
  std::int64_t end = 0;
  Crew crew(std::clamp(threads, 1, static_cast<int>(dies_.size())), dies_.size(),
            [&](std::size_t die) { dies_[die]->run_until(end, memory_.delay(die)); });
  for (;;) {
    std::optional<std::int64_t> next;
    for (const auto& die : dies_)
      if (!die->finished()) next = std::min(next.value_or(die->next_time()), die->next_time());
    if (!next) break;
    const std::int64_t before = end;
    end = std::max(end, *next) + kEpochTicks;
    crew.run();
    take_events(end - before);
  }
  for (const auto& die : dies_) {
    end_ = std::max(end_, die->time());
    die->flush();
  }
  // The kernel has ended when what it wrote is in memory, but for what the L2s keep.
  take_events(0, kept_bytes_);
  end_ += memory_.backlog_ticks();
}

/// Sorts events by kind, in order: a loop over one kind has no branch that cannot be foreseen.
void Machine::sort_by_kind(const std::vector<FabricEvent>& events,
                           const std::vector<std::uint32_t>& turns) {
  std::array<std::size_t, 3> count{};
  for (std::vector<FabricEvent>& list : by_kind_)
    if (list.size() < events.size()) list.resize(events.size());
  for (const FabricEvent& event : events) by_kind_[event.kind][count[event.kind]++] = event;
  counts_by_kind_ = count;
  if (turn_causes_.empty()) return;
  for (std::vector<std::uint32_t>& list : turns_by_kind_) list.clear();
  for (std::size_t i = 0; i < turns.size(); ++i) turns_by_kind_[events[i].kind].push_back(turns[i]);
}

/// Calls visit(event, its place) for each event of a kind; what the next ones need is asked for early.
template <class Visit>
void Machine::for_each(FabricEvent::Kind kind, Visit visit) {
  const std::vector<FabricEvent>& list = by_kind_[kind];
  const std::size_t count = counts_by_kind_[kind];
  for (std::size_t k = 0; k < count; ++k) {
    const FabricEvent& ahead = list[std::min(k + kAhead, count - 1)];
    first_touches_.prefetch(ahead.line);
    moved_.prefetch(ahead.line);
    if (last_level_) last_level_->prefetch(ahead.line);
    visit(list[k], k);
  }
}

/// What left the dies reaches the last-level cache and the memory: of each die first what it read,
/// then what it wrote. Nobody waits for `kept_bytes` of that.
void Machine::take_events(std::int64_t ticks, std::int64_t kept_bytes) {
  std::int64_t fetched = 0;  // in sectors
  std::int64_t written = 0;
  std::int64_t from_memory = 0;
  ++epoch_;
  for (std::size_t die = 0; die < dies_.size(); ++die) {
    std::vector<FabricEvent>& events = dies_[die]->l2().events();
    sort_by_kind(events, dies_[die]->event_turns());
    events.clear();
    dies_[die]->event_turns().clear();
    std::int64_t its_fetched = 0;
    std::int64_t waited = 0;  // for memory
    const auto touch = [&](const FabricEvent& event, std::size_t at) {
      const int fresh = first_touches_.touch(event.line, event.sectors);
      first_misses_ += first_of(event, fresh);
      if (causes_.empty() || event.misses == 0) return;
      const MissCauses why = judge(die, event, fresh);
      causes_[die] += why;
      const std::vector<std::uint32_t>& turns = turns_by_kind_[event.kind];
      if (at < turns.size()) turn_causes_[turns[at]] += why;
    };
    for_each(FabricEvent::fetch, [&](const FabricEvent& event, std::size_t at) {
      touch(event, at);
      its_fetched += count_sectors(event.sectors);
      moved_.touch(event.line, event.sectors);
      if (!last_level_) {
        from_memory += count_sectors(event.sectors);
        return;
      }
      const SectorMask missing = last_level_->read(event.line, event.sectors);
      from_memory += count_sectors(missing);
      waited += count_sectors(missing);
      Arrival& arrival = arrivals_[event.line * 0x9e3779b1U >> (32 - kArrivalsLog)];
      if (missing != 0)
        arrival = {event.line, epoch_ + arrival_epochs_};
      else if (arrival.line == event.line && arrival.epoch > epoch_)
        waited += count_sectors(event.sectors);
    });
    fetched += its_fetched;
    memory_.fetched(die, its_fetched, waited);
    for_each(FabricEvent::touch, touch);
    for_each(FabricEvent::write, [&](const FabricEvent& event, std::size_t) {
      written += count_sectors(event.sectors);
      moved_.touch(event.line, event.sectors);
      if (last_level_) last_level_->write(event.line, event.sectors);
    });
  }
  const MemoryTraffic traffic{fetched * kSectorBytes, written * kSectorBytes,
                              from_memory * kSectorBytes, written * kSectorBytes};
  total_ += traffic;
  MemoryTraffic awaited = traffic.times(sample_.factor());
  awaited.written -= std::min(awaited.written, kept_bytes);
  awaited.hbm_written -= std::min(awaited.hbm_written, kept_bytes);
  memory_.advance(awaited, std::max<std::int64_t>(0, ticks));
}

MissCauses Machine::judge(std::size_t die, const FabricEvent& event, int fresh) const {
  MissCauses causes;
  causes.first_touch = first_of(event, fresh);
  const std::int64_t rest = event.misses - causes.first_touch;
  if (rest == 0) return causes;
  if (event.in_shadow) {
    causes.conflict = rest;
    return causes;
  }
  bool is_elsewhere = event.held;
  const LinePlace place = map_.place_of_physical(event.line);
  for (std::size_t other = 0; other < dies_.size() && !is_elsewhere; ++other)
    is_elsewhere = other != die && dies_[other]->l2().holds(place);
  (is_elsewhere ? causes.other_die : causes.capacity) = rest;
  return causes;
}

}  // namespace heddle::sim
