// What a result has to say, before it is text, Markdown or HTML: a view makes a Document of a
// result, renderers draw it.
//
//   Heading   Paragraph   Items   Values   Table   Code   KeyFigures   Picture
//
// Rules
//   1. A view decides what is said and in which order; a renderer decides only how it looks.
//   2. Words of others stand in a Span that is not `ours`: renderers escape them. They are printable
//      (clean_text.h) before they get here.
//   3. Markdown leaves out what it cannot draw: KeyFigures and Pictures. Every Picture has a table of
//      its numbers, so that nothing is said in a picture alone.
//   4. Numbers of figures are finite; those that are not are left out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "results/intervals.h"
#include "results/tile_run.h"
#include "results/verdict.h"

namespace heddle::report {

/// A piece of a line.
struct Span {
  enum class Kind {
    words,  ///< of anybody: nothing of it is markup
    ours,   ///< heddle's own words and figures: no escape is needed but in HTML
    code,
    strong,  ///< heddle's own, and what counts
    link,    ///< words that lead to `target`
  };
  std::string text;
  Kind kind = Kind::words;
  std::string target = {};  ///< of a link: relative, escaped as addresses are
};

/// One line of spans.
struct Text {
  std::vector<Span> spans;

  Text() = default;
  Text(std::string words) : spans{{std::move(words)}} {}  // NOLINT: a line of words is a Text
  Text(const char* words) : spans{{words}} {}             // NOLINT
  Text& operator+=(const Text& more) {
    spans.insert(spans.end(), more.spans.begin(), more.spans.end());
    return *this;
  }
  /// Without markup.
  std::string plain() const;
  bool empty() const { return plain().empty(); }
};

Text ours(std::string text);
Text code(std::string text);
Text strong(std::string text);
Text link(std::string text, std::string target);
Text operator+(Text first, const Text& second);

struct Heading {
  Text text;
};

/// Lines of one paragraph, which follow one another.
struct Paragraph {
  std::vector<Text> lines;
};

struct Items {
  std::vector<Text> items;
};

/// A verdict beside what it is of, or a warning: a coloured word.
enum class Tone { neutral, good, bad, doubtful };

/// "  counterexample  launch ids 1 and 8 ..."
struct LabelledValue {
  std::string label;  ///< empty: it goes on
  Text text;
};
struct Values {
  std::vector<LabelledValue> values;

  Values& operator+=(const Values& more) {
    values.insert(values.end(), more.values.begin(), more.values.end());
    return *this;
  }
};
/// One of them, and several together.
Values value(std::string label, Text text);
Values operator+(Values first, const Values& second);

struct Table {
  struct Column {
    std::string title;
    bool is_figure = false;  ///< to the right
  };
  std::string caption;  ///< of HTML
  std::vector<Column> columns;
  std::vector<std::vector<Text>> rows = {};
  std::vector<std::size_t> marked = {};  ///< rows that stand out
  bool is_list = false;                  ///< names and values: text needs no head for them
  std::string more = {};                 ///< rows that are not there: "24 dies more"; may be empty
};

struct Code {
  std::string language;  ///< "diff", "python", or empty
  std::string text;
};

/// The few numbers that are looked at first.
struct KeyFigures {
  struct One {
    std::string label;
    std::string value;
    std::string detail;  ///< may be empty
    Tone tone = Tone::neutral;
  };
  std::vector<One> figures;
};

/// Points and lines in a plane.
struct Plot {
  struct Axis {
    std::string title;
    bool is_logarithmic = false;
    std::optional<double> least;  ///< where the axis begins; otherwise the data say it
  };
  struct Point {
    double x = 0;
    double y = 0;
    std::string title;  ///< what it is: shown on hover
    std::optional<Interval> y_interval;
  };
  struct Series {
    std::string name;
    enum class Kind { points, line, steps } kind = Kind::points;
    std::vector<Point> points = {};
    bool is_quiet = false;   ///< for reference: a diagonal, a ceiling
    std::string label = {};  ///< of a line: written beside it instead of below
    Tone tone = Tone::neutral;
  };
  Axis x, y;
  std::vector<Series> series;
  bool has_filter = false;  ///< series can be switched off
};

/// Horizontal bars: a group a label, a bar a series.
struct Bars {
  struct Group {
    std::string label;
    std::vector<std::optional<double>> values;  ///< one a series
    std::vector<std::string> texts;             ///< the values as people read them
  };
  std::vector<std::string> series;
  std::vector<Group> groups;
};

/// Which turn computes each tile, in the plane.
struct TileMap {
  struct Mark {
    std::int64_t tile = 0;
    std::string text;  ///< why
  };
  std::string name;  ///< "launch order", "xcd(8) | columns"
  std::shared_ptr<const TileRun> run;
  std::vector<Mark> marks;  ///< of a counterexample
};

struct Picture {
  std::string title;
  std::string caption;  ///< how to read it; may be empty
  std::variant<Plot, Bars, TileMap> drawing;
  Table table;  ///< the numbers behind it
};

using Block = std::variant<Heading, Paragraph, Items, Values, Table, Code, KeyFigures, Picture>;

struct Document {
  std::string verb;   ///< "optimize"
  Text title;         ///< the result in one line
  std::string badge;  ///< a word for it: "PROVED", "faster"; may be empty
  Tone tone = Tone::neutral;
  std::vector<Block> blocks;

  void add(Block block) { blocks.push_back(std::move(block)); }
  void heading(Text text) { add(Heading{std::move(text)}); }
  void paragraph(Text line) { add(Paragraph{{std::move(line)}}); }
};

/// "good" is PROVED, "bad" is REFUTED.
Tone tone_of(Verdict verdict);

}  // namespace heddle::report
