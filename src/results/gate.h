// Whether a change to a repository may pass: every kernel that it touches, judged.
//
//   kernels/gemm.toml   changed   order   pass  PROVED
//                                 patch   pass  PROVED
//                                 mi300x  fail  12.4 % slower: 146 us, was 130 us
//
// Rules
//   1. `fail` is worse than before the change: an order that is not PROVED any more, a reordering that
//      does other work, a predicted time beyond the limit. `doubt` is what cannot be told, and could
//      before. `note` is for the reader: as unknown as it was, or another computation than before.
//   2. Kernels that the change does not touch are counted, no more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class GateState { pass, note, doubt, fail };

/// "pass", "note", "doubt", "FAIL".
std::string gate_text(GateState state);

struct GateItem {
  std::string name;   ///< "order", "patch", a GPU
  std::string check;  ///< an id of audit_checks: "order", "bytes", "slower"
  GateState state = GateState::pass;
  std::string finding;
};

struct GateKernel {
  std::string subject;  ///< "kernels/gemm.toml M=4096"
  std::string file;
  bool is_new = false;  ///< the base has it not
  std::vector<GateItem> items;

  GateState state() const;
};

struct GateReport {
  std::string base;    ///< the revision, as the user calls it
  std::string commit;  ///< what it stands for
  double slower_pct = 0;
  std::int64_t unchanged = 0;
  std::vector<std::string> removed;
  std::vector<GateKernel> kernels;

  /// The worst of all kernels; without any, pass.
  GateState state() const;
};

}  // namespace heddle
