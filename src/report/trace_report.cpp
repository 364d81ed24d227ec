#include "report/trace_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/figures.h"
#include "report/independence_report.h"
#include "report/table_text.h"
#include "report/tile_space_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kTraceIndent = 4;
constexpr double kSameShare = 0.005;  ///< shares closer than this read as equal
constexpr int kSectorBytes = 32;

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string sentence(const std::string& text) {
  return fmt::format("{:{}}{}\n", "", kTraceIndent, wrapped(text, kTraceIndent, kTraceIndent));
}

std::string block_text(const AccessSummary& access) {
  return access.shape.empty()
             ? access.element
             : fmt::format("{} [{}]", access.element, fmt::join(access.shape, ", "));
}

bool is_constant(const Spread& spread) {
  return spread.least == spread.most;
}

/// "2 KiB per tile", "about 1.9 KiB per tile (0 B to 2 KiB)".
std::string bytes_per_tile(const Spread& bytes) {
  if (is_constant(bytes)) return bytes_text(static_cast<double>(bytes.most)) + " per tile";
  return fmt::format("about {} per tile ({} to {})", bytes_text(bytes.mean),
                     bytes_text(static_cast<double>(bytes.least)),
                     bytes_text(static_cast<double>(bytes.most)));
}

std::string times_text(const Spread& instructions) {
  if (is_constant(instructions) && instructions.most == 1) return {};
  if (is_constant(instructions))
    return fmt::format(", in {} turns", with_separators(instructions.most));
  return fmt::format(", in {} to {} turns", with_separators(instructions.least),
                     with_separators(instructions.most));
}

std::string plural(double count, std::string_view noun) {
  return fmt::format("{} {}{}", number_text(count), noun, count == 1 ? "" : "s");
}

/// "32 runs of 64 B on 32 lines, 50 % of each": of one instruction.
std::string shape_sentence(const TraceReport& report, const AccessSummary& access) {
  const double instructions = access.instructions.mean * static_cast<double>(access.tiles);
  const double runs = static_cast<double>(access.runs) / instructions;
  const double lines = static_cast<double>(access.total_lines) / instructions;
  const bool is_exact =
      is_constant(access.bytes) && runs == static_cast<double>(std::int64_t(runs));
  const double use = ratio(access.total_bytes, access.total_lines * report.line_bytes);
  std::string text = fmt::format(
      "{}{} of {} on {} of {} B", is_exact ? "" : "about ", plural(runs, "run"),
      bytes_text(ratio(access.total_bytes, access.runs)), plural(lines, "line"), report.line_bytes);
  text += use >= 1 ? ", whole lines" : fmt::format(", {} of each", share_text(use));
  return text;
}

std::string size_sentence(const TraceReport& report, const AccessSummary& access) {
  std::string text =
      fmt::format("{}{}: ", bytes_per_tile(access.bytes), times_text(access.instructions));
  if (access.total_lines == 0) return text + "every lane is masked.";
  if (access.instructions.most > 1) text += "each ";
  text += shape_sentence(report, access) + ".";
  const std::int64_t active =
      static_cast<std::int64_t>(access.active.mean * static_cast<double>(access.tiles) + 0.5);
  if (active < access.elements)
    text += fmt::format(" {} of the lanes are active.", share_text(ratio(active, access.elements)));
  if (access.tiles < report.tiles_traced)
    text += fmt::format(" Only {} of {} get there.", with_separators(access.tiles),
                        count_of(report.tiles_traced, "tile"));
  return text;
}

std::string waves_sentence(const TraceReport& report, const AccessSummary& access) {
  const double each = ratio(access.requests, access.wave_instructions);
  const double of_lines = ratio(access.total_bytes, access.requests * report.line_bytes);
  const double of_sectors = ratio(access.total_bytes, access.sectors * kSectorBytes);
  const std::string text = fmt::format("A wave requests {} at a time", plural(each, "line"));
  if (of_lines >= 1) return text + " and uses all of their bytes.";
  return text + fmt::format(" and uses {} of their bytes ({} of their {} B sectors).",
                            share_text(of_lines), share_text(of_sectors), kSectorBytes);
}

/// "each touched once", "each touched 2.5 times".
std::string touches_text(double times) {
  return times == 1 ? "each touched once"
                    : fmt::format("each touched {} times", number_text(times));
}

std::string reuse_sentence(const AccessSummary& access) {
  if (!access.distinct_lines) return {};
  return fmt::format("{}, {}.", count_of(*access.distinct_lines, "distinct line"),
                     touches_text(ratio(access.total_lines, *access.distinct_lines)));
}

