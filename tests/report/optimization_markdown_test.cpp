#include "report/optimization_view.h"

#include <gtest/gtest.h>

#include "report/clean_text.h"
#include "report/markdown.h"
#include "report/optimization_samples.h"

namespace heddle::report {
namespace {

/// Fences open and close in pairs: a fence closes with at least as many backticks, and no words.
bool fences_match(const std::string& text) {
  std::size_t open = 0;
  for (const std::string_view line : split_lines(text)) {
    const std::size_t run = std::min(line.find_first_not_of('`'), line.size());
    if (run < 3) continue;
    if (open == 0)
      open = run;
    else if (run >= open && run == line.size())
      open = 0;
  }
  return open == 0;
}

/// Pipes that divide cells: not escaped.
std::size_t cells_of(std::string_view line) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++count;
  }
  return count;
}

TEST(Markdown, Pieces) {
  EXPECT_EQ(table_cell("xcd(8) | columns"), "xcd(8) \\| columns");
  EXPECT_EQ(inline_code("a `b`"), "`` a `b` ``");
  EXPECT_EQ(inline_code(""), "(empty)");
  EXPECT_EQ(escaped("input_ptr <b>"), "input\\_ptr \\<b\\>");
  EXPECT_EQ(fenced("diff", "+ x"), "```diff\n+ x\n```\n");
  EXPECT_EQ(fenced("", "```\n"), "````\n```\n````\n");
}

TEST(CleanText, ControlCharactersAndBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("a\x1b[2Jb\xff\n\tc\x7f"), "a [2Jb\xEF\xBF\xBD\n\tc ");
  EXPECT_EQ(printable("\xC2\x9Bx"), " x");  // a control sequence introducer in one character
  EXPECT_EQ(printable("\xC3\xA9\xE2\x86\x92\xF0\x9F\xA7\xB5"),
            "\xC3\xA9\xE2\x86\x92\xF0\x9F\xA7\xB5");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80\x01").substr(9), "\x01");
  EXPECT_EQ(valid_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(one_line("  p0\n// 8 ", 40), "p0 // 8");
  EXPECT_EQ(one_line("abcdefgh", 6), "abc...");
  EXPECT_EQ(end_of_line(" folder/k.py:copy", 10), "...py:copy");
  EXPECT_EQ(end_of_line("k.py:copy", 9), "k.py:copy");
  EXPECT_EQ(end_of_line("abc\xc3\xa9"
                        "defg",
                        8),
            "...defg");
}

TEST(OptimizationMarkdown, ImprovedPageIsComplete) {
  const std::string text = optimization_markdown(improved_report());
  EXPECT_EQ(
      text.rfind("# stencil\\_2d\\_kernel: 1.12x predicted on mi300x by another block order\n", 0),
      0U)
      << text;
  for (const char* part :
       {"## What changes and why", "## Proof", "## Change", "## Formula", "## Confidence",
        "## Search", "## How to reproduce", "| time | 167 us | 149 us | -10.9 % |",
        "| 4 | `xcd(8) \\| columns` | 69.2 % | 149 us | 1.122 | exact |",
        "PROVED: the order is a permutation of the tiles for every grid under 2^31 blocks.",
        "Traced on grid 256x256; rows = 8192, columns = 8192", "```diff\n--- a/k.py",
        "```python\n# xcd(8) | columns", "docs/validation.md", "predicted, not measured",
        "heddle optimize examples/stencil_2d.toml --gpu mi300x:SPX"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(OptimizationMarkdown, OtherAnswersHaveNoCode) {
  for (const OptimizationReport& report :
       {already_best_report(), not_independent_report(), unknown_report()}) {
    const std::string text = optimization_markdown(report);
    EXPECT_EQ(text.find("## Change"), std::string::npos) << text;
    EXPECT_EQ(text.find("## Formula"), std::string::npos);
    EXPECT_NE(text.find("## Why\n"), std::string::npos);
    EXPECT_NE(text.find("## How to reproduce"), std::string::npos);
  }
  EXPECT_NE(optimization_markdown(not_independent_report()).find("x\\_ptr on line 14"),
            std::string::npos);
  EXPECT_NE(optimization_markdown(unknown_report()).find("the trace was cut after 60 s."),
            std::string::npos);
}

TEST(OptimizationMarkdown, SampledFiguresAreCalledSo) {
  OptimizationReport report = improved_report();
  report.best.predicted.sample = {true, 0.125, 1, 2000000, 1.2};
  report.best.predicted.gpu_calibrated = false;
  const std::string text = optimization_markdown(report);
  EXPECT_NE(text.find("The figures are sampled: 2,000,000 requests were replayed, and the L2 hit "
                      "rate is accurate to within 1.2 points."),
            std::string::npos);
  EXPECT_NE(text.find("This GPU is uncalibrated"), std::string::npos);
}

TEST(OptimizationMarkdown, NoTextOfOthersBreaksThePage) {
  for (const OptimizationReport& report : all_reports()) {
    const std::string text = optimization_markdown(report);
    EXPECT_FALSE(has_broken_figure(text));
    EXPECT_TRUE(fences_match(text)) << text.substr(0, 3000);
    EXPECT_EQ(valid_utf8(text), text);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    const std::size_t search = text.find("| iteration | order");
    if (search == std::string::npos) continue;
    std::string_view rows = std::string_view(text).substr(search);
    for (const std::string_view line : split_lines(rows.substr(0, rows.find("\n\n"))))
      EXPECT_EQ(cells_of(line), 7U) << line;
  }
}

TEST(OptimizationMarkdown, CommandIsQuotedForAShell) {
  OptimizationReport report = improved_report();
  report.job = "my jobs/it's.toml";
  report.gpu.mode.clear();
  EXPECT_NE(
      optimization_markdown(report).find("heddle optimize 'my jobs/it'\\''s.toml' --gpu mi300x\n"),
      std::string::npos);
}

}  // namespace
}  // namespace heddle::report
