#include "results/intervals.h"

namespace heddle {

std::string_view figure_text(Figure figure) {
  switch (figure) {
    case Figure::l2_hit_rate:
      return "L2 hit rate";
    case Figure::dram_reads:
      return "DRAM reads";
    case Figure::time:
      return "time";
    case Figure::speedup:
      break;
  }
  return "speedup";
}

std::string PredictionKind::text() const {
  std::string text = limited_by + (unequal_tiles ? ", unequal tiles" : ", equal tiles");
  return sampled ? text + ", sampled" : text;
}

}  // namespace heddle
