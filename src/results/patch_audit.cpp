#include "results/patch_audit.h"

namespace heddle {

std::vector<PatchAudit::Named> PatchAudit::checks() const {
  std::vector<Named> checks = {
      {"order", &order}, {"bytes", &bytes}, {"code", &code}, {"launch", &launch}};
  if (shapes) checks.push_back({"shapes", &*shapes});
  return checks;
}

Verdict PatchAudit::verdict() const {
  Verdict worst = Verdict::proved;
  for (const Named& one : checks()) {
    if (one.check->verdict == Verdict::refuted) return Verdict::refuted;
    if (one.check->verdict == Verdict::unknown) worst = Verdict::unknown;
  }
  return worst;
}

}  // namespace heddle
