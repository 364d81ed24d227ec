#include "report/memory_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "report/style.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMemoryColumns = 100;
constexpr std::size_t kRows = 24;

/// Characters of a drawing; each may take several bytes.
class MemoryCanvas {
 public:
  MemoryCanvas() : cells_(kRows, std::vector<std::string>(kMemoryColumns, " ")) {}

  void put(std::size_t x, std::size_t y, const std::string& text) {
    for (std::size_t i = 0; i < text.size() && x < kMemoryColumns; ++x) {
      std::size_t end = i + 1;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
      cells_[y][x] = text.substr(i, end - i);
      i = end;
    }
  }

  void box(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
           const std::string& title) {
    for (std::size_t i = 1; i + 1 < width; ++i) {
      put(x + i, y, "─");
      put(x + i, y + height - 1, "─");
    }
    for (std::size_t i = 1; i + 1 < height; ++i) {
      put(x, y + i, "│");
      put(x + width - 1, y + i, "│");
    }
    put(x, y, "┌");
    put(x + width - 1, y, "┐");
    put(x, y + height - 1, "└");
    put(x + width - 1, y + height - 1, "┘");
    put(x + (title.size() + 4 < width ? 2 : 1), y, " " + title + " ");
  }

  std::string text() const {
    std::string result;
    for (const auto& row : cells_) {
      std::string line;
      for (const std::string& cell : row) line += cell;
      line.erase(line.find_last_not_of(' ') + 1);
      result += line + "\n";
    }
    return result;
  }

 private:
  std::vector<std::vector<std::string>> cells_;
};

/// 1234567 -> "1.23M", "1.2M" or "1M": as many digits as fit into `width`.
std::string short_number(double value, std::size_t width) {
  if (!std::isfinite(value)) return value < 0 ? "-inf" : "inf";
  std::string whole = fmt::format("{:.0f}", value);
  if (whole.size() <= std::min<std::size_t>(width, 6)) return whole;
  double scaled = value;
  for (const char unit : std::string_view("kMGTPE")) {
    scaled /= 1000;
    if (std::abs(scaled) >= 999.5) continue;
    for (int digits = 2; digits >= 0; --digits) {
      std::string text = fmt::format("{:.{}f}{}", scaled, digits, unit);
      if (text.size() <= width) return text;
    }
    break;
  }
  std::string text = fmt::format("{:.0e}", value);
  return text.size() <= width ? text : std::string(width, '#');
}

class Chart {
 public:
  explicit Chart(const PanelTable& table) {
    for (const auto& row : table.rows) values_[row[1].text] = row[2];
  }

  bool whole() const { return values_.size() > 50; }

  std::string draw() {
    draw_waves();
    draw_first_caches();
    draw_second_cache();
    draw_memory();
    return canvas_.text();
  }

 private:
  /// A dash where there is no number.
  std::string value(const std::string& metric, std::size_t width, const std::string& unit) const {
    const auto found = values_.find(metric);
    if (found == values_.end() || !found->second.is_number()) return "-";
    return short_number(found->second.number, width - unit.size()) + unit;
  }

  /// "Hit       50 %": a label, and its value at the right end of `width` characters.
  void line(std::size_t x, std::size_t y, std::size_t width, const std::string& label,
            const std::string& metric, const std::string& unit = "") {
    const std::string shown = value(metric, width - label.size() - 1, unit);
    canvas_.put(x, y, label + std::string(width - label.size() - shown.size(), ' ') + shown);
  }

  void arrow(std::size_t x, std::size_t y, const std::string& label, const std::string& metric) {
    line(x, y, 10, label, metric);
    canvas_.put(x + 11, y, "▶");
  }

  void draw_waves() {
    canvas_.box(0, 0, 20, kRows, "Waves");
    const std::vector<std::pair<std::string, std::string>> lines = {
        {"Launched", "Wavefronts"},
        {"Blocks", "Workgroups"},
        {"Occupancy", "Wavefront Occupancy"},
        {"Life", "Wave Life"},
        {"VGPR", "VGPR"},
        {"SGPR", "SGPR"},
        {"LDS", "LDS Allocation"},
        {"Scratch", "Scratch Allocation"}};
    for (std::size_t i = 0; i < lines.size(); ++i)
      line(2, 1 + i, 16, lines[i].first, lines[i].second);
    canvas_.put(2, 10, "Instructions");
    const std::vector<std::string> kinds = {"SALU", "SMEM", "VALU", "MFMA",
                                            "VMEM", "LDS",  "GWS",  "BR"};
    for (std::size_t i = 0; i < kinds.size(); ++i) line(2, 11 + i, 16, kinds[i], kinds[i]);
    line(2, 20, 16, "CUs", "Num CUs");
    line(2, 21, 16, "Active CUs", "Active CUs");
  }

