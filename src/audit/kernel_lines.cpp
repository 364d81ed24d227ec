#include "audit/kernel_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "order/axis_name.h"
#include "order/tile_reading.h"
#include "proof/by_division.h"
#include "proof/check.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

using kernel::IndexLines;
using kernel::IndexName;

constexpr std::size_t kMostCombinations = 16;  ///< of values of names
constexpr std::int64_t kTileSize = 16;         ///< of a tile whose size the file does not say
constexpr std::int64_t kMostCounted = 1000;    ///< tiles that every range of grids comes to

/// A size and what it is divided by to count tiles; a count of its own has none.
struct CountedSize {
  std::string name;
  std::string tile;
};

class LinesJudge {
 public:
  LinesJudge(const IndexLines& lines, const LinesRequest& request)
      : lines_(lines), request_(request) {
    options_.constexprs = lines.constexprs;
    options_.language = request.is_c ? order::Language::c_like : order::Language::triton;
    for (const std::string& let : request.lets) given_.insert(let.substr(0, let.find('=')));
  }

  LinesCheck run() {
    for (const std::vector<std::string>& names : candidates())
      if (prove(names)) return std::move(result_);
    check_range(false);
    if (!result_.range && !lines_.with_counts.empty()) check_range(true);
    if (!result_.range && !result_.all_sizes && result_.reason.empty())
      result_.reason = not_proved_;
    if (result_.range && result_.range->verdict == Verdict::proved && !not_proved_.empty()) {
      result_.all_sizes.emplace();
      result_.all_sizes->finding = not_proved_;
    }
    return std::move(result_);
  }

 private:
  order::Order order_of(const std::vector<std::string>& results, bool with_counts = false) const {
    order::ReadOptions options = options_;
    options.results = results;
    if (!results.empty()) options.results_note = "the names that the kernel's work reads";
    return order::Order::from_formula(with_counts ? lines_.with_counts : lines_.text, request_.path,
                                      options);
  }

  // ---- coordinates

  const IndexName* name_of(const std::string& name) const {
    const auto found = std::ranges::find(lines_.names, name, &IndexName::name);
    return found == lines_.names.end() ? nullptr : &*found;
  }

