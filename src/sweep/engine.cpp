#include "sweep/engine.h"

#include <fmt/format.h>

#include "support/error.h"

namespace heddle::sweep {

std::size_t Tally::left() const {
  const std::size_t there = before + done + failed;
  return total > there ? total - there : 0;
}

std::optional<std::chrono::seconds> Tally::remaining() const {
  const std::size_t since = done + failed;
  if (since == 0) return std::nullopt;
  const double each = static_cast<double>(elapsed.count()) / static_cast<double>(since);
  return std::chrono::seconds(static_cast<std::int64_t>(each * static_cast<double>(left()) / 1000));
}

std::vector<std::size_t> Work::open_units(bool retries) const {
  const StoredRows rows(folder, known);
  std::vector<std::size_t> open;
  for (std::size_t i = shard; i < plan.units.size(); i += shards) {
    const auto line = rows.find(plan.units[i].key);
    if (!line || (retries && line->failed)) open.push_back(i);
  }
  return open;
}

std::size_t Work::shard_units() const {
  const std::size_t all = plan.units.size();
  return all > shard ? (all - shard + shards - 1) / shards : 0;
}

std::unique_ptr<Engine> make_engine(const std::string& name) {
  if (name == "local") return local_engine();
  if (name == "mpi") return mpi_engine();
  if (name == "worker") return worker_engine();
  if (name == "slurm") return slurm_engine();
  throw Error(fmt::format("there is no engine '{}'", name), "known: local mpi slurm");
}

}  // namespace heddle::sweep
