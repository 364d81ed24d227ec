// Ranks of MPI, and any other processes that share nothing but the folder: each takes what nobody has
// claimed (claims.h).
//
// heddle is not linked with MPI. mpirun starts a process for each rank and tells it its number in the
// environment; work is handed out by claims in the folder, which is shared anyway. A rank that dies
// then takes no other with it, and its claims pass on.
#include <cstdlib>
#include <thread>

#include "support/error.h"
#include "support/text.h"
#include "sweep/claims.h"
#include "sweep/engine.h"
#include "sweep/workers.h"

namespace heddle::sweep {
namespace {

constexpr std::chrono::milliseconds kBetweenPasses{500};

/// Of Open MPI, of MPICH and Intel MPI, of PMIx, of srun.
std::optional<std::int64_t> rank_of_environment() {
  for (const char* name :
       {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (const char* value = std::getenv(name); value != nullptr)
      if (const auto rank = parse_integer(value)) return rank;
  return std::nullopt;
}

/// The units of batches that this worker claims, one after the other.
class ClaimedUnits {
 public:
  /// `takes_over`: units of the dead as well, and those that a process of this worker died over.
  ClaimedUnits(const Work& work, const std::string& worker, bool takes_over)
      : work_(work),
        claims_(work.folder, work.plan.key, work.plan.units.size(), worker, work.lease),
        rows_(std::make_unique<StoredRows>(work.folder, work.known)),
        takes_over_(takes_over) {}

  std::optional<std::size_t> next() {
    for (;;) {
      for (; at_ < batch_.end; ++at_)
        if (is_open(at_)) return at_++;
      const auto batch = next_batch();
      if (!batch) return std::nullopt;
      batch_ = *batch;
      at_ = batch_.first;
    }
  }

 private:
  std::optional<Claims::Batch> next_batch() {
    if (const auto batch = claims_.next_fresh()) return batch;
    if (!takes_over_) return std::nullopt;
    // Whoever had them may have written since.
    rows_ = std::make_unique<StoredRows>(work_.folder, work_.known);
    return claims_.next_orphan([&](const Claims::Batch& batch) {
      for (std::size_t unit = batch.first; unit < batch.end; ++unit)
        if (is_open(unit)) return true;
      return false;
    });
  }

  bool is_open(std::size_t index) const {
    return index % work_.shards == work_.shard && !rows_->find(work_.plan.units[index].key);
  }

  const Work& work_;
  Claims claims_;
  std::unique_ptr<StoredRows> rows_;
  bool takes_over_;
  Claims::Batch batch_;
  std::size_t at_ = 0;
};

/// `waits`: until every unit has a row, taking over from the dead.
EngineEnd run_claims(const Work& work, bool waits) {
  const Heartbeat heartbeat(work.folder);
  Workers workers(work, 1);
  auto beaten = std::chrono::steady_clock::now();
  const auto beat = [&] {
    if (std::chrono::steady_clock::now() - beaten < kBeat) return;
    beaten = std::chrono::steady_clock::now();
    heartbeat.beat();
  };
  const auto source = [&]() -> NextUnit {
    const bool takes_over = waits || workers.has_lost_one();
    return [units = std::make_shared<ClaimedUnits>(work, heartbeat.worker(), takes_over)] {
      return units->next();
    };
  };
  for (;;) {
    if (!workers.run(source, beat)) return EngineEnd::interrupted;
    if (!waits) return EngineEnd::elsewhere;
    if (work.open_units(false).empty()) break;
    std::this_thread::sleep_for(kBetweenPasses);
    beat();
    if (work.stop && work.stop()) return EngineEnd::interrupted;
  }
  Claims(work.folder, work.plan.key, 0, heartbeat.worker(), work.lease).remove();
  return EngineEnd::complete;
}

class MpiEngine : public Engine {
 public:
  EngineEnd run(const Work& work) override {
    const auto rank = rank_of_environment();
    if (!rank)
      throw Error("no rank of MPI is in the environment",
                  "run: mpirun -n 4 heddle sweep SPEC --mpi -o DIR", ExitCode::missing);
    return run_claims(work, *rank == 0);
  }
};

class WorkerEngine : public Engine {
 public:
  EngineEnd run(const Work& work) override { return run_claims(work, false); }
};

}  // namespace

std::unique_ptr<Engine> mpi_engine() {
  return std::make_unique<MpiEngine>();
}

std::unique_ptr<Engine> worker_engine() {
  return std::make_unique<WorkerEngine>();
}

}  // namespace heddle::sweep
