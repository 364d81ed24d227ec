// heddle's own proposers, and whose turn it is.
#include <gtest/gtest.h>

#include <set>

#include "order/compact.h"
#include "search/judge.h"
#include "search/proposers/list.h"
#include "search/search.h"
#include "search/testing.h"

namespace heddle::search {
namespace {

const std::vector<std::vector<std::int64_t>> kProposedGrids = {
    {1},      {7},        {64},      {1000},    {1, 1},    {3, 5},     {19, 21},
    {64, 64}, {256, 256}, {1, 1000}, {1000, 1}, {2, 4, 4}, {13, 1, 7}, {5, 6, 7}};

SearchSpace space_of(const std::vector<std::int64_t>& extents, int dies) {
  SearchSpace space;
  space.grid = Grid(extents);
  space.dies = dies;
  space.compute_units = 304;
  space.extents = {2, 3, 16};
  return space;
}

JudgeOptions options_of(const SearchSpace& space) {
  JudgeOptions options;
  options.space.launch = space.grid;
  options.dies = space.dies;
  return options;
}

/// A time that depends on the map alone and prefers nothing.
double pretended_time(const order::Map& map) {
  return 100 + static_cast<double>(hash_of(map) % 10'000) / 100;
}

/// The proposals of a whole search of at most `most` attempts, each judged and reported.
std::vector<std::string> proposed(const SearchSpace& space, int most) {
  Search search(make_proposers(space));
  Judge judge(options_of(space));
  std::vector<std::string> formulas;
  while (static_cast<int>(formulas.size()) < most) {
    const auto proposal = search.next();
    if (!proposal) break;
    EXPECT_FALSE(proposal->formula.empty());
    EXPECT_FALSE(proposal->proposer.empty());
    EXPECT_FALSE(proposal->idea.empty()) << proposal->formula;
    EXPECT_TRUE(proposal->order) << proposal->formula;
    EXPECT_EQ(order::read_compact(proposal->formula).title(), proposal->formula);
    formulas.push_back(proposal->proposer + ": " + proposal->formula);
    Judged judged = judge.judge(*proposal, static_cast<int>(formulas.size()));
    EXPECT_EQ(judged.attempt.verdict, Verdict::proved)
        << proposal->formula << " on " << space.grid.text() << ": " << judged.attempt.reason;
    EXPECT_EQ(judged.attempt.sizes, ProvedSizes::all) << proposal->formula;
    EXPECT_TRUE(order::invert(judged.map)) << proposal->formula << " on " << space.grid.text();
    search.report({proposal->formula, pretended_time(judged.map)});
  }
  return formulas;
}

TEST(Proposers, EveryProposalIsReadAndProved) {
  for (const auto& extents : kProposedGrids)
    for (const int dies : {1, 2, 8}) {
      const SearchSpace space = space_of(extents, dies);
      const bool is_large = space.grid.count() > 10'000;
      const std::vector<std::string> formulas = proposed(space, is_large ? 20 : 80);
      EXPECT_FALSE(formulas.empty() && space.grid.count() > 1) << space.grid.text();
    }
}

TEST(Proposers, SameReportsSameProposals) {
  for (const auto& extents :
       std::vector<std::vector<std::int64_t>>{{19, 21}, {64}, {8, 8}, {5, 6, 7}}) {
    const SearchSpace space = space_of(extents, 8);
    EXPECT_EQ(proposed(space, 120), proposed(space, 120));
  }
}

TEST(Proposers, ADieCountThatDividesNothingIsNoTrouble) {
  for (const int dies : {3, 7, 64, 1000})
    for (const auto& extents : std::vector<std::vector<std::int64_t>>{{1}, {10, 6}, {3, 3, 3}})
      proposed(space_of(extents, dies), 60);
}

TEST(Proposers, SmallGridsAreSearchedToTheLastDigitPermutation) {
  for (const auto& extents :
       std::vector<std::vector<std::int64_t>>{{16}, {4, 4}, {6, 4}, {8, 4}, {2, 3, 4}}) {
    const SearchSpace space = space_of(extents, 8);
    const auto proposer = digit_orders(space);
    std::set<order::Map> found;
    while (const auto proposal = proposer->next())
      found.insert(map_of(*proposal->order, space.grid));
    for (const order::Map& map : all_digit_maps(space.grid)) EXPECT_TRUE(found.contains(map));
  }
}

/// Everything that improvements() has to say, without reports in between.
std::vector<std::string> said_by(Proposer& proposer, int most = 100'000) {
  std::vector<std::string> said;
  while (static_cast<int>(said.size()) < most) {
    const auto proposal = proposer.next();
    if (!proposal) break;
    said.push_back(proposal->formula);
  }
  return said;
}

TEST(Improvements, ComeFromWhatWasReported) {
  const auto proposer = improvements(space_of({16, 16}, 8));
  EXPECT_FALSE(proposer->next());
  proposer->report({"xcd_chunk(8, 4) | group(4)", 100});
  const std::vector<std::string> said = said_by(*proposer);
  const std::set<std::string> all(said.begin(), said.end());
  EXPECT_EQ(all.size(), said.size()) << "one was proposed twice";
  for (const char* expected : {"xcd_chunk(8, 8) | group(4)", "xcd_chunk(8, 2) | group(4)",
                               "xcd_chunk(8, 4) | group(8)", "xcd_chunk(8, 4) | group(2)"})
    EXPECT_TRUE(all.contains(expected)) << expected;
  for (const std::string& text : said) EXPECT_EQ(text.find("xcd_chunk(16"), std::string::npos);
  EXPECT_FALSE(proposer->next());
  proposer->report({"tile = p0", 1});  // a text has no neighbours
  EXPECT_FALSE(proposer->next());
}

TEST(Improvements, DigitsBeyondTheGridAreNoTrouble) {
  // On so few tiles these orders cover nothing: their open digits come out as 0.
  for (const auto& extents :
       std::vector<std::vector<std::int64_t>>{{1}, {4}, {4, 4}, {3, 5}, {2, 2, 2}}) {
    for (const int dies : {1, 2, 8}) {
      for (const std::string formula :
           {"digits(r=8 x -> r x)", "digits(x r=8 -> r x)", "digits(x r=8 y die=8 -> y r, die x)",
            "digits(r=64 y x -> r y, x)", "digits(z y r=9 x -> r z, y, x)",
            "digits(x r=2147483647 -> x r)", "inverse(digits(r=8 x -> r x))"}) {
        const SearchSpace space = space_of(extents, dies);
        const order::Order order = order::read_compact(formula);
        try {
          map_of(order, space.grid);
        } catch (const Error&) {
          continue;  // of more axes than the grid
        }
        const auto proposer = improvements(space);
        proposer->report({formula, 100});
        for (const std::string& text : said_by(*proposer, 300))
          EXPECT_TRUE(order::invert(map_of(order::read_compact(text), space.grid)))
              << text << " on " << space.grid.text();
      }
    }
  }
}

TEST(Improvements, OrdersOfManyDigitsHaveNoTooLongNeighbours) {
  // 15 digits with one of radix 4: splitting it, and others, gives at most 16.
  std::string left;
  std::string right;
  for (int i = 0; i < 15; ++i) {
    left += "d" + std::to_string(i) + (i == 7 ? " " : i == 2 ? "=8 " : "=2 ");
    right = "d" + std::to_string(i) + " " + right;
  }
  const std::string formula = "digits(" + left + "-> " + right.substr(0, right.size() - 1) + ")";
  const auto proposer = improvements(space_of({std::int64_t{1} << 18}, 8));
  proposer->report({formula, 100});
  const std::vector<std::string> said = said_by(*proposer, 2'000);
  EXPECT_GT(said.size(), 10U);
  for (const std::string& text : said) EXPECT_NO_THROW(order::read_compact(text)) << text;
}

// ---- turns --------------------------------------------------------------------------------

/// Says NAME1, NAME2, ... up to a number that may grow.
class Counted : public Proposer {
 public:
  Counted(std::string name, int most) : name_(std::move(name)), most_(most) {}
  std::string_view name() const override { return name_; }
  std::optional<Proposal> next() override {
    if (said_ >= most_) return std::nullopt;
    Proposal proposal;
    proposal.proposer = name_;
    proposal.formula = name_ + std::to_string(++said_);
    return proposal;
  }
  void report(const Trial& trial) override {
    ++reports;
    if (trial.formula == "more for " + name_) ++most_;
  }
  int reports = 0;

 private:
  std::string name_;
  int most_;
  int said_ = 0;
};

TEST(Search, ThePublishedComeFirstThenTheOthersTakeTurns) {
  std::vector<std::unique_ptr<Proposer>> proposers;
  for (const auto& [name, most] :
       std::vector<std::pair<std::string, int>>{{"a", 20}, {"b", 100}, {"c", 3}, {"d", 100}})
    proposers.push_back(std::make_unique<Counted>(name, most));
  Search search(std::move(proposers));
  EXPECT_EQ(search.names(), (std::vector<std::string>{"a", "b", "c", "d"}));
  std::vector<std::string> said;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(search.past_published());
    EXPECT_EQ(search.next()->proposer, "a");
  }
  int longest_wait = 0;
  int since_b = 0;
  std::set<std::string> formulas;
  while (const auto proposal = search.next()) {
    EXPECT_TRUE(search.past_published());
    EXPECT_NE(proposal->proposer, "a");
    EXPECT_TRUE(formulas.insert(proposal->formula).second);
    since_b = proposal->proposer == "b" ? 0 : since_b + 1;
    if (formulas.size() < 150) longest_wait = std::max(longest_wait, since_b);
  }
  EXPECT_EQ(formulas.size(), 203U);
  EXPECT_LE(longest_wait, 40);  // nobody is forgotten
  EXPECT_GT(longest_wait, 0);
  EXPECT_FALSE(search.next());
}

TEST(Search, AReportMayWakeAProposer) {
  std::vector<std::unique_ptr<Proposer>> proposers;
  std::vector<Counted*> each;
  for (const char* name : {"a", "b", "c"}) {
    auto proposer = std::make_unique<Counted>(name, 1);
    each.push_back(proposer.get());
    proposers.push_back(std::move(proposer));
  }
  Search search(std::move(proposers));
  while (search.next()) {
  }
  for (int round = 0; round < 5; ++round)
    for (const char* name : {"b", "c"}) {
      search.report({std::string("more for ") + name});
      const auto proposal = search.next();
      ASSERT_TRUE(proposal) << name << " in round " << round;
      EXPECT_EQ(proposal->proposer, name);
      EXPECT_FALSE(search.next());
    }
  for (const Counted* proposer : each) EXPECT_EQ(proposer->reports, 10);
}

TEST(Search, NoProposersNoProposals) {
  Search none({});
  EXPECT_FALSE(none.next());
  none.report({});
  std::vector<std::unique_ptr<Proposer>> one;
  one.push_back(std::make_unique<Counted>("a", 2));
  Search only(std::move(one));
  EXPECT_EQ(only.next()->formula, "a1");
  EXPECT_EQ(only.next()->formula, "a2");
  EXPECT_FALSE(only.next());
  EXPECT_FALSE(only.next());
}

}  // namespace
}  // namespace heddle::search
