// Folders of several nodes as one recording.
#include "profile/workload/nodes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "profile/analysis.h"
#include "profile/fixed_panels.h"
#include "profile/plausibility/plausibility.h"
#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string counters_of(const std::string& columns, const std::string& values) {
  return "Dispatch_ID,GPU_ID,Kernel_Name,Start_Timestamp,End_Timestamp," + columns + "\n" + values;
}

class Nodes : public ::testing::Test {
 protected:
  Nodes() {
    node("a", "SQ_WAVES", "0,0,copy,0,10,16\n1,0,\"scale(int, int)\",20,50,8\n");
    node("b", "TCC_HIT_sum,SQ_WAVES", "0,0,copy,0,30,7,4\n");
    folder_.write("b/SQ_LEVEL_WAVES.csv", "Kernel_Name,SQ_ACCUM_PREV_HIRES\ncopy,99\n");
    std::filesystem::create_directory(folder_.path() + "/logs");
  }
  void node(const std::string& name, const std::string& columns, const std::string& values) {
    std::filesystem::create_directory(folder_.path() + "/" + name);
    folder_.write(name + "/sysinfo.csv", kSystem);
    folder_.write(name + "/pmc_perf.csv", counters_of(columns, values));
  }
  std::string refusal(const std::vector<std::string>& nodes) const {
    try {
      read_nodes(folder_.path(), nodes);
    } catch (const Error& error) {
      return error.message() + "; " + error.hint();
    }
    return "";
  }
  Folder folder_;
};

TEST_F(Nodes, dispatches_follow_one_another_with_their_own_counters) {
  const Workload workload = read_nodes(folder_.path(), {});
  ASSERT_EQ(workload.dispatches.size(), 3U);
  const auto waves = workload.counters.find("SQ_WAVES"),
             hits = workload.counters.find("TCC_HIT_sum");
  ASSERT_TRUE(waves && hits);
  std::string text;
  for (const Dispatch& dispatch : workload.dispatches) {
    const auto hit = workload.counters.number(*hits, dispatch.row);
    text += fmt::format("{} {} {} {} {} {}\n", dispatch.node.text(), dispatch.id,
                        dispatch.kernel.text(), *dispatch.duration_ns,
                        *workload.counters.number(*waves, dispatch.row),
                        hit ? fmt::format("{}", *hit) : "-");
  }
  EXPECT_EQ(text, "a 0 copy 10 16 -\na 1 scale(int, int) 30 8 -\nb 0 copy 30 4 7\n");
  const CounterTable& levels = workload.levels.at("SQ_LEVEL_WAVES");
  const std::size_t level = *levels.find("SQ_ACCUM_PREV_HIRES");
  EXPECT_FALSE(levels.number(level, 0));
  EXPECT_EQ(levels.number(level, 2), 99);
  EXPECT_EQ(workload.arch, "gfx90a");
}

TEST_F(Nodes, a_node_that_cannot_be_read_is_told) {
  folder_.write("b/pmc_perf.csv", "nothing");
  const Workload workload = read_nodes(folder_.path(), {});
  EXPECT_EQ(workload.dispatches.size(), 2U);
  EXPECT_THAT(text_of(workload.notes), HasSubstr("b: left out: "));
}

TEST_F(Nodes, the_dispatch_list_names_them_and_one_id_on_two_nodes_is_no_finding) {
  const Workload workload = read_nodes(folder_.path(), {"b", "a"});
  const Selection selection = select(workload, {});
  const Panel top = top_statistics(workload, selection, {});
  const PanelTable& list = top.tables[1];
  EXPECT_EQ(list.columns[1].title, "Node");
  std::vector<std::string> nodes;
  for (const auto& row : list.rows) nodes.push_back(row[1].text);
  EXPECT_THAT(nodes, ElementsAre("b", "a", "a"));
  for (const Finding& finding : check_plausibility(workload, selection, {}).findings)
    EXPECT_NE(finding.id, "duplicate-dispatch");
}

TEST_F(Nodes, what_is_no_node_or_of_another_chip_is_refused) {
  EXPECT_THAT(refusal({"c"}), HasSubstr("has no node 'c'; its folders are a, b, logs"));
  EXPECT_THAT(refusal({"logs"}), HasSubstr("holds no pmc_perf.csv"));
  std::string other = kSystem;
  other.replace(other.find("gfx90a"), 6, "gfx942");
  folder_.write("b/sysinfo.csv", other);
  EXPECT_THAT(refusal({}), HasSubstr("peaks of one do not hold for the other"));
}

}  // namespace
}  // namespace heddle::profile
