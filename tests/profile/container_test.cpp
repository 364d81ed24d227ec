// The same counters in every container that profilers write give the same panels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "profile/analysis.h"
#include "profile/packing.h"
#include "profile/rocpd_file.h"
#include "profile/testing.h"
#include "support/csv.h"

namespace heddle::profile {
namespace {

const std::string kExample = std::string(HEDDLE_TESTS_DIR) + "/../examples/workloads/scale/";

/// One counter of one dispatch of the example.
struct Value {
  std::size_t dispatch = 0;
  std::string counter;
  std::string text;
};

/// What a dispatch is, in the columns of a table with a row for each counter.
constexpr std::array<const char*, 11> kFields = {"Grid_Size",
                                                 "Workgroup_Size",
                                                 "LDS_Per_Workgroup",
                                                 "Scratch_Per_Workitem",
                                                 "Arch_VGPR",
                                                 "Accum_VGPR",
                                                 "SGPR",
                                                 "Kernel_Name",
                                                 "GPU_ID",
                                                 "Start_Timestamp",
                                                 "End_Timestamp"};

class Containers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    workload_ = read_workload(kExample + GetParam());
    std::ifstream file(kExample + GetParam() + "/sysinfo.csv");
    folder_.write("sysinfo.csv", std::string((std::istreambuf_iterator<char>(file)), {}));
    take(workload_.counters, "");
    for (const auto& [name, level] : workload_.levels) take(level, name);
  }

  void take(const CounterTable& table, const std::string& level) {
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      std::string name = table.columns()[column];
      if (name.find('_') == std::string::npos || !is_counter_name(name)) continue;
      if (!level.empty() && workload_.counters.has(name)) continue;
      if (name == "SQ_ACCUM_PREV_HIRES") name = level + "_ACCUM";
      for (std::size_t row = 0; row < table.rows(); ++row)
        values_.push_back({row, name, table.text(column, row)});
    }
  }

  static bool is_counter_name(const std::string& name) {
    for (const char* block :
         {"SQ", "TCC_", "TCP_", "TA_", "TD_", "SPI_", "CPC_", "CPF_", "GRBM_"}) {
      if (name.starts_with(block)) return true;
    }
    return false;
  }

  std::string field(const char* name, std::size_t row) const {
    const auto column = workload_.counters.find(name);
    return column ? workload_.counters.text(*column, row) : "0";
  }

  /// Every `passes`-th counter, from `first` on.
  std::string long_text(std::size_t first, std::size_t passes) const {
    std::string text = "Dispatch_ID";
    for (const char* name : kFields) text += fmt::format(",{}", name);
    text += ",Counter_Name,Counter_Value\n";
    for (std::size_t i = first; i < values_.size(); i += passes) {
      const Value& value = values_[i];
      text += fmt::format("{}", value.dispatch + 1);
      for (const char* name : kFields) text += "," + csv_field(field(name, value.dispatch));
      text += fmt::format(",{},{}\n", value.counter, value.text);
    }
    return text;
  }

  void write_database(const std::string& path) const {
    const DatabaseFile file(path);
    std::string sql = "BEGIN;" + rocpd_schema("") + "DELETE FROM rocpd_info_kernel_symbol;";
    for (std::size_t row = 0; row < workload_.counters.rows(); ++row) {
      const auto of = [&](const char* name) { return field(name, row); };
      sql += fmt::format(
          "INSERT INTO rocpd_info_kernel_symbol VALUES ({0}, 'g', '', '{1}', {2}, {3}, {4});"
          "INSERT INTO rocpd_kernel_dispatch VALUES (NULL, 'g', 1, 2, {0}, {0}, {5}, {6}, {7}, "
          "{8}, "
          "{9}, 1, 1, {10}, 1, 1, {11});",
          row + 1, of("Kernel_Name"), of("SGPR"), of("Arch_VGPR"), of("Accum_VGPR"),
          of("Start_Timestamp"), of("End_Timestamp"), of("Scratch_Per_Workitem"),
          of("LDS_Per_Workgroup"), of("Workgroup_Size"), of("Grid_Size"), 10 * (row + 1));
    }
    std::map<std::string, std::size_t> counters;
    for (const Value& value : values_) {
      const auto [found, fresh] = counters.emplace(value.counter, counters.size() + 1);
      const auto number = static_cast<int>(found->second);
      if (fresh) sql += rocpd_counter("", number, value.counter);
      sql += rocpd_value("", static_cast<int>(value.dispatch) + 1, number, value.text);
    }
    file.run(sql + "COMMIT;");
  }

  /// All numbers of the panels that counters make.
  static std::vector<std::string> numbers_of(const Workload& workload) {
    const ArchitectureDefinition definition = read_architecture(workload.arch);
    std::vector<std::string> numbers;
    for (const Panel& panel : analyze(workload, select(workload, {}), &definition, {})) {
      for (const PanelTable& table : panel.tables) {
        for (const auto& row : table.rows) {
          for (const PanelCell& cell : row) {
            if (panel.id > 1 && panel.id != 4)
              numbers.push_back(cell.is_number() ? fmt::format("{}", cell.number) : "");
          }
        }
      }
    }
    return numbers;
  }

  void expect_same() const {
    const Workload other = read_workload(folder_.path());
    EXPECT_EQ(text_of(other.notes), "");
    EXPECT_EQ(other.dispatches.size(), workload_.dispatches.size());
    EXPECT_EQ(numbers_of(other), numbers_of(workload_));
  }

  Workload workload_;
  std::vector<Value> values_;
  Folder folder_;
};

TEST_P(Containers, ARowForEachCounter) {
  folder_.write("pmc_perf.csv", long_text(0, 1));
  expect_same();
}

TEST_P(Containers, AFileForEachReplay) {
  for (std::size_t i = 0; i < 7; ++i)
    folder_.write(fmt::format("results_pmc_perf_{}.csv", i), long_text(i, 7));
  expect_same();
}

TEST_P(Containers, APackedFileForEachReplay) {
  for (std::size_t i = 0; i < 3; ++i)
    folder_.write(fmt::format("results_pmc_perf_{}.csv.gz", i), packed(long_text(i, 3)));
  expect_same();
}

TEST_P(Containers, ADatabase) {
  write_database(folder_.file("pmc_perf_0_77.db"));
  expect_same();
}

INSTANTIATE_TEST_SUITE_P(All, Containers, testing::Values("MI200", "MI300X_A1"));

}  // namespace
}  // namespace heddle::profile
