// What a trace found, as plain data: what each memory access of the source touches, what tiles
// share, and whether they are independent of one another.
//
// Sample (a five-point stencil, 32 x 32 tiles of fp16):
//   line 22 reads input_ptr: 2048 B a tile in 32 runs of 64 B on 32 lines, all 1024 lanes active;
//   4 wave instructions make 8 requests each; axis 1, distance 1: 50 % of the lines shared
//
// Rules
//   1. Counts are exact for the tiles traced; `tiles_traced` says how many of `tiles` those are.
//   2. A line is `line_bytes` long; an access of a tile touches it once per instruction.
//   3. Absent is std::optional, never a zero.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/tile_space.h"
#include "results/verdict.h"

namespace heddle {

enum class AccessKind { read, write, atomic };

/// "read", "write" or "atomic".
std::string access_text(AccessKind kind);

/// A place in the kernel's source.
struct SourcePlace {
  int line = 0;  ///< from 1; 0: not known
  int column = 0;
  std::string function;  ///< the function it stands in
  std::string text;      ///< the source line, trimmed; empty if the source was not at hand
};

/// The least, mean and most of a figure over the tiles that have it.
struct Spread {
  std::int64_t least = 0;
  double mean = 0;
  std::int64_t most = 0;
};

/// How much of a tile's lines another tile touches as well.
struct NeighbourShare {
  int axis = 0;               ///< of the grid
  std::int64_t distance = 0;  ///< in tiles along that axis
  double share = 0;           ///< 0..1, the mean of the sampled tiles
};

/// One load, store or atomic of the source, on one tensor.
struct AccessSummary {
  AccessKind kind = AccessKind::read;
  SourcePlace place;
  std::string tensor;               ///< empty: not known
  std::string hint;                 ///< cache and eviction hints as written
  std::string element;              ///< "fp16"
  std::vector<std::int64_t> shape;  ///< of the block; empty for a scalar
  std::int64_t tiles = 0;           ///< traced tiles that get there
  Spread instructions;              ///< of a tile
  Spread bytes;                     ///< of a tile, each byte once per instruction
  Spread lines;                     ///< of a tile, each line once per instruction
  Spread active;                    ///< elements that are not masked, of a tile
  std::int64_t elements = 0;        ///< masked ones included, of all traced tiles
  std::int64_t runs = 0;            ///< of all traced tiles
  std::int64_t total_bytes = 0;
  std::int64_t total_lines = 0;
  std::int64_t wave_instructions = 0;
  std::int64_t requests = 0;  ///< of the waves to the first cache: lines, once per wave instruction
  std::int64_t sectors = 0;   ///< of 32 B in those requests
  std::optional<std::int64_t> distinct_lines;  ///< of all traced tiles
  std::vector<NeighbourShare> neighbours;      ///< by axis, then distance
};

struct TensorSummary {
  std::string name;
  std::string element;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
  std::int64_t read_bytes = 0;     ///< by all traced tiles, each byte once per instruction
  std::int64_t written_bytes = 0;  ///< atomics included
  std::int64_t touches = 0;        ///< of lines
  std::optional<std::int64_t> distinct_lines;
};

/// "4096 fused fp32".
struct ArithmeticSummary {
  std::string kind;  ///< "dot", "fused", "multiply", "add", "transcendental"
  std::string type;
  std::int64_t total = 0;  ///< of all traced tiles
};

/// Something the kernel does that it should not.
struct FaultSummary {
  std::string kind;  ///< "out of bounds", "int32 overflow", ...
  SourcePlace place;
  std::string tensor;
  std::vector<std::int64_t> tile;  ///< the first one
  std::int64_t count = 0;
  std::int64_t tiles = 0;
  std::string detail;
};

struct TraceReport {
  std::string kernel;  ///< the file
  std::string function;
  std::vector<std::int64_t> grid;
  int warps = 0;
  std::vector<int> threads;  ///< of a block of a C++ kernel, x first, up to the last that is not 1
  int wave_lanes = 0;
  int line_bytes = 0;
  std::int64_t tiles = 0;
  std::int64_t tiles_traced = 0;
  std::string sampled_because;          ///< why not all; empty if all were
  std::int64_t neighbours_sampled = 0;  ///< tiles whose neighbours were looked at
  std::vector<std::string> axes;        ///< of the neighbours; empty: the grid's, by number
  std::vector<AccessSummary> accesses;  ///< in source order
  std::vector<TensorSummary> tensors;   ///< touched ones, in the launch's order
  std::vector<ArithmeticSummary> arithmetic;
  std::vector<FaultSummary> faults;
  std::optional<TileSpace> space;  ///< nothing: nobody looked for it

  /// "axis 0", "pid_m".
  std::string axis_name(int axis) const;
  std::int64_t total_bytes() const;
  /// Lines that every order must move at least once; absent if a tensor's were not counted.
  std::optional<std::int64_t> distinct_lines() const;
};

/// Two tiles that touch the same byte in a way that makes their order matter.
struct TileConflict {
  enum class Kind {
    read_after_write,   ///< one reads what the other writes
    write_after_write,  ///< both write it
    atomic,             ///< both change it by atomics whose order matters
    lock,               ///< by exchange or compare-and-exchange: a lock or a queue
  };
  Kind kind = Kind::read_after_write;
  std::vector<std::int64_t> first_tile;   ///< that writes
  std::vector<std::int64_t> second_tile;  ///< that reads, or writes as well
  AccessKind first_access = AccessKind::write;
  AccessKind second_access = AccessKind::read;
  SourcePlace first;
  SourcePlace second;
  std::string tensor;
  std::int64_t byte = 0;      ///< of the tensor: the example
  std::int64_t granules = 0;  ///< how often this kind was seen, in pieces of granule_bytes
  std::int64_t granule_bytes = 0;
};

/// "read-after-write", "write-after-write", "atomic", "lock".
std::string conflict_text(TileConflict::Kind kind);

/// Whether tiles can run in any order, for the size and data that were traced.
struct IndependenceReport {
  Verdict verdict = Verdict::unknown;   ///< PROVED: independent; REFUTED: conflicts has examples
  std::string reason;                   ///< UNKNOWN: why
  std::string traced_on;                ///< "grid 64x32; M = 8192; ..."
  std::vector<TileConflict> conflicts;  ///< at most one of each kind
  /// Atomics of several tiles on the same bytes, whose order does not matter; empty: none.
  std::optional<TileConflict> commuting;
  bool rounding_may_differ = false;  ///< some of those add floating numbers
  std::vector<std::string> notes;
  bool failed = false;  ///< on this machine; another run may find more
};

/// One memory instruction of one tile.
struct TileAccess {
  AccessKind kind = AccessKind::read;
  SourcePlace place;
  std::string tensor;
  std::int64_t element_bytes = 0;
  std::int64_t elements = 0;
  std::int64_t active = 0;
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  std::int64_t requests = 0;
  std::int64_t runs = 0;
  /// Byte offset in the tensor (an address where it is not known) and length; the first few.
  std::vector<std::array<std::int64_t, 2>> first_runs;
};

/// The accesses of one tile in program order.
struct TileReport {
  std::string kernel;
  std::string function;
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> tile;
  int line_bytes = 0;
  std::int64_t total = 0;  ///< accesses made; more than are listed where there are very many
  std::vector<TileAccess> accesses;
  std::vector<ArithmeticSummary> arithmetic;
  std::vector<FaultSummary> faults;
};

}  // namespace heddle
