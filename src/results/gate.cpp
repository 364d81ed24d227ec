#include "results/gate.h"

#include <algorithm>

namespace heddle {

std::string gate_text(GateState state) {
  switch (state) {
    case GateState::pass:
      return "pass";
    case GateState::note:
      return "note";
    case GateState::doubt:
      return "doubt";
    case GateState::fail:
      return "FAIL";
  }
  return "";
}

GateState GateKernel::state() const {
  GateState worst = GateState::pass;
  for (const GateItem& item : items) worst = std::max(worst, item.state);
  return worst;
}

GateState GateReport::state() const {
  GateState worst = GateState::pass;
  for (const GateKernel& kernel : kernels) worst = std::max(worst, kernel.state());
  return worst;
}

}  // namespace heddle
