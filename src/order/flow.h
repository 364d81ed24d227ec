// How values flow through an order's program: which differ from block to block, and which names
// read which.
//
//   group_id = pid // 8         varies; pid_m reads it
//   pid_m = group_id + pid % 2  varies; nothing reads it: part of the tile index
//   offset = pid_m * 64         an offset of pid_m
//
// Rules
//   1. Reading means making another number of it. Comparisons, conditions and what is made of them
//      choose between values and read nothing.
//   2. Only the value that a slot holds at the end counts; what was assigned over is not read.
//   3. Slots of inlined helpers are passed through: a name reads what its helpers read for it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "order/program.h"

namespace heddle::order {

class Flow {
 public:
  /// `own` are the slots of the names that the text itself assigns. The program must outlive this.
  Flow(const Program& program, std::vector<int> own);

  /// A number that differs from block to block.
  bool is_index(int slot) const;
  bool varies(int slot) const { return varying_.count(slot) > 0; }
  /// Whether a node has the same value in every block.
  bool is_uniform(int node) const { return !node_varies(node); }
  /// The own slots that hold an index and read the final value of this one.
  std::set<int> readers(int slot) const;
  /// Own slots with an index that no other reads, in the order given.
  std::vector<int> unread() const;
  /// The slot whose multiple, perhaps moved by a fixed amount, this one holds.
  std::optional<int> offset_of(int slot) const;
  /// The node that a slot is assigned, where there is only one.
  std::optional<int> only_value(int slot) const;

 private:
  struct Write {
    int slot = -1;
    int node = -1;
    std::vector<int> sides;  ///< of the branches around it: positive: then, negative: else
  };
  void collect(const std::vector<Step>& steps, std::vector<int>& sides, bool control_varies);
  void find_varying_nodes();
  void find_reads(std::size_t write);
  bool node_varies(int node) const { return varying_nodes_[static_cast<std::size_t>(node)]; }
  bool is_assigned_over(int slot, std::size_t read) const;

  const Program& program_;
  std::vector<int> order_;  ///< of the own slots, as given
  std::set<int> own_;
  std::vector<Write> writes_;                          ///< as the program has them
  std::map<int, std::vector<std::size_t>> writes_of_;  ///< by slot
  std::map<int, std::vector<std::size_t>> reads_of_;   ///< by slot: the writes that read it
  std::set<int> numbers_;                              ///< slots that hold more than a boolean
  std::set<int> varying_;
  std::vector<bool> varying_nodes_;
  bool changed_ = false;
  int branches_ = 0;
};

}  // namespace heddle::order
