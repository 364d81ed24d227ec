// Runs an order's program for many launch ids at once.
//
// Evaluation works like the GPU it speaks of: a batch of launch ids runs in lock step under a
// mask, values that are the same for all of them are computed once.
//
// Rules
//   1. Exact: a lane that overflows, divides by zero or shifts too far is `failed`, never wrapped;
//      its neighbours are not disturbed.
//   2. Bounded: after kLoopLimit rounds of loops a launch id counts as failed.
//   3. The scalar twin in tests/oracle agrees on every launch id.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "order/columns.h"
#include "order/program.h"
#include "order/space.h"

namespace heddle::order {

inline constexpr int kLoopLimit = 4096;  ///< rounds of all loops together, for one launch id

/// What stands in a tile slot where there is no tile.
inline constexpr std::int64_t kIdle = -1;     ///< the block does nothing
inline constexpr std::int64_t kOutside = -2;  ///< the index is outside the tile space
inline constexpr std::int64_t kFailed = -3;   ///< the arithmetic failed

struct FaultReport {
  LaunchId launch;
  Fault fault = Fault::none;
  Type type = Type::i32;
  Position at;
};

class Evaluator {
 public:
  /// `name_values` are the values of program.names, in that order. The program must outlive this.
  Evaluator(const Program& program, const Space& space, std::vector<std::int64_t> name_values);

  /// The same program on another space.
  void rebind(const Space& space, std::vector<std::int64_t> name_values);

  /// The tiles of the launch ids first, first+1, ...; at most kLanes of them.
  void run(LaunchId first, std::span<std::int64_t> tiles);
  /// The raw result values of one launch id (for messages); empty where it failed or is idle.
  std::vector<std::int64_t> index_of(LaunchId launch);

  const std::optional<FaultReport>& first_fault() const { return first_fault_; }
  bool wrapped() const { return wrapped_; }
  /// That were applied so far, as cost.h counts them; of a run of one launch id, what it executes.
  std::int64_t operations() const { return operations_; }
  bool saw_negative_division() const { return negative_; }
  /// Some value needed more than int32, or wrapped.
  bool went_beyond_int32() const { return wide_ || wrapped_; }

 private:
  struct Lanes {
    bool uniform = true;
    std::int64_t scalar = 0;
    std::unique_ptr<Column> column;
    std::int64_t at(int lane) const {
      return uniform ? scalar : (*column)[static_cast<std::size_t>(lane)];
    }
    Operand operand() const { return {uniform ? nullptr : column->data(), scalar}; }
    Column& vary();
    void store(const Column& values);
  };
  struct Mask {
    std::array<std::uint8_t, kLanes> on{};
    bool any = false;
    bool full = false;
  };

  void start(LaunchId first, int count);
  void run_steps(const std::vector<Step>& steps, const Mask& mask);
  void run_branch(const Step& step, const Mask& mask);
  void run_loop(const Step& step, const Mask& mask);
  static void assign(Lanes& variable, const Lanes& value, const Mask& mask);
  const Lanes& evaluate(int node, const Mask& mask, std::size_t depth);
  const Lanes& evaluate_select(const Node& node, const Mask& mask, std::size_t depth);
  const Lanes& evaluate_logical(const Node& node, const Mask& mask, std::size_t depth);
  void apply_all(const Node& node, const Lanes& a, const Lanes& b, Lanes& out, const Mask& mask);
  static bool is_small(const Lanes& lanes);
  bool apply_fast(const Node& node, const Lanes& a, const Lanes& b, Lanes& out, const Mask& mask);
  void apply_each(const Node& node, const Lanes& a, const Lanes& b, Lanes& out, const Mask& mask);
  int weight_of(const Node& node) const;
  void note(const Outcome& outcome, const Node& node, int lane);
  void fail_lane(int lane, Fault fault, const Node& node);
  Mask masked(const Mask& mask, const Lanes& condition, bool wanted) const;
  Lanes& scratch(std::size_t depth);
  void collect(std::span<std::int64_t> tiles);

  const Program& program_;
  Space space_;
  std::vector<std::int64_t> name_values_;
  std::vector<Lanes> variables_;
  std::array<Lanes, 3> launch_;
  std::deque<Lanes> scratch_;
  std::array<std::uint8_t, kLanes> failed_{};
  std::array<std::uint8_t, kLanes> idle_{};
  std::array<std::int32_t, kLanes> rounds_{};
  bool any_failed_ = false;
  bool any_idle_ = false;
  LaunchId first_;
  int count_ = 0;
  std::optional<FaultReport> first_fault_;
  bool wrapped_ = false;
  bool negative_ = false;
  bool wide_ = false;
  std::int64_t operations_ = 0;
};

}  // namespace heddle::order
