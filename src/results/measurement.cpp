#include "results/measurement.h"

namespace heddle {

std::string difference_text(Difference difference) {
  switch (difference) {
    case Difference::faster:
      return "faster";
    case Difference::slower:
      return "slower";
    case Difference::none:
      break;
  }
  return "none";
}

std::string measured_answer_text(MeasuredAnswer answer) {
  switch (answer) {
    case MeasuredAnswer::faster:
      return "faster";
    case MeasuredAnswer::no_difference:
      return "no difference";
    case MeasuredAnswer::not_timed:
      return "not timed";
    case MeasuredAnswer::nothing_passed:
      break;
  }
  return "nothing passed";
}

}  // namespace heddle
