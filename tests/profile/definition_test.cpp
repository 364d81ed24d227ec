#include "profile/metric/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/metric/expression.h"
#include "profile/testing.h"

namespace heddle::profile {
namespace {

using testing::HasSubstr;

class Definitions : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  ArchitectureDefinition read(const std::string& name) const {
    return read_architecture(name, folder_.path());
  }
  std::string error_of(const std::string& name) const {
    try {
      read(name);
    } catch (const Error& error) {
      return error.full_text();
    }
    return "no error";
  }

  Folder folder_;
};

constexpr const char* kDefinedPanel = R"toml(
panel = 7
title = "Seven"
[let]
piece = "A + B"
[[table]]
id = 1
title = "First"
columns = ["Avg", "Kind", "Unit"]
words = ["Kind"]
rows = [
  { metric = "One", value = "piece / denom", unit = "Req per {denom}", Kind = "x", compat_value = "A", note = "why" },
  { metric = "Two", blank = "nobody knows", unit = "pct" },
]
)toml";

TEST_F(Definitions, AreReadAsWritten) {
  put("gfxa/arch.toml", "chips = [\"A\"]\n");
  put("gfxa/07.toml", kDefinedPanel);
  const ArchitectureDefinition arch = read("gfxa");
  ASSERT_EQ(arch.panels.size(), 1U);
  const PanelDefinition& panel = arch.panels[0];
  EXPECT_EQ(panel.id, 7);
  EXPECT_EQ(panel.let.at("piece"), "A + B");
  ASSERT_EQ(panel.tables.size(), 1U);
  const MetricDefinition& row = panel.tables[0].rows.at(0);
  EXPECT_EQ(row.values.at("value"), "piece / denom");
  EXPECT_EQ(row.compat.at("value"), "A");
  EXPECT_EQ(row.words.at("Kind"), "x");
  EXPECT_EQ(panel.tables[0].rows.at(1).blank, "nobody knows");
}

TEST_F(Definitions, OneMayBeLikeAnother) {
  put("gfxa/arch.toml", "");
  put("gfxa/07.toml", kDefinedPanel);
  put("gfxb/arch.toml", "like = \"gfxa\"\n[renamed]\nTCC_EA_ = \"TCC_EA0_\"\n");
  put("gfxb/07.toml", R"toml(
panel = 7
[[row]]
id = "7.1.0"
value = "C"
[[table]]
id = 3
columns = ["Avg"]
rows = [{ metric = "Three", value = "D" }]
)toml");
  put("gfxb/09.toml", "panel = 9\ntitle = \"Nine\"\n");
  const ArchitectureDefinition arch = read("gfxb");
  ASSERT_EQ(arch.panels.size(), 2U);
  EXPECT_EQ(arch.panels[0].title, "Seven");
  ASSERT_EQ(arch.panels[0].tables.size(), 2U);
  const MetricDefinition& row = arch.panels[0].tables[0].rows[0];
  EXPECT_EQ(row.values.at("value"), "C");
  EXPECT_EQ(row.unit, "Req per {denom}");
  EXPECT_FALSE(row.compat.contains("value")) << "the original's formula was for the other one";
  EXPECT_EQ(arch.renamed.size(), 1U);
}

TEST_F(Definitions, MistakesHaveALine) {
  put("gfxa/arch.toml", "");
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"panel = \"seven\"", "'panel' must be a number"},
      {"title = \"no id\"", "'panel' is missing"},
      {"panel = 7\ncolour = 1", "07.toml:2"},
      {"panel = 7\n[[table]]\nid = 1\ncolumns = [\"Avg\"]", "'rows' is missing"},
      {"panel = 7\n[[table]]\nid = 1\ncolumns = [\"Avg\"]\nrows = [{ value = \"A\" }]", "'metric'"},
      {"panel = 7\n[[table]]\nid = 1\ncolumns = [\"Avg\"]\nrows = [{ metric = \"A\", vlaue = \"A\" "
       "}]",
       "a row has no 'vlaue'"},
      {"panel = 7\n[[row]]\nid = \"7.1.0\"\nvalue = \"A\"", "there is no row '7.1.0' to change"},
      {"panel = 7\n[[table]]\nid = 1\nper_channel = true\ncolumns = [\"Avg\"]\nrows = []",
       "exactly one row"},
  };
  for (const auto& [text, message] : mistakes) {
    put("gfxa/07.toml", text);
    EXPECT_THAT(error_of("gfxa"), HasSubstr(message)) << text;
    EXPECT_THAT(error_of("gfxa"), HasSubstr("07.toml")) << text;
  }
}

TEST_F(Definitions, CirclesEnd) {
  put("gfxa/arch.toml", "like = \"gfxb\"\n");
  put("gfxa/07.toml", "panel = 7\n");
  put("gfxb/arch.toml", "like = \"gfxa\"\n");
  EXPECT_THAT(error_of("gfxa"), HasSubstr("circle"));
}

TEST_F(Definitions, WhatIsNotThereIsNamed) {
  put("gfxa/arch.toml", "");
  EXPECT_THAT(error_of("gfxa"), HasSubstr("holds no panel definitions"));
  put("gfxa/07.toml", "panel = 7\n");
  EXPECT_THAT(error_of("gfx1100"), HasSubstr("gfxa"));
}

/// Every expression that travels in the program can be read, ours and the original's.
class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, ExpressionsParse) {
  const ArchitectureDefinition arch = read_architecture(GetParam());
  std::size_t parsed = 0;
  for (const PanelDefinition& panel : arch.panels) {
    EXPECT_FALSE(panel.title.empty()) << panel.id;
    const Expression::Let let = [&](std::string_view name) -> const std::string* {
      const auto found = panel.let.find(std::string(name));
      return found == panel.let.end() ? nullptr : &found->second;
    };
    for (const TableDefinition& table : panel.tables) {
      for (const MetricDefinition& row : table.rows) {
        for (const auto& [key, text] : row.values) {
          EXPECT_NO_THROW(Expression::parse(text, let)) << row.metric << " " << key << ": " << text;
          ++parsed;
        }
        for (const char* key : {"value", "peak"}) {
          if (!row.compat.contains(key)) continue;
          EXPECT_NO_THROW(Expression::parse(row.compat.at(key), let)) << row.metric;
          const bool same = row.values.contains(key) && row.compat.at(key) == row.values.at(key);
          EXPECT_TRUE(same || !row.note.empty())
              << panel.id << " " << row.metric << " differs from the original without a reason";
        }
      }
    }
  }
  EXPECT_GT(parsed, 150U);
}

INSTANTIATE_TEST_SUITE_P(All, Shipped, testing::ValuesIn(known_architectures()));

}  // namespace
}  // namespace heddle::profile
