#include "profile/workload/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "support/csv.h"
#include "support/error.h"

namespace heddle::profile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNodes = 4096;

/// Of one node, and how many rows it stands for.
struct NodeTable {
  const CounterTable* table = nullptr;  ///< null: the node has none of the name
  std::size_t rows = 0;
};

/// One below the other; columns are those of any of them.
CounterTable stacked(const std::vector<NodeTable>& parts, const std::string& shown,
                     std::vector<ProfileNote>& notes) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const NodeTable& part : parts) {
    if (part.table == nullptr) continue;
    for (const std::string& name : part.table->columns()) {
      if (seen.insert(name).second) names.push_back(name);
    }
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + csv_field(name);
  text += '\n';
  std::vector<std::size_t> damaged;
  std::size_t next = 0;
  for (const NodeTable& part : parts) {
    std::vector<std::optional<std::size_t>> columns(names.size());
    for (std::size_t i = 0; part.table != nullptr && i < names.size(); ++i)
      columns[i] = part.table->find(names[i]);
    for (std::size_t row = 0; row < part.rows; ++row, ++next) {
      const bool there = part.table != nullptr && row < part.table->rows();
      if (!there || part.table->damaged(row)) damaged.push_back(next);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += ',';
        if (there && columns[i]) text += csv_field(part.table->text(*columns[i], row));
      }
      text += '\n';
      if (text.size() > kTableBytes)
        throw Error(fmt::format("{} of all nodes together is larger than is read", shown),
                    "name fewer nodes: --nodes NAME", ExitCode::missing);
    }
  }
  CounterTable table(std::move(text), shown, notes);
  for (const std::size_t row : damaged) table.leave_out(row);
  return table;
}

std::vector<std::string> folders_in(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code status;
    if (entry->is_directory(status)) names.push_back(entry->path().filename().string());
    if (names.size() > kMostNodes) break;
  }
  if (error)
    throw Error(fmt::format("cannot read the folder '{}': {}", path, error.message()),
                "with --nodes, name the folder that holds a folder of each node",
                ExitCode::missing);
  std::ranges::sort(names);
  return names;
}

/// `passed_over` gets the folders that are left out, and why.
std::vector<Workload> read_each(const std::string& path, std::vector<std::string>& nodes,
                                std::vector<ProfileNote>& passed_over) {
  const std::vector<std::string> there = folders_in(path);
  const bool named = !nodes.empty();
  for (const std::string& node : nodes) {
    if (std::ranges::find(there, node) == there.end())
      throw Error(fmt::format("'{}' has no node '{}'", path, node),
                  there.empty() ? "name the folder that holds a folder of each node"
                                : fmt::format("its folders are {}", fmt::join(there, ", ")),
                  ExitCode::missing);
  }
  if (!named) nodes = there;
  std::vector<Workload> workloads;
  std::vector<std::string> read;
  for (const std::string& node : nodes) {
    try {
      workloads.push_back(read_workload(path + "/" + node));
      read.push_back(node);
    } catch (const Error& error) {
      if (named) throw;
      passed_over.push_back({node, "left out: " + error.message()});
    }
  }
  nodes = std::move(read);
  if (workloads.empty())
    throw Error(fmt::format("'{}' holds no folder of a node", path),
                "name the folder that holds a folder of each node, or leave --nodes out",
                ExitCode::missing);
  return workloads;
}

/// Rule 2.
void check_chips(const Workload& first, const Workload& other, const std::string& node,
                 std::vector<ProfileNote>& notes) {
  if (first.arch != other.arch)
    throw Error(fmt::format("'{}' is of {}, '{}' of {}: peaks of one do not hold for the other",
                            first.path, first.arch, other.path, other.arch),
                "name nodes of one chip: --nodes NAME", ExitCode::missing);
  constexpr std::array<const char*, 6> kPeakFields = {"cu_per_gpu", "max_sclk",      "hbm_bw",
                                                      "num_xcd",    "total_l2_chan", "max_mclk"};
  for (const char* field : kPeakFields) {
    const std::string *mine = first.system_text(field), *theirs = other.system_text(field);
    if (mine == nullptr || theirs == nullptr || *mine == *theirs) continue;
    notes.push_back({node + "/sysinfo.csv",
                     fmt::format("{} is {}, and {} on the first node: peaks are those of the first",
                                 field, *theirs, *mine)});
  }
}

}  // namespace

Workload read_nodes(const std::string& path, std::vector<std::string> nodes) {
  Workload whole;
  std::vector<Workload> workloads = read_each(path, nodes, whole.notes);
  std::vector<NodeTable> counters;
  std::map<std::string, std::vector<NodeTable>> levels;
  for (const Workload& one : workloads) {
    counters.push_back({&one.counters, one.counters.rows()});
    for (const auto& [name, table] : one.levels) levels[name];
  }
  for (auto& [name, parts] : levels) {
    for (const Workload& one : workloads) {
      const auto found = one.levels.find(name);
      parts.push_back({found == one.levels.end() ? nullptr : &found->second, one.counters.rows()});
    }
  }
  whole.path = path;
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    Workload& one = workloads[i];
    if (i > 0) check_chips(workloads[0], one, nodes[i], whole.notes);
    for (const auto& [where, what] : one.notes)
      whole.notes.push_back({nodes[i] + "/" + where, what});
    for (Dispatch dispatch : one.dispatches) {
      dispatch.row += offset;
      dispatch.node = nodes[i];
      whole.dispatches.push_back(std::move(dispatch));
    }
    offset += static_cast<std::uint32_t>(one.counters.rows());
    whole.times_only = whole.times_only || one.times_only;
    whole.unreadable.merge(one.unreadable);
  }
  whole.counters = stacked(counters, "the counters", whole.notes);
  for (const auto& [name, parts] : levels)
    whole.levels.emplace(name, stacked(parts, name + ".csv", whole.notes));
  Workload& first = workloads[0];
  whole.counters_file = first.counters_file;
  whole.system = std::move(first.system);
  whole.arch = std::move(first.arch);
  whole.arch_guessed = first.arch_guessed;
  whole.roofline = std::move(first.roofline);
  whole.samples = std::move(first.samples);
  return whole;
}

}  // namespace heddle::profile
