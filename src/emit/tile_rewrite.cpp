#include "emit/tile_rewrite.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/kernel_code.h"
#include "emit/place_code.h"
#include "tiles/find.h"
#include "tiles/variables.h"

namespace heddle::emit {
namespace {

using kernel::ScopeName;
using kernel::ScopeNumber;
using kernel::TileSite;
using kernel::TileUses;

void add_words(const std::string& code, std::set<std::string>& words) {
  std::string word;
  for (const char c : code) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else {
      words.insert(word);
      word.clear();
    }
  }
}

/// A name, a call or something in brackets.
bool is_atom(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    const bool is_of_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                            c == '.' || c == '(' || c == ')';
    if (depth == 0 && !is_of_word) return false;
  }
  return text.rfind("(int)", 0) != 0;
}

std::string in_brackets(const std::string& text) {
  return is_atom(text) ? text : "(" + text + ")";
}

class TileRewriter {
 public:
  TileRewriter(kernel::Source& source, const TileSubject& subject, const proof::ProvenOrder& proven)
      : subject_(subject),
        proven_(proven),
        launch_(subject.loaded.launch),
        variables_(
            tiles::variables_of(tiles::lift(subject.loaded.program, subject.loaded.launch))) {
    if (launch_.function.empty()) launch_.function = subject.loaded.program.function;
    if (variables_.is_launch()) return;
    if (!variables_.unnamed.empty())
      throw Error(
          fmt::format("the tile coordinate '{}' has no name in the kernel", variables_.unnamed),
          "give it a variable of its own")
          .at(subject.loaded.launch.kernel_path, {variables_.unnamed_line, 1});
    uses_ = source.tile_uses(launch_, variables_.coordinates);
  }

  std::string run(kernel::Source& source, const Independence& independence,
                  const std::vector<std::string>& assumptions) {
    if (variables_.is_launch()) return run_launch(source, independence, assumptions);
    context_.dialect = find_dialect(uses_->spelling.dialect).value();
    context_.language = uses_->spelling.language;
    context_.own_minimum = uses_->spelling.own_minimum;
    context_.taken = uses_->names;
    values_.resize(uses_->variables.size());
    std::vector<std::string> code;
    for (std::size_t site = 0; site < uses_->sites.size(); ++site) {
      if (!uses_->sites[site].counter.empty()) context_.taken.insert(uses_->sites[site].counter);
      context_.remarks = order_remarks(independence, assumptions);
      code.push_back(code_of(site));
    }
    return uses_->rewritten(code, values_);
  }

 private:
  const tiles::TileLaunch& tiles() const { return subject_.tiles; }
  bool is_once() const { return tiles().space.walk == TileSpace::Walk::once; }
  bool is_triton() const { return context_.dialect == Dialect::triton; }

  std::string code_of(std::size_t index) {
    const TileSite& site = uses_->sites[index];
    check_names(site);
    context_.columns = comment_columns(site.place);
    numbers_ = uses_->numbers(index, subject_.loaded.launch);
    other_numbers_.clear();
    for (const tiles::OtherLaunch& other : subject_.others)
      other_numbers_.push_back(uses_->numbers(index, other.launch));
    int turn_bits = 32;
    TileTexts texts;
    texts.turn = turn_text(site, turn_bits);
    const std::vector<std::string> extents = extent_texts(site);
    for (const tiles::TileAxis& axis : tiles().axes)
      texts.extents.push_back(product(axis, extents));
    const PrintedParts parts = tile_code(proven_, context_, texts);
    std::string lines = parts.lines;
    add_words(lines, context_.taken);  // another site has names of its own
    if (index > 0) lines = without_comments(lines);
    std::vector<std::string> values(extents.size());
    for (std::size_t i = 0; i < tiles().axes.size(); ++i) {
      const tiles::TileAxis& axis = tiles().axes[i];
      const bool is_one = axis.coordinates.size() == 1;
      if (!is_one) lines += definition(parts.names[i], parts.results[i]);
      for (std::size_t k = 0; k < axis.coordinates.size(); ++k)
        values[axis.coordinates[k]] =
            is_one ? parts.results[i] : unpacked(parts.names[i], axis, k, extents);
    }
    for (const std::vector<std::size_t>& digits : variables_.packed)
      values.push_back(packed(digits, values, extents));
    for (std::size_t i = 0; i < values.size(); ++i) give(site, i, values[i], turn_bits);
    return fitted(lines, site.place);
  }

