#include "report/gate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "report/clean_text.h"
#include "report/html/markup.h"
#include "report/markdown_page.h"
#include "report/sarif.h"
#include "report/text_blocks.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr std::size_t kFindingWidth = 160;
constexpr std::size_t kMostRemoved = 20;

std::int64_t count_in(const GateReport& report, GateState state) {
  return std::ranges::count_if(report.kernels,
                               [&](const GateKernel& kernel) { return kernel.state() == state; });
}

/// "3 kernels touched since origin/main: 1 FAIL, 2 pass; 97 unchanged".
std::string headline(const GateReport& report) {
  std::string text = fmt::format(
      "{} touched since {}", count_of(static_cast<std::int64_t>(report.kernels.size()), "kernel"),
      printable(report.base));
  std::string states;
  for (const GateState state :
       {GateState::fail, GateState::doubt, GateState::note, GateState::pass})
    if (const auto count = count_in(report, state); count > 0)
      states +=
          fmt::format("{}{} {}", states.empty() ? ": " : ", ", count, heddle::gate_text(state));
  return text + states + fmt::format("; {} unchanged", report.unchanged);
}

std::string verdict_of(const GateReport& report) {
  switch (report.state()) {
    case GateState::fail:
      return "FAIL";
    case GateState::doubt:
      return "DOUBT";
    default:
      return "PASS";
  }
}

Table items_table(const GateReport& report, bool is_whole) {
  Table table{"Kernels that the change touches", {{"kernel"}, {"item"}, {""}, {"finding"}}};
  for (const GateKernel& kernel : report.kernels) {
    bool is_first = true;
    for (const GateItem& item : kernel.items) {
      if (item.state == GateState::fail) table.marked.push_back(table.rows.size());
      const std::string name = kernel.subject + (kernel.is_new ? " (new)" : "");
      const std::string finding =
          is_whole ? printable(item.finding) : one_line(item.finding, kFindingWidth);
      table.rows.push_back({is_first || is_whole ? Text(printable(name)) : Text(),
                            Text(printable(item.name)),
                            item.state == GateState::fail ? strong(heddle::gate_text(item.state))
                                                          : ours(heddle::gate_text(item.state)),
                            Text(finding)});
      is_first = false;
    }
  }
  return table;
}

void add_removed(Document& page, const GateReport& report) {
  if (report.removed.empty()) return;
  Items items;
  for (std::size_t i = 0; i < std::min(report.removed.size(), kMostRemoved); ++i)
    items.items.emplace_back(printable(report.removed[i]));
  page.heading(ours(fmt::format(
      "{} removed", count_of(static_cast<std::int64_t>(report.removed.size()), "kernel"))));
  page.add(std::move(items));
}

Document document_of(const GateReport& report, bool is_whole) {
  Document page;
  page.verb = "gate";
  page.title = ours(headline(report));
  page.badge = verdict_of(report);
  page.tone = report.state() == GateState::fail    ? Tone::bad
              : report.state() == GateState::doubt ? Tone::doubtful
                                                   : Tone::good;
  if (!report.kernels.empty()) page.add(items_table(report, is_whole));
  add_removed(page, report);
  return page;
}

/// "REFUTED, was PROVED: ..." -> "was PROVED: ...": SARIF says the verdict itself.
std::string without_verdict(std::string finding) {
  for (const char* verdict : {"REFUTED: ", "REFUTED, ", "UNKNOWN: ", "UNKNOWN, "})
    if (finding.starts_with(verdict)) finding.erase(0, std::string_view(verdict).size());
  return finding;
}

std::string attribute(const char* name, const std::string& value) {
  return fmt::format(" {}=\"{}\"", name, html_text(printable(value)));
}

}  // namespace

Document gate_view(const GateReport& report) {
  return document_of(report, true);
}

std::string gate_text(const GateReport& report, const Style& style) {
  const std::string blocks = text_blocks(document_of(report, false).blocks, style);
  return fmt::format("{}  {}\n", style.bold(verdict_of(report)), headline(report)) +
         (blocks.empty() ? "" : "\n" + blocks);
}

std::string gate_markdown(const GateReport& report) {
  Document page = document_of(report, true);
  page.title = ours(fmt::format("heddle gate: {}", verdict_of(report)));
  page.blocks.insert(page.blocks.begin(), Paragraph{{Text(headline(report))}});
  return markdown_page(page);
}

json gate_json(const GateReport& report) {
  json kernels = json::array();
  for (const GateKernel& kernel : report.kernels) {
    json items = json::array();
    for (const GateItem& item : kernel.items)
      items.push_back({{"item", item.name},
                       {"check", item.check},
                       {"state", lower_case(heddle::gate_text(item.state))},
                       {"finding", item.finding}});
    kernels.push_back({{"kernel", kernel.subject},
                       {"file", kernel.file},
                       {"new", kernel.is_new},
                       {"state", lower_case(heddle::gate_text(kernel.state()))},
                       {"items", items}});
  }
  return {{"version", 1},
          {"base", report.base},
          {"commit", report.commit},
          {"slower_pct", report.slower_pct},
          {"state", lower_case(heddle::gate_text(report.state()))},
          {"unchanged", report.unchanged},
          {"removed", report.removed},
          {"kernels", kernels}};
}

std::string gate_junit(const GateReport& report) {
  std::string suites;
  std::size_t all = 0;
  std::size_t all_failed = 0;
  for (const GateKernel& kernel : report.kernels) {
    std::string cases;
    std::size_t failed = 0;
    std::size_t skipped = 0;
    for (const GateItem& item : kernel.items) {
      cases += "    <testcase" + attribute("classname", kernel.subject) +
               attribute("name", item.name) + attribute("file", kernel.file) + ">";
      const std::string message = attribute("message", item.finding);
      if (item.state == GateState::fail) {
        ++failed;
        cases += "<failure" + message + attribute("type", item.check) + "/>";
      } else if (item.state == GateState::doubt) {
        ++skipped;
        cases += "<skipped" + message + "/>";
      } else if (!item.finding.empty()) {
        cases += "<system-out>" + html_text(printable(item.finding)) + "</system-out>";
      }
      cases += "</testcase>\n";
    }
    suites +=
        fmt::format("  <testsuite{} tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
                    attribute("name", kernel.subject), kernel.items.size(), failed, skipped) +
        cases + "  </testsuite>\n";
    all += kernel.items.size();
    all_failed += failed;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"heddle gate\" tests=\"{}\" failures=\"{}\">\n{}</testsuites>\n",
      all, all_failed, suites);
}

json gate_sarif(const GateReport& report, const std::string& version) {
  std::deque<CheckResult> verdicts;  // results point to them
  std::vector<SarifResult> results;
  for (const GateKernel& kernel : report.kernels)
    for (const GateItem& item : kernel.items) {
      if (item.state != GateState::fail && item.state != GateState::doubt) continue;
      verdicts.push_back({item.state == GateState::fail ? Verdict::refuted : Verdict::unknown,
                          without_verdict(item.finding),
                          {},
                          {}});
      results.push_back({item.check, &verdicts.back(), kernel.subject + ", " + item.name,
                         kernel.file, 0, item.name});
    }
  return sarif_json(results, version);
}

}  // namespace heddle::report
