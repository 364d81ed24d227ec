// What stays of Clang's syntax trees.
#include "kernel/cxx/tree_filter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace heddle::testing {
namespace {

using kernel::cxx::TreeFilter;

constexpr std::string_view kDump = R"({
  "id": "0x1",
  "kind": "TranslationUnitDecl",
  "inner": [
    {
      "id": "0x2",
      "kind": "TypedefDecl",
      "name": "__int128_t"
    },
    {
      "id": "0x3",
      "loc": {
        "offset": 10,
        "file": "/usr/include/vector",
        "line": 3,
        "col": 5,
        "tokLen": 3
      },
      "kind": "NamespaceDecl",
      "inner": [
        {
          "id": "0x4",
          "name": "of the library"
        }
      ]
    },
    {
      "id": "0x5",
      "loc": {
        "offset": 200,
        "line": 7,
        "col": 5,
        "tokLen": 3
      },
      "isUsed": true,
      "kind": "FunctionDecl",
      "value": "\"offset\": 3, {"
    },
    {
      "id": "0x6",
      "loc": {
        "offset": 20,
        "col": 5,
        "tokLen": 3
      },
      "kind": "NamespaceDecl"
    }
  ]
}
)";

std::string kept(std::size_t piece, std::size_t most_bytes) {
  TreeFilter filter(most_bytes, [](std::size_t offset) { return offset >= 100; });
  for (std::size_t at = 0; at < kDump.size(); at += piece) filter.take(kDump.substr(at, piece));
  return filter.kept();
}

TEST(TreeFilter, DropsDeclarationsThatAreNotWantedHoweverTheTextIsCut) {
  const nlohmann::json all = nlohmann::json::parse(kDump);
  for (std::size_t piece = 1; piece <= kDump.size(); ++piece) {
    const nlohmann::json tree = nlohmann::json::parse(kept(piece, 10'000), nullptr, false);
    ASSERT_TRUE(tree.is_object()) << piece;
    EXPECT_EQ(tree["kind"], "TranslationUnitDecl");
    ASSERT_EQ(tree["inner"].size(), 2U) << piece;
    EXPECT_EQ(tree["inner"][0], all["inner"][0]);
    EXPECT_EQ(tree["inner"][1]["id"], "0x5");
    EXPECT_EQ(tree["inner"][1]["value"], "\"offset\": 3, {");
    EXPECT_EQ(tree["inner"][1]["loc"], (nlohmann::json{{"offset", 200}, {"tokLen", 3}}));
  }
}

TEST(TreeFilter, KeepsNothingOfWhatIsTooLarge) {
  EXPECT_FALSE(kept(7, 400).empty());
  EXPECT_TRUE(kept(7, 100).empty());
  EXPECT_TRUE(kept(10'000, 100).empty());
}

}  // namespace
}  // namespace heddle::testing