/// One axis: equal shares at many distances are said once.
std::string axis_text(const std::string& axis, const std::vector<NeighbourShare>& shares) {
  const auto is_same = [](double a, double b) {
    return (a == 0) == (b == 0) && std::abs(a - b) < kSameShare;
  };
  const auto amount = [](double share) {
    if (share <= 0) return std::string("none");
    return share >= 1 ? std::string("all") : share_text(share);
  };
  std::size_t tail = shares.size() - 1;  // from here on all are the same
  while (tail > 0 && is_same(shares[tail - 1].share, shares.back().share)) --tail;
  if (tail == 0) return fmt::format("along {}, {} at any distance", axis, amount(shares[0].share));
  std::vector<std::string> parts;
  for (std::size_t i = 0; i <= tail; ++i) {
    const bool goes_on = i == tail && tail + 1 < shares.size();
    const std::string where = shares[i].distance == 1 ? std::string("with the next tile")
                              : goes_on ? fmt::format("at distance {} or more", shares[i].distance)
                                        : fmt::format("at distance {}", shares[i].distance);
    parts.push_back(fmt::format("{} {}", amount(shares[i].share), where));
  }
  return fmt::format("along {}, {}", axis, fmt::join(parts, ", "));
}

std::string neighbours_sentence(const TraceReport& report, const AccessSummary& access) {
  std::map<int, std::vector<NeighbourShare>> axes;
  for (const NeighbourShare& share : access.neighbours) axes[share.axis].push_back(share);
  if (axes.empty()) return {};
  const bool is_private = std::ranges::all_of(
      access.neighbours, [](const NeighbourShare& share) { return share.share == 0; });
  if (is_private) return "No neighbouring tile touches its lines.";
  std::vector<std::string> parts;
  for (const auto& [axis, shares] : axes)
    parts.push_back(axis_text(report.axis_name(axis), shares));
  return fmt::format("Shared lines: {}.", fmt::join(parts, "; "));
}

/// The beginning of a source line, not cut within a character.
std::string quotation(const std::string& line) {
  constexpr std::size_t kMostBytes = 90;
  if (line.size() <= kMostBytes) return line;
  const auto continues = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
  };
  std::size_t end = kMostBytes;
  while (end > 0 && continues(line[end])) --end;
  return line.substr(0, end) + "...";
}

/// "line 12"; of an access in a file that the kernel includes, "tiles.h:12".
std::string place_text(const SourcePlace& place) {
  return place.line > 0 || place.function.empty() ? fmt::format("line {}", place.line)
                                                  : place.function;
}

std::string access_paragraph(const TraceReport& report, const AccessSummary& access,
                             const Style& style) {
  std::string text = headline(
      "  " + style.bold(place_text(access.place)),
      fmt::format("{} {}, {}{}", verb_of(access.kind),
                  access.tensor.empty() ? "unknown memory" : access.tensor, block_text(access),
                  access.hint.empty() ? "" : fmt::format(" ({})", access.hint)));
  if (!access.place.text.empty()) {
    text += fmt::format("{:{}}{}\n", "", kTraceIndent, style.dim(quotation(access.place.text)));
  }
  text += sentence(size_sentence(report, access));
  if (access.total_lines == 0) return text;
  text += sentence(waves_sentence(report, access));
  for (const std::string& more : {neighbours_sentence(report, access), reuse_sentence(access)}) {
    if (!more.empty()) text += sentence(more);
  }
  return text;
}

std::string tensor_line(const TraceReport& report, const TensorSummary& tensor) {
  std::vector<std::string> parts;
  if (tensor.read_bytes > 0)
    parts.push_back(fmt::format("{} read", bytes_text(static_cast<double>(tensor.read_bytes))));
  if (tensor.written_bytes > 0)
    parts.push_back(
        fmt::format("{} written", bytes_text(static_cast<double>(tensor.written_bytes))));
  std::string text =
      fmt::format("{}, {} [{}], {}: {}", tensor.name, tensor.element, fmt::join(tensor.shape, ", "),
                  bytes_text(static_cast<double>(tensor.bytes)), fmt::join(parts, ", "));
  if (tensor.distinct_lines)
    text += fmt::format("; {} ({}), {}", count_of(*tensor.distinct_lines, "distinct line"),
                        bytes_text(static_cast<double>(*tensor.distinct_lines * report.line_bytes)),
                        touches_text(ratio(tensor.touches, *tensor.distinct_lines)));
  return labelled("tensor", text);
}

