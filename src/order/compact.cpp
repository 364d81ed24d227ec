#include "order/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "order/digits.h"
#include "order/parse_triton.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::order {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Stage> pipeline(int depth = 0) {
    if (depth > kDepthLimit) fail("inverse(...) nests too deep", "undo one level");
    std::vector<Stage> stages = stage(depth);
    while (take('|')) {
      for (Stage& next : stage(depth)) stages.push_back(std::move(next));
      if (stages.size() > 64) fail("more than 64 stages", "shorten the order");
    }
    return stages;
  }

  void expect_end() {
    skip_space();
    if (at_ < text_.size())
      fail(is_plain(text_[at_]) ? fmt::format("unexpected '{}'", text_[at_])
                                : fmt::format("the byte 0x{:02x} has no meaning here",
                                              static_cast<unsigned char>(text_[at_])),
           "join stages with '|', as in xcd(8) | group(4)");
  }

 private:
  /// What a terminal shows as it is.
  static bool is_plain(char c) { return c >= 32 && c < 127; }

  std::vector<Stage> stage(int depth) {
    skip_space();
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (name == "inverse" && take('(')) {
      std::vector<Stage> inner = pipeline(depth + 1);
      if (!take(')')) fail("inverse( has no end", "close it with ')'");
      std::vector<Stage> undone(inner.rbegin(), inner.rend());
      for (Stage& each : undone) each.inverted = !each.inverted;
      return undone;
    }
    if (name == "digits" && take('(')) return {digits()};
    Stage result;
    result.family = find_family(name);
    if (result.family == nullptr) {
      const std::vector<std::string> known = family_names();
      at_ = start;
      fail(
          name.empty() ? "a family is missing here" : fmt::format("no family is called '{}'", name),
          fmt::format("{}use one of: {}", did_you_mean(name, known), fmt::join(known, " ")));
    }
    if (take('(')) {
      while (!take(')')) {
        result.parameters.push_back(number());
        if (!take(',') && !peek(')')) fail("expected ',' or ')'", "write parameters as (8, 64)");
      }
    }
    return {result};
  }

  Stage digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ')') ++at_;
    const std::string_view inside = text_.substr(start, at_ - start);
    if (!take(')')) fail("digits( has no end", "close it with ')'");
    try {
      return digit_stage(read_digits(inside));
    } catch (const Error& error) {
      throw error.at("order", {1, static_cast<int>(start) + 1});
    }
  }

  std::int64_t number() {
    skip_space();
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '-'))
      ++at_;
    const auto value = parse_integer(text_.substr(start, at_ - start));
    if (!value) fail("a parameter is not a whole number", "write parameters as (8, 64)");
    return *value;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool peek(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) { return peek(c) && (++at_, true); }

  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw Error(what, hint).at("order", {1, static_cast<int>(at_) + 1});
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// A 3-D launch whose order only walks planes leaves the third axis alone.
bool passes_slice(const Shape& shape, const std::vector<Stage>& stages) {
  const bool walks_only = std::ranges::all_of(
      stages, [](const Stage& stage) { return stage.family->kind == FamilyKind::walk; });
  return shape.tile_axes == 3 && !shape.own_tiles && shape.launch_axes == 3 && walks_only;
}

/// Builds the text of a pipeline: each stage takes `t` and leaves `t`, or leaves `row, col`.
class Writer {
 public:
  Writer(const std::vector<Stage>& stages, const Shape& shape) : stages_(stages), shape_(shape) {}

  std::string text() {
    names();
    std::set<std::string_view> defined;
    for (const Stage& stage : stages_) define(*stage.family, stage.inverted, defined);
    enter();
    for (const Stage& stage : stages_) apply(stage);
    leave();
    return text_;
  }

 private:
  /// What the extents are called. Launch spaces are x fastest, tile spaces row-major.
  void names() {
    const int axes = shape_.tile_axes;
    bool has_solid = false;
    for (const Stage& stage : stages_) {
      has_walk_ = has_walk_ || stage.family->kind == FamilyKind::walk;
      has_solid = has_solid || stage.family->kind == FamilyKind::solid;
    }
    if (has_solid && axes != 3)
      throw Error("digits of three axes need a 3-D launch or tile space",
                  "give one list of digits for each axis of the grid, or one for all");
    if (has_walk_ && axes == 1) {
      throw Error("a walk needs rows and columns, but the tile space has one axis",
                  "give a 2-D launch (--grid 36x48) or --tiles ROWSxCOLUMNS");
    }
    rows_ = shape_.own_tiles ? (axes == 3 ? "t1" : "t0") : "g1";
    cols_ = shape_.own_tiles ? (axes == 3 ? "t2" : "t1") : "g0";
    const std::string plane = fmt::format("{} * {}", rows_, cols_);
    slices_ = shape_.own_tiles ? "t0" : "g2";
    count_ = axes == 1 ? (shape_.own_tiles ? "t0" : "g0") : plane;
    if (axes == 3) count_ = fmt::format("{} * {}", plane, slices_);
    pass_slice_ = passes_slice(shape_, stages_);
    has_slice_ = axes == 3 && !pass_slice_;
  }

