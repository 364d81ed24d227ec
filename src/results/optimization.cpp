#include "results/optimization.h"

namespace heddle {

std::string sizes_text(ProvedSizes sizes) {
  return sizes == ProvedSizes::all ? "all" : "grid";
}

std::string search_end_text(SearchEnd end) {
  switch (end) {
    case SearchEnd::at_bound:
      return "at bound";
    case SearchEnd::exhausted:
      return "exhausted";
    case SearchEnd::iterations:
      return "iterations";
    case SearchEnd::budget:
      return "budget";
    case SearchEnd::interrupted:
      return "interrupted";
    case SearchEnd::not_started:
      break;
  }
  return "not started";
}

std::string answer_text(Answer answer) {
  switch (answer) {
    case Answer::improved:
      return "faster";
    case Answer::measure:
      return "measure these";
    case Answer::already_best:
      return "leave it";
    case Answer::not_independent:
      return "not independent";
    case Answer::unknown:
      break;
  }
  return "unknown";
}

}  // namespace heddle
