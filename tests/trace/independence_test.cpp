#include "trace/independence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "trace/building.h"
#include "trace/conflict_search.h"
#include "trace/runs.h"

namespace heddle::trace {
namespace {

using kernel::AtomicFunction;
using testing::Building;
using testing::DType;
using testing::kNoValue;
using testing::ValueId;
using Kind = TileConflict::Kind;

constexpr std::int64_t kBlock = 16;

/// pid * 16 + 0..15, plus a shift.
ValueId block_index(Building& kernel, std::int64_t shift = 0) {
  const ValueId start = kernel.multiply(kernel.program_id(0), kernel.constant(kBlock));
  const ValueId index = kernel.add(start, kernel.arange(0, kBlock));
  return shift == 0 ? index : kernel.add(index, kernel.constant(shift));
}

ValueId in_range(Building& kernel, ValueId index, std::int64_t limit) {
  const ValueId low = kernel.binary(kernel::Opcode::greater_equal, index, kernel.constant(0));
  const ValueId high = kernel.binary(kernel::Opcode::less, index, kernel.constant(limit));
  return kernel.binary(kernel::Opcode::bit_and, low, high);
}

IndependenceReport report_of(const Building& kernel, IndependenceOptions options = {}) {
  IndependenceReport report;
  const auto independent = find_independence(kernel.program, kernel.launch, options, report);
  EXPECT_EQ(independent.has_value(), report.verdict == Verdict::proved);
  return report;
}

TEST(Independence, EachTileItsOwnBlock) {
  Building kernel({8});
  const ValueId x = kernel.tensor("x", DType::float32, {8 * kBlock});
  const ValueId y = kernel.tensor("y", DType::float32, {8 * kBlock});
  kernel.load(kernel.add_pointer(x, block_index(kernel)));
  kernel.store(kernel.add_pointer(y, block_index(kernel)));
  IndependenceReport report;
  const auto independent = find_independence(kernel.program, kernel.launch, {}, report);
  EXPECT_EQ(report.verdict, Verdict::proved);
  ASSERT_TRUE(independent.has_value());
  EXPECT_EQ(independent->grid(), Grid({8}));
  EXPECT_FALSE(independent->rounding_may_differ());
  EXPECT_EQ(independent->traced_on(), "grid 8");
  EXPECT_FALSE(report.commuting.has_value());
}

TEST(Independence, AnUpdateInPlaceOfItsOwnBlock) {
  Building kernel({8});
  const ValueId x = kernel.tensor("x", DType::float32, {8 * kBlock});
  kernel.load(kernel.add_pointer(x, block_index(kernel)));
  kernel.store(kernel.add_pointer(x, block_index(kernel)));
  EXPECT_EQ(report_of(kernel).verdict, Verdict::proved);
}

TEST(Independence, ReadsWhatTheNextTileWrites) {
  Building kernel({8});
  const ValueId x = kernel.tensor("x", DType::float32, {8 * kBlock});
  const ValueId index = block_index(kernel, 1);
  kernel.load(kernel.add_pointer(x, index), in_range(kernel, index, 8 * kBlock));
  kernel.store(kernel.add_pointer(x, block_index(kernel)));
  const IndependenceReport report = report_of(kernel);
  EXPECT_EQ(report.verdict, Verdict::refuted);
  ASSERT_EQ(report.conflicts.size(), 1U);
  const TileConflict& conflict = report.conflicts[0];
  EXPECT_EQ(conflict.kind, Kind::read_after_write);
  EXPECT_EQ(conflict.second_tile, std::vector<std::int64_t>{0});
  EXPECT_EQ(conflict.first_tile, std::vector<std::int64_t>{1});
  EXPECT_EQ(conflict.first_access, AccessKind::write);
  EXPECT_EQ(conflict.second_access, AccessKind::read);
  EXPECT_EQ(conflict.tensor, "x");
  EXPECT_EQ(conflict.byte, 4 * kBlock);
  EXPECT_EQ(conflict.granules, 7);  // one element of each tile but the last
  EXPECT_EQ(conflict.granule_bytes, 4);
  EXPECT_LT(conflict.second.line, conflict.first.line);
}

/// Tile by tile from x to y, with one more load of x, which no write depends on.
Building copy_with_load(std::int64_t shift, bool masked) {
  Building kernel({8});
  const ValueId x = kernel.tensor("x", DType::float32, {8 * kBlock});
  const ValueId y = kernel.tensor("y", DType::float32, {8 * kBlock});
  const ValueId index = block_index(kernel, shift);
  kernel.load(kernel.add_pointer(x, index),
              masked ? in_range(kernel, index, 8 * kBlock) : kNoValue);
  kernel.store(kernel.add_pointer(y, block_index(kernel)));
  return kernel;
}

TEST(Independence, ReadsOutsideOfTheirTensorMayMeetAnother) {
  // The last tile's last element; one whole tensor further; before the beginning.
  for (const std::int64_t shift : {std::int64_t{1}, 8 * kBlock, std::int64_t{-1}}) {
    const IndependenceReport report = report_of(copy_with_load(shift, false));
    EXPECT_EQ(report.verdict, Verdict::unknown) << shift;
    EXPECT_NE(report.reason.find("reads outside its tensor"), std::string::npos) << report.reason;
    EXPECT_EQ(report_of(copy_with_load(shift, true)).verdict, Verdict::proved) << shift;
  }
  EXPECT_EQ(report_of(copy_with_load(0, false)).verdict, Verdict::proved);
}

TEST(Independence, BlocksThatOverlap) {
  Building kernel({4});
  const ValueId y = kernel.tensor("y", DType::float16, {4 * kBlock});
  const ValueId index = block_index(kernel, 2);
  kernel.store(kernel.add_pointer(y, block_index(kernel)));
  kernel.store(kernel.add_pointer(y, index), kNoValue, in_range(kernel, index, 4 * kBlock));
  const IndependenceReport report = report_of(kernel);
  EXPECT_EQ(report.verdict, Verdict::refuted);
  ASSERT_EQ(report.conflicts.size(), 1U);
  EXPECT_EQ(report.conflicts[0].kind, Kind::write_after_write);
  EXPECT_EQ(report.conflicts[0].first_tile, std::vector<std::int64_t>{0});
  EXPECT_EQ(report.conflicts[0].second_tile, std::vector<std::int64_t>{1});
  EXPECT_EQ(report.conflicts[0].byte, 2 * kBlock);
}

TEST(Independence, SmallWindowsFindTheSame) {
  Building kernel({16});
  const ValueId x = kernel.tensor("x", DType::float32, {16 * kBlock});
  const ValueId z = kernel.tensor("z", DType::int8, {16 * kBlock});
  const ValueId index = block_index(kernel, 3);
  kernel.load(kernel.add_pointer(x, index), in_range(kernel, index, 16 * kBlock));
  kernel.store(kernel.add_pointer(x, block_index(kernel)));
  kernel.store(kernel.add_pointer(z, block_index(kernel)));
  const IndependenceReport whole = report_of(kernel);
  for (const std::int64_t owners : {1, 3, 7, 40, 1000}) {
    IndependenceOptions options;
    options.owner_bytes = owners * 4;
    const IndependenceReport report = report_of(kernel, options);
    ASSERT_EQ(report.conflicts.size(), 1U);
    EXPECT_EQ(report.conflicts[0].granules, whole.conflicts[0].granules) << owners;
    EXPECT_EQ(report.conflicts[0].byte, whole.conflicts[0].byte) << owners;
    EXPECT_EQ(report.conflicts[0].second_tile, whole.conflicts[0].second_tile) << owners;
  }
}

/// All tiles change element 0..3 of one tensor.
Building shared_atomic(AtomicFunction function, DType type, bool use_result) {
  Building kernel({6});
  const ValueId counts = kernel.tensor("counts", type, {4});
  const ValueId log = kernel.tensor("log", type, {6 * 4});
  const ValueId one = type == DType::float32 ? kernel.constant_real(1) : kernel.constant(1, type);
  const ValueId index = kernel.arange(0, 4);
  const ValueId old = kernel.atomic(function, kernel.add_pointer(counts, index), one);
  const ValueId start = kernel.multiply(kernel.program_id(0), kernel.constant(4));
  kernel.store(kernel.add_pointer(log, kernel.add(start, index)), use_result ? old : kNoValue);
  return kernel;
}

TEST(Independence, AdditionsCommute) {
  const IndependenceReport report =
      report_of(shared_atomic(AtomicFunction::add, DType::int32, false));
  EXPECT_EQ(report.verdict, Verdict::proved);
  ASSERT_TRUE(report.commuting.has_value());
  EXPECT_EQ(report.commuting->tensor, "counts");
  EXPECT_EQ(report.commuting->granules * report.commuting->granule_bytes, 16);
  EXPECT_EQ(report.commuting->first_tile, std::vector<std::int64_t>{0});
  EXPECT_EQ(report.commuting->second_tile, std::vector<std::int64_t>{1});
  EXPECT_FALSE(report.rounding_may_differ);
}

TEST(Independence, FloatingAdditionsCommuteUpToRounding) {
  EXPECT_TRUE(
      report_of(shared_atomic(AtomicFunction::add, DType::float32, false)).rounding_may_differ);
  EXPECT_FALSE(
      report_of(shared_atomic(AtomicFunction::maximum, DType::float32, false)).rounding_may_differ);
}

TEST(Independence, TicketsDoNotCommute) {
  const IndependenceReport report =
      report_of(shared_atomic(AtomicFunction::add, DType::int32, true));
  EXPECT_EQ(report.verdict, Verdict::refuted);
  ASSERT_EQ(report.conflicts.size(), 1U);
  EXPECT_EQ(report.conflicts[0].kind, Kind::atomic);
}

TEST(Independence, Locks) {
  const IndependenceReport report =
      report_of(shared_atomic(AtomicFunction::exchange, DType::int32, false));
  EXPECT_EQ(report.verdict, Verdict::refuted);
  ASSERT_EQ(report.conflicts.size(), 1U);
  EXPECT_EQ(report.conflicts[0].kind, Kind::lock);
}

TEST(Independence, DifferentAtomicsOnOneElementDoNotCommute) {
  Building kernel({2});
  const ValueId x = kernel.tensor("x", DType::int32, {1});
  const ValueId one = kernel.constant(1);
  const ValueId is_first =
      kernel.binary(kernel::Opcode::equal, kernel.program_id(0), kernel.constant(0));
  const ValueId is_second =
      kernel.binary(kernel::Opcode::equal, kernel.program_id(0), kernel.constant(1));
  kernel.atomic(AtomicFunction::add, x, one, is_first);
  kernel.atomic(AtomicFunction::maximum, x, one, is_second);
  EXPECT_EQ(report_of(kernel).verdict, Verdict::refuted);
}

TEST(Independence, AReadOfACounterIsAConflict) {
  Building kernel({4});
  const ValueId x = kernel.tensor("x", DType::int32, {1});
  kernel.atomic(AtomicFunction::add, x, kernel.constant(1));
  kernel.load(x);
  const IndependenceReport report = report_of(kernel);
  EXPECT_EQ(report.verdict, Verdict::refuted);
  ASSERT_EQ(report.conflicts.size(), 1U);
  EXPECT_EQ(report.conflicts[0].kind, Kind::read_after_write);
  EXPECT_EQ(report.conflicts[0].first_access, AccessKind::atomic);
  EXPECT_NE(report.conflicts[0].first_tile, report.conflicts[0].second_tile);
}

TEST(Independence, TensorsOnTheSameMemoryAreOne) {
  Building kernel({8});
  const ValueId x = kernel.tensor("x", DType::float32, {8 * kBlock});
  const ValueId y = kernel.tensor("y", DType::float32, {8 * kBlock});
  const ValueId index = block_index(kernel, 1);
  kernel.load(kernel.add_pointer(x, index), in_range(kernel, index, 8 * kBlock));
  kernel.store(kernel.add_pointer(y, block_index(kernel)));
  // As the reader does: pointers that come from known parameters, so that loads of x can be left
  // out.
  kernel.program.sites[0].parameters = {0};
  kernel.program.sites[1].parameters = {1};
  EXPECT_EQ(report_of(kernel).verdict, Verdict::proved);
  kernel.launch.tensors[1].address = kernel.launch.tensors[0].address;
  EXPECT_EQ(report_of(kernel).verdict, Verdict::refuted);
}

TEST(Independence, AWriteOutOfBoundsIsUnknown) {
  Building kernel({2});
  const ValueId y = kernel.tensor("y", DType::float32, {kBlock + 8});
  kernel.store(kernel.add_pointer(y, block_index(kernel)));
  const IndependenceReport report = report_of(kernel);
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_NE(report.reason.find("outside its tensor"), std::string::npos) << report.reason;
}

TEST(Independence, TooMuchWorkIsUnknown) {
  Building kernel({1 << 20});
  const ValueId y = kernel.tensor("y", DType::int8, {(1 << 20) * kBlock});
  kernel.store(kernel.add_pointer(y, block_index(kernel)));
  IndependenceOptions options;
  options.most_work = 100'000;
  const IndependenceReport report = report_of(kernel, options);
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_NE(report.reason.find("too large"), std::string::npos) << report.reason;
  kernel.launch.grid = Grid({(std::int64_t{1} << 31) - 1});
  EXPECT_EQ(report_of(kernel).verdict, Verdict::unknown);
}

TEST(Independence, ATileThatCannotBeTracedIsUnknown) {
  Building kernel({2});
  const ValueId x = kernel.tensor("x", DType::int32, {4});  // contents not given
  const ValueId y = kernel.tensor("y", DType::float32, {4});
  kernel.store(kernel.add_pointer(y, kernel.load_value(x)));
  const IndependenceReport report = report_of(kernel);
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_FALSE(report.reason.empty());
}

/// Every byte of every tile, in sets: conflicts by their definition.
std::set<Kind> obvious_conflicts(const Building& building) {
  struct Uses {
    std::set<std::int64_t> readers, writers, adders;
  };
  class ByteSink : public AccessSink {
   public:
    ByteSink(const Building& traced, std::map<std::uint64_t, Uses>& uses)
        : building_(traced), bytes_(uses) {}
    std::int64_t tile = 0;

    void access(const AccessPattern& pattern) override {
      std::vector<std::uint64_t> addresses;
      append_elements(pattern, addresses);
      const auto kind = building_.program.sites[static_cast<std::size_t>(pattern.site)].kind;
      for (const std::uint64_t address : addresses) {
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(pattern.element_bytes); ++i) {
          Uses& uses = bytes_[address + i];
          (kind == kernel::MemoryKind::read    ? uses.readers
           : kind == kernel::MemoryKind::write ? uses.writers
                                               : uses.adders)
              .insert(tile);
        }
      }
    }

   private:
    const Building& building_;
    std::map<std::uint64_t, Uses>& bytes_;
  };
  std::map<std::uint64_t, Uses> bytes;
  ByteSink sink(building, bytes);
  const kernel::KernelProgram reduced =
      kernel::remove_unneeded(building.program, kernel::Keep::all);
  Tracer tracer(reduced, building.launch, {});
  for (sink.tile = 0; sink.tile < building.launch.grid.count(); ++sink.tile)
    tracer.run(block_of(building.launch.grid, LaunchId{sink.tile}), sink);
  std::set<Kind> kinds;
  for (const auto& [address, uses] : bytes) {
    std::set<std::int64_t> changers = uses.writers;
    changers.insert(uses.adders.begin(), uses.adders.end());
    for (const std::int64_t reader : uses.readers) {
      if (changers.size() > (changers.count(reader) != 0 ? 1U : 0U))
        kinds.insert(Kind::read_after_write);
    }
    if (!uses.writers.empty() && changers.size() > 1) kinds.insert(Kind::write_after_write);
  }
  return kinds;
}

TEST(Independence, AgreesWithSetsOfBytes) {
  std::mt19937_64 random(5);
  const auto below = [&](std::int64_t limit) {
    return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random);
  };
  int independent = 0;
  for (int round = 0; round < 400; ++round) {
    const std::int64_t tiles = 1 + below(6);
    Building kernel({tiles});
    constexpr std::int64_t kElements = 256;
    std::vector<ValueId> tensors = {kernel.tensor("x", DType::int16, {kElements}),
                                    kernel.tensor("y", DType::int32, {kElements})};
    const std::int64_t accesses = 1 + below(4);
    for (std::int64_t i = 0; i < accesses; ++i) {
      const std::int64_t extent = std::int64_t{1} << below(4);
      const std::int64_t pitch = below(2) == 0 ? 8 : below(12);
      ValueId index = kernel.multiply(kernel.arange(0, extent), kernel.constant(1 + below(3)));
      index = kernel.add(kernel.multiply(kernel.program_id(0), kernel.constant(pitch)), index);
      index = kernel.add(index, kernel.constant(below(3) == 0 ? 0 : below(100)));
      const ValueId pointer =
          kernel.add_pointer(tensors[static_cast<std::size_t>(below(2))], index);
      const ValueId mask = in_range(kernel, index, kElements);
      const std::int64_t kind = below(3);
      if (kind == 0)
        kernel.load(pointer, mask);
      else if (kind == 1)
        kernel.store(pointer, kNoValue, mask);
      else
        kernel.atomic(AtomicFunction::add, pointer,
                      kernel.constant(1, kernel.type_of(pointer).element), mask);
    }
    IndependenceOptions options;
    options.owner_bytes = 4 * (1 + below(600));
    const IndependenceReport report = report_of(kernel, options);
    ASSERT_NE(report.verdict, Verdict::unknown) << report.reason;
    std::set<Kind> found;
    for (const TileConflict& conflict : report.conflicts) {
      found.insert(conflict.kind);
      ASSERT_NE(conflict.first_tile, conflict.second_tile) << round;
      ASSERT_FALSE(conflict.first_tile.empty()) << round;
    }
    ASSERT_EQ(found, obvious_conflicts(kernel)) << round;
    independent += report.verdict == Verdict::proved ? 1 : 0;
  }
  EXPECT_GT(independent, 40);
  EXPECT_LT(independent, 360);
}

}  // namespace
}  // namespace heddle::trace
