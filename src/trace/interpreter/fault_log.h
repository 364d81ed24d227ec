// Faults, one per source place and kind, with how often and in how many tiles.
//
// Rules
//   1. The detail is that of the first one; it is only asked for then.
//   2. While muted, nothing is recorded but that there was something to record.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernel/program.h"
#include "trace/tracer.h"

namespace heddle::trace::interpreter {

class FaultLog {
 public:
  void start_tile(std::array<std::int64_t, 3> tile) {
    tile_ = tile;
    ++tile_number_;
  }

  /// fault.kind, place, site and tensor are given; detail() is called for the first of its kind.
  template <class Detail>
  void record(const Fault& fault, Detail detail) {
    if (muted_) {
      missed_ = true;
      return;
    }
    Entry& entry = entries_[{fault.place, fault.kind}];
    if (entry.fault.count == 0) {
      entry.fault = fault;
      entry.fault.tile = tile_;
      entry.fault.detail = detail();
    }
    entry.fault.end_byte = std::max(entry.fault.end_byte, fault.end_byte);
    ++entry.fault.count;
    if (entry.tile_number != tile_number_) ++entry.fault.tiles;
    entry.tile_number = tile_number_;
  }

  void mute() {
    muted_ = true;
    missed_ = false;
  }
  /// Whether anything was to be recorded since mute.
  bool unmute() {
    muted_ = false;
    return missed_;
  }

  /// By line and column.
  std::vector<Fault> sorted(const kernel::KernelProgram& program) const;

 private:
  struct Entry {
    Fault fault;
    std::int64_t tile_number = 0;
  };
  std::map<std::pair<std::int32_t, Fault::Kind>, Entry> entries_;
  std::array<std::int64_t, 3> tile_{};
  std::int64_t tile_number_ = 0;
  bool muted_ = false;
  bool missed_ = false;
};

}  // namespace heddle::trace::interpreter