  void check_names(const TileSite& site) const {
    for (const std::string& name : free_names(proven_)) {
      const bool is_known = std::any_of(site.names.begin(), site.names.end(),
                                        [&](const ScopeName& one) { return one.name == name; });
      if (!is_known)
        throw Error(fmt::format("the order uses '{}', which has no value here", name),
                    "write the order with the kernel's own names")
            .at(uses_->path, site.position);
    }
  }

  /// Blocks take their launch index for their tile, axes in another order: every use of an index
  /// becomes the coordinate that it is.
  std::string run_launch(kernel::Source& source, const Independence& independence,
                         const std::vector<std::string>& assumptions) {
    std::vector<std::string> macros;
    for (const config::Argument& argument : launch_.arguments)
      if (argument.is_constexpr) macros.push_back(argument.name);
    const auto uses = source.index_uses(subject_.loaded.program.function, macros);
    uses->check_program(subject_.loaded.program);
    const kernel::CodePlace place = uses->place();
    context_ = context_of(*uses, place);
    context_.remarks = order_remarks(independence, assumptions);
    TileTexts texts;
    texts.turn = launch_index();
    for (const tiles::TileAxis& axis : tiles().axes)
      texts.extents.push_back(grid_text(variables_.launch_axes[axis.coordinates.front()]));
    const PrintedParts parts = tile_code(proven_, context_, texts);
    PrintedParts by_axis{parts.lines, {}, {}};
    for (int axis = 0; axis < uses->axes; ++axis) {
      by_axis.results.emplace_back("0");
      by_axis.names.push_back(context_.free(fmt::format("tile_{}", "xyz"[axis])));
      for (std::size_t i = 0; i < tiles().axes.size(); ++i)
        if (variables_.launch_axes[tiles().axes[i].coordinates.front()] == axis)
          by_axis.results.back() = parts.results[i];
    }
    return put_in(source.text(), *uses, place, by_axis);
  }

  // ---- the turn ---------------------------------------------------------------------------

  std::string turn_text(const TileSite& site, int& bits) const {
    if (!site.counter.empty()) {
      const std::string& counted = uses_->variables[site.variables.front()].name;
      for (const tiles::TurnName& turn : variables_.turns)
        if (turn.name == counted) return site.counter;
      throw Error(fmt::format("the loop over '{}' does not count the turns", counted),
                  "give an order of a kernel that counts its tiles")
          .at(uses_->path, site.position);
    }
    // pid is the turn as long as the other axis has one block.
    if (has_single_axis()) return launch_index();
    const ScopeName* best = nullptr;
    for (const ScopeName& name : site.names)
      for (const tiles::TurnName& turn : variables_.turns) {
        const bool is_it =
            turn.name == name.name && turn.line >= name.first_line && turn.line <= name.last_line;
        if (!is_it || (best != nullptr && (best->is_read || !name.is_read))) continue;
        best = &name;
        bits = turn.bits;
      }
    if (best != nullptr) return best->name;
    if (!is_once())
      throw Error("no variable of the kernel holds the number of the turn here",
                  "count tiles with a variable: for tile in range(start, tiles, step)")
          .at(uses_->path, site.position);
    return launch_index();
  }

  /// Whether an axis of the launch has one block here, and may have more elsewhere.
  bool has_single_axis() const {
    const auto& coordinates = tiles().space.coordinates;
    const bool has_single = std::any_of(coordinates.begin(), coordinates.end(),
                                        [](const auto& one) { return one.extent == 1; });
    return is_once() && last_axis() > 0 && has_single && single_axes() > 0;
  }
  int single_axes() const {
    int count = 0;
    for (int axis = 0; axis <= last_axis(); ++axis)
      count += subject_.loaded.launch.grid.extent(axis) == 1 ? 1 : 0;
    return count;
  }

  /// p0 + g0 * (p1 + g1 * p2).
  std::string launch_index() const {
    std::string text = launch_text(last_axis());
    for (int axis = last_axis(); axis-- > 0;)
      text = fmt::format("{} + {} * {}", launch_text(axis), grid_text(axis),
                         axis + 1 == last_axis() ? text : "(" + text + ")");
    return text;
  }