  void define(const Family& family, bool inverted, std::set<std::string_view>& defined) {
    if (!family.needs.empty()) define(*find_family(family.needs), inverted, defined);
    const std::string_view text = inverted ? family.inverse : family.forward;
    if (defined.insert(text).second) text_ += text;
  }

  void line(const std::string& statement) { text_ += statement + "\n"; }

  void enter() {
    std::string id = "p0";
    if (shape_.launch_axes >= 2) id += " + p1 * g0";
    if (shape_.launch_axes == 3 && !pass_slice_) id += " + p2 * (g0 * g1)";
    line("t = " + id);
    state_ = State::linear;
  }

  /// What is at hand: `t` along all tiles, `t` inside the plane `slice`, or row and column in it.
  enum class State { linear, plane, index };

  void to_linear() {
    to_plane_from_index();
    if (state_ == State::plane && has_slice_)
      line(fmt::format("t = t + slice * ({} * {})", rows_, cols_));
    state_ = State::linear;
  }

  void to_plane_from_index() {
    if (state_ != State::index) return;
    line(fmt::format("t = row * {} + col", cols_));
    state_ = State::plane;
  }

  void to_plane() {
    to_plane_from_index();
    if (state_ == State::linear && has_slice_) {
      line(fmt::format("slice = t // ({} * {})", rows_, cols_));
      line(fmt::format("t = t % ({} * {})", rows_, cols_));
    }
    state_ = State::plane;
  }

  void to_index() {
    if (state_ == State::index) return;
    to_plane();
    line(fmt::format("row = t // {}", cols_));
    line(fmt::format("col = t % {}", cols_));
    state_ = State::index;
  }

  void apply(const Stage& stage) {
    std::string parameters;
    for (const std::int64_t parameter : stage.parameters)
      parameters += fmt::format(", {}", parameter);
    const std::string name =
        fmt::format("{}{}", stage.family->name, stage.inverted ? "_inverse" : "");
    if (stage.family->kind == FamilyKind::line) {
      to_linear();
      line(fmt::format("t = {}(t, {}{})", name, count_, parameters));
    } else if (stage.family->kind == FamilyKind::solid) {
      apply_solid(stage, name);
    } else if (stage.inverted) {
      to_index();
      line(fmt::format("t = {}(row, col, {}, {}{})", name, rows_, cols_, parameters));
      state_ = State::plane;
    } else {
      to_plane();
      line(fmt::format("row, col = {}(t, {}, {}{})", name, rows_, cols_, parameters));
      state_ = State::index;
    }
  }

  void apply_solid(const Stage& stage, const std::string& name) {
    const std::string extents = fmt::format("{}, {}, {}", slices_, rows_, cols_);
    if (stage.inverted) {
      to_index();
      line(fmt::format("t = {}(slice, row, col, {})", name, extents));
      state_ = State::linear;
    } else {
      to_linear();
      line(fmt::format("slice, row, col = {}(t, {})", name, extents));
      state_ = State::index;
    }
  }

  void leave() {
    if (shape_.tile_axes == 1) {
      to_linear();
      return line("tile = t");
    }
    to_index();
    std::string values = shape_.own_tiles ? "row, col" : "col, row";
    if (has_slice_) values = shape_.own_tiles ? "slice, row, col" : "col, row, slice";
    if (pass_slice_) values = "col, row, p2";
    line(fmt::format("{} = {}", fmt::join(stages_results(shape_), ", "), values));
  }

  const std::vector<Stage>& stages_;
  Shape shape_;
  std::string text_;
  std::string slices_, rows_, cols_, count_;
  bool has_walk_ = false;
  bool has_slice_ = false;
  bool pass_slice_ = false;
  State state_ = State::linear;
};

}  // namespace

bool looks_compact(std::string_view text) {
  text = trim(text);
  std::size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
    ++end;
  const std::string_view name = text.substr(0, end);
  const std::string_view rest = trim(text.substr(end));
  const bool known = find_family(name) != nullptr || name == "inverse" || name == "digits";
  return known && (rest.empty() || rest[0] == '(' || rest[0] == '|');
}

Order read_compact(std::string_view text) {
  if (text.size() > kSourceLimit) throw Error("the order is too long", "use fewer stages");
  Reader reader(text);
  std::vector<Stage> stages = reader.pipeline();
  reader.expect_end();
  return Order::from_stages(std::move(stages));
}

std::vector<std::string> stages_results(const Shape& shape) {
  if (shape.tile_axes == 1) return {"tile"};
  if (shape.own_tiles) {
    if (shape.tile_axes == 2) return {"tile_row", "tile_col"};
    return {"tile_slice", "tile_row", "tile_col"};
  }
  if (shape.tile_axes == 2) return {"tile_x", "tile_y"};
  return {"tile_x", "tile_y", "tile_z"};
}

Module stages_module(const std::vector<Stage>& stages, const Shape& shape) {
  return parse_triton(Writer(stages, shape).text());
}

}  // namespace heddle::order
