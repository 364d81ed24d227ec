#include "trace/source.h"

#include "support/file.h"
#include "support/text.h"

namespace heddle::trace {
namespace {

constexpr std::size_t kSourceLimit = std::size_t{16} << 20;

}  // namespace

SourceText::SourceText(const kernel::KernelProgram& program) : program_(program) {
  if (program.source_path.empty()) return;
  try {
    const std::string text = read_text(program.source_path, kSourceLimit);
    for (const std::string_view line : split_lines(text)) lines_.emplace_back(trim(line));
  } catch (const Error&) {
    lines_.clear();  // a report without quotations is still a report
  }
}

SourcePlace SourceText::at(std::int32_t place) const {
  SourcePlace result;
  if (place < 0 || static_cast<std::size_t>(place) >= program_.places.size()) return result;
  const kernel::Place& found = program_.places[static_cast<std::size_t>(place)];
  result.line = found.position.line;
  result.column = found.position.column;
  result.function = found.function;
  const auto index = static_cast<std::size_t>(found.position.line) - 1;
  if (found.position.line > 0 && index < lines_.size()) result.text = lines_[index];
  return result;
}

AccessKind access_kind(kernel::MemoryKind kind) {
  if (kind == kernel::MemoryKind::read) return AccessKind::read;
  return kind == kernel::MemoryKind::write ? AccessKind::write : AccessKind::atomic;
}

std::vector<std::int64_t> tile_index(const Grid& grid, const std::array<std::int64_t, 3>& tile) {
  return {tile.begin(), tile.begin() + grid.axes()};
}

}  // namespace heddle::trace