  int last_axis() const { return subject_.loaded.launch.grid.axes() - 1; }
  std::string launch_text(int axis) const {
    return is_triton() ? fmt::format("{}.program_id({})", context_.language, axis)
                       : fmt::format("(int)blockIdx.{}", "xyz"[axis]);
  }
  std::string grid_text(int axis) const {
    return is_triton() ? fmt::format("{}.num_programs({})", context_.language, axis)
                       : fmt::format("(int)gridDim.{}", "xyz"[axis]);
  }

  // ---- extents ----------------------------------------------------------------------------

  /// A text whose value is `own` on this launch and `others` on the others; empty: there is none.
  std::string number_text(std::int64_t own, const std::vector<std::int64_t>& others) const {
    if (own == 1 && has_single_axis())
      if (const std::string axis = axis_text(own, others); !axis.empty()) return axis;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_[i].value != own) continue;
      bool holds = true;
      for (std::size_t k = 0; k < others.size() && holds; ++k)
        holds = i < other_numbers_[k].size() && other_numbers_[k][i].value == others[k];
      if (holds) return numbers_[i].text;
    }
    return axis_text(own, others);
  }

  /// An axis of the launch that has as many blocks.
  std::string axis_text(std::int64_t own, const std::vector<std::int64_t>& others) const {
    for (int axis = 0; is_once() && axis <= last_axis(); ++axis) {
      bool holds = subject_.loaded.launch.grid.extent(axis) == own;
      for (std::size_t k = 0; k < others.size() && holds; ++k)
        holds = subject_.others[k].launch.grid.extent(axis) == others[k];
      if (holds) return grid_text(axis);
    }
    return {};
  }

  std::vector<std::string> extent_texts(const TileSite& site) const {
    const auto& coordinates = tiles().space.coordinates;
    if (has_single_axis() && single_axes() > 1)
      throw Error("two axes of the launch have one block each here: they are not told apart",
                  "give a job in which they have more")
          .at(uses_->path, site.position);
    std::vector<std::string> texts;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      std::vector<std::int64_t> others;
      for (const tiles::OtherLaunch& other : subject_.others) others.push_back(other.extents[i]);
      texts.push_back(number_text(coordinates[i].extent, others));
      if (texts.back().empty()) missing.push_back(i);
    }
    for (const std::size_t one : missing) texts[one] = quotient_text(one, texts);
    std::erase_if(missing, [&](std::size_t one) { return !texts[one].empty(); });
    if (missing.empty()) return texts;
    const std::string count = count_text();
    std::string known;
    for (const std::string& text : texts)
      if (!text.empty()) known += (known.empty() ? "" : " * ") + in_brackets(text);
    if (missing.size() > 1 || count.empty())
      throw Error(fmt::format("nothing in the kernel says how many tiles '{}' has here",
                              coordinates[missing.front()].name),
                  "compute the number of tiles along it before this line")
          .at(uses_->path, site.position);
    texts[missing.front()] = known.empty()
                                 ? count
                                 : fmt::format("{} {} {}", in_brackets(count),
                                               is_triton() ? "//" : "/", in_brackets(known));
    return texts;
  }

  /// An axis of the launch that holds two coordinates: its extent divided by the other's.
  std::string quotient_text(std::size_t coordinate, const std::vector<std::string>& texts) const {
    const auto& own = tiles().space.coordinates;
    for (int axis = 0; is_once() && last_axis() > 0 && axis <= last_axis(); ++axis)
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].empty() || i == coordinate) continue;
        bool holds =
            subject_.loaded.launch.grid.extent(axis) == own[coordinate].extent * own[i].extent;
        for (const tiles::OtherLaunch& other : subject_.others)
          holds = holds &&
                  other.launch.grid.extent(axis) == other.extents[coordinate] * other.extents[i];
        if (holds)
          return fmt::format("{} {} {}", grid_text(axis), is_triton() ? "//" : "/",
                             in_brackets(texts[i]));
      }
    return {};
  }

  /// The number of tiles.
  std::string count_text() const {
    if (is_once()) {
      std::string text = grid_text(0);
      for (int axis = 1; axis <= last_axis(); ++axis) text += " * " + grid_text(axis);
      return text;
    }
    std::vector<std::int64_t> others;
    for (const tiles::OtherLaunch& other : subject_.others) {
      others.push_back(1);
      for (const std::int64_t extent : other.extents) others.back() *= extent;
    }
    return number_text(tiles().space.count(), others);
  }

  static std::string product(const tiles::TileAxis& axis, const std::vector<std::string>& extents) {
    if (axis.coordinates.size() == 1) return extents[axis.coordinates.front()];
    std::string text;
    for (const std::size_t one : axis.coordinates)
      text += (text.empty() ? "" : " * ") + in_brackets(extents[one]);
    return text;
  }

  // ---- results ----------------------------------------------------------------------------

  /// One coordinate of an axis that holds several.
  std::string unpacked(const std::string& name, const tiles::TileAxis& axis, std::size_t which,
                       const std::vector<std::string>& extents) const {
    const char* divide = is_triton() ? "//" : "/";
    std::string text = name;
    if (which + 1 < axis.coordinates.size()) {
      std::string inner;
      for (std::size_t k = which + 1; k < axis.coordinates.size(); ++k)
        inner += (inner.empty() ? "" : " * ") + in_brackets(extents[axis.coordinates[k]]);
      text = fmt::format("{} {} {}", name, divide, in_brackets(inner));
    }
    if (which == 0) return text;
    return fmt::format("{} % {}", text, in_brackets(extents[axis.coordinates[which]]));
  }

  /// (a * extent of b + b) * extent of c + c.
  static std::string packed(const std::vector<std::size_t>& digits,
                            const std::vector<std::string>& values,
                            const std::vector<std::string>& extents) {
    std::string text;
    for (const std::size_t one : digits)
      text = text.empty() ? values[one]
                          : fmt::format("{} * {} + {}", in_brackets(text),
                                        in_brackets(extents[one]), in_brackets(values[one]));
    return text;
  }

  std::string definition(const std::string& name, const std::string& value) const {
    return is_triton() ? fmt::format("{} = {}\n", name, value)
                       : fmt::format("const int {} = {};\n", name, value);
  }

  void give(const TileSite& site, std::size_t coordinate, const std::string& text, int turn_bits) {
    for (const std::size_t variable : site.variables) {
      if (uses_->variables[variable].axis != coordinate) continue;
      const bool is_wide = is_triton() && variables_.bits[coordinate] == 64 && turn_bits != 64 &&
                           !uses_->keeps_type(variable);
      values_[variable] =
          is_wide ? fmt::format("{}.to({}.int64)", in_brackets(text), context_.language) : text;
    }
  }

  /// A second site refers to the first.
  static std::string without_comments(const std::string& lines) {
    std::string result;
    bool is_first = true;
    for (std::size_t at = 0; at < lines.size();) {
      const std::string line = lines.substr(at, lines.find('\n', at) - at + 1);
      at += line.size();
      const bool is_comment = line[0] == '#' || line.rfind("//", 0) == 0;
      if (!is_comment)
        result += line;
      else if (is_first)
        result += (line[0] == '#' ? "# " : "// ") + std::string("the same order again\n");
      is_first = false;
    }
    return result;
  }

  const TileSubject& subject_;
  const proof::ProvenOrder& proven_;
  config::Launch launch_;
  tiles::TileVariables variables_;
  std::unique_ptr<TileUses> uses_;
  KernelContext context_;
  std::vector<std::string> values_;  ///< per variable
  std::vector<ScopeNumber> numbers_;
  std::vector<std::vector<ScopeNumber>> other_numbers_;
};

}  // namespace

std::string rewrite_tiles(kernel::Source& source, const TileSubject& subject,
                          const proof::ProvenOrder& proven, const Independence& independence,
                          const std::vector<std::string>& assumptions) {
  return TileRewriter(source, subject, proven).run(source, independence, assumptions);
}

order::Shape shape_of(const tiles::TileLaunch& launch) {
  const int axes = static_cast<int>(launch.axes.size());
  return axes > 1 ? order::Shape{1, axes, true} : order::Shape{1, 1, false};
}

}  // namespace heddle::emit