  void draw_first_caches() {
    arrow(21, 2, "Req", "LDS Req");
    canvas_.box(34, 0, 18, 4, "LDS");
    line(36, 1, 14, "Util", "LDS Util", " %");
    line(36, 2, 14, "Latency", "LDS Latency");
    arrow(21, 6, "Rd", "VL1 Rd");
    arrow(21, 7, "Wr", "VL1 Wr");
    arrow(21, 8, "Atom", "VL1 Atomic");
    canvas_.box(34, 5, 18, 6, "vL1D");
    line(36, 6, 14, "Hit", "VL1 Hit", " %");
    line(36, 7, 14, "Latency", "VL1 Lat");
    line(36, 8, 14, "Coalesced", "VL1 Coalesce", " %");
    line(36, 9, 14, "Stalled", "VL1 Stall", " %");
    arrow(21, 13, "Rd", "sL1D Rd");
    canvas_.box(34, 12, 18, 5, "sL1D");
    line(36, 13, 14, "Hit", "sL1D Hit", " %");
    line(36, 14, 14, "Latency", "sL1D Lat");
    arrow(21, 19, "Fetch", "IL1 Fetch");
    canvas_.box(34, 18, 18, 4, "L1I");
    line(36, 19, 14, "Hit", "IL1 Hit", " %");
    line(36, 20, 14, "Latency", "IL1 Lat");
  }

  void draw_second_cache() {
    canvas_.box(65, 0, 13, kRows, "L2");
    arrow(53, 6, "Rd", "VL1_L2 Rd");
    arrow(53, 7, "Wr", "VL1_L2 Wr");
    arrow(53, 8, "Atom", "VL1_L2 Atomic");
    arrow(53, 13, "Rd", "sL1D_L2 Rd");
    arrow(53, 14, "Wr", "sL1D_L2 Wr");
    arrow(53, 15, "Atom", "sL1D_L2 Atomic");
    arrow(53, 19, "Rd", "IL1_L2 Rd");
    line(67, 6, 9, "Rd", "L2 Rd");
    line(67, 7, 9, "Wr", "L2 Wr");
    line(67, 8, 9, "Atom", "L2 Atomic");
    line(67, 10, 9, "Hit", "L2 Hit", " %");
    canvas_.put(67, 13, "Latency");
    line(67, 14, 9, "Rd", "L2 Rd Lat");
    line(67, 15, 9, "Wr", "L2 Wr Lat");
  }

  void draw_memory() {
    canvas_.put(79, 5, "to the fabric");
    line(79, 6, 12, "Rd", "Fabric_L2 Rd");
    line(79, 7, 12, "Wr", "Fabric_L2 Wr");
    line(79, 8, 12, "Atom", "Fabric_L2 Atomic");
    canvas_.put(79, 10, "its latency");
    line(79, 11, 12, "Rd", "Fabric Rd Lat");
    line(79, 12, 12, "Wr", "Fabric Wr Lat");
    line(79, 13, 12, "Atom", "Fabric Atomic Lat");
    canvas_.put(79, 15, "of that, HBM");
    line(79, 16, 12, "Rd", "HBM Rd");
    line(79, 17, 12, "Wr", "HBM Wr");
    canvas_.box(93, 0, 7, kRows, "HBM");
    for (const std::size_t y : {6UL, 7UL, 8UL, 16UL, 17UL}) canvas_.put(92, y, "▶");
  }

  std::map<std::string, PanelCell> values_;
  MemoryCanvas canvas_;
};

}  // namespace

std::string memory_chart(const PanelTable& table, const std::string& per) {
  Chart chart(table);
  if (!chart.whole()) return {};
  if (text_columns() < kMemoryColumns)
    return fmt::format("(a chart of this table needs {} columns)\n", kMemoryColumns);
  return fmt::format(
      "Counts are per {}, but for launched waves and blocks; latencies are in cycles.\n{}", per,
      chart.draw());
}

}  // namespace heddle::report
