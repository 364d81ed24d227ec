// The recorded folders, cell by cell, against what rocprofiler-compute 3.0.0 prints for them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "profile/analysis.h"
#include "report/panel_text.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

const std::string kShared = HEDDLE_SHARED_DIR "/rocprof-compute";

struct Recorded {
  std::string folder;
  std::string unit;
  std::string expected;
};

void PrintTo(const Recorded& recorded, std::ostream* stream) {
  *stream << recorded.expected;
}

class RecordedFolder : public testing::TestWithParam<Recorded> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kShared))
      GTEST_SKIP() << "the recorded folders are not part of the project";
  }
};

std::map<std::pair<std::string, std::string>, PanelCell> cells_of(
    const std::vector<Panel>& panels) {
  std::map<std::pair<std::string, std::string>, PanelCell> cells;
  for (const Panel& panel : panels) {
    for (const PanelTable& table : panel.tables) {
      for (std::size_t row = 0; !table.is_list && row < table.rows.size(); ++row) {
        for (std::size_t column = 2; column < table.columns.size(); ++column)
          cells[{table.rows[row][0].text, table.columns[column].title}] = table.rows[row][column];
      }
    }
  }
  return cells;
}

TEST_P(RecordedFolder, HasEveryCellOfTheOriginal) {
  const Workload workload = read_workload(kShared + "/workloads/" + GetParam().folder);
  const ArchitectureDefinition definition = read_architecture(workload.arch);
  AnalysisOptions options;
  options.normal_unit = GetParam().unit;
  options.compat = true;
  const auto cells = cells_of(analyze(workload, select(workload, {}), &definition, options));

  std::ifstream expected(kShared + "/expected/" + GetParam().expected);
  std::string line;
  std::getline(expected, line);
  std::size_t compared = 0;
  while (std::getline(expected, line)) {
    const std::vector<std::string_view> fields = split(line, '\t');
    ASSERT_EQ(fields.size(), 5U) << line;
    const auto found = cells.find({std::string(fields[0]), std::string(fields[2])});
    ASSERT_NE(found, cells.end()) << line;
    ++compared;
    if (fields[4].empty()) {
      EXPECT_EQ(found->second.kind, PanelCell::Kind::blank) << line;
      continue;
    }
    ASSERT_TRUE(found->second.is_number()) << line << ": " << found->second.text;
    const double wanted = *parse_number(fields[4]);
    const double got = found->second.number;
    if (std::isinf(wanted)) {
      EXPECT_EQ(got, wanted) << line;
    } else {
      EXPECT_LE(std::abs(got - wanted), 1e-9 * std::abs(wanted) + 6e-13) << line << ": " << got;
    }
  }
  EXPECT_GT(compared, 300U);
}

/// From the first panel on: before it stands the original's banner. The host's name is not in the
/// recorded folders.
std::string without_banner(const std::string& text) {
  const std::size_t start = text.find("\n0. Top Stats\n");
  if (start == std::string::npos) return "no panel 0 in: " + text.substr(0, 200);
  std::string rest = text.substr(start);
  const std::size_t host = rest.find("│ hostname ");
  if (host != std::string::npos) rest.erase(host, rest.find('\n', host) - host);
  return rest;
}

struct Printed {
  std::string folder;
  std::vector<std::string> blocks;
  std::string expected;
};

void PrintTo(const Printed& printed, std::ostream* stream) {
  *stream << printed.expected;
}

class PrintedFolder : public testing::TestWithParam<Printed> {};

TEST_P(PrintedFolder, IsPrintedAsTheOriginalPrintsIt) {
  if (!std::filesystem::exists(kShared))
    GTEST_SKIP() << "the recorded folders are not part of the project";
  const Workload workload = read_workload(kShared + "/workloads/" + GetParam().folder);
  const ArchitectureDefinition definition = read_architecture(workload.arch);
  AnalysisOptions options;
  options.blocks = GetParam().blocks;
  options.compat = true;
  const auto panels = analyze(workload, select(workload, {}), &definition, options);
  std::ifstream file(kShared + "/expected/" + GetParam().expected);
  const std::string expected((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(without_banner(report::panels_text(panels, {2, true})), without_banner(expected));
}

INSTANTIATE_TEST_SUITE_P(
    All, PrintedFolder,
    testing::Values(Printed{"vcopy/MI200", {}, "vcopy_MI200_full.txt"},
                    Printed{"vcopy/MI200", {"2"}, "vcopy_MI200_b2.txt"},
                    Printed{"vcopy/MI200", {"17", "16.3", "17.3"}, "vcopy_MI200_b17_16.3_17.3.txt"},
                    Printed{"path/MI300X_A1", {"16"}, "path_MI300X_A1_b16.txt"},
                    Printed{"path/MI300X_A1", {"17"}, "path_MI300X_A1_b17.txt"}));

INSTANTIATE_TEST_SUITE_P(
    All, RecordedFolder,
    testing::Values(Recorded{"vcopy/MI200", "per_wave", "vcopy_MI200_dfs12.tsv"},
                    Recorded{"multikernel/MI200", "per_wave", "multikernel_MI200_dfs12.tsv"},
                    Recorded{"multikernel/MI200", "per_kernel",
                             "multikernel_MI200_dfs_per_kernel.tsv"},
                    Recorded{"path/MI300X_A1", "per_wave", "path_MI300X_A1_dfs12.tsv"},
                    Recorded{"path/MI300X_A1", "per_cycle", "path_MI300X_A1_dfs_per_cycle.tsv"},
                    Recorded{"path/MI300X_A1", "per_second", "path_MI300X_A1_dfs_per_second.tsv"}));

}  // namespace
}  // namespace heddle::profile