  /// Without names that are made of the others alone.
  std::vector<std::string> without_derived(std::vector<std::string> names) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < names.size() && !changed; ++i) {
        const IndexName* one = name_of(names[i]);
        if (one == nullptr || one->reads.empty()) continue;
        changed = std::ranges::all_of(one->reads, [&](const std::string& read) {
          return std::ranges::find(names, read) != names.end();
        });
        if (changed) names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    order::sort_rows_first(names);
    return names;
  }

  /// Names that may be the coordinates: what work reads, and what sums among that are made of.
  std::vector<std::vector<std::string>> candidates() const {
    if (!request_.results.empty()) return {request_.results};
    std::vector<std::vector<std::string>> all;
    if (!lines_.at_work.empty()) {
      all.push_back(without_derived(lines_.at_work));
      std::vector<std::string> names = lines_.at_work;
      for (std::size_t rounds = 0; rounds < lines_.names.size(); ++rounds) {
        std::vector<std::string> next;
        for (const std::string& name : names) {
          const IndexName* one = name_of(name);
          const bool is_packed = one != nullptr && one->is_sum && !one->reads.empty();
          const std::set<std::string> parts = is_packed ? one->reads : std::set<std::string>{name};
          for (const std::string& part : parts)
            if (std::ranges::find(next, part) == next.end()) next.push_back(part);
        }
        if (next == names) break;
        names = next;
      }
      all.push_back(without_derived(names));
    }
    all.emplace_back();  // as the reader of orders finds them
    return all;
  }

  /// Of names that the reader of orders found: work reads them, or a sum of them.
  bool are_at_work(const std::vector<std::string>& names) const {
    if (lines_.at_work.empty() || lines_.is_marked) return true;
    const auto all = candidates();
    return std::ranges::all_of(names, [&](const std::string& name) {
      return std::ranges::any_of(
          all, [&](const auto& some) { return std::ranges::find(some, name) != some.end(); });
    });
  }

  // ---- all sizes

  bool prove(const std::vector<std::string>& names) {
    if (names.size() > 3) return false;
    proof::DivisionProof proof;
    order::Program program;
    try {
      int axes = 1;
      program = order_of(names).program({1, 1, false}, {});
      for (const order::Node& node : program.nodes)
        if (node.kind == order::Node::Kind::launch)
          axes = std::max(axes, static_cast<int>(node.value) + 1);
      const int results = static_cast<int>(program.results.size());
      const bool own = axes == 1 && results > 1;
      program = order_of(names).program({axes, own ? results : axes, own}, {});
      proof = proof::prove_by_division(program, lines_.tiles);
    } catch (const Error& error) {
      if (not_proved_.empty()) not_proved_ = reading_text(error);
      return false;
    }
    if (!proof.is_proved) {
      not_proved_ = proof.reason;
      return false;
    }
    if (names.empty() && !are_at_work(program.result_names)) {
      if (not_proved_.empty()) not_proved_ = "the lines end in other names than work reads";
      return false;
    }
    if (const std::string doubt = doubt_of(program.result_names, proof); !doubt.empty()) {
      not_proved_ = doubt;
      return false;
    }
    write_proof(program, proof);
    return true;
  }

  void write_proof(const order::Program& program, const proof::DivisionProof& proof) {
    CheckResult& all = result_.all_sizes.emplace();
    all.verdict = Verdict::proved;
    std::vector<std::string> extents;
    for (const proof::DivisionExtent& extent : proof.extents)
      extents.push_back(extent.text.empty() ? "the rest" : extent.text);
    const std::string launch = fmt::format("{}", fmt::join(extents, " x "));
    result_.tiles = fmt::format("{} ({})", launch, fmt::join(program.result_names, " x "));
    const bool is_rest = std::ranges::find(extents, "the rest") != extents.end();
    all.finding =
        fmt::format("{}: one to one on every {} of {}",
                    proof.walk.empty() ? "the launch's own index" : proof.walk,
                    lines_.tiles.empty() ? "launch" : "loop over tiles",
                    is_rest && extents.size() == 1 ? std::string("any size") : launch + " blocks");
    if (!lines_.tiles.empty())
      all.finding = fmt::format("{}: one to one on the {} tiles of {}",
                                proof.walk.empty() ? "the loop's own index" : proof.walk, launch,
                                lines_.loop);
    if (!proof.names.empty())
      all.evidence.push_back(fmt::format("by division with remainder, for every {} >= 1",
                                         fmt::join(proof.names, ", ")));
    for (const std::string& limit : proof.limits)
      all.evidence.push_back(fmt::format("while {} < 2^31", limit));
    if (!lines_.tiles.empty())
      all.notes.push_back(
          "holds if the loop's step is the number of blocks: then every tile is in one block's "
          "loop");
  }

  /// Rule 2. What speaks against the extents that were found; empty: nothing, and enough for them.
  std::string doubt_of(const std::vector<std::string>& names,
                       const proof::DivisionProof& proof) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const proof::DivisionExtent& extent = proof.extents[i];
      const IndexName* one = name_of(names[i]);
      if (extent.text.empty() && !lines_.is_marked && (one == nullptr || one->is_divided))
        return fmt::format("more than index lines makes a tile of {}", names[i]);
      if (extent.text.empty()) continue;
      if (extent.is_sum)
        return fmt::format("the lines do not say that {} has {} tiles", names[i], extent.text);
      for (std::size_t k = 0; k < names.size(); ++k)
        if (k != i && fits(names[k], extent) && !fits(names[i], extent))
          return fmt::format("{} is divided by the tiles of {}, {}", names[i], names[k],
                             extent.text);
      if (!fits(names[i], extent))
        return fmt::format("the lines do not say that {} has {} tiles", names[i], extent.text);
    }
    return {};
  }

  bool fits(const std::string& name, const proof::DivisionExtent& extent) const {
    const std::string axis = order::axis_of(name);
    const auto is_same = [&](const std::string& other) {
      const std::string there = order::axis_of(other);
      const std::string a = lower_case(axis.empty() ? name : axis);
      const std::string b = lower_case(there.empty() ? other : there);
      return a == b || a + "s" == b || last_word(a) == last_word(b);
    };
    // A name says little where a quotient says what is counted.
    if (extent.tile.empty() && is_same(extent.text)) return true;
    if (std::ranges::any_of(extent.sizes, is_same)) return true;
    const IndexName* one = name_of(name);
    return one != nullptr && !extent.tile.empty() && one->scales.count(extent.tile) > 0 &&
           is_of_one(extent.tile);
  }
  static std::string last_word(const std::string& text) {
    const std::size_t blank = text.rfind(' ');
    std::string word = blank == std::string::npos ? text : text.substr(blank + 1);
    if (word.size() > 2 && word.back() == 's') word.pop_back();
    return word;
  }
  /// Only one coordinate is multiplied by it.
  bool is_of_one(const std::string& tile) const {
    return std::ranges::count_if(
               lines_.names, [&](const IndexName& one) { return one.scales.count(tile) > 0; }) == 1;
  }

  // ---- ranges

  static std::string reading_text(const Error& error) {
    return error.position().line > 0
               ? fmt::format("line {}: {}", error.position().line, error.message())
               : error.message();
  }

  /// Names that the text divides to count tiles, with what it divides them by.
  std::vector<CountedSize> counted_sizes(const order::Program& program) const {
    std::vector<CountedSize> sizes;
    const auto add = [&](const std::string& name, const std::string& tile) {
      if (given_.count(name) == 0 &&
          std::ranges::find(sizes, name, &CountedSize::name) == sizes.end())
        sizes.push_back({name, tile});
    };
    for (const order::Node& node : program.nodes) {
      if (node.kind != order::Node::Kind::binary || node.operation != order::Operation::divide)
        continue;
      std::set<std::string> above;
      std::set<std::string> below;
      if (!names_in(program, node.a, above) || !names_in(program, node.b, below)) continue;
      for (const std::string& name : below) above.erase(name);
      if (above.size() == 1 && below.size() <= 1)
        add(*above.begin(), below.empty() ? constant_text(program, node.b) : *below.begin());
    }
    for (const std::string& name : program.names)
      if (order::is_count_name(name) && is_of_tiles({name, ""})) add(name, "");
    return sizes;
  }

  static std::string constant_text(const order::Program& program, int index) {
    const order::Node& node = program.nodes[static_cast<std::size_t>(index)];
    if (node.kind == order::Node::Kind::constant) return fmt::format("{}", node.value);
    return node.a >= 0 ? constant_text(program, node.a) : "";
  }

  /// False: something else than names and numbers takes part.
  static bool names_in(const order::Program& program, int index, std::set<std::string>& names) {
    const order::Node& node = program.nodes[static_cast<std::size_t>(index)];
    if (node.kind == order::Node::Kind::constant) return true;
    if (node.kind == order::Node::Kind::name) {
      names.insert(program.names[static_cast<std::size_t>(node.value)]);
      return true;
    }
    if (node.kind == order::Node::Kind::cast) return names_in(program, node.a, names);
    return node.kind == order::Node::Kind::binary && names_in(program, node.a, names) &&
           names_in(program, node.b, names);
  }

  std::int64_t tile_of(const CountedSize& size) const {
    if (size.tile.empty()) return 1;
    if (const auto number = parse_integer(size.tile)) return *number;
    const auto known = lines_.values.find(size.tile);
    return known != lines_.values.end() ? *known->second.begin() : kTileSize;
  }

  /// Values of the names that are neither sizes nor tiles: every combination.
  std::vector<std::vector<std::string>> combinations(const order::Program& program,
                                                     const std::vector<CountedSize>& sizes) const {
    std::vector<std::vector<std::string>> all = {{}};
    for (const std::string& name : program.names) {
      const auto is_named = [&](const CountedSize& size) {
        return size.name == name || size.tile == name;
      };
      const bool is_size =
          std::ranges::any_of(sizes, is_named) || std::ranges::any_of(others_, is_named);
      if (is_size || given_.count(name) > 0) continue;
      const auto known = lines_.values.find(name);
      const std::set<std::int64_t> values =
          known != lines_.values.end() ? known->second : std::set<std::int64_t>{2, 4, 8};
      std::vector<std::vector<std::string>> longer;
      for (const auto& one : all)
        for (const std::int64_t value : values) {
          if (longer.size() == kMostCombinations) break;
          longer.push_back(one);
          longer.back().push_back(fmt::format("{}={}", name, value));
        }
      all = std::move(longer);
    }
    return all;
  }

  /// Whether work has a coordinate of the size's axis.
  bool is_of_tiles(const CountedSize& size) const {
    if (lines_.is_marked) return true;
    return std::ranges::any_of(lines_.at_work, [&](const std::string& name) {
      return order::axis_of(name) == order::axis_of(size.name);
    });
  }

  void check_range(bool with_counts) {
    try {
      order::Order order = order_of(request_.results, with_counts);
      const order::Program program = order.program({1, 1, false}, {});
      std::vector<CountedSize> sizes = counted_sizes(program);
      stops_ = program.stops;
      others_.clear();
      if (with_counts)
        std::erase_if(sizes, [&](const CountedSize& size) {
          const bool is_other = !is_of_tiles(size);
          if (is_other) others_.push_back(size);
          return is_other;
        });
      if (sizes.empty() || sizes.size() > 3) {
        result_.reason = "the index lines do not say how many tiles there are along each axis";
        return;
      }
      std::ranges::sort(sizes, {}, &CountedSize::name);
      do {
        if (check_range(order, program, sizes)) return;
      } while (std::ranges::next_permutation(sizes, {}, &CountedSize::name).found);
    } catch (const Error& error) {
      result_.reason = reading_text(error);
    }
  }

  /// The sizes count the tiles along the axes, in this order; false: the text does not say so.
  bool check_range(const order::Order& order, const order::Program& program,
                   const std::vector<CountedSize>& sizes) {
    std::vector<std::string> bound = request_.lets;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t tile = tile_of(sizes[i]);
      bound.push_back(fmt::format("{}={}*t{}", sizes[i].name, tile, i));
      const bool is_name = !sizes[i].tile.empty() && !parse_integer(sizes[i].tile) &&
                           given_.count(sizes[i].tile) == 0;
      const std::string tile_value = fmt::format("{}={}", sizes[i].tile, tile);
      if (is_name && std::ranges::find(bound, tile_value) == bound.end())
        bound.push_back(tile_value);
    }
    for (const CountedSize& other : others_) {
      bound.push_back(fmt::format("{}={}", other.name, 4 * kTileSize));
      if (!other.tile.empty() && !parse_integer(other.tile) && given_.count(other.tile) == 0)
        bound.push_back(fmt::format("{}={}", other.tile, kTileSize));
    }
    bool is_first = true;
    for (const std::vector<std::string>& values : combinations(program, sizes)) {
      std::vector<std::string> all = bound;
      all.insert(all.end(), values.begin(), values.end());
      const order::Bindings bindings(all);
      const order::TileAxes axes = order::read_tile_axes(order, bindings);
      if (axes.axes != static_cast<int>(sizes.size()) || !axes.follows || !axes.doubt.empty()) {
        result_.reason = !axes.doubt.empty()    ? axes.doubt
                         : !axes.reason.empty() ? axes.reason
                                                : "the tile space is not clear";
        return false;
      }
      const order::Order read =
          axes.results.empty() ? order : order.with_results(axes.results, axes.note);
      if (!count(read, sizes.size(), bindings, values, is_first)) return true;
      is_first = false;
    }
    doubt_numbers(program);
    return true;
  }

  /// Lines may have a case for a number that no grid of the range comes to.
  void doubt_numbers(const order::Program& program) {
    for (const order::Node& node : program.nodes) {
      if (node.kind != order::Node::Kind::constant || node.value <= kMostCounted) continue;
      result_.range->verdict = Verdict::unknown;
      result_.range->finding = fmt::format(
          "the lines hold the number {}, more than the tiles of the grids that were "
          "counted: {}",
          node.value, result_.range->finding);
      return;
    }
  }

  /// Counts every grid of a range; false: the verdict stands.
  bool count(const order::Order& order, std::size_t axes, const order::Bindings& bindings,
             const std::vector<std::string>& values, bool is_first) {
    const std::string text = axes == 1   ? "1..2048"
                             : axes == 2 ? "1..40x1..40"
                                         : "1..10x1..10x1..10";
    proof::CheckOptions options;
    options.time_limit = request_.time_limit;
    const RangeReport report =
        proof::check_range(order, order::SpaceRange("", text, bindings), bindings, options);
    const std::string with = values.empty() ? "" : fmt::format(" with {}", fmt::join(values, ", "));
    CheckResult& range = is_first ? result_.range.emplace() : *result_.range;
    if (report.verdict == Verdict::proved) {
      range.verdict = Verdict::proved;
      range.finding = fmt::format("every grid of {} tiles", text);
      if (!values.empty()) range.evidence.push_back(fmt::format("{}", fmt::join(values, ", ")));
      return true;
    }
    range = {};
    range.verdict = report.verdict;
    if (report.verdict == Verdict::refuted && stops_) {
      range.verdict = Verdict::unknown;
      range.finding = "blocks may return at once, and the file does not say how many are launched";
      return false;
    }
    if (report.verdict == Verdict::unknown) {
      range.finding = report.reason + with;
      return false;
    }
    range.finding =
        fmt::format("{} of {} grids of {} tiles{} are not one to one",
                    with_separators(static_cast<std::int64_t>(report.failing_sizes.size())),
                    with_separators(report.grids_checked), text, with);
    if (report.smallest_failure) {
      const GridReport& small = *report.smallest_failure;
      range.evidence.push_back(
          fmt::format("smallest: {} tiles{}", fmt::join(small.tile_space, " x "), with));
      if (small.counterexample) range.evidence.push_back(small.counterexample->message);
      if (small.counted && small.distinct_tiles < small.tiles)
        range.evidence.push_back(fmt::format("{} of {} computed by no block",
                                             with_separators(small.tiles - small.distinct_tiles),
                                             count_of(small.tiles, "tile")));
    }
    return false;
  }

  const IndexLines& lines_;
  const LinesRequest& request_;
  order::ReadOptions options_;
  std::set<std::string> given_;
  std::vector<CountedSize> others_;  ///< sizes of something else than tiles
  bool stops_ = false;               ///< some blocks may return at once
  std::string not_proved_;
  LinesCheck result_;
};

}  // namespace

LinesCheck check_lines(const IndexLines& lines, const LinesRequest& request) {
  LinesCheck result = LinesJudge(lines, request).run();
  if (lines.doubt.empty()) return result;
  for (std::optional<CheckResult>* check : {&result.range, &result.all_sizes})
    if (*check && (*check)->verdict != Verdict::unknown)
      **check = {Verdict::unknown, lines.doubt, {}, {}};
  return result;
}

}  // namespace heddle::audit