std::string arithmetic_line(const std::vector<ArithmeticSummary>& arithmetic, double tiles) {
  std::vector<std::string> parts;
  for (const ArithmeticSummary& entry : arithmetic)
    parts.push_back(fmt::format("{} {} {}", number_text(static_cast<double>(entry.total) / tiles),
                                entry.type, entry.kind));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string fault_line(const FaultSummary& fault) {
  std::string text = fault.kind;
  if (fault.place.line > 0) text += fmt::format(" on line {}", fault.place.line);
  if (!fault.tensor.empty()) text += ", " + fault.tensor;
  if (!fault.detail.empty()) text += ": " + fault.detail;
  if (fault.count > 0)
    text += fmt::format(" (first in tile {}; {} in {})", index_text(fault.tile),
                        count_of(fault.count, "time"), count_of(fault.tiles, "tile"));
  return labelled("fault", text);
}

std::string totals(const TraceReport& report) {
  std::string text;
  for (const TensorSummary& tensor : report.tensors) text += tensor_line(report, tensor);
  std::string bytes = fmt::format("{} request {}",
                                  report.tiles_traced == report.tiles ? "all tiles" : "these tiles",
                                  bytes_text(static_cast<double>(report.total_bytes())));
  if (const auto distinct = report.distinct_lines()) {
    const double bound = static_cast<double>(*distinct) * report.line_bytes;
    bytes += fmt::format("; their distinct lines are {}", bytes_text(bound));
    if (report.tiles_traced == report.tiles) bytes += ", the least that any order moves";
  }
  text += labelled("bytes", bytes);
  text += labelled(
      "arithmetic",
      "per tile: " + arithmetic_line(report.arithmetic, static_cast<double>(report.tiles_traced)));
  for (const FaultSummary& fault : report.faults) text += fault_line(fault);
  return text;
}

std::string first_runs_text(const TileAccess& access) {
  std::vector<std::string> parts;
  for (const auto& [offset, bytes] : access.first_runs)
    parts.push_back(fmt::format("{}+{}", offset, bytes));
  const auto more = access.runs - static_cast<std::int64_t>(access.first_runs.size());
  if (more > 0) parts.push_back(fmt::format("and {} more", with_separators(more)));
  return fmt::format("{}", fmt::join(parts, " "));
}

Row cells_of(const TileAccess& access) {
  return {std::to_string(access.place.line),
          access_text(access.kind),
          access.tensor.empty() ? "-" : access.tensor,
          fmt::format("{}/{}", access.active, access.elements),
          std::to_string(access.bytes),
          std::to_string(access.lines),
          std::to_string(access.requests),
          first_runs_text(access)};
}

}  // namespace

std::string verb_of(AccessKind kind) {
  if (kind == AccessKind::read) return "reads";
  return kind == AccessKind::write ? "writes" : "changes atomically";
}

std::string trace_text(const TraceReport& report, const IndependenceReport& independence,
                       const std::string& job, const Style& style) {
  const std::string waves =
      report.threads.empty()
          ? fmt::format("{} of {} lanes", count_of(report.warps, "warp"), report.wave_lanes)
          : fmt::format("blocks of {} threads, {} of {} lanes", fmt::join(report.threads, "x"),
                        count_of(report.warps, "wave"), report.wave_lanes);
  std::string text = headline(style.bold(job), fmt::format("{} on grid {}, {}", report.function,
                                                           fmt::join(report.grid, "x"), waves));
  text += labelled("traced",
                   report.sampled_because.empty()
                       ? fmt::format("all {}", count_of(report.tiles, "tile"))
                       : fmt::format("{} of {} tiles: {}", with_separators(report.tiles_traced),
                                     with_separators(report.tiles), report.sampled_because));
  if (report.space) text += labelled("tiles", tile_space_text(*report.space));
  for (const AccessSummary& access : report.accesses)
    text += "\n" + access_paragraph(report, access, style);
  return text + "\n" + totals(report) + independence_text(independence, style);
}

std::vector<std::string> access_sentences(const TraceReport& report, const AccessSummary& access) {
  std::vector<std::string> sentences = {size_sentence(report, access)};
  if (access.total_lines == 0) return sentences;
  for (std::string more : {neighbours_sentence(report, access), reuse_sentence(access)}) {
    if (!more.empty()) sentences.push_back(std::move(more));
  }
  return sentences;
}

std::string tile_text(const TileReport& report, const std::string& job, const Style& style) {
  std::string text =
      headline(style.bold(job), fmt::format("{}, tile {} of grid {}", report.function,
                                            index_text(report.tile), fmt::join(report.grid, "x"))) +
      "\n";
  std::vector<Row> rows = {
      {"line", "access", "tensor", "active", "bytes", "lines", "requests", "runs (offset+bytes)"}};
  for (const TileAccess& access : report.accesses) rows.push_back(cells_of(access));
  text += table_text(rows, {false, true, true, false, false, false, false, true});
  const auto more = report.total - static_cast<std::int64_t>(report.accesses.size());
  if (more > 0) text += fmt::format("  ... and {} more\n", with_separators(more));
  text += "\n" + labelled("arithmetic", arithmetic_line(report.arithmetic, 1));
  for (const FaultSummary& fault : report.faults) text += fault_line(fault);
  return text;
}

}  // namespace heddle::report
