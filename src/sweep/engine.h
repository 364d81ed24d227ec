// Where the units of a sweep are done: on this machine, in a job of Slurm, in ranks of MPI.
//
//   local   worker processes of this machine              engines/local.cpp
//   mpi     mpirun starts heddle: a rank is a worker      engines/mpi.cpp
//   slurm   a job array, and a job that merges after it   engines/slurm.cpp
//
// Rules
//   1. An engine decides where workers run; what they do is the same everywhere (workers.h). Whatever
//      happens, acknowledged rows stay, and running the sweep again does the rest.
//   2. An engine is one file and one line in make_engine.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sweep/plan.h"
#include "sweep/store.h"

namespace heddle::sweep {

/// How far a sweep is.
struct Tally {
  std::size_t total = 0;   ///< of this sweep, rows from before included
  std::size_t before = 0;  ///< rows from before
  std::size_t done = 0;    ///< since, with a result
  std::size_t failed = 0;  ///< since, without one
  std::size_t workers = 0;
  std::chrono::milliseconds elapsed{0};

  std::size_t left() const;
  /// Until the end, as fast as so far; nothing: not known yet.
  std::optional<std::chrono::seconds> remaining() const;
};

struct SlurmOptions {
  std::string partition;
  std::string time;        ///< "2:00:00"
  bool exclusive = false;  ///< whole nodes, for measuring
  bool wait = true;
  std::vector<std::string> options;  ///< passed to sbatch as they are
};

struct Work {
  const Plan& plan;
  std::string folder;  ///< absolute
  std::vector<std::string> known = {};
  std::size_t shard = 0;  ///< of `shards`, from 0
  std::size_t shards = 1;
  bool retry = false;  ///< units that failed before
  std::function<SweepRow(const Unit&)> run = {};
  int workers = 1;
  std::chrono::milliseconds unit_time{0};  ///< 0: any
  std::chrono::seconds lease{90};
  bool tells_units = false;  ///< a line of JSON on standard error for each acknowledged unit
  std::function<bool()> stop = {};
  std::function<void(const Tally&)> watch = {};
  std::vector<std::string> command = {};  ///< that starts a worker of this sweep elsewhere
  SlurmOptions slurm = {};

  /// Units of the shard that have no row; `retries`: or a failed one.
  std::vector<std::size_t> open_units(bool retries) const;
  std::size_t shard_units() const;
};

enum class EngineEnd {
  complete,     ///< every unit has a row
  interrupted,  ///< Ctrl-C
  elsewhere,    ///< others are at it, or will merge
};

class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual EngineEnd run(const Work& work) = 0;
};

/// "local", "mpi", "slurm", and "worker", which is what Slurm starts.
std::unique_ptr<Engine> make_engine(const std::string& name);

std::unique_ptr<Engine> local_engine();
std::unique_ptr<Engine> mpi_engine();
/// One that takes what nobody has claimed, and ends.
std::unique_ptr<Engine> worker_engine();
std::unique_ptr<Engine> slurm_engine();

}  // namespace heddle::sweep
