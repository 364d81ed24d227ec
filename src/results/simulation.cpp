#include "results/simulation.h"

namespace heddle {

L2Counts& L2Counts::operator+=(const L2Counts& other) {
  cache += other.cache;
  reads += other.reads;
  writes += other.writes;
  atomics += other.atomics;
  fabric_reads_128 += other.fabric_reads_128;
  fabric_reads_64 += other.fabric_reads_64;
  fabric_reads_32 += other.fabric_reads_32;
  fabric_writes_64 += other.fabric_writes_64;
  fabric_writes_32 += other.fabric_writes_32;
  writebacks += other.writebacks;
  evictions += other.evictions;
  return *this;
}

L1Counts& L1Counts::operator+=(const L1Counts& other) {
  cache += other.cache;
  writes += other.writes;
  atomics += other.atomics;
  written_sectors += other.written_sectors;
  atomic_sectors += other.atomic_sectors;
  repeats += other.repeats;
  read_requests += other.read_requests;
  write_requests += other.write_requests;
  atomic_requests += other.atomic_requests;
  reads_to_l2 += other.reads_to_l2;
  writes_to_l2 += other.writes_to_l2;
  atomics_to_l2 += other.atomics_to_l2;
  return *this;
}

ScalarCounts& ScalarCounts::operator+=(const ScalarCounts& other) {
  cache += other.cache;
  duplicate_misses += other.duplicate_misses;
  return *this;
}

}  // namespace heddle
