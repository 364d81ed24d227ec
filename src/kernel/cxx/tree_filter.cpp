#include "kernel/cxx/tree_filter.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

/// Fields that no node of tree.h has, and that are not the last of their object. Filtered trees are
/// kept: with other rules, change kMagic of clang_cache.cpp.
constexpr std::array<std::string_view, 8> kUnused = {
    "\"file\": ", "\"line\": ",   "\"presumedFile\": ", "\"presumedLine\": ",
    "\"col\": ",  "\"isUsed\": ", "\"isReferenced\": ", "\"mangledName\": "};

}  // namespace

void TreeFilter::take(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size() && !is_over_;) {
    const std::size_t end = piece.find('\n', at);
    if (end == std::string_view::npos) {
      begun_ += piece.substr(at);
      is_over_ = begun_.size() > most_bytes_;
      return;
    }
    if (begun_.empty()) {
      take_line(piece.substr(at, end - at));
    } else {
      begun_ += piece.substr(at, end - at);
      take_line(begun_);
      begun_.clear();
    }
    at = end + 1;
  }
}

void TreeFilter::take_line(std::string_view line) {
  constexpr std::string_view kOffset = "\"offset\": ";
  if (part_ == Part::outside && line == "    {") {
    element_ = kept_.size();
    if (!is_first_) add(",");
    add(line);
    part_ = Part::undecided;
    return;
  }
  if (line == "    }" || line == "    },") {
    if (part_ != Part::unwanted) {
      add("    }");
      is_first_ = false;
    }
    part_ = Part::outside;
    return;
  }
  if (part_ == Part::unwanted) return;
  if (const std::size_t at = line.find(kOffset);
      part_ == Part::undecided && at != std::string_view::npos) {
    std::string_view number = line.substr(at + kOffset.size());
    number = number.substr(0, number.find_first_not_of("0123456789"));
    const auto offset = parse_integer(number);
    part_ = offset && is_wanted_(static_cast<std::size_t>(*offset)) ? Part::wanted : Part::unwanted;
    if (part_ == Part::unwanted) {
      kept_.resize(element_);
      return;
    }
  }
  add(line);
}

void TreeFilter::add(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const auto is_unused = [&](std::string_view field) { return line.starts_with(field); };
  if (line.ends_with(',') && std::any_of(kUnused.begin(), kUnused.end(), is_unused)) return;
  kept_ += line;
  kept_ += '\n';
  is_over_ = is_over_ || kept_.size() > most_bytes_;
}

std::string TreeFilter::kept() {
  if (!begun_.empty() && !is_over_) take_line(begun_);
  begun_.clear();
  return is_over_ ? std::string() : std::move(kept_);
}

}  // namespace heddle::kernel::cxx
