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
      return "speedup";
    case Figure::gain_less:
      return "gain with less traffic";
    case Figure::gain_same:
      return "gain with the same traffic";
    case Figure::gain_more:
      break;
  }
  return "gain with more traffic";
}

double share_of(Figure figure) {
  return figure >= Figure::gain_less ? kGainShare : kIntervalShare;
}

Traffic traffic_against(double traffic_us, double launch_us) {
  if (traffic_us < launch_us * (1 - kSameTraffic)) return Traffic::less;
  return traffic_us > launch_us * (1 + kSameTraffic) ? Traffic::more : Traffic::same;
}

Figure gain_of(Traffic traffic) {
  switch (traffic) {
    case Traffic::less:
      return Figure::gain_less;
    case Traffic::same:
      return Figure::gain_same;
    case Traffic::more:
      break;
  }
  return Figure::gain_more;
}

std::string_view traffic_text(Traffic traffic) {
  switch (traffic) {
    case Traffic::less:
      return "less";
    case Traffic::same:
      return "the same";
    case Traffic::more:
      break;
  }
  return "more";
}

std::string PredictionKind::text() const {
  std::string text = limited_by + (unequal_tiles ? ", unequal tiles" : ", equal tiles");
  return sampled ? text + ", sampled" : text;
}

}  // namespace heddle
