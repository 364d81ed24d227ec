#include "results/kernel_check.h"

namespace heddle {

Verdict KernelCheck::verdict() const {
  bool is_proved = false;
  for (const auto* one : {&launch, &range, &all_sizes}) {
    if (!*one) continue;
    if ((*one)->verdict == Verdict::refuted) return Verdict::refuted;
    is_proved = is_proved || (*one)->verdict == Verdict::proved;
  }
  const bool is_open =
      range && range->verdict == Verdict::unknown &&
      !(all_sizes && all_sizes->verdict == Verdict::proved && all_sizes->notes.empty());
  if (launch && launch->verdict == Verdict::proved && is_open) return Verdict::unknown;
  if (launch) return launch->verdict;
  return is_proved ? Verdict::proved : Verdict::unknown;
}

}  // namespace heddle
